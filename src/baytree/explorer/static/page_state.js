// State of the page in the fragment of its address, for reloading, going back and sharing.
// Every name is encoded, so that it cannot be confused with another part of the address.

export const EMPTY = Object.freeze({
  evidence: new Map(),
  variable: null,
  target: null,
  view: "graph",
  panel: "variables",
  relation: "",
  order: "table",
  compare: "prior",
  row: null,
  clique: null,
  component: null,
});

const CHOICES = {
  view: ["graph", "cliques"],
  panel: ["variables", "explanation", "informative", "row", "clique"],
  relation: ["", "blanket", "ancestors", "descendants"],
  order: ["table", "name", "change"],
  compare: ["prior", "last"],
};

export function formatState(state, model) {
  const parts = [];
  for (const key of Object.keys(CHOICES)) {
    if (state[key] !== EMPTY[key]) parts.push(`${key}=${state[key]}`);
  }
  for (const key of ["variable", "target"]) {
    if (state[key] !== null)
      parts.push(`${key}=${encodeURIComponent(model.variables[state[key]])}`);
  }
  for (const key of ["row", "clique", "component"]) {
    if (state[key] !== null) parts.push(`${key}=${state[key] + 1}`);
  }
  for (const [variable, observed] of state.evidence) {
    const name = encodeURIComponent(model.variables[variable]);
    parts.push(`e=${name}:${encodeURIComponent(model.states[variable][observed])}`);
  }
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Return the component that an address names, whether it exists or not, or null. */
export function componentOf(hash) {
  const found = /(?:^#|&)component=(\d+)(?:&|$)/.exec(hash);
  return found && Number(found[1]) > 0 ? Number(found[1]) - 1 : null;
}

/** Return the state that an address stands for, and the names in it that do not exist. */
export function parseState(hash, model, bounds) {
  const state = { ...EMPTY, evidence: new Map() };
  const unknown = [];
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [key, value = ""] = split(part, "=");
    if (key in CHOICES) {
      if (CHOICES[key].includes(value)) state[key] = value;
    } else if (key === "variable" || key === "target") {
      state[key] = known(model.numbers, decoded(value), unknown);
    } else if (key === "row" || key === "clique" || key === "component") {
      state[key] = numbered(value, bounds[key]);
    } else if (key === "e") {
      observe(state.evidence, value, model, unknown);
    }
  }
  return { state, unknown };
}

function observe(evidence, text, model, unknown) {
  const [name, label] = split(text, ":").map(decoded);
  const variable = known(model.numbers, name, unknown);
  if (variable === null) return;
  const observed = model.states[variable].indexOf(label);
  if (observed >= 0) evidence.set(variable, observed);
  else unknown.push(`${name} = ${label}`);
}

function split(text, mark) {
  const place = text.indexOf(mark);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function known(numbers, name, unknown) {
  if (!numbers.has(name)) unknown.push(name);
  return numbers.get(name) ?? null;
}

function numbered(text, bound) {
  const number = Number(text) - 1;
  return Number.isInteger(number) && number >= 0 && number < bound ? number : null;
}
