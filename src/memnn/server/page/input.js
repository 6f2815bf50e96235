// What is typed: Enter sends it, ↑ brings back what was typed before, and too much is refused.

const $ = (id) => document.getElementById(id);
const LONGEST = 10000; // characters that are taken at once
const NEAR = 9000; // from here on they are counted

const length = (text) => [...text].length; // as the service counts them

export class Typed {
  constructor({ send, questions, leave }) {
    this.before = []; // what was typed since the page was opened: kept nowhere else
    this.place = null;
    this.questions = questions;
    const input = $("input");
    $("say").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (!text || this.tooLong()) return;
      this.before.push(text);
      this.place = null;
      input.value = ""; // at once: what is typed next is the next thing
      this.grow();
      if (!(await send(text))) {
        input.value = [text, input.value].filter(Boolean).join("\n");
        this.before.pop();
        this.grow();
      }
      input.focus();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        $("say").requestSubmit();
      } else if (event.key === "Escape") {
        leave();
      } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        this.recall(event);
      }
    });
    input.addEventListener("input", () => {
      this.place = null;
      this.grow();
      this.tooLong(true);
    });
  }

  // Whether there is too much, which is said with its length; nothing is cut.
  tooLong(counting = false) {
    const n = length($("input").value.trim());
    const over = n > LONGEST;
    const { classList } = $("length");
    $("length").hidden = n < NEAR;
    classList.toggle("over", over);
    $("length").textContent = over
      ? `${n.toLocaleString()} characters, and ${LONGEST.toLocaleString()} are taken at once: shorten it by ` +
        `${(n - LONGEST).toLocaleString()}, or import it as a file.`
      : `${n.toLocaleString()} of ${LONGEST.toLocaleString()} characters`;
    if (over && !counting) $("input").focus();
    return over;
  }

  // ↑ in an empty field, or in one that was recalled and not changed.
  recall(event) {
    const typed = this.before.length ? this.before : this.questions();
    const up = event.key === "ArrowUp";
    if (this.place === null && ($("input").value || !up || !typed.length)) return;
    event.preventDefault();
    const from = this.place ?? typed.length;
    this.place = Math.max(0, Math.min(typed.length, from + (up ? -1 : 1)));
    $("input").value = typed[this.place] ?? "";
    if (this.place === typed.length) this.place = null;
    this.grow();
    this.tooLong(true);
  }

  grow() {
    const input = $("input");
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, 180)}px`;
    if (!input.value) $("length").hidden = true;
  }
}
