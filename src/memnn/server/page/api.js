// The service as functions. A server with a token gets it from whoever uses this tab.

const KEY = "memnn token";
let askForToken = async () => null;

export function onLocked(ask) {
  askForToken = ask;
}

export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, body) {
  for (let wrong = false; ; wrong = true) {
    const headers = {};
    const token = sessionStorage.getItem(KEY);
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
      response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    } catch {
      throw new Problem(0, "The server does not answer. Nothing was lost; try again.");
    }
    if (response.status === 401) {
      sessionStorage.setItem(KEY, await askForToken(wrong && Boolean(token)));
      continue;
    }
    if (response.status === 204) return null;
    const value = await response.json();
    if (!response.ok) throw new Problem(response.status, value.error.message);
    return value;
  }
}

const at = (name, rest = "") => `/v1/memories/${encodeURIComponent(name)}${rest}`;

export const api = {
  memories: () => call("GET", "/v1/memories?limit=1000"),
  say: (name, text) => call("POST", at(name, "/messages"), { text }),
  tell: (name, text) => call("POST", at(name, "/statements"), { text }),
  ask: (name, text, as_of) => call("POST", at(name, "/questions"), { text, as_of }),
  forget: (name, id) => call("DELETE", at(name, `/statements/${id}`)),
  forgetAll: (name) => call("DELETE", at(name)),
  async statements(name, after = 0) {
    const all = [];
    for (;;) {
      const path = at(name, `/statements?after=${after}&limit=1000`);
      const { statements } = await call("GET", path);
      all.push(...statements);
      if (statements.length < 1000) return all;
      after = statements.at(-1).id;
    }
  },
};
