// The reference, drawn from the description that programs read: each call with its parameters, the
// shape of its answer, an example, and a form to try it.

const described = await (await fetch("/openapi.json")).json();
document.getElementById("version").textContent = described.info.version;
document.getElementById("about").textContent = described.info.description;

const KEY = "memnn token"; // as the page keeps it
const make = (tag, about = {}) => Object.assign(document.createElement(tag), about);
const resolve = (schema) =>
  schema?.$ref ? described.components.schemas[schema.$ref.split("/").at(-1)] : schema;

const terms = (list, pairs) => {
  for (const [term, text] of pairs) {
    list.append(make("dt", { textContent: term }), make("dd", { textContent: text }));
  }
  if (!pairs.length) list.closest(".part").remove();
};

// ---- shapes and examples

const kinds = (schema) => (schema.anyOf ?? schema.oneOf ?? [schema]).map(resolve);

function kind(schema) {
  const names = kinds(schema).map((one) => {
    if (one.type === "array") return `list of ${kind(resolve(one.items ?? {}))}`;
    return one.title && one.properties ? one.title : (one.type ?? "anything");
  });
  return [...new Set(names)].join(" or ");
}

// The keys of an object, and of what it holds, indented.
function shape(schema, depth = 0, seen = []) {
  const rows = [];
  for (const one of kinds(resolve(schema) ?? {})) {
    const inner = one.type === "array" ? resolve(one.items ?? {}) : one;
    for (const object of kinds(inner)) {
      if (!object.properties || seen.includes(object.title)) continue;
      for (const [name, value] of Object.entries(object.properties)) {
        const held = resolve(value);
        const optional = object.required?.includes(name) ? "" : "?";
        const about = value.description ?? (held.properties ? "" : (held.description ?? ""));
        rows.push([`${"    ".repeat(depth)}${name}${optional}`, `${kind(held)}. ${about}`.trim()]);
        rows.push(...shape(held, depth + 1, [...seen, object.title]));
      }
    }
  }
  return rows;
}

const SAMPLES = {
  text: "Joe went to the kitchen.", question: "Where is Joe?", answer: "kitchen", source: "story",
  time: "2026-01-01T12:00:00.000000Z", said: "2023-05-08T13:56:00.000000Z", speaker: "Ann", reason: "",
  session: "monday", name: "main", to: "diary-2024", status: "ok", version: described.info.version,
  code: "not_found", message: "there is no memory with id 7", request_id: "3f9a0c1d2e4b5a67",
  probability: 0.97, score: 0.97, k: 10, abstained: false, more: false, hop: 1, deletions: 0,
};

function example(schema, name = "", depth = 0) {
  const one = kinds(resolve(schema) ?? {}).find((each) => each.type !== "null") ?? {};
  if (one.examples?.length) return one.examples[0];
  if (name in SAMPLES) return SAMPLES[name];
  if (one.properties && depth < 5) {
    const required = Object.entries(one.properties).filter(([key]) => one.required?.includes(key));
    return Object.fromEntries(required.map(([key, value]) => [key, example(value, key, depth + 1)]));
  }
  if (one.type === "array") return depth < 5 ? [example(one.items ?? {}, name, depth + 1)] : [];
  return { integer: 1, number: 0.5, boolean: true, string: "…" }[one.type] ?? {};
}

// ---- one call

function filled(path, values = {}) {
  const name = values.name ?? "main";
  return path.replace("{name}", encodeURIComponent(name)).replace("{id}", values.id ?? "1");
}

function curl(method, path, body, locked) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${location.origin}${filled(path)}`];
  if (locked) lines.push(`-H "Authorization: Bearer $TOKEN"`);
  if (body) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  return lines.join(" \\\n  ");
}

let fields = 0;

function field(form, label, element) {
  element.id = `field-${++fields}`;
  form.append(make("label", { textContent: label, htmlFor: element.id }), element);
  return element;
}

// A form that sends the call, and shows what comes back.
function tryOut(item, method, path, operation, body) {
  const form = item.querySelector("form");
  const values = {};
  for (const one of operation.parameters ?? []) {
    const start = { name: "main", id: "1" }[one.name] ?? "";
    values[one.name] = [one.in, field(form, one.name, make("input", { value: start, spellcheck: false }))];
  }
  const text = body && field(form, "body", make("textarea", { rows: 4, value: JSON.stringify(body, null, 2) }));
  const token = operation.security && field(form, "token", make("input", { type: "password", autocomplete: "off", value: sessionStorage.getItem(KEY) ?? "" }));
  form.append(make("button", { textContent: `Send ${method}`, className: "primary" }));
  const shown = item.querySelector(".came");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = Object.entries(values).map(([name, [where, input]]) => [name, where, input.value.trim()]);
    const query = new URLSearchParams(given.filter(([, where, value]) => where === "query" && value).map(([name, , value]) => [name, value]));
    const inPath = Object.fromEntries(given.filter(([, where]) => where === "path").map(([name, , value]) => [name, value]));
    const headers = { ...(text && { "Content-Type": "application/json" }), ...(token?.value && { Authorization: `Bearer ${token.value}` }) };
    shown.hidden = false;
    try {
      const url = `${filled(path, inPath)}${query.size ? `?${query}` : ""}`;
      const response = await fetch(url, { method, headers, body: text?.value });
      const came = await response.text();
      shown.textContent = `${response.status} ${response.statusText}\n${pretty(came)}`;
    } catch {
      shown.textContent = "The server does not answer.";
    }
  });
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function draw(path, method, operation) {
  const item = document.getElementById("t-operation").content.firstElementChild.cloneNode(true);
  const put = (selector, text) => {
    const element = item.querySelector(selector);
    element.textContent = text;
    return element;
  };
  put(".method", method).dataset.method = method;
  put(".path", path);
  const [first, ...more] = operation.description.split("\n");
  put(".short", first);
  put(".long", more.join("\n")).hidden = !more.length;
  const schema = operation.requestBody?.content["application/json"].schema;
  const body = schema && example(schema);
  const parameters = (operation.parameters ?? []).map((one) => {
    const { minimum, maximum } = one.schema;
    const range = maximum === undefined ? "" : ` From ${minimum} to ${maximum}.`;
    return [one.name, `${one.description ?? ""}${range} In the ${one.in}.`.trim()];
  });
  terms(item.querySelector(".parameters"), [...parameters, ...(schema ? shape(schema) : [])]);
  put(".curl", curl(method, path, body, operation.security));
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  terms(item.querySelector(".shape"), answer ? shape(answer) : []);
  if (answer) put(".example", JSON.stringify(example(answer), null, 2));
  else item.querySelector(".example").closest(".part").remove();
  terms(item.querySelector(".responses"), Object.entries(operation.responses).map(([status, one]) => [status, one.description]));
  tryOut(item, method, path, operation, body);
  return item;
}

for (const [path, methods] of Object.entries(described.paths)) {
  for (const [name, operation] of Object.entries(methods)) {
    document.getElementById("operations").append(draw(path, name.toUpperCase(), operation));
  }
}
