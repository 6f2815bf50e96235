// The reference, drawn from the description that programs read.

const described = await (await fetch("/openapi.json")).json();
document.getElementById("version").textContent = described.info.version;
document.getElementById("about").textContent = described.info.description;

const terms = (list, pairs) => {
  for (const [term, text] of pairs) {
    list.append(
      Object.assign(document.createElement("dt"), { textContent: term }),
      Object.assign(document.createElement("dd"), { textContent: text }),
    );
  }
  if (!pairs.length) list.closest(".part").remove();
};

const resolve = (schema) =>
  schema?.$ref ? described.components.schemas[schema.$ref.split("/").at(-1)] : schema;

function curl(method, path, body, locked) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${location.origin}${path.replace("{name}", "main").replace("{id}", "1")}`];
  if (locked) lines.push(`-H "Authorization: Bearer $TOKEN"`);
  if (body) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  return lines.join(" \\\n  ");
}

for (const [path, methods] of Object.entries(described.paths)) {
  for (const [name, operation] of Object.entries(methods)) {
    const method = name.toUpperCase();
    const item = document.getElementById("t-operation").content.firstElementChild.cloneNode(true);
    const put = (selector, text) => {
      const element = item.querySelector(selector);
      element.textContent = text;
      return element;
    };
    put(".method", method).dataset.method = method;
    put(".path", path);
    put(".short", operation.description.split("\n")[0]);
    put(".long", operation.description.split("\n").slice(1).join("\n")).hidden = !operation.description.includes("\n");
    const body = resolve(operation.requestBody?.content["application/json"].schema);
    const fields = Object.entries(body?.properties ?? {}).map(([field, schema]) => [field, schema.description ?? ""]);
    const parameters = (operation.parameters ?? []).map((one) => {
      const { minimum, maximum } = one.schema;
      const range = maximum === undefined ? "" : ` From ${minimum} to ${maximum}.`;
      return [one.name, `${one.description ?? ""}${range} In the ${one.in}.`.trim()];
    });
    terms(item.querySelector(".parameters"), [...parameters, ...fields]);
    put(".curl", curl(method, path, body?.examples?.[0], operation.security));
    terms(item.querySelector(".responses"), Object.entries(operation.responses).map(([status, one]) => [status, one.description]));
    document.getElementById("operations").append(item);
  }
}
