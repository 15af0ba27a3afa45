// The chosen variable: its parents and children, and what to highlight.

import { element, press } from "./elements.js";
import { pluralize } from "./number_words.js";

const RELATIONS = [
  ["blanket", "Markov blanket"],
  ["ancestors", "Ancestors"],
  ["descendants", "Descendants"],
];
const MAX_KIN = 40;

export function showChosen(root, explorer) {
  const { model, state } = explorer;
  root.hidden = state.variable === null;
  if (root.hidden) return;
  const name = model.variables[state.variable];
  const relations = element("div", {
    class: "segments wide",
    role: "group",
    "aria-label": "Highlight",
  });
  for (const [choice, text] of RELATIONS) {
    const n = model.related(state.variable, choice).size;
    relations.append(
      element(
        "button",
        { "data-choice": choice, onclick: () => explorer.relate(choice) },
        `${text} `,
        element("small", { text: n.toLocaleString("en") }),
      ),
    );
  }
  press(relations, state.relation);
  root.replaceChildren(
    element(
      "div",
      { class: "line" },
      element("h2", { text: name }),
      element("button", {
        class: "link",
        text: "close",
        title: "Clear the choice (Esc)",
        onclick: () => explorer.choose(null),
      }),
    ),
    element(
      "div",
      { class: "kin" },
      ...kin(explorer, "parent"),
      ...kin(explorer, "child", "children"),
    ),
    relations,
  );
}

function kin(explorer, one, many = `${one}s`) {
  const { model, state } = explorer;
  const numbers = (one === "parent" ? model.parents : model.children)[state.variable];
  if (!numbers.length) return [];
  const links = numbers.slice(0, MAX_KIN).map((number) =>
    element("button", {
      class: "link",
      text: model.variables[number],
      onclick: () => explorer.choose(number),
    }),
  );
  const rest = numbers.length > MAX_KIN ? ` and ${numbers.length - MAX_KIN} more` : "";
  return [element("div", {}, `${pluralize(numbers.length, one, many)}: `, ...links, rest)];
}
