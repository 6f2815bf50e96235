// What the page asks and says besides the conversation.

const $ = (id) => document.getElementById(id);

// Opens a dialog; what its field holds when it is confirmed, and null when it is not.
export function ask(id, field, value) {
  const dialog = $(id);
  if (field) $(field).value = value;
  return new Promise((resolve) => {
    dialog.returnValue = "";
    const closed = () => resolve(dialog.returnValue === "ok" ? (field ? $(field).value.trim() : "") : null);
    dialog.addEventListener("close", closed, { once: true });
    dialog.showModal();
  });
}

for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

// A file that the user picks; null where none is.
export function pick(input) {
  return new Promise((resolve) => {
    input.value = "";
    input.addEventListener("change", () => resolve(input.files[0] ?? null), { once: true });
    input.addEventListener("cancel", () => resolve(null), { once: true });
    input.click();
  });
}

let going = 0;

// A line that goes away by itself, with something to do about it.
export function message(text, action, work, time = 5000) {
  clearTimeout(going);
  $("message").hidden = !text;
  $("message-text").textContent = text;
  const button = $("message-do");
  button.hidden = !action;
  button.textContent = action ?? "";
  button.onclick = () => {
    message("");
    work();
  };
  if (text) going = setTimeout(() => message(""), time);
}
