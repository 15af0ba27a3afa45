// Keyboard shortcuts, inactive while text is typed.

import { byId } from "./elements.js";

const PAN = 60;

export function listenToKeys(explorer, view, toggleTheme) {
  const { camera } = view.canvas;
  const actions = {
    "/": () => byId("search").focus(),
    "?": () => byId("keys").showModal(),
    Escape: () => explorer.choose(null),
    x: () => explorer.releaseAll(),
    b: () => explorer.relate("blanket"),
    a: () => explorer.relate("ancestors"),
    d: () => explorer.relate("descendants"),
    g: () => explorer.change({ view: "graph" }),
    c: () => explorer.change({ view: "cliques" }),
    t: toggleTheme,
    "+": () => camera.zoom(1.3),
    "=": () => camera.zoom(1.3),
    "-": () => camera.zoom(1 / 1.3),
    0: () => view.canvas.fit(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, select, dialog")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  const steps = {
    ArrowLeft: [PAN, 0],
    ArrowRight: [-PAN, 0],
    ArrowUp: [0, PAN],
    ArrowDown: [0, -PAN],
  };
  byId("drawing").addEventListener("keydown", (event) => {
    if (!steps[event.key]) return;
    event.preventDefault();
    camera.pan(...steps[event.key]);
  });
}
