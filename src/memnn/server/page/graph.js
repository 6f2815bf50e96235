// The hops of an answer as a small graph: from the question over the facts to the answer.

const make = (tag, about, text) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(about)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

const STEP = 76;
const MARGIN = 30;
const short = (text) => (text.length > 14 ? `${text.slice(0, 13)}…` : text);

export function graph(question, evidence, answer) {
  const nodes = [
    { label: "?", below: "asked" },
    ...evidence.map((hop) => ({
      label: String(hop.hop),
      below: hop.source === "world" ? "world" : `[${hop.id}]`,
      colour: ((hop.hop - 1) % 3) + 1,
    })),
    { label: "→", below: short(answer), end: true },
  ];
  const width = MARGIN * 2 + STEP * (nodes.length - 1) + 40;
  const facts = evidence.map((hop) => `fact ${hop.hop}: ${hop.text}`).join(", then ");
  const svg = make("svg", {
    viewBox: `0 0 ${width} 56`, width, height: 56, role: "img",
    "aria-label": `How the answer was found: the question, then ${facts}, then ${answer}`,
  });
  nodes.forEach((node, i) => {
    const x = MARGIN + STEP * i;
    if (i) svg.append(make("path", { class: "edge", d: `M${x - STEP + 15} 18H${x - 19}m-5 -4 5 4-5 4` }));
    const group = make("g", { class: node.end ? "node end" : "node" });
    if (node.colour) group.dataset.colour = node.colour;
    group.append(
      make("circle", { cx: x, cy: 18, r: 13 }),
      make("text", { x, y: 22.5, class: "label" }, node.label),
      make("text", { x, y: 48, class: "below" }, node.below),
    );
    svg.append(group);
  });
  return svg;
}
