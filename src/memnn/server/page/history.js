// Statements live in the memory; what was asked is this browser's, one list a memory.
//
// Only questions are kept, and when they were asked. Answers hold what was told, which somebody may
// make the memory forget: they are asked for anew.

const MOST = 20;
const PREFIX = "memnn asked ";
const key = (name) => PREFIX + name;

const plain = ({ question, after, asOf }) => ({ question, after, ...(asOf && { asOf }) });
const isOne = (entry) => typeof entry?.question === "string" && Number.isInteger(entry?.after);

function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    return Array.isArray(kept) ? kept.filter(isOne) : [];
  } catch {
    return [];
  }
}

export const asked = (name) => read(key(name)).slice(-MOST).map(plain);

export function keep(name, entries) {
  try {
    localStorage.setItem(key(name), JSON.stringify(entries.slice(-MOST).map(plain)));
  } catch {
    // A full or forbidden storage costs the history, not the conversation.
  }
}

export function drop(name) {
  localStorage.removeItem(key(name));
}

// Earlier pages kept answers, too.
export function tidy() {
  for (const kept of Object.keys(localStorage)) {
    if (!kept.startsWith(PREFIX)) continue;
    const entries = read(kept).map((entry) => ({
      ...entry,
      asOf: Number.parseInt(String(entry.asOf ?? "").replace("[", ""), 10) || undefined,
    }));
    keep(kept.slice(PREFIX.length), entries);
  }
}

// What is deleted is gone from the answers, too.
export function redact(answer, isThere) {
  const gone = "(forgotten)";
  const isGone = (fact) => fact.id !== null && !isThere(fact.id);
  const rivals = answer.evidence.map((hop) => hop.decisive?.against).filter(Boolean);
  const lost = [...answer.evidence, ...rivals].filter(isGone);
  for (const fact of lost) fact.text = gone;
  if (!lost.length) return;
  answer.others = [];
  if (answer.reason) answer.reason = "";
  if (answer.evidence.some(isGone) && !answer.abstained) answer.answer = gone;
}
