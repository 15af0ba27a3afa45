// The drawing: the network, the neighbourhood of a variable, or the clique tree.

import { byId, element } from "./elements.js";
import { GraphCanvas } from "./graph_canvas.js";
import { pluralize, percent } from "./number_words.js";
import { LatestRequest } from "./server_calls.js";

const N_TIP_STATES = 4;
const MAX_LINES = 5;

export class DrawingView {
  constructor(explorer) {
    this.#explorer = explorer;
    this.canvas = new GraphCanvas(byId("drawing"), {
      onChoose: (box) => this.#choose(box),
      onHover: (box, x, y) => this.#showTip(box, x, y),
    });
  }

  #explorer;
  #neighbourhoods = new LatestRequest("neighbourhood");
  #trees = new LatestRequest("clique-tree");
  #neighbourhood = { variable: null, drawing: null };
  #requested = { variable: null, answer: null };
  #tree = { variable: undefined, drawing: null };
  #revealed = null;
  #members = new Map();

  show() {
    const { state } = this.#explorer;
    if (state.view === "cliques") this.#showTree();
    else this.#showNetwork();
    this.#showLegend();
  }

  async #showNetwork() {
    const { graph, state } = this.#explorer;
    let { drawing } = graph;
    if (!drawing) {
      if (state.variable !== null) await this.#requestNeighbourhood(state.variable);
      if (this.#explorer.state.view === "cliques") return;
      drawing = this.#neighbourhood.drawing;
      this.#hint(
        drawing || state.variable !== null // it is on its way
          ? ""
          : `${pluralize(graph.variables.length, "variable")} are too many to draw at once. Search one, or choose one in the list, to see its neighbourhood.`,
      );
    } else this.#hint("");
    this.#part(drawing, graph.variables.length, "variables", this.#neighbourhood.variable);
    this.canvas.show(drawing, this.#variableLooks());
    const { variable } = this.#explorer.state;
    if (variable !== null && variable !== this.#revealed) this.canvas.reveal(variable);
    this.#revealed = variable;
  }

  async #requestNeighbourhood(variable) {
    if (this.#neighbourhood.variable === variable) return;
    if (this.#requested.variable !== variable)
      this.#requested = { variable, answer: this.#neighbourhoods.send({ variable }) };
    try {
      const drawing = await this.#requested.answer;
      if (drawing) this.#neighbourhood = { variable, drawing };
    } catch (error) {
      this.#requested = { variable: null, answer: null };
      this.#explorer.fail(error);
    }
  }

  async #showTree() {
    const { graph, state } = this.#explorer;
    const variable = graph.drawing ? null : state.variable; // small trees are drawn as a whole
    if (this.#tree.variable !== variable) {
      this.canvas.show(null); // a click on the network must not choose a clique
      try {
        const drawing = await this.#trees.send({ variable });
        if (!drawing) return;
        this.#tree = { variable, drawing };
        this.#members = new Map(drawing.boxes.map((box, place) => [box, drawing.members[place]]));
      } catch (error) {
        this.#explorer.fail(error);
        return;
      }
    }
    if (this.#explorer.state.view !== "cliques") return;
    this.#revealed = null;
    this.#hint("");
    this.#part(this.#tree.drawing, graph.n_cliques, "cliques", this.#tree.variable);
    this.canvas.show(this.#tree.drawing, this.#cliqueLooks());
  }

  #variableLooks() {
    const { model, state, now, before, searchText } = this.#explorer;
    const strong = strongVariables(this.#explorer);
    return {
      arcsKey: JSON.stringify([
        state.variable,
        state.relation,
        searchText,
        strong && [...state.evidence.keys()],
      ]),
      isDirected: true,
      label: (box) => model.variables[box],
      observed: (box) =>
        state.evidence.has(box) ? model.states[box][state.evidence.get(box)] : null,
      shares: (box) => now.subarray(model.begins[box], model.begins[box + 1]),
      change: (box) => model.change(before, now, box),
      emphasis: (box) =>
        emphasis(strong, box, box === state.variable) || Number(state.evidence.has(box)),
      isChosen: (box) => box === state.variable,
      weight: (box) => model.degree(box),
    };
  }

  #cliqueLooks() {
    const { model, state, now, before, searchText } = this.#explorer;
    const members = this.#members;
    const strong = strongVariables(this.#explorer) ?? (state.variable === null ? null : new Set());
    if (strong && state.variable !== null) strong.add(state.variable);
    const held =
      strong &&
      new Set([...members].filter(([, own]) => own.some((m) => strong.has(m))).map(([box]) => box));
    return {
      arcsKey: JSON.stringify([state.clique, state.variable, state.relation, searchText]),
      isDirected: false,
      label: (box) =>
        members
          .get(box)
          .map((member) => model.variables[member])
          .join(", "),
      lines: (box) => lines(members.get(box).map((member) => model.variables[member])),
      change: (box) =>
        Math.max(...members.get(box).map((member) => model.change(before, now, member))),
      emphasis: (box) => emphasis(held, box, box === state.clique),
      isChosen: (box) => box === state.clique,
      weight: (box) => members.get(box).length,
    };
  }

  #choose(box) {
    const explorer = this.#explorer;
    if (explorer.state.view === "cliques") {
      if (box !== null) explorer.change({ clique: box, panel: "clique" });
    } else if (box !== null) explorer.choose(box);
  }

  #hint(text) {
    byId("hint").textContent = text;
    byId("hint").hidden = !text;
  }

  /** Say which part of the whole is drawn, if it is a part. */
  #part(drawing, nAll, things, variable) {
    const n = drawing?.boxes.length ?? nAll;
    const which =
      variable === null
        ? "choose a variable to see those near it"
        : `those nearest to ${this.#explorer.model.variables[variable]}`;
    byId("part").hidden = n === nAll;
    byId("part").textContent = `${n} of ${nAll.toLocaleString("en")} ${things}: ${which}`;
  }

  #showLegend() {
    const isTree = this.#explorer.state.view === "cliques";
    const entries = isTree
      ? [
          ["moved", "moved by the evidence"],
          ["picked", "holds the chosen variable"],
        ]
      : [
          ["moved", "moved by the evidence"],
          ["seen", "observed"],
          ["picked", "chosen, or found"],
        ];
    byId("legend").replaceChildren(
      ...entries.map(([look, text]) => element("span", {}, element("i", { class: look }), text)),
    );
  }

  #showTip(box, x, y) {
    const tip = byId("tip");
    tip.hidden = box === null || this.#explorer.now === null;
    if (tip.hidden) return;
    tip.replaceChildren(
      ...(this.#explorer.state.view === "cliques" ? this.#cliqueTip(box) : this.#variableTip(box)),
    );
    const { clientWidth, clientHeight } = tip.parentElement;
    tip.style.left = `${Math.max(Math.min(x + 14, clientWidth - tip.offsetWidth - 8), 4)}px`;
    tip.style.top = `${Math.max(Math.min(y + 14, clientHeight - tip.offsetHeight - 8), 4)}px`;
  }

  #variableTip(box) {
    const { model, now } = this.#explorer;
    const shares = model.states[box].map((label, state) => [
      model.probability(now, box, state),
      label,
    ]);
    shares.sort((a, b) => b[0] - a[0]);
    const lines = shares
      .slice(0, N_TIP_STATES)
      .map(([share, label]) => element("div", { text: `${label}: ${percent(share)}` }));
    const nMore = shares.length - lines.length;
    if (nMore > 0) lines.push(element("div", { class: "quiet", text: `and ${nMore} more` }));
    const nHidden = this.#nHidden(box);
    if (nHidden) {
      const text = `${pluralize(nHidden, "neighbour is", "neighbours are")} not drawn`;
      lines.push(element("div", { class: "quiet", text }));
    }
    return [element("strong", { text: model.variables[box] }), ...lines];
  }

  #nHidden(box) {
    const { drawing } = this.#neighbourhood;
    return drawing?.n_hidden[drawing.boxes.indexOf(box)] ?? 0;
  }

  #cliqueTip(box) {
    const { model } = this.#explorer;
    const names = this.#members
      .get(box)
      .map((member) => element("div", { text: model.variables[member] }));
    return [
      element("strong", { text: `Clique ${box + 1}, ${pluralize(names.length, "variable")}` }),
      ...names,
    ];
  }
}

/** Return the variables that are searched or related to the chosen one, or null if all count. */
export function strongVariables({ model, state, searchText }) {
  if (searchText.trim()) return new Set(model.search(searchText));
  if (state.variable === null || !state.relation) return null;
  return model.related(state.variable, state.relation);
}

/** Return the names that a box has room for, and how many more there are. */
function lines(names) {
  const nShown = names.length > MAX_LINES ? MAX_LINES - 1 : names.length;
  const shown = names.slice(0, nShown);
  return nShown < names.length ? [...shown, `and ${names.length - nShown} more`] : shown;
}

function emphasis(strong, box, isChosen) {
  if (!strong) return 1;
  return strong.has(box) || isChosen ? 2 : 0;
}
