// A memory as a file, and a file as statements: lines of JSON, "Ann: Hello." logs, or plain lines.

import { api } from "./api.js";

const MOST = 500; // statements sent at once
const BYTES = 150000; // of a request
const KEYS = ["id", "text", "time", "speaker", "said", "session", "meta", "supersedes"];
const SPOKEN = /^(?:\[([^\]]{1,40})\]\s*)?([\p{L}][^:[\]]{0,59}?)\s*:\s+(\S.*)$/u;

// All that was told, as `memnn memory import` reads it.
export async function save(name, onPart) {
  const lines = [];
  for (let after = 0; ; ) {
    const { statements } = await api.page(name, after, 1000);
    for (const slot of statements) {
      lines.push(JSON.stringify(Object.fromEntries(KEYS.filter((k) => k in slot).map((k) => [k, slot[k]]))));
    }
    onPart(lines.length);
    if (statements.length < 1000) break;
    after = statements.at(-1).id;
  }
  const { lessons } = await api.lessons(name);
  for (const lesson of lessons) lines.push(JSON.stringify(lesson));
  const url = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/jsonl" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `${name}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  return lines.length - lessons.length;
}

// What a file says, as the service takes it; a line that cannot be used is named.
export function read(text, file) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/).map((line, i) => [i + 1, line.trim()]);
  const some = lines.filter(([, line]) => line);
  if (some[0]?.[1].startsWith("{")) return fromJson(some);
  const spoken = some.filter(([, line]) => SPOKEN.test(line)).length > some.length / 2;
  return some.map(([, line]) => {
    const turn = spoken && line.match(SPOKEN);
    // With a session a line is kept whole, whatever it says.
    const about = turn ? { text: turn[3], speaker: turn[2] } : { text: line };
    return { turn: { ...about, session: file } };
  });
}

function fromJson(lines) {
  const objects = lines.map(([number, line]) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(`Line ${number} of the file is not JSON; nothing was told.`);
    }
  });
  return objects
    .filter((each) => typeof each?.text === "string" || typeof each?.question === "string")
    .map(({ id, text, time, speaker, said, session, meta, supersedes, question, ids, as_of }) =>
      text === undefined
        ? { question, ids, as_of }
        : // When it was told there is when it was said.
          { id, supersedes, turn: { text, speaker, said: said ?? time, session, meta } },
    );
}

// Tells all of it, in parts; what was told until something goes wrong stays told, and is said. What
// replaced something does so here, and lessons are about the same statements, under their new ids.
export async function send(name, items, onPart) {
  const now = new Map(); // what has which id here
  items.ids = new Set(items.map((each) => each.id).filter((id) => id !== undefined));
  let told = 0;
  for (let done = 0; done < items.length; ) {
    const some = part(items, done, now);
    try {
      if (some.length) told += await tell(name, some, now);
      else told += await tellOne(name, items[done], now);
    } catch (problem) {
      problem.message = `${problem.message} (${told.toLocaleString()} were told before)`;
      throw problem;
    }
    done += some.length || 1;
    onPart(told);
  }
  return told;
}

// As many plain statements as are told at once.
function part(items, from, now) {
  let end = from;
  const there = (id) => id !== undefined && (now.has(id) || items.ids.has(id));
  for (let bytes = 0; end < items.length && end - from < MOST; end++) {
    const { turn, supersedes } = items[end];
    if (!turn || there(supersedes)) break;
    bytes += 6 * JSON.stringify(turn).length;
    if (bytes > BYTES && end > from) break;
  }
  return items.slice(from, end);
}

async function tell(name, some, now) {
  const { statements } = await api.tellMany(name, some.map((each) => each.turn));
  if (statements.length === some.length) {
    some.forEach((each, place) => each.id && now.set(each.id, statements[place].id));
  }
  return some.length;
}

// What replaces another, or a lesson.
async function tellOne(name, { id, turn, supersedes, question, ids, as_of }, now) {
  if (!turn) {
    const then = [...now].filter(([old]) => old <= (as_of ?? Infinity)).map(([, id]) => id);
    const about = (ids ?? []).map((old) => now.get(old));
    if (about.every(Boolean) && then.length) await api.teach(name, question, about, then.at(-1));
    return 0;
  }
  const old = supersedes === undefined ? undefined : now.get(supersedes);
  if (!old) return tell(name, [{ id, turn }], now);
  const slot = await api.update(name, old, turn);
  if (id !== undefined) now.set(id, slot.id);
  return 1;
}
