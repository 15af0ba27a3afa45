// State of the page: that of the address, and the answers for it.

import { EMPTY, componentOf, formatState, parseState } from "./page_state.js";
import { LatestRequest } from "./server_calls.js";

const PATIENCE_MS = 80;

export class Explorer {
  constructor(model, graph, render) {
    this.model = model;
    this.graph = graph;
    this.state = EMPTY;
    this.prior = null; // probabilities without evidence
    this.now = null; // given the evidence
    this.last = null; // before the last change of evidence
    this.logProbability = 0;
    this.problem = ""; // a sentence, such as that the evidence is impossible
    this.isImpossible = false;
    this.isStale = false; // the probabilities belong to other evidence
    this.searchText = "";
    this.#render = render;
    addEventListener("popstate", () => this.#readAddress());
    addEventListener("hashchange", () => this.#readAddress());
  }

  #render;
  #posteriors = new LatestRequest("posteriors");
  #rows = new LatestRequest("row");
  #waiting = 0;
  #isStarted = false;

  async start() {
    const answer = await this.#posteriors.send({ evidence: [] });
    this.prior = this.now = this.last = Float64Array.from(answer.probabilities);
    this.#readAddress();
    if (!this.state.evidence.size) this.#render();
  }

  get evidencePairs() {
    return [...this.state.evidence];
  }

  get before() {
    return this.state.compare === "last" ? this.last : this.prior;
  }

  /** Change what is shown; the address follows, and the back button leads back. */
  change(patch) {
    const next = { ...this.state, ...patch };
    const hash = formatState(next, this.model);
    if (hash !== formatState(this.state, this.model)) {
      history.pushState(null, "", hash || location.pathname);
    }
    this.#show(next);
  }

  observe(variable, state) {
    const evidence = new Map(this.state.evidence);
    if (evidence.get(variable) === state) evidence.delete(variable);
    else evidence.set(variable, state);
    this.change({ evidence });
  }

  release(variable) {
    const evidence = new Map(this.state.evidence);
    evidence.delete(variable);
    this.change({ evidence });
  }

  releaseAll() {
    if (this.state.evidence.size) this.change({ evidence: new Map(), row: null });
  }

  choose(variable) {
    this.change({ variable, relation: variable === null ? "" : this.state.relation });
  }

  /** Choose a relation to the chosen variable, or none if it was chosen already. */
  relate(relation) {
    if (this.state.variable === null) return;
    this.change({ relation: this.state.relation === relation ? "" : relation });
  }

  search(text) {
    this.searchText = text;
    this.#render();
  }

  async loadRow(row) {
    try {
      const answer = await this.#rows.send({ row });
      if (answer) this.change({ row, panel: "row", evidence: new Map(answer.evidence) });
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    this.problem = error.message;
    this.#render();
  }

  /** Show the mixture, or one of its components; the page starts again with the same evidence. */
  showComponent(component) {
    const next = { ...this.state, component, clique: null };
    location.hash = formatState(next, this.model);
  }

  #readAddress() {
    const { component } = this.state;
    if (this.#isStarted && componentOf(location.hash) !== component) {
      location.reload();
      return;
    }
    this.#isStarted = true;
    const bounds = {
      row: this.graph.rows?.n ?? 0,
      clique: this.graph.n_cliques,
      component: this.graph.mixture?.n ?? 0,
    };
    const { state, unknown } = parseState(location.hash, this.model, bounds);
    if (formatState(state, this.model) === formatState(this.state, this.model) && !unknown.length)
      return;
    this.#show(state);
    if (unknown.length) {
      this.fail(
        new Error(`The address has names that are not in this network: ${unknown.join(", ")}.`),
      );
    }
  }

  #show(next) {
    const isSame = sameEvidence(this.state.evidence, next.evidence);
    this.state = next;
    if (isSame) this.#render();
    else this.#requestPosteriors();
  }

  async #requestPosteriors() {
    this.isStale = true;
    this.problem = "";
    this.isImpossible = false;
    // Most answers arrive within this time, and drawing once is faster than twice.
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#render(), PATIENCE_MS);
    try {
      const answer = await this.#posteriors.send({ evidence: this.evidencePairs });
      if (!answer) return;
      clearTimeout(this.#waiting);
      if (answer.impossible) {
        this.problem = answer.impossible;
        this.isImpossible = true;
      } else {
        this.last = this.now;
        this.now = Float64Array.from(answer.probabilities);
        this.logProbability = answer.log_probability;
        this.isStale = false;
      }
      this.#render();
    } catch (error) {
      this.fail(error);
    }
  }
}

function sameEvidence(first, second) {
  return (
    first.size === second.size &&
    [...first].every(([variable, state]) => second.get(variable) === state)
  );
}
