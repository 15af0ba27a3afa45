// Variables with a bar for every state. Only the rows in view exist as elements.

import { element } from "./elements.js";
import { percent } from "./number_words.js";

const HEAD_HEIGHT = 30;
const STATE_HEIGHT = 25;
const GAP = 10;
const MAX_STATES = 12; // of a variable that was not unfolded
const OVERSCAN = 200;

export class VariableList {
  constructor(model, { onChoose, onObserve, label }) {
    this.root = element("div", {
      class: "variables",
      tabIndex: -1,
      role: "list",
      "aria-label": label,
    });
    this.#sheet = element("div", { class: "sheet" });
    this.root.append(this.#sheet);
    this.#model = model;
    this.#onChoose = onChoose;
    this.#onObserve = onObserve;
    this.root.addEventListener("scroll", () => this.#arrange(), { passive: true });
    this.root.addEventListener("keydown", (event) => this.#step(event));
    new ResizeObserver(() => this.#arrange()).observe(this.root);
  }

  #sheet;
  #model;
  #onChoose;
  #onObserve;
  #numbers = [];
  #tops = [0];
  #rows = new Map();
  #unfolded = new Set();
  #answers = null;

  /** Show variables, by number, in this order. */
  setVariables(numbers) {
    if (numbers.length === this.#numbers.length && numbers.every((n, i) => n === this.#numbers[i]))
      return;
    this.#numbers = numbers;
    this.#measure();
  }

  /** Show probabilities: { now, before, evidence, chosen, marks } with `marks` by variable. */
  setAnswers(answers) {
    const isFirst = this.#answers === null;
    this.#answers = answers;
    for (const [number, row] of this.#rows) this.#fill(number, row);
    if (isFirst || !this.#rows.size) this.#arrange();
  }

  scrollTo(number) {
    const place = this.#numbers.indexOf(number);
    if (place < 0) return;
    const [top, bottom] = [this.#tops[place], this.#tops[place + 1]];
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop || bottom > scrollTop + clientHeight) this.root.scrollTop = top - 8;
  }

  #nStates(number) {
    const n = this.#model.states[number].length;
    return this.#unfolded.has(number) ? n : Math.min(n, MAX_STATES);
  }

  #isFolded(number) {
    return this.#nStates(number) < this.#model.states[number].length;
  }

  #measure() {
    this.#tops = [0];
    for (const number of this.#numbers) {
      const nLines = this.#nStates(number) + (this.#isFolded(number) ? 1 : 0);
      this.#tops.push(this.#tops.at(-1) + HEAD_HEIGHT + STATE_HEIGHT * nLines + GAP);
    }
    this.#sheet.style.height = `${this.#tops.at(-1)}px`;
    this.#arrange();
  }

  #arrange() {
    if (!this.#answers || !this.root.isConnected) return;
    const top = this.root.scrollTop - OVERSCAN;
    const bottom = this.root.scrollTop + this.root.clientHeight + OVERSCAN;
    const shown = new Map();
    for (
      let i = this.#firstBelow(top);
      i < this.#numbers.length && this.#tops[i] < bottom;
      i += 1
    ) {
      shown.set(this.#numbers[i], this.#tops[i]);
    }
    for (const [number, row] of this.#rows) {
      if (!shown.has(number) && !row.root.contains(document.activeElement)) {
        row.root.remove();
        this.#rows.delete(number);
      }
    }
    let before = null;
    for (const [number, y] of shown) before = this.#put(number, y, before);
  }

  // Rows keep the order of the list in the page too: keys and screen readers follow that.
  #put(number, y, before) {
    let row = this.#rows.get(number);
    if (!row) {
      row = this.#made(number);
      this.#rows.set(number, row);
      this.#fill(number, row);
    }
    const follows = before ? before.nextSibling : this.#sheet.firstChild;
    if (row.root !== follows) this.#sheet.insertBefore(row.root, follows);
    row.root.style.transform = `translateY(${y}px)`;
    return row.root;
  }

  #firstBelow(top) {
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1] < top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #made(number) {
    const name = element("button", {
      class: "name",
      text: this.#model.variables[number],
      title: this.#model.variables[number],
      onclick: () => this.#onChoose(number),
    });
    const moved = element("span", { class: "moved" });
    const root = element(
      "div",
      { class: "variable", role: "listitem" },
      element("div", { class: "head" }, name, moved),
    );
    const states = [];
    for (let state = 0; state < this.#nStates(number); state += 1) {
      states.push(this.#stateLine(number, state));
      root.append(states[state].button);
    }
    if (this.#isFolded(number)) {
      const text = `all ${this.#model.states[number].length} states`;
      root.append(
        element("button", { class: "unfold", text, onclick: () => this.#unfold(number) }),
      );
    }
    return { root, moved, states };
  }

  #stateLine(number, state) {
    const bar = element("span", { class: "bar" });
    const before = element("span", { class: "before" });
    const share = element("span", { class: "share" });
    const label = this.#model.states[number][state];
    const button = element(
      "button",
      { class: "state", onclick: () => this.#onObserve(number, state) },
      element("span", { class: "label", text: label, title: label }),
      element("span", { class: "track" }, bar, before),
      share,
    );
    return { button, bar, before, share };
  }

  #unfold(number) {
    this.#unfolded.add(number);
    this.#rows.get(number)?.root.remove();
    this.#rows.delete(number);
    this.#measure();
  }

  #fill(number, { root, moved, states }) {
    const { now, before, evidence, chosen, marks } = this.#answers;
    const observed = evidence.get(number);
    const change = this.#model.change(before, now, number);
    root.classList.toggle("chosen", number === chosen);
    root.classList.toggle("observed", observed !== undefined);
    moved.textContent =
      observed !== undefined ? "observed" : change >= 0.0005 ? `moved ${percent(change)}` : "";
    states.forEach(({ button, bar, before: ghost, share }, state) => {
      const [p, q] = [now, before].map((all) => this.#model.probability(all, number, state));
      bar.style.transform = `scaleX(${p})`;
      ghost.style.left = `${q * 100}%`;
      ghost.hidden = Math.abs(p - q) < 0.0005;
      share.textContent = percent(p);
      button.setAttribute("aria-pressed", String(observed === state));
      button.classList.toggle("best", marks?.get(number) === state);
      button.title = `${percent(p)}; before ${percent(q)}`;
    });
  }

  #step(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...this.#sheet.querySelectorAll("button")];
    const next = buttons[buttons.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }
}
