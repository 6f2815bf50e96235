// A list that draws only what is seen. Rows may be of any height: they are guessed, then measured.

const GUESS = 58; // pixels
const BEYOND = 400; // pixels drawn above and below what is seen
const MOST = 250000; // rows: a browser's elements can be no higher

// Sums of heights up to any row, kept in a tree so that one change costs little.
class Heights {
  constructor(n) {
    this.of = new Float32Array(n).fill(GUESS);
    this.tree = new Float64Array(n + 1);
    for (let i = 1; i <= n; i++) {
      this.tree[i] += GUESS;
      const above = i + (i & -i);
      if (above <= n) this.tree[above] += this.tree[i];
    }
  }

  set(row, height) {
    const more = height - this.of[row];
    this.of[row] = height;
    for (let i = row + 1; i < this.tree.length; i += i & -i) this.tree[i] += more;
    return more;
  }

  before(row) {
    let sum = 0;
    for (let i = row; i > 0; i -= i & -i) sum += this.tree[i];
    return sum;
  }

  // The row at a height.
  at(y) {
    let row = 0;
    let step = 1 << Math.floor(Math.log2(Math.max(this.tree.length - 1, 1)));
    for (; step; step >>= 1) {
      if (row + step < this.tree.length && this.tree[row + step] <= y) {
        row += step;
        y -= this.tree[row];
      }
    }
    return row;
  }
}

export class VirtualList {
  // `draw(row)` makes the element of a row, `key(row)` names it; `seen(from, to)` hears what is shown.
  constructor(scroll, list, { draw, key, seen }) {
    Object.assign(this, { scroll, list, draw, key, seen });
    this.rows = new Map(); // key: {element, row}
    this.size = 0;
    this.skipped = 0;
    this.heights = new Heights(0);
    scroll.addEventListener("scroll", () => this.soon(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(scroll);
  }

  // So many rows; what was measured stays as long as rows are only added at the end.
  resize(size) {
    const skipped = Math.max(size - MOST, 0);
    if (size !== this.size || skipped !== this.skipped) {
      const old = this.heights;
      this.heights = new Heights(size - skipped);
      if (skipped === this.skipped) {
        const same = Math.min(old.of.length, this.heights.of.length);
        for (let i = 0; i < same; i++) if (old.of[i] !== GUESS) this.heights.set(i, old.of[i]);
      }
    }
    [this.size, this.skipped] = [size, skipped];
    this.paint(true);
  }

  resized() {
    if (this.width === this.scroll.clientWidth) return this.soon();
    this.width = this.scroll.clientWidth;
    this.heights = new Heights(this.size - this.skipped);
    this.soon();
  }

  soon() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.paint();
    });
  }

  get top() {
    return this.list.offsetTop - this.scroll.offsetTop;
  }

  // Draws what is seen; `anew` draws every row again.
  paint(anew = false) {
    if (!this.scroll.clientHeight) return; // on a phone the other view is shown
    const n = this.heights.of.length;
    const y = this.scroll.scrollTop - this.top;
    const from = Math.min(this.heights.at(Math.max(y - BEYOND, 0)), Math.max(n - 1, 0));
    const end = y + this.scroll.clientHeight + BEYOND;
    const wanted = new Map();
    let to = from;
    for (let at = this.heights.before(from); to < n && at < end; to++) {
      wanted.set(String(this.key(to + this.skipped)), to);
      at += this.heights.of[to];
    }
    const focus = document.activeElement;
    for (const [key, { element }] of this.rows) {
      if (wanted.has(key) && !anew) continue;
      if (!wanted.has(key) && element.contains(focus)) this.scroll.focus({ preventScroll: true });
      if (!wanted.has(key)) element.remove();
      if (!wanted.has(key)) this.rows.delete(key);
    }
    let last = null;
    for (const [key, row] of wanted) {
      let held = this.rows.get(key);
      if (!held || anew) {
        const element = this.draw(row + this.skipped);
        element.ariaSetSize = this.size;
        element.ariaPosInSet = row + this.skipped + 1;
        if (held) replace(held.element, element);
        held = { element };
        this.rows.set(key, held);
      }
      held.row = row;
      if (last ? last.nextElementSibling !== held.element : this.list.firstElementChild !== held.element) {
        if (last) last.after(held.element);
        else this.list.prepend(held.element);
      }
      last = held.element;
    }
    this.place(from, to, n);
    this.measure(from);
    this.place(from, to, n);
    if (to > from) this.seen(from + this.skipped, to + this.skipped);
  }

  place(from, to, n) {
    this.list.style.paddingTop = `${this.heights.before(from)}px`;
    this.list.style.paddingBottom = `${this.heights.before(n) - this.heights.before(to)}px`;
  }

  // What is above the first row that is seen must not move it when it turns out higher or lower.
  measure() {
    const seen = this.scroll.scrollTop - this.top;
    const heights = [...this.rows.values()].map(({ element, row }) => [row, element.offsetHeight]);
    let moved = 0;
    for (const [row, height] of heights) {
      if (height && height !== this.heights.of[row]) {
        const above = this.heights.before(row) + this.heights.of[row] <= seen;
        const more = this.heights.set(row, height);
        if (above) moved += more;
      }
    }
    if (moved) this.scroll.scrollTop += moved;
  }

  // Brings a row into the middle; measured twice, since what is there was only guessed before.
  show(row) {
    const at = row - this.skipped;
    if (at < 0) return;
    for (let i = 0; i < 3; i++) {
      const middle = (this.scroll.clientHeight - this.heights.of[at]) / 2;
      this.scroll.scrollTop = this.top + this.heights.before(at) - middle;
      this.paint();
    }
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
    this.paint();
    this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  atEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    return scrollHeight - scrollTop - clientHeight < 80;
  }
}

// A row that is drawn anew keeps the focus where it was.
function replace(old, element) {
  const inside = old.contains(document.activeElement) && document.activeElement.className;
  old.replaceWith(element);
  if (inside) element.getElementsByClassName(inside)[0]?.focus({ preventScroll: true });
}
