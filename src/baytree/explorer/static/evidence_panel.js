// The evidence and its probability.

import { element } from "./elements.js";
import { pluralize, probabilityOfLog } from "./number_words.js";

const MAX_CHIPS = 30;

export function showEvidence(root, explorer) {
  const { evidence } = explorer.state;
  if (!evidence.size) {
    root.replaceChildren(
      element("h2", { text: "No evidence" }),
      element("p", {
        class: "quiet",
        text: "Click a state to observe it. Click it again to release it.",
      }),
    );
    return;
  }
  const number = explorer.isStale ? "…" : probabilityOfLog(explorer.logProbability);
  root.replaceChildren(
    element(
      "div",
      { class: "line" },
      element("h2", {
        text: `P(evidence) = ${explorer.isImpossible ? "0" : number}`,
        id: "evidence-probability",
      }),
      element("button", {
        class: "link",
        text: "release all",
        onclick: () => explorer.releaseAll(),
      }),
    ),
    element("div", { class: "chips" }, ...chips(explorer)),
  );
}

function chips(explorer) {
  const { model } = explorer;
  const shown = explorer.evidencePairs.slice(-MAX_CHIPS).reverse();
  const made = shown.map(([variable, state]) =>
    chip(model.variables[variable], model.states[variable][state], () =>
      explorer.release(variable),
    ),
  );
  const nHidden = explorer.state.evidence.size - shown.length;
  if (nHidden)
    made.push(element("span", { class: "quiet", text: `and ${pluralize(nHidden, "more", "more")}` }));
  return made;
}

// Long names and states are cut separately, so that both stay readable and the cross visible.
function chip(name, state, onclick) {
  return element(
    "button",
    { class: "chip", title: `Release ${name} = ${state}`, onclick },
    element("span", { class: "cut", text: name }),
    element("span", { text: "=" }),
    element("span", { class: "cut seen", text: state }),
    element("span", { text: "✕" }),
  );
}
