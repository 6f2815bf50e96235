// From values to elements. Text only ever goes in as text.

const clone = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);
const put = (parent, selector, text) => {
  const element = parent.querySelector(selector);
  element.textContent = text;
  return element;
};
const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(2);
const number = (x) => (x < 0 ? "−" : "") + Math.abs(x).toFixed(2);
// Nothing is certain: 100 % is never said.
const percent = (p) => (p > 0.99 ? "over 99 %" : p < 0.01 ? "under 1 %" : `${Math.round(p * 100)} %`);
const hopColour = (hop) => ((hop - 1) % 3) + 1;

export function told(statements) {
  const block = clone("t-told");
  for (const slot of statements) {
    const line = clone("t-line");
    put(line, ".id", slot.id);
    put(line, ".text", slot.text);
    block.firstElementChild.append(line);
  }
  return block;
}

export function answered(entry, isThere, onLight) {
  const item = clone("t-asked");
  const { answer } = entry;
  put(item, ".question", entry.question);
  put(item, ".said .text", answer.answer);
  put(item, ".reason", answer.abstained ? answer.reason : "");
  item.classList.toggle("abstained", answer.abstained);
  const evidence = supports(answer);
  put(item, ".source", answer.abstained ? "" : (SOURCES[answer.source] ?? ""));
  const known = !answer.abstained && typeof answer.probability === "number";
  put(item, ".likely", known ? `${percent(answer.probability)} likely` : "");
  item.querySelector(".stale").hidden = evidence.every((hop) => isWorld(hop) || isThere(hop.id));
  if (entry.asOf) {
    const past = put(item, ".as-of", `as of ${entry.asOf}`);
    past.hidden = false;
  }
  const light = item.querySelector(".light");
  light.hidden = evidence.every(isWorld);
  light.addEventListener("click", onLight);
  item.querySelector(".hops").append(...evidence.map(hop));
  return item;
}

// Which network answered, for people.
const SOURCES = { story: "from the story", ordinary: "from what you told me", told: "as you told me", world: "a fact of the world" };

// A fact of the world was not told: it has no place in the memory, though its id may be in use there.
const isWorld = (hop) => hop.source === "world";

// An abstaining answer shows what it looked at to nobody: nothing supports it.
export const supports = (answer) => (answer.abstained ? [] : answer.evidence);

function hop(one) {
  const item = clone("t-hop");
  item.dataset.colour = hopColour(one.hop);
  put(item, ".badge", one.hop);
  put(item, ".fact .text", one.text);
  put(item, ".fact .id", isWorld(one) ? "world" : `[${one.id}]`);
  put(item, ".fact .score", number(one.score));
  const why = item.querySelector(".why");
  if (!one.decisive) {
    why.remove();
    return item;
  }
  const { against, content, write_time, margin, terms } = one.decisive;
  const timed = !terms || TIME in terms; // facts of the world have no time
  const said = timed ? `: said ${signed(content)}, time ${signed(write_time)}` : "";
  put(why, "summary", `won by ${number(margin)}${said}`);
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

export function slot(one, onUntil, onForget) {
  const item = clone("t-slot");
  item.dataset.id = one.id;
  put(item, ".text", one.text);
  put(item, ".id", one.id);
  const time = put(item, "time", shortTime(one.time));
  time.dateTime = one.time;
  time.title = new Date(one.time).toLocaleString();
  const label = one.text.length > 40 ? `${one.text.slice(0, 40)}…` : one.text;
  const until = item.querySelector(".until");
  until.ariaLabel = until.title = "Ask as of this moment";
  until.addEventListener("click", () => onUntil(one));
  const forget = item.querySelector(".forget");
  forget.title = "Forget this";
  forget.ariaLabel = `Forget “${label}”`;
  forget.addEventListener("click", () => onForget(one));
  return item;
}

// Lights the supports in hop order, the runners-up faintly; the rest steps back.
export function light(timeline, answer) {
  const roles = new Map();
  const told = (answer ? supports(answer) : []).filter((one) => !isWorld(one));
  for (const one of told) {
    if (one.decisive && !roles.has(one.decisive.against.id)) {
      roles.set(one.decisive.against.id, { rival: one.hop });
    }
  }
  for (const one of told) roles.set(one.id, { hop: one.hop });
  timeline.classList.toggle("lit", roles.size > 0);
  for (const item of timeline.children) {
    const role = roles.get(Number(item.dataset.id));
    const support = role?.hop;
    item.classList.toggle("support", Boolean(support));
    item.classList.toggle("rival", Boolean(role?.rival));
    item.dataset.colour = support ? hopColour(support) : "";
    put(item, ".dot", support ?? "");
    put(item, ".role", support ? `support ${support}` : role ? `runner-up of ${role.rival}` : "");
  }
  return timeline.querySelector(".support");
}

function shortTime(text) {
  const time = new Date(text);
  const today = time.toDateString() === new Date().toDateString();
  return today
    ? time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : time.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}
