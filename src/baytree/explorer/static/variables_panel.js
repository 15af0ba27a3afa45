// The list of variables, with its order and the distribution that bars are compared with.

import { element } from "./elements.js";
import { pluralize } from "./number_words.js";
import { strongVariables } from "./drawing_view.js";
import { VariableList } from "./variable_list.js";

export class VariablesPanel {
  constructor(explorer) {
    this.#explorer = explorer;
    this.#list = new VariableList(explorer.model, {
      onChoose: (variable) => explorer.choose(variable),
      onObserve: (variable, state) => explorer.observe(variable, state),
      label: "Variables",
    });
    this.#count = element("span", {});
    this.#order = choice(
      "order",
      [
        ["table", "as in the file"],
        ["name", "by name"],
        ["change", "most moved first"],
      ],
      explorer,
    );
    this.#compare = choice(
      "compare",
      [
        ["prior", "without evidence"],
        ["last", "before the last click"],
      ],
      explorer,
    );
    const settings = element(
      "div",
      { class: "settings" },
      this.#count,
      label("sorted", this.#order),
      label("│ marks", this.#compare),
    );
    this.root = element("div", { class: "panel" }, settings, this.#list.root);
  }

  #explorer;
  #list;
  #count;
  #order;
  #compare;
  #scrolledTo = null;
  #sorted = { key: null, numbers: [] };

  show() {
    const { state, now, before } = this.#explorer;
    this.#order.value = state.order;
    this.#compare.value = state.compare;
    const numbers = this.#numbers();
    this.#count.textContent = pluralize(numbers.length, "variable");
    this.#list.setVariables(numbers);
    this.#list.setAnswers({
      now,
      before,
      evidence: state.evidence,
      chosen: state.variable,
      marks: null,
    });
    this.#list.root.classList.toggle("stale", this.#explorer.isImpossible);
    if (state.variable !== this.#scrolledTo && state.variable !== null)
      this.#list.scrollTo(state.variable);
    this.#scrolledTo = state.variable;
  }

  #numbers() {
    const { model, state, searchText, now, before } = this.#explorer;
    if (searchText.trim()) return model.search(searchText);
    const strong = strongVariables(this.#explorer);
    const numbers = strong
      ? [...strong].sort((a, b) => a - b)
      : model.variables.map((_, number) => number);
    if (state.order === "name")
      numbers.sort((a, b) =>
        model.variables[a].localeCompare(model.variables[b], "en", { numeric: true }),
      );
    if (state.order === "change") {
      const changes = new Map(numbers.map((number) => [number, model.change(before, now, number)]));
      numbers.sort((a, b) => changes.get(b) - changes.get(a) || a - b);
    }
    return strong && state.variable !== null ? [state.variable, ...numbers] : numbers;
  }
}

function choice(key, choices, explorer) {
  const select = element(
    "select",
    { id: key },
    ...choices.map(([value, text]) => element("option", { value, text })),
  );
  select.addEventListener("change", () => explorer.change({ [key]: select.value }));
  return select;
}

function label(text, control) {
  return element("label", {}, `${text} `, control);
}
