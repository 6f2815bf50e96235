// What was told to one memory: all ids, and the statements that were looked at. It follows the
// memory, whoever tells it something or makes it forget.

import { api } from "./api.js";
import { Ids } from "./ids.js";

const PAGE = 200; // statements fetched at once
const KEPT = 20000; // statements kept at hand
const FIRST = "4611686018427387903"; // after the last id there can be: only what is there

export class Facts {
  constructor(name) {
    this.name = name;
    this.ids = new Ids();
    this.slots = new Map();
    this.asked = new Map(); // pages under way
    this.hidden = new Set(); // about to be forgotten
    this.last = 0;
    this.deletions = null;
  }

  // Everything anew; false if there is no such memory.
  async load() {
    const all = await this.changes(FIRST, null);
    this.ids = new Ids(all?.kept ?? []);
    this.slots.clear();
    this.last = all?.last_id ?? 0;
    this.deletions = all?.deletions ?? null;
    for (const id of this.hidden) this.ids.remove(id);
    return all !== null;
  }

  // What is new; returns whether anything is, and null if the memory is gone.
  async follow() {
    if (this.deletions === null) return (await this.load()) && this.ids.size > 0;
    let news = false;
    for (;;) {
      const more = await this.changes(this.last, this.deletions);
      if (more === null) {
        const had = this.ids.size > 0;
        this.ids = new Ids();
        this.slots.clear();
        [this.last, this.deletions] = [0, null];
        return had ? null : false;
      }
      if (more.kept) {
        this.ids = new Ids(more.kept);
        for (const id of this.hidden) this.ids.remove(id);
        for (const id of this.slots.keys()) if (!this.ids.has(id)) this.slots.delete(id);
        news = true;
      }
      for (const slot of more.statements) {
        this.ids.push(slot.id);
        this.slots.set(slot.id, slot);
        const old = this.slots.get(slot.supersedes);
        if (old) old.superseded_by = slot.id;
        news = true;
      }
      [this.last, this.deletions] = [more.last_id, more.deletions];
      if (!more.more) return news;
    }
  }

  async changes(after, deletions) {
    try {
      return await api.changes(this.name, after, deletions);
    } catch (problem) {
      if (problem.status !== 404) throw problem;
      return null;
    }
  }

  // The statement at a place of the list, or undefined while it is fetched.
  at(place) {
    return this.slots.get(this.ids.at(place));
  }

  // Fetches what lacks between two places; resolves once it is there.
  async need(from, to) {
    const pages = new Set();
    for (let place = Math.max(from, 0); place < Math.min(to, this.ids.size); place++) {
      const id = this.ids.at(place);
      if (!this.slots.has(id)) pages.add(Math.floor(place / PAGE));
    }
    const fetched = [...pages].map((page) => {
      const first = this.ids.at(page * PAGE);
      if (!this.asked.has(first)) {
        const fetching = this.fetch(first).finally(() => this.asked.delete(first));
        this.asked.set(first, fetching);
      }
      return this.asked.get(first);
    });
    await Promise.all(fetched);
    return fetched.length > 0;
  }

  async fetch(first) {
    const { statements } = await api.page(this.name, first - 1, PAGE);
    if (this.slots.size > KEPT) this.slots.clear();
    for (const slot of statements) this.slots.set(slot.id, slot);
  }

  // A statement and what it replaced, as far as it was looked at: they are forgotten together.
  versions(id) {
    const ids = [id];
    for (let old = this.slots.get(id)?.supersedes; this.ids.has(old); old = this.slots.get(old)?.supersedes) {
      ids.push(old);
    }
    return ids;
  }

  // Out of the list at once; `forget` makes it so, `restore` takes it back.
  hide(id) {
    this.hidden.add(id);
    this.ids.remove(id);
  }

  restore(id) {
    this.hidden.delete(id);
    this.ids.insert(id);
  }

  gone(id) {
    this.hidden.delete(id);
    this.slots.delete(id);
  }
}
