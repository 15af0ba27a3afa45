// The network: variables, states and parents, by number.

export class NetworkModel {
  constructor(graph) {
    this.variables = graph.variables;
    this.states = graph.states;
    this.parents = graph.parents;
    this.children = graph.variables.map(() => []);
    graph.parents.forEach((parents, child) => {
      for (const parent of parents) this.children[parent].push(child);
    });
    this.begins = [0];
    for (const states of graph.states) this.begins.push(this.begins.at(-1) + states.length);
    this.numbers = new Map(graph.variables.map((name, number) => [name, number]));
    this.searchable = graph.variables.map((name) => name.toLowerCase());
  }

  get size() {
    return this.variables.length;
  }

  degree(variable) {
    return this.parents[variable].length + this.children[variable].length;
  }

  probability(probabilities, variable, state) {
    return probabilities[this.begins[variable] + state];
  }

  /** Return the change of a distribution: half the sum of all differences. */
  change(before, after, variable) {
    let sum = 0;
    for (let i = this.begins[variable]; i < this.begins[variable + 1]; i += 1) {
      sum += Math.abs(after[i] - before[i]);
    }
    return sum / 2;
  }

  /** Return the variables that contain a text, those that begin with it first. */
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    const found = [];
    this.searchable.forEach((name, number) => {
      const place = name.indexOf(wanted);
      if (place >= 0) found.push([place > 0, name.length, number]);
    });
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    return found.map(([, , number]) => number);
  }

  /** Return the variables that stand in a relation to one: blanket, ancestors or descendants. */
  related(variable, relation) {
    if (relation === "blanket") return this.#blanket(variable);
    return this.#reached(variable, relation === "ancestors" ? this.parents : this.children);
  }

  #blanket(variable) {
    const found = new Set([...this.parents[variable], ...this.children[variable]]);
    for (const child of this.children[variable]) {
      for (const parent of this.parents[child]) found.add(parent);
    }
    found.delete(variable);
    return found;
  }

  #reached(variable, next) {
    const found = new Set();
    const queue = [...next[variable]];
    while (queue.length) {
      const reached = queue.pop();
      if (!found.has(reached)) {
        found.add(reached);
        queue.push(...next[reached]);
      }
    }
    return found;
  }
}
