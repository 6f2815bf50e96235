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
