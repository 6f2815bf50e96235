// From values to elements: what was told and answered. Text only ever goes in as text.

import { graph } from "./graph.js";

export const clone = (id) =>
  document.getElementById(id).content.firstElementChild.cloneNode(true);
export const put = (parent, selector, text) => {
  const element = parent.querySelector(selector);
  element.textContent = text;
  return element;
};
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2);
const number = (x) => (x < 0 ? "−" : "") + Math.abs(x).toFixed(2);
// Nothing is certain: 100 % is never said.
const percent = (p) => (p > 0.99 ? "over 99 %" : p < 0.01 ? "under 1 %" : `${Math.round(p * 100)} %`);
const WORDS = [[0.95, "almost certain"], [0.8, "very likely"], [0.6, "likely"], [0.4, "could be"]];
const inWords = (p) => WORDS.find(([least]) => p >= least)?.[1] ?? "unlikely";
export const hopColour = (hop) => ((hop - 1) % 3) + 1;
export const brief = (text, most = 40) => (text.length > most ? `${text.slice(0, most)}…` : text);

export function told(statements, more) {
  const block = clone("t-told");
  if (more) put(block, ".more-told", `… ${more.toLocaleString()} before, in the memory`).hidden = false;
  for (const slot of statements) {
    const line = clone("t-line");
    put(line, ".id", slot.id);
    put(line, ".text", slot.speaker ? `${slot.speaker}: ${slot.text}` : slot.text);
    block.querySelector("ol").append(line);
  }
  const [first, last] = [statements[0].id, statements.at(-1).id];
  put(block, ".remembered", `Remembered as ${first === last ? first : `${first} to ${last}`}.`);
  return block;
}

export function replied({ question, reply, listed }, isThere) {
  const item = clone("t-replied");
  put(item, ".question", question);
  put(item, ".reply", reply);
  item.querySelector("ol").append(
    ...listed.map((slot) => {
      const line = clone("t-line");
      put(line, ".id", slot.id);
      put(line, ".text", isThere(slot.id) ? slot.text : "(forgotten)");
      return line;
    }),
  );
  return item;
}

export function answered(entry, isThere, onLight) {
  const item = clone("t-asked");
  const { answer } = entry;
  put(item, ".question", entry.question);
  put(item, ".said .text", answer.answer);
  const read = Object.entries(answer.read_as ?? {}).map(([word, other]) => `read “${word}” as “${other}”`);
  put(item, ".reason", [...read, ...(answer.abstained ? [answer.reason] : [])].join("; "));
  item.classList.toggle("abstained", answer.abstained);
  const evidence = supports(answer);
  put(item, ".source", answer.abstained ? "" : (SOURCES[answer.source] ?? ""));
  likely(item, answer);
  item.querySelector(".stale").hidden = evidence.every((hop) => isWorld(hop) || isThere(hop.id));
  if (entry.asOf) put(item, ".as-of", `as of ${entry.asOf}`).hidden = false;
  const light = item.querySelector(".light");
  light.hidden = evidence.every(isWorld);
  light.addEventListener("click", onLight);
  item.querySelector(".hops").append(...evidence.map((one) => hop(one, answer.answer)));
  if (evidence.length > 1) item.querySelector(".graph").append(graph(entry.question, evidence, answer.answer));
  return item;
}

// How likely it is right: in words, as a bar, and in figures.
function likely(item, { abstained, probability }) {
  const known = !abstained && typeof probability === "number";
  item.querySelector(".likely").hidden = !known;
  if (!known) return;
  put(item, ".likely .words", inWords(probability));
  put(item, ".likely .percent", percent(probability));
  item.querySelector(".likely i").style.width = `${probability * 100}%`;
}

// Which network answered, for people.
const SOURCES = { story: "from the story", ordinary: "from what you told me", told: "as you told me", world: "a fact of the world" };

// A fact of the world was not told: it has no place in the memory, though its id may be in use there.
export const isWorld = (hop) => hop.source === "world";

// An abstaining answer shows what it looked at to nobody: nothing supports it.
export const supports = (answer) => (answer.abstained ? [] : answer.evidence);

function hop(one, said) {
  const item = clone("t-hop");
  item.dataset.colour = hopColour(one.hop);
  put(item, ".badge", one.hop);
  const same = one.text === said; // the answer is this fact, and stands above already
  const spoken = one.speaker ? `${one.speaker}: ${one.text}` : one.text;
  put(item, ".fact .text", same ? "in these words" : spoken).classList.toggle("same", same);
  put(item, ".fact .id", isWorld(one) ? "world" : `[${one.id}]`);
  put(item, ".fact .score", number(one.score));
  const why = item.querySelector(".why");
  if (!one.decisive) {
    why.remove();
    return item;
  }
  const { against, content, write_time, margin, terms } = one.decisive;
  const timed = !terms || TIME in terms; // facts of the world have no time
  const parts = timed ? `: said ${signed(content)}, time ${signed(write_time)}` : "";
  put(why, "summary", `won by ${number(margin)}${parts}`);
  put(why, ".rival q", against.text);
  put(why, ".rival .id", isWorld(one) ? "world" : `[${against.id}]`);
  put(why, ".rival .score", number(against.score));
  why.querySelector(".bars").append(...bars(one.decisive, timed));
  return item;
}

const TIME = "write time";

// What was said, and what that is the sum of if it is more than one thing; when it was said.
function bars({ content, write_time, terms = {} }, timed) {
  const parts = Object.entries(terms).filter(([name]) => name !== TIME);
  const shown = parts.length > 1 ? parts : [];
  const values = [content, write_time, ...shown.map(([, value]) => value)];
  const most = Math.max(...values.map(Math.abs), 1e-9);
  return [
    bar("what was said", content, most),
    ...shown.map(([name, value]) => bar(name, value, most, "part")),
    ...(timed ? [bar("when it was said", write_time, most)] : []),
  ];
}

function bar(name, value, most, kind) {
  const item = clone("t-term");
  if (kind) item.classList.add(kind);
  put(item, ".name", name);
  put(item, "output", signed(value));
  const line = item.querySelector("i");
  line.style.width = `${(Math.abs(value) / most) * 50}%`;
  line.classList.toggle("against", value < 0);
  return item;
}
