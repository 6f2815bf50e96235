// The page: one memory, the conversation about it, and what the last answer rests on.

import { api, onLocked } from "./api.js";
import * as draw from "./draw.js";
import { examples } from "./examples.js";
import * as history from "./history.js";

const $ = (id) => document.getElementById(id);
const NEWEST = 400; // statements drawn at first

const isName = (name) => /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/.test(name);

// The name after the #, "" where it is none.
function named() {
  try {
    const name = decodeURIComponent(location.hash.slice(1));
    return isName(name) ? name : "";
  } catch {
    return ""; // as in "#%"
  }
}

const kept = localStorage.getItem("memnn name") ?? "";
const page = {
  name: named() || (isName(kept) ? kept : "main"),
  statements: [],
  asked: [], // {question, answer, after, asOf?}: asked when `after` was the last id, about `asOf`
  lit: null,
  asOf: null,
  all: false,
  last: Promise.resolve(),
};

// ---- what is drawn

function drawAll() {
  const there = new Map(page.statements.map((slot) => [slot.id, slot.text]));
  for (const { answer } of page.asked) history.redact(answer, (id) => there.has(id));
  const shown = page.all ? page.statements : page.statements.slice(-NEWEST);
  $("earlier").hidden = shown.length === page.statements.length;
  $("timeline").replaceChildren(...shown.map((slot) => draw.slot(slot, askAsOf, forget)));
  $("nothing").hidden = page.statements.length > 0;
  $("forget-all").hidden = page.statements.length === 0;
  for (const count of document.querySelectorAll("[data-count]")) {
    count.textContent = page.statements.length;
  }
  $("log").replaceChildren(...conversation(shown, there));
  $("welcome").hidden = page.statements.length + page.asked.length > 0;
  drawPast();
  light(page.lit, false);
}

// Statements and questions in the order they came; statements next to each other are one block.
function conversation(statements, there) {
  const items = [];
  let block = [];
  let next = 0;
  const flush = () => {
    if (block.length) items.push(draw.told(block));
    block = [];
  };
  for (const entry of page.asked) {
    for (; next < statements.length && statements[next].id <= entry.after; next++) {
      block.push(statements[next]);
    }
    flush();
    const asOf = entry.asOf && `[${entry.asOf}] ${there.get(entry.asOf) ?? "(forgotten)"}`;
    const toggle = () => light(page.lit === entry ? null : entry, true);
    const item = draw.answered({ ...entry, asOf }, (id) => there.has(id), toggle);
    entry.item = item;
    items.push(item);
  }
  block = statements.slice(next);
  flush();
  return items;
}

function light(entry, move) {
  page.lit = entry;
  const first = draw.light($("timeline"), entry?.answer);
  for (const other of page.asked) {
    const on = other === entry;
    other.item?.classList.toggle("lit", on);
    const button = other.item?.querySelector(".light");
    for (const why of other.item?.querySelectorAll(".why") ?? []) why.open = on;
    if (button) {
      button.ariaPressed = String(on);
      button.textContent = on ? "Lit in memory" : "Show in memory";
    }
  }
  if (move && entry && matchMedia("(max-width: 819px)").matches) show("memory");
  first?.scrollIntoView({ block: "center", behavior: calm() ? "auto" : "smooth" });
}

function drawPast() {
  $("past").hidden = page.asOf === null;
  $("past-id").textContent = page.asOf ? `[${page.asOf.id}] ${page.asOf.text}` : "";
  $("input").placeholder = page.asOf ? "Ask about the past …" : "Tell me what happens, or ask …";
  for (const item of $("timeline").children) {
    item.classList.toggle("later", page.asOf !== null && Number(item.dataset.id) > page.asOf.id);
    item.classList.toggle("now", page.asOf?.id === Number(item.dataset.id));
  }
}

function chips(questions) {
  $("chips").replaceChildren(
    ...questions.map((question) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.textContent = question;
      chip.addEventListener("click", () => {
        chip.remove();
        send(question);
      });
      return chip;
    }),
  );
}

function show(view) {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll("[data-show]")) {
    button.ariaPressed = String(button.dataset.show === view);
  }
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function toEnd() {
  $("talk-scroll").scrollTop = $("talk-scroll").scrollHeight;
}

// ---- what happens

// One thing after the other; what goes wrong is said in one line, and what was typed stays.
function doing(work) {
  page.last = page.last.then(async () => {
    document.body.ariaBusy = "true";
    $("problem").textContent = "";
    try {
      await work();
      return true;
    } catch (problem) {
      $("problem").textContent = problem.message;
      return false;
    } finally {
      document.body.ariaBusy = "false";
    }
  });
  return page.last;
}

// The statements after an id. What was asked about a memory goes with it.
async function read(after = 0) {
  try {
    return await api.statements(page.name, after);
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    history.drop(page.name);
    page.asked = [];
    page.lit = null;
    return [];
  }
}

async function load() {
  page.statements = await read();
  page.asked = [];
  page.lit = null;
  page.asOf = null;
  page.all = false;
  await drawNames();
  await askAgain();
  drawAll();
  toEnd();
}

// What was asked before, answered from what is known of then by now.
async function askAgain() {
  const again = history.asked(page.name).map(async (entry) => {
    const asOf = entry.asOf ?? entry.after;
    const answer = await api.ask(page.name, entry.question, asOf).catch(() => null);
    return { ...entry, answer };
  });
  page.asked = (await Promise.all(again)).filter((entry) => entry.answer);
  page.lit = page.asked.at(-1) ?? null;
}

// Others may have told this memory something, or made it forget.
async function refresh() {
  page.statements = await read();
  if (!page.statements.some((slot) => slot.id === page.asOf?.id)) page.asOf = null;
  drawAll();
}

async function drawNames() {
  const { memories } = await api.memories();
  const names = new Set(memories.map((memory) => memory.name));
  names.add(page.name).add("main");
  const select = $("memory-name");
  select.replaceChildren(
    ...[...names].sort().map((name) => new Option(name, name, false, name === page.name)),
    new Option("New memory …", ""),
  );
}

async function choose(name) {
  page.name = name;
  localStorage.setItem("memnn name", name);
  window.history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  chips([]);
  await doing(load);
}

const lastId = () => page.statements.at(-1)?.id ?? 0;

// What is new in the memory, also from others who tell it something.
async function readOn() {
  page.statements.push(...(await read(lastId())));
}

function remember(question, answer) {
  const entry = { question, answer, after: lastId() };
  if (page.asOf) entry.asOf = page.asOf.id;
  page.asked.push(entry);
  for (const chip of $("chips").children) if (chip.textContent === question) chip.remove();
  page.lit = entry;
  keep();
}

const keep = () => history.keep(page.name, page.asked);

// Small talk is answered below the input; it is no part of what was told or asked.
function showReply({ intent, reply, statements }) {
  const gone = new Set(intent === "forget" ? statements.map((slot) => slot.id) : []);
  page.statements = page.statements.filter((slot) => !gone.has(slot.id));
  const listed = intent.startsWith("recall") || intent === "forget other" ? statements : [];
  $("hint").textContent = [reply, ...listed.map((slot) => `[${slot.id}] ${slot.text}`)].join("\n");
}

async function send(text) {
  return doing(async () => {
    if (page.asOf) {
      remember(text, await api.ask(page.name, text, page.asOf.id));
    } else {
      const { statements, answers, replies } = await api.say(page.name, text);
      await readOn();
      for (const reply of replies) showReply(reply);
      if (statements.length && !answers.length) page.lit = null;
      for (const { question, ...answer } of answers) remember(question, answer);
    }
    drawAll();
    toEnd();
  });
}

async function forget(slot) {
  const place = page.statements.findIndex((one) => one.id === slot.id);
  await doing(async () => {
    try {
      await api.forget(page.name, slot.id);
    } catch (problem) {
      if (problem.status !== 404) throw problem; // somebody else was faster
    }
    page.statements.splice(place, 1);
    if (page.asOf?.id === slot.id) page.asOf = null;
    drawAll();
    // The keyboard goes on where it was.
    const next = page.statements[Math.min(place, page.statements.length - 1)];
    const item = next && $("timeline").querySelector(`[data-id="${next.id}"] .forget`);
    (item ?? $("memory-title")).focus();
  });
}

function askAsOf(slot) {
  page.asOf = page.asOf?.id === slot.id ? null : slot;
  drawPast();
  show("talk");
  $("input").focus();
}

async function loadExample(example) {
  await doing(async () => {
    await api.tell(page.name, example.story.join("\n"));
    await readOn();
    await drawNames();
    page.lit = null;
    drawAll();
    toEnd();
    chips(example.questions);
  });
  $("input").focus();
}

// ---- dialogs

function dialog(id) {
  const element = $(id);
  return new Promise((resolve) => {
    element.returnValue = "";
    element.addEventListener("close", () => resolve(element.returnValue === "ok"), { once: true });
    element.showModal();
  });
}

onLocked(async (wrong) => {
  $("token-problem").textContent = wrong ? "That is not the token." : "";
  $("token").value = "";
  while (!(await dialog("token-dialog")));
  return $("token").value.trim();
});

for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

// ---- what the user does

$("say").addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = $("input");
  const text = input.value.trim();
  if (!text) return;
  input.value = ""; // at once: what is typed next is the next thing
  grow();
  if (!(await send(text))) {
    input.value = [text, input.value].filter(Boolean).join("\n");
    grow();
  }
  input.focus();
});

$("input").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("say").requestSubmit();
  } else if (event.key === "Escape" && page.asOf) {
    page.asOf = null;
    drawPast();
  }
});

function grow() {
  const input = $("input");
  input.style.height = "auto";
  input.style.height = `${Math.min(input.scrollHeight, 180)}px`;
}
$("input").addEventListener("input", grow);

$("memory-name").addEventListener("change", async (event) => {
  const name = event.target.value;
  if (name) return choose(name);
  event.target.value = page.name;
  $("new-name").value = "";
  if (await dialog("name-dialog")) await choose($("new-name").value);
  $("input").focus();
});

$("forget-all").addEventListener("click", async () => {
  $("sure-name").textContent = page.name;
  if (!(await dialog("sure-dialog"))) return;
  await doing(async () => {
    await api.forgetAll(page.name);
    history.drop(page.name);
    chips([]);
    await load();
  });
  $("input").focus();
});

$("past-end").addEventListener("click", () => {
  page.asOf = null;
  drawPast();
  $("input").focus();
});

$("earlier").addEventListener("click", () => {
  page.all = true;
  drawAll();
});

$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("memnn theme", root.dataset.theme);
});

for (const button of document.querySelectorAll("[data-show]")) {
  button.addEventListener("click", () => show(button.dataset.show));
}

addEventListener("hashchange", () => {
  const name = named();
  if (name && name !== page.name) choose(name);
});

// Much may happen while nobody looks here.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") doing(refresh);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) doing(refresh);
});

for (const example of examples) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "example";
  for (const [tag, text] of [["b", example.title], ["span", example.about]]) {
    const part = document.createElement(tag);
    part.textContent = text;
    button.append(part);
  }
  button.addEventListener("click", () => loadExample(example));
  $("examples").append(button);
}

history.tidy();
await doing(load);
if (matchMedia("(hover: hover)").matches) $("input").focus();
