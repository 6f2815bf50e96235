// The page: one memory, the conversation about it, and what the last answer rests on.

import { api, onLocked, onReach } from "./api.js";
import { ask, message, pick } from "./dialogs.js";
import * as draw from "./draw.js";
import { examples } from "./examples.js";
import { Facts } from "./facts.js";
import * as files from "./files.js";
import * as history from "./history.js";
import { Typed } from "./input.js";
import { VirtualList } from "./list.js";
import { blank, rolesOf, row, wordsOf } from "./timeline.js";

const $ = (id) => document.getElementById(id);
const NEWEST = 100; // statements of the conversation
const LOOK = 2500; // milliseconds between two looks at what others told
const UNDO = 7000; // milliseconds in which forgetting can be taken back
const FOUND = 50; // statements that a search shows

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
  facts: new Facts("main"),
  // {question, answer, after, asOf?}: asked when `after` was the last id, about `asOf`; small talk
  // has a reply instead of an answer
  asked: [],
  lit: null,
  asOf: null,
  found: null, // what a search found
  forgetting: null, // {ids, timer}: can still be taken back
  last: Promise.resolve(),
};

// ---- the time line

const list = new VirtualList($("memory-scroll"), $("timeline"), {
  // A row that lacks its text, or what comes before it, is another one once it is there.
  key: (place) => {
    if (page.found) return `found ${page.found[place].id}`;
    const whole = page.facts.at(place) && (!place || page.facts.at(place - 1));
    return `${page.facts.ids.at(place)}${whole ? "" : "…"}`;
  },
  draw: (place) => {
    const slot = page.found ? page.found[place] : page.facts.at(place);
    if (!slot) return blank(page.facts.ids.at(place));
    const before = page.found ? null : page.facts.at(place - 1);
    return row(slot, before, about(), { until, edit, right, forget });
  },
  seen: (from, to) => {
    if (!page.found) fetchRows(from - 1, to);
  },
});

let wanted = null;
let fetching = false;

// What is seen now is fetched next, however fast it was scrolled: what was passed is passed.
async function fetchRows(from, to) {
  wanted = [from, to];
  if (fetching) return;
  fetching = true;
  while (wanted) {
    const [first, last] = wanted;
    wanted = null;
    const fetched = await page.facts.need(first, last).catch(() => false); // the next look says so
    if (fetched) list.soon();
  }
  fetching = false;
}

const about = () => ({
  roles: page.found ? new Map() : rolesOf(page.lit && shown(page.lit).answer),
  asOf: page.asOf,
  words: page.found && wordsOf($("search").value),
  question: page.found ? $("search").value.trim() : page.lit?.question,
});

function drawMemory() {
  const { size } = page.facts.ids;
  list.resize(page.found ? page.found.length : size);
  $("timeline").classList.toggle("lit", about().roles.size > 0);
  $("nothing").hidden = size > 0;
  $("finding").hidden = size === 0;
  $("none-found").hidden = !page.found || page.found.length > 0;
  for (const count of document.querySelectorAll("[data-count]")) {
    count.textContent = size.toLocaleString();
  }
}

// ---- the conversation

const answered = () => page.asked.filter((entry) => entry.answer);

// An answer as it may be shown: what is gone from the memory is gone from it, too.
function shown(entry) {
  const answer = structuredClone(entry.answer);
  history.redact(answer, (id) => page.facts.ids.has(id));
  return { ...entry, answer };
}

function drawTalk() {
  const { ids } = page.facts;
  const from = Math.max(ids.size - NEWEST, 0);
  const statements = [];
  for (let place = from; place < ids.size; place++) {
    const slot = page.facts.at(place);
    if (slot) statements.push(slot);
  }
  $("log").replaceChildren(...conversation(statements, from));
  $("welcome").hidden = ids.size + answered().length > 0;
}

// Statements and questions in the order they came; statements next to each other are one block.
function conversation(statements, before) {
  const items = [];
  let block = [];
  let next = 0;
  const flush = () => {
    if (block.length) items.push(draw.told(block, items.length ? 0 : before));
    block = [];
  };
  for (const entry of page.asked) {
    for (; next < statements.length && statements[next].id <= entry.after; next++) {
      block.push(statements[next]);
    }
    flush();
    items.push(drawEntry(entry));
  }
  block = statements.slice(next);
  flush();
  return items;
}

function drawEntry(entry) {
  if (entry.reply) return draw.replied(entry, (id) => page.facts.ids.has(id));
  const text = entry.asOf && (page.facts.slots.get(entry.asOf)?.text ?? "");
  const there = (id) => page.facts.ids.has(id);
  const asOf = entry.asOf && `[${entry.asOf}] ${there(entry.asOf) ? text : "(forgotten)"}`;
  const toggle = () => light(page.lit === entry ? null : entry, true);
  entry.item = draw.answered({ ...shown(entry), asOf }, there, toggle);
  return entry.item;
}

function drawAll() {
  drawMemory();
  drawTalk();
  drawPast();
  mark();
}

function mark() {
  for (const entry of page.asked) {
    const on = entry === page.lit;
    entry.item?.classList.toggle("lit", on);
    const button = entry.item?.querySelector(".light");
    if (!button) continue;
    button.ariaPressed = String(on);
    button.textContent = on ? "Lit in memory" : "Show in memory";
  }
}

// Lights what an answer rests on, and goes there: nothing is called lit that is not shown.
async function light(entry, move) {
  page.lit = entry;
  if (page.found) endSearch();
  drawMemory();
  mark();
  if (move && entry && matchMedia("(max-width: 819px)").matches) show("memory");
  await showFirst(entry);
}

async function showFirst(entry) {
  const first = entry && [...rolesOf(shown(entry).answer)].find(([, role]) => role.hop === 1)?.[0];
  const place = first ? page.facts.ids.placeOf(first) : -1;
  if (place < 0) return;
  await page.facts.need(place - 15, place + 15);
  list.show(place);
  list.paint(true);
}

function drawPast() {
  $("past").hidden = page.asOf === null;
  $("past-id").textContent = page.asOf ? `[${page.asOf.id}] ${draw.brief(page.asOf.text, 60)}` : "";
  $("input").placeholder = page.asOf ? "Ask about the past …" : "Tell me what happens, or ask …";
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
  if (view === "memory") list.paint(true);
}

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

async function load() {
  page.facts = new Facts(page.name);
  [page.asked, page.lit, page.asOf] = [[], null, null];
  endSearch();
  if (!(await page.facts.load())) history.drop(page.name);
  const { size } = page.facts.ids;
  await page.facts.need(size - NEWEST, size);
  await drawNames();
  await askAgain();
  drawAll();
  list.toEnd();
  toEnd();
  await showFirst(page.lit);
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

// What others told this memory, or made it forget.
async function follow() {
  const atEnd = list.atEnd();
  const news = await page.facts.follow();
  if (news === null) {
    history.drop(page.name);
    [page.asked, page.lit] = [[], null];
  }
  if (news === false) return;
  const { size } = page.facts.ids;
  await page.facts.need(size - NEWEST, size);
  if (page.asOf && !page.facts.ids.has(page.asOf.id)) page.asOf = null;
  drawAll();
  if (atEnd && !page.found) list.toEnd();
}

async function look() {
  if (document.visibilityState === "visible" && document.body.ariaBusy !== "true") {
    const { facts } = page;
    page.last = page.last.then(() => (facts === page.facts ? follow() : null)).catch(() => {});
    await page.last;
  }
  setTimeout(look, LOOK);
}

async function drawNames() {
  const { memories } = await api.memories();
  const names = new Set(memories.map((memory) => memory.name));
  names.add(page.name).add("main");
  $("memory-name").replaceChildren(
    ...[...names].sort().map((name) => new Option(name, name, false, name === page.name)),
    new Option("New memory …", ""),
  );
}

async function choose(name) {
  await doing(settle);
  page.name = name;
  localStorage.setItem("memnn name", name);
  window.history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  chips([]);
  await doing(load);
}

// The same question with the same answer once more is shown where it stands already.
function remember(question, answer) {
  const entry = { question, answer, after: page.facts.last };
  if (page.asOf) entry.asOf = page.asOf.id;
  const last = page.asked.at(-1);
  const same = last?.answer && last.question === question && last.asOf === entry.asOf;
  if (same && last.answer.answer === answer.answer) page.asked.pop();
  page.asked.push(entry);
  for (const chip of $("chips").children) if (chip.textContent === question) chip.remove();
  page.lit = entry;
  history.keep(page.name, answered());
}

const LISTED = new Set(["recall", "recall all", "forget other", "why"]);

// Small talk stands among what was asked, but nowhere longer than the page is open.
function showReply({ said, intent, reply, statements }, before) {
  const listed = LISTED.has(intent) ? statements : [];
  const after = intent === "correct" ? before : page.facts.last; // what it wrote stands below it
  page.asked.push({ question: said, reply, listed, after });
}

async function send(text) {
  return doing(async () => {
    await settle();
    const before = page.facts.last;
    const { statements, answers, replies } = await said(text);
    await page.facts.follow();
    for (const reply of replies) showReply(reply, before);
    if (statements.length && !answers.length) page.lit = null;
    if (statements.length && page.asOf) message("Remembered now, not in the past.");
    for (const { question, ...answer } of answers) remember(question, answer);
    endSearch();
    drawAll();
    toEnd();
    if (answers.length) await showFirst(page.lit);
    else list.toEnd();
  });
}

// Whoever may only read can still ask.
async function said(text) {
  try {
    return await api.say(page.name, text, page.asOf?.id);
  } catch (problem) {
    if (problem.status !== 403 || !/[?？]\s*$/u.test(text)) throw problem;
    const answer = await api.ask(page.name, text, page.asOf?.id);
    return { statements: [], answers: [{ question: text, ...answer }], replies: [] };
  }
}

// ---- what is done with a statement

// Out of sight at once; the memory forgets it when it can no longer be taken back.
async function forget(slot) {
  const place = page.found ? page.found.findIndex((one) => one.id === slot.id) : page.facts.ids.placeOf(slot.id);
  await doing(async () => {
    await settle();
    const ids = page.facts.versions(slot.id);
    for (const id of ids) page.facts.hide(id);
    if (page.found) page.found.splice(place, 1);
    if (page.asOf?.id === slot.id) page.asOf = null;
    page.forgetting = { ids, name: page.name, timer: setTimeout(() => doing(settle), UNDO) };
    drawAll();
    message(`Forgot “${draw.brief(slot.text)}”`, "Undo", () => doing(() => takeBack(slot)), UNDO);
    // The keyboard goes on where it was.
    const next = $("timeline").querySelector(`[aria-posinset="${Math.min(place + 1, list.size)}"] .forget`);
    (next?.checkVisibility() ? next : $("memory-title")).focus();
  });
}

function takeBack(slot) {
  if (page.forgetting?.ids[0] !== slot.id) return;
  const { ids, timer } = page.forgetting;
  clearTimeout(timer);
  page.forgetting = null;
  for (const id of ids) page.facts.restore(id);
  drawAll();
}

async function settle() {
  if (!page.forgetting) return;
  const { ids, name, timer } = page.forgetting;
  clearTimeout(timer);
  page.forgetting = null;
  message("");
  try {
    await api.forget(name, ids[0]);
  } catch (problem) {
    if (problem.status !== 404) {
      if (name === page.name) for (const id of ids) page.facts.restore(id);
      throw problem; // 404: somebody else was faster
    }
  }
  for (const { answer } of answered()) history.redact(answer, (one) => !ids.includes(one));
  for (const id of ids) page.facts.gone(id);
}

async function edit(slot) {
  const text = await ask("edit-dialog", "edit-text", slot.text);
  if (text === null || text === slot.text) return;
  await doing(async () => {
    await settle();
    await api.update(page.name, slot.id, { text });
    await page.facts.follow();
    endSearch();
    drawAll();
    list.toEnd();
    message("Changed. The old wording stays in the past.");
  });
}

async function right(slot) {
  const { question } = about();
  await doing(async () => {
    await api.teach(page.name, question, [slot.id]);
    message(`Kept: [${slot.id}] is the right fact for “${draw.brief(question)}”.`);
  });
}

function until(slot) {
  page.asOf = page.asOf?.id === slot.id ? null : slot;
  drawPast();
  drawMemory();
  show("talk");
  $("input").focus();
}

// ---- search

let typing = 0;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => doing(search), 250);
});
$("search").addEventListener("keydown", (event) => {
  if (event.key === "Escape" && page.found) {
    event.preventDefault();
    endSearch();
    drawMemory();
  }
});

async function search() {
  const text = $("search").value.trim();
  if (!/[\p{L}\p{N}]/u.test(text)) {
    if (page.found) endSearch();
  } else {
    const { found } = await api.search(page.name, text, FOUND);
    page.found = found;
    list.scroll.scrollTop = 0;
  }
  drawMemory();
}

function endSearch() {
  clearTimeout(typing);
  $("search").value = "";
  page.found = null;
}

// ---- the memory as a whole

async function loadExample(example) {
  await doing(async () => {
    await api.tell(page.name, example.story.join("\n"));
    await page.facts.follow();
    await drawNames();
    page.lit = null;
    drawAll();
    list.toEnd();
    toEnd();
    chips(example.questions);
  });
  $("input").focus();
}

const menu = {
  async export() {
    const told = await files.save(page.name, (n) => message(`${n.toLocaleString()} read …`));
    message(`${told.toLocaleString()} statements saved as ${page.name}.jsonl.`);
  },
  async import() {
    const file = await pick($("file"));
    if (!file) return;
    const items = files.read(await file.text(), file.name.slice(0, 100));
    const told = await files.send(page.name, items, (n) => message(`${n.toLocaleString()} of ${items.length.toLocaleString()} told …`));
    await load();
    message(`${told.toLocaleString()} statements from ${file.name}.`);
  },
  copy: () => moved("Copy this memory", "Copy", false),
  rename: () => moved("Rename this memory", "Rename", true),
  async forgetAll() {
    $("sure-name").textContent = page.name;
    if ((await ask("sure-dialog")) === null) return;
    await api.forgetAll(page.name);
    history.drop(page.name);
    chips([]);
    await load();
  },
};

async function moved(title, action, away) {
  const name = await newName(title, action);
  if (name === null) return;
  await api.copy(page.name, name, away);
  page.name = name;
  window.history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  await load();
}

function newName(title, action, hint = "") {
  $("name-title").textContent = title;
  $("name-hint").textContent = hint;
  $("name-ok").textContent = action;
  return ask("name-dialog", "new-name", "");
}

for (const button of document.querySelectorAll("[data-menu]")) {
  button.addEventListener("click", async () => {
    $("menu").open = false;
    await doing(async () => {
      await settle();
      await menu[button.dataset.menu]();
    });
  });
}
document.addEventListener("click", (event) => {
  if (!$("menu").contains(event.target)) $("menu").open = false;
});
$("menu").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  $("menu").open = false;
  $("menu").querySelector("summary").focus();
});

// ---- what the user does

new Typed({
  send,
  questions: () => answered().map((entry) => entry.question),
  leave: () => {
    if (!page.asOf) return;
    page.asOf = null;
    drawPast();
    drawMemory();
  },
});

$("memory-name").addEventListener("change", async (event) => {
  const name = event.target.value;
  if (name) return choose(name);
  event.target.value = page.name;
  const begun = await newName("A new memory", "Begin", "It is kept apart from the others and knows nothing at first.");
  if (begun !== null) await choose(begun);
  $("input").focus();
});

$("past-end").addEventListener("click", () => {
  page.asOf = null;
  drawPast();
  drawMemory();
  $("input").focus();
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

onLocked(async (wrong) => {
  $("token-problem").textContent = wrong ? "That is not the token." : "";
  for (;;) {
    const token = await ask("token-dialog", "token", "");
    if (token !== null) return token;
  }
});

onReach((there) => {
  $("offline").hidden = there;
});

// Much may happen while nobody looks here.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") doing(follow);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) doing(follow);
});
addEventListener("pagehide", () => {
  if (page.forgetting) api.forgetLast(page.forgetting.name, page.forgetting.ids[0]);
  page.forgetting = null;
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
setTimeout(look, LOOK);
