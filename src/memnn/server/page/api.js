// The service as functions. A server with a token gets it from whoever uses this tab.

const KEY = "memnn token";
let askForToken = async () => null;

let onLine = () => {};

export function onLocked(ask) {
  askForToken = ask;
}

// Hears whether the server answers.
export function onReach(hear) {
  onLine = hear;
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
      onLine(false);
      throw new Problem(0, "The server does not answer. What you typed is still here; try again.");
    }
    onLine(true);
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
  say: (name, text, as_of) => call("POST", at(name, "/messages"), { text, ...(as_of && { as_of }) }),
  tell: (name, text) => call("POST", at(name, "/statements"), { text }),
  tellMany: (name, statements) => call("POST", at(name, "/statements"), { statements }),
  ask: (name, text, as_of) => call("POST", at(name, "/questions"), { text, as_of }),
  search: (name, text, k) => call("POST", at(name, "/search"), { text, k }),
  teach: (name, question, ids, as_of) => call("POST", at(name, "/lessons"), { question, ids, as_of }),
  lessons: (name) => call("GET", at(name, "/lessons")),
  update: (name, id, turn) => call("PUT", at(name, `/statements/${id}`), turn),
  copy: (name, to, move) => call("POST", at(name, "/copies"), { to, move }),
  page: (name, after, limit) =>
    call("GET", at(name, `/statements?after=${after}&limit=${limit}&history=true`)),
  changes: (name, after, deletions) => {
    const seen = deletions === null ? "" : `&deletions=${deletions}`;
    return call("GET", at(name, `/changes?after=${after}&limit=1000${seen}`));
  },
  forget: (name, id) => call("DELETE", at(name, `/statements/${id}`)),
  // As the page goes away.
  forgetLast: (name, id) => {
    const token = sessionStorage.getItem(KEY);
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    fetch(at(name, `/statements/${id}`), { method: "DELETE", headers, keepalive: true });
  },
  forgetAll: (name) => call("DELETE", at(name)),
};
