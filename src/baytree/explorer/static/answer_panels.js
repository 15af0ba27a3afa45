// Answers beside the list of variables: explanation, informative variables, a row, a clique.

import { element } from "./elements.js";
import { pluralize, percent, probabilityOfLog } from "./number_words.js";
import { LatestRequest } from "./server_calls.js";
import { VariableList } from "./variable_list.js";

const MAX_LINES = 400;

/** A panel that sends its request again whenever the body of it changes. */
class RequestPanel {
  constructor(endpoint) {
    this.root = element("div", { class: "panel" });
    this.#request = new LatestRequest(endpoint);
  }

  #request;
  #requested = null;
  answer = null;

  async show(explorer) {
    const body = this.body(explorer);
    const requested = JSON.stringify(body);
    if (requested === this.#requested) {
      this.render(explorer);
      return;
    }
    this.#requested = requested;
    if (body === null) {
      this.answer = null;
      this.render(explorer);
      return;
    }
    try {
      const answer = await this.#request.send(body);
      if (answer) {
        this.answer = answer;
        this.render(explorer);
      }
    } catch (error) {
      this.#requested = null;
      explorer.fail(error);
    }
  }
}

function nameButton(explorer, number) {
  const text = explorer.model.variables[number];
  return element("button", {
    class: "name",
    text,
    title: text,
    onclick: () => explorer.choose(number),
  });
}

export class ExplanationPanel extends RequestPanel {
  constructor() {
    super("explanation");
  }

  body(explorer) {
    return { evidence: explorer.evidencePairs };
  }

  render(explorer) {
    const { answer } = this;
    if (!answer || answer.impossible) {
      this.root.replaceChildren(
        element("p", {
          class: "quiet",
          text: answer ? "There is no answer for impossible evidence." : "",
        }),
      );
      return;
    }
    const lines = this.#lines(explorer);
    const nDiffer = lines.filter((line) => line.differs).length;
    const shown = lines.slice(0, MAX_LINES).map((line) => this.#line(explorer, line));
    this.root.replaceChildren(
      element("h2", { text: "The most probable joint states of all variables" }),
      element("p", {
        class: "quiet",
        text:
          `Probability ${probabilityOfLog(answer.log_posterior)} given the evidence. ` +
          (nDiffer
            ? `${pluralize(nDiffer, "state differs", "states differ")} from the most probable state of the variable alone.`
            : "") +
          (answer.factor > 1
            ? ` No states have more than ${answer.factor} times their probability: they are those most probable with one component.`
            : ""),
      }),
      element("div", { class: "answers" }, ...shown, more(lines.length - shown.length)),
    );
  }

  #lines(explorer) {
    const { model, now, state } = explorer;
    const lines = this.answer.states.map((best, number) => {
      const shares = now.subarray(model.begins[number], model.begins[number + 1]);
      const differs = shares[best] < Math.max(...shares) - 1e-9;
      return { number, best, differs, share: shares[best], isObserved: state.evidence.has(number) };
    });
    return lines
      .filter((line) => !line.isObserved)
      .sort((a, b) => b.differs - a.differs || a.number - b.number);
  }

  #line(explorer, { number, best, differs, share }) {
    const label = explorer.model.states[number][best];
    return element(
      "div",
      { class: differs ? "answer differs" : "answer" },
      nameButton(explorer, number),
      element("span", { class: "value", text: label, title: label }),
      element("span", {
        class: "share",
        text: percent(share),
        title: "Probability of this state alone",
      }),
    );
  }
}

export class InformativePanel extends RequestPanel {
  constructor() {
    super("most-informative");
  }

  body(explorer) {
    const { target } = explorer.state;
    return target === null ? null : { target, evidence: explorer.evidencePairs };
  }

  render(explorer) {
    const { target, variable } = explorer.state;
    const parts = [element("h2", { text: "What to observe next" })];
    if (target === null)
      parts.push(
        this.#quiet(
          "Choose the target variable in the drawing, by search, or in the list.",
        ),
      );
    else
      parts.push(
        element(
          "p",
          { class: "quiet" },
          "Target: ",
          nameButton(explorer, target),
          this.#sentence(explorer),
        ),
      );
    if (variable !== null && variable !== target) {
      const text = `Make ${explorer.model.variables[variable]} the target`;
      parts.push(
        element("button", {
          class: "action",
          text,
          onclick: () => explorer.change({ target: variable }),
        }),
      );
    }
    if (this.answer?.variables)
      parts.push(element("div", { class: "answers" }, ...this.#lines(explorer)));
    this.root.replaceChildren(...parts);
  }

  #quiet(text) {
    return element("p", { class: "quiet", text });
  }

  #sentence(explorer) {
    const { answer } = this;
    if (!answer) return "";
    if (answer.impossible) return ". Nothing follows from impossible evidence.";
    if (explorer.state.evidence.has(explorer.state.target))
      return " is observed: there is nothing left to know.";
    return `, of which ${answer.entropy.toFixed(3)} bits are not known. An observation takes away, on average:`;
  }

  #lines(explorer) {
    const { variables, bits } = this.answer;
    const most = Math.max(bits[0] ?? 0, 1e-12);
    return variables.map((number, i) => {
      const bar = element("span", { class: "bar" });
      bar.style.transform = `scaleX(${bits[i] / most})`;
      return element(
        "div",
        { class: "answer" },
        nameButton(explorer, number),
        element("span", { class: "track" }, bar),
        element("span", {
          class: "share",
          text: bits[i] < 0.0005 && bits[i] > 0 ? "< 0.001 bit" : `${bits[i].toFixed(3)} bit`,
        }),
      );
    });
  }
}

export class RowPanel extends RequestPanel {
  constructor(model, handlers) {
    super("row");
    this.#list = new VariableList(model, { ...handlers, label: "Missing cells of the row" });
    this.#sentence = element("p", { class: "quiet" });
    this.#settings = element("div", { class: "settings" });
    this.root.append(this.#settings, this.#sentence, this.#list.root);
  }

  #list;
  #sentence;
  #settings;
  #input = null;

  body(explorer) {
    return explorer.state.row === null ? null : { row: explorer.state.row };
  }

  render(explorer) {
    if (!this.#input) this.#makeSettings(explorer);
    const { answer } = this;
    this.#input.value = explorer.state.row === null ? "" : explorer.state.row + 1;
    this.#sentence.textContent = this.#words(explorer);
    const missing = answer?.missing ?? [];
    this.#list.setVariables(missing);
    const imputed = answer?.imputed ?? [];
    this.#list.setAnswers({
      now: explorer.now,
      before: explorer.before,
      evidence: explorer.state.evidence,
      chosen: explorer.state.variable,
      marks: new Map(missing.map((variable, i) => [variable, imputed[i]])),
    });
  }

  #words(explorer) {
    const { answer } = this;
    if (!answer)
      return "Load a row: its observed cells become the evidence, and its missing cells are imputed.";
    if (answer.impossible) return "This row is impossible in the network.";
    if (!answer.missing.length) return "No cell of the row is missing.";
    const isChanged =
      answer.evidence.length !== explorer.state.evidence.size ||
      answer.evidence.some(([variable, state]) => explorer.state.evidence.get(variable) !== state);
    return (
      `${pluralize(answer.missing.length, "missing cell")}. “imputed” marks the most probable joint state.` +
      (isChanged ? " The evidence was changed since." : "")
    );
  }

  #makeSettings(explorer) {
    const { n, next_incomplete: firstIncomplete } = explorer.graph.rows;
    const load = (row) => explorer.loadRow((row + n) % n);
    const step = (by) => load((explorer.state.row ?? (by > 0 ? -1 : 0)) + by);
    this.#input = element("input", { type: "number", min: 1, max: n, id: "row-number" });
    this.#input.addEventListener("change", () => {
      const row = Math.round(Number(this.#input.value)) - 1;
      if (row >= 0 && row < n) load(row);
    });
    this.#settings.append(
      element("label", {}, "Row ", this.#input, ` of ${n.toLocaleString("en")}`),
      element("button", { text: "‹", title: "Previous row", onclick: () => step(-1) }),
      element("button", { text: "›", title: "Next row", onclick: () => step(1) }),
    );
    if (firstIncomplete === null) return;
    const next = () => load(this.answer?.next_incomplete ?? firstIncomplete);
    this.#settings.append(element("button", { text: "next incomplete row", onclick: next }));
  }
}

export class CliquePanel extends RequestPanel {
  constructor() {
    super("clique");
  }

  body(explorer) {
    const { clique } = explorer.state;
    return clique === null ? null : { clique, evidence: explorer.evidencePairs };
  }

  render(explorer) {
    const { answer } = this;
    if (!answer) {
      this.root.replaceChildren(
        element("p", { class: "quiet", text: "Choose a clique in the drawing." }),
      );
      return;
    }
    const names = answer.members.map((member) => nameButton(explorer, member));
    const n = answer.n_joint_states;
    this.root.replaceChildren(
      element("h2", {
        text: `Clique ${explorer.state.clique + 1}: ${pluralize(names.length, "variable")}, ${pluralize(n, "joint state")}`,
      }),
      element("p", { class: "chips" }, ...names),
      element("div", { class: "answers" }, ...this.#joint(explorer)),
    );
  }

  #joint(explorer) {
    const { answer } = this;
    if (answer.impossible)
      return [element("p", { class: "quiet", text: "There is no answer for impossible evidence." })];
    if (!answer.states)
      return [element("p", { class: "quiet", text: "Too many joint states to list them." })];
    const lines = answer.states.map((states, i) =>
      this.#line(explorer, states, answer.probabilities[i]),
    );
    return [element("h3", { text: "The most probable joint states" }), ...lines];
  }

  #line(explorer, states, probability) {
    const { variables, states: labels } = explorer.model;
    const words = states.map((state, i) => {
      const member = this.answer.members[i];
      return `${variables[member]} = ${labels[member][state]}`;
    });
    return element(
      "div",
      { class: "joint line" },
      element("span", { text: words.join(", ") }),
      element("span", { class: "share", text: percent(probability) }),
    );
  }
}

function more(n) {
  return n > 0 ? element("p", { class: "quiet", text: `and ${pluralize(n, "more", "more")}` }) : "";
}
