// Statements live in the memory; questions and answers are this browser's, one list a memory.

const MOST = 200;
const key = (name) => `memnn asked ${name}`;

export function asked(name) {
  try {
    const kept = JSON.parse(localStorage.getItem(key(name)));
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

export function keep(name, entries) {
  try {
    localStorage.setItem(key(name), JSON.stringify(entries.slice(-MOST)));
  } catch {
    // A full or forbidden storage costs the history, not the conversation.
  }
}

export function drop(name) {
  localStorage.removeItem(key(name));
}

// What is deleted is gone from the answers, too.
export function redact(answer, slot) {
  const gone = "(forgotten)";
  const rests = answer.evidence.some((hop) => hop.id === slot.id);
  for (const hop of answer.evidence) {
    if (hop.id === slot.id) hop.text = gone;
    if (hop.decisive?.against.id === slot.id) hop.decisive.against.text = gone;
  }
  if (answer.answer === slot.text && answer.source === "told") answer.answer = gone;
  if (rests && answer.reason) answer.reason = "";
  answer.others = (answer.others ?? []).filter((other) => other.answer !== slot.text);
}
