// The memory as a time line: days, speakers, what an answer rests on, what a search found.

import { brief, clone, hopColour, isWorld, put, supports } from "./draw.js";

const day = (time) => new Date(time).toDateString();
const shortTime = (time) =>
  new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
const longDay = (time) =>
  new Date(time).toLocaleDateString([], { weekday: "short", day: "numeric", month: "long", year: "numeric" });
const when = (slot) => slot.said ?? slot.time;

// Which facts are lit: the supports in hop order, the runners-up faintly.
export function rolesOf(answer) {
  const roles = new Map();
  const told = (answer ? supports(answer) : []).filter((one) => !isWorld(one));
  for (const one of told) {
    const rival = one.decisive?.against.id;
    if (rival && !roles.has(rival)) roles.set(rival, { rival: one.hop });
  }
  for (const one of told) roles.set(one.id, { hop: one.hop });
  return roles;
}

// A row; `about` says what is lit, until when is asked, which words were looked for.
export function row(slot, before, about, does) {
  const item = clone("t-slot");
  item.dataset.id = slot.id;
  words(item.querySelector(".text"), slot.text, about.words ?? []);
  put(item, ".id", slot.id);
  const time = put(item, "time", about.words ? `${longDay(when(slot))}` : shortTime(when(slot)));
  time.dateTime = when(slot);
  time.title = new Date(when(slot)).toLocaleString();
  const heading = item.querySelector(".day");
  heading.hidden = Boolean(about.words) || (before && day(when(before)) === day(when(slot)));
  heading.textContent = heading.hidden ? "" : longDay(when(slot));
  const speaker = item.querySelector(".speaker");
  speaker.hidden = !slot.speaker;
  speaker.textContent = slot.speaker ?? "";
  item.classList.toggle("replaced", Boolean(slot.superseded_by));
  put(item, ".note", slot.superseded_by ? `replaced by #${slot.superseded_by}` : "");
  light(item, slot, about);
  tools(item, slot, about, does);
  return item;
}

function light(item, slot, { roles, asOf }) {
  const role = roles.get(slot.id);
  const support = role?.hop;
  item.classList.toggle("support", Boolean(support));
  item.classList.toggle("rival", Boolean(role?.rival));
  item.dataset.colour = support ? hopColour(support) : "";
  put(item, ".dot", support ?? slot.speaker?.trim()[0]?.toUpperCase() ?? "");
  item.classList.toggle("spoken", Boolean(slot.speaker));
  put(item, ".role", support ? `support ${support}` : role ? `runner-up of ${role.rival}` : "");
  item.classList.toggle("later", Boolean(asOf) && slot.id > asOf.id);
  item.classList.toggle("now", asOf?.id === slot.id);
}

function tools(item, slot, { question }, does) {
  const label = brief(slot.text);
  const button = (kind, name, work) => {
    const element = item.querySelector(`.${kind}`);
    element.ariaLabel = name;
    element.title = name;
    element.addEventListener("click", () => work(slot));
    return element;
  };
  button("until", "Ask as of this moment", does.until);
  button("edit", `Change “${label}”`, does.edit).hidden = Boolean(slot.superseded_by);
  button("right", `This is the right fact for “${brief(question ?? "")}”`, does.right).hidden = !question;
  button("forget", `Forget “${label}”`, does.forget);
  const more = button("more", `What to do with “${label}”`, () => {
    const open = item.classList.toggle("open");
    more.ariaExpanded = String(open);
  });
  more.ariaExpanded = "false";
}

// A row that is being fetched: as high as most are.
export function blank(id) {
  const item = clone("t-blank");
  item.dataset.id = id;
  return item;
}

// The words that were looked for are lit: those that begin alike, as "ticket" and "tickets" do, or "live" and "living".
function words(element, text, wanted) {
  if (!wanted.length) {
    element.textContent = text;
    return;
  }
  for (const part of text.split(/([\p{L}\p{N}]+)/u)) {
    const found = wanted.some((word) => alike(word, part.toLowerCase()));
    element.append(found ? Object.assign(document.createElement("mark"), { textContent: part }) : part);
  }
}

const root = (word) => word.replace(/[ey]$/, "");
const alike = (a, b) => a === b || (Math.min(a.length, b.length) > 3 && (a.startsWith(root(b)) || b.startsWith(root(a))));
const SHORT = 4; // letters: "the", "is" and the like are not worth lighting beside longer ones

export function wordsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const long = words.filter((word) => word.length >= SHORT);
  return long.length ? long : words;
}
