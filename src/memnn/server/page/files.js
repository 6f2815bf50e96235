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
    return turn ? { text: turn[3], speaker: turn[2], session: file } : { text: line, session: file };
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
  const replaced = new Set(objects.map((each) => each.supersedes));
  return objects
    .filter((each) => typeof each.text === "string" && !replaced.has(each.id))
    .map(({ text, speaker, said, session, meta, time }) => {
      const turn = { speaker, said, session, meta };
      const asked = /[?？]\s*$/u.test(text) && Object.values(turn).every((x) => x === undefined);
      return { text, ...turn, ...(asked && { said: time }) };
    });
}

// Tells all of it, in parts; what was told until something goes wrong stays told, and is said.
export async function send(name, statements, onPart) {
  let done = 0;
  while (done < statements.length) {
    let end = done;
    for (let bytes = 0; end < statements.length && end - done < MOST; end++) {
      bytes += 6 * JSON.stringify(statements[end]).length;
      if (bytes > BYTES && end > done) break;
    }
    try {
      await api.tellMany(name, statements.slice(done, end));
    } catch (problem) {
      problem.message = `${problem.message} (${done.toLocaleString()} were told before)`;
      throw problem;
    }
    done = end;
    onPart(done);
  }
  return done;
}
