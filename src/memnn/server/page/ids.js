// The ids of a memory as ranges: which id stands at a place of the list, and whether one is there.
// A hundred thousand statements are mostly one range, so this costs nothing.

export class Ids {
  constructor(ranges = []) {
    this.ranges = ranges.map(([first, last]) => ({ first, last, start: 0 }));
    this.count();
  }

  count() {
    let start = 0;
    for (const range of this.ranges) {
      range.start = start;
      start += range.last - range.first + 1;
    }
    this.size = start;
  }

  at(place) {
    const range = this.ranges[this.search((r) => r.start <= place)];
    return range && range.first + place - range.start;
  }

  placeOf(id) {
    const range = this.ranges[this.search((r) => r.first <= id)];
    return range && id <= range.last ? range.start + id - range.first : -1;
  }

  has(id) {
    return this.placeOf(id) >= 0;
  }

  // The last range that something holds for, as for all before it.
  search(holds) {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.ranges[middle])) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  push(id) {
    const last = this.ranges.at(-1);
    if (last?.last === id - 1) last.last = id;
    else if (!last || last.last < id) this.ranges.push({ first: id, last: id, start: this.size });
    else return;
    this.size += 1;
  }

  remove(id) {
    const place = this.search((r) => r.first <= id);
    const range = this.ranges[place];
    if (!range || id > range.last) return;
    const parts = [{ first: range.first, last: id - 1 }, { first: id + 1, last: range.last }];
    this.ranges.splice(place, 1, ...parts.filter((part) => part.first <= part.last));
    this.count();
  }

  insert(id) {
    if (this.has(id)) return;
    const place = this.search((r) => r.first <= id) + 1;
    this.ranges.splice(place, 0, { first: id, last: id });
    this.count();
  }
}
