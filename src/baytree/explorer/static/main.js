// Start of the page: request the network and connect the parts.

import { CliquePanel, ExplanationPanel, InformativePanel, RowPanel } from "./answer_panels.js";
import { showChosen } from "./chosen_panel.js";
import { DrawingView } from "./drawing_view.js";
import { byId, element, press } from "./elements.js";
import { showEvidence } from "./evidence_panel.js";
import { Explorer } from "./explorer.js";
import { listenToKeys } from "./keyboard.js";
import { NetworkModel } from "./network_model.js";
import { percent, pluralize } from "./number_words.js";
import { componentOf } from "./page_state.js";
import { askComponent, send } from "./server_calls.js";
import { startTheme } from "./themes.js";
import { VariablesPanel } from "./variables_panel.js";

async function start() {
  const graph = await startGraph();
  const model = new NetworkModel(graph);
  const explorer = new Explorer(model, graph, () => render());
  const view = new DrawingView(explorer);
  const panels = {
    variables: new VariablesPanel(explorer),
    explanation: new ExplanationPanel(),
    informative: new InformativePanel(),
    row: new RowPanel(model, {
      onChoose: (variable) => explorer.choose(variable),
      onObserve: (variable, state) => explorer.observe(variable, state),
    }),
    clique: new CliquePanel(),
  };

  function render() {
    if (!explorer.now) return;
    const { state } = explorer;
    const name = state.panel === "row" && !graph.rows ? "variables" : state.panel;
    showEvidence(byId("evidence"), explorer);
    byId("status").textContent = explorer.problem;
    showChosen(byId("chosen"), explorer);
    press(byId("views"), state.view);
    press(byId("panels"), name);
    const shown = panels[name];
    if (byId("panel").firstChild !== shown.root) byId("panel").replaceChildren(shown.root);
    shown.show(explorer);
    view.show();
    document.body.dataset.stale = String(explorer.isStale);
  }

  showTitle(graph);
  offerComponents(graph, explorer);
  connect(
    explorer,
    view,
    startTheme(() => view.canvas.readColours()),
  );
  await explorer.start();
  if (!graph.drawing && explorer.state.variable === null) byId("search").focus();
}

function showTitle(graph) {
  byId("title").textContent = byId("title").title = graph.title;
  document.title = `${graph.title} – baytree explorer`;
  const nArcs = graph.parents.reduce((sum, parents) => sum + parents.length, 0);
  const isWhole = graph.mixture && componentOf(location.hash) === null;
  const { treewidth, cost } = isWhole ? graph.mixture : graph;
  const words = [
    pluralize(graph.variables.length, "variable"),
    isWhole ? pluralize(graph.mixture.n, "component") : pluralize(nArcs, "arc"),
    `treewidth ${treewidth}`,
  ];
  byId("summary").textContent = words.join(", ");
  byId("summary").title = `Cost of all posteriors: ${cost}`;
  byId("panels").querySelector('[data-choice="row"]').hidden = !graph.rows;
  byId("panels").querySelector('[data-choice="clique"]').hidden = false;
}

/** Return the network to draw: of a mixture, the component that the address names. */
async function startGraph() {
  const graph = await send("graph");
  const component = componentOf(location.hash);
  if (component === null) return graph;
  if (component < (graph.mixture?.n ?? 0)) {
    askComponent(component);
    return send("graph");
  }
  history.replaceState(null, "", location.pathname);
  return graph;
}

/** Offer the mixture and its components, with their weights. */
function offerComponents(graph, explorer) {
  if (!graph.mixture) return;
  const { n, listed, weights } = graph.mixture;
  const chosen = componentOf(location.hash);
  const drawn = `drawn: component ${graph.component + 1}`;
  const numbers = chosen === null || listed.includes(chosen) ? listed : [...listed, chosen];
  byId("component").replaceChildren(
    element("option", { value: "", text: chosen === null ? `mixture, ${drawn}` : "mixture" }),
    ...numbers.map((number, i) => {
      const weight = i < weights.length ? `, ${percent(weights[i])}` : "";
      return element("option", { value: number, text: `component ${number + 1}${weight}` });
    }),
  );
  byId("component").value = chosen ?? "";
  byId("component").addEventListener("change", (event) => {
    const { value } = event.currentTarget;
    explorer.showComponent(value === "" ? null : Number(value));
  });
  byId("component-choice").hidden = false;
  byId("component-choice").title =
    n > listed.length ? `The ${listed.length} of ${n} components of the largest weight` : "";
}

function connect(explorer, view, toggleTheme) {
  const choose = (group, key) =>
    byId(group).addEventListener("click", (event) => {
      const choice = event.target.closest("button")?.dataset.choice;
      if (choice)
        explorer.change(key === "panel" ? panelChange(explorer, choice) : { [key]: choice });
    });
  choose("views", "view");
  choose("panels", "panel");
  const search = byId("search");
  search.addEventListener("input", () => explorer.search(search.value));
  search.addEventListener("keydown", (event) => onSearchKey(event, explorer));
  byId("zoom-in").addEventListener("click", () => view.canvas.camera.zoom(1.3));
  byId("zoom-out").addEventListener("click", () => view.canvas.camera.zoom(1 / 1.3));
  byId("fit").addEventListener("click", () => view.canvas.fit());
  byId("theme").addEventListener("click", toggleTheme);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  listenToKeys(explorer, view, toggleTheme);
}

/** The chosen variable becomes the target where none is chosen yet. */
function panelChange(explorer, panel) {
  const { target, variable } = explorer.state;
  return panel === "informative" && target === null ? { panel, target: variable } : { panel };
}

function onSearchKey(event, explorer) {
  const search = event.currentTarget;
  if (event.key === "Escape" || event.key === "Enter") {
    const found = event.key === "Enter" ? explorer.model.search(search.value)[0] : undefined;
    search.value = "";
    explorer.search("");
    if (found !== undefined) explorer.choose(found);
    search.blur();
  }
}

start().catch((error) => {
  byId("status").textContent = error.message;
});
