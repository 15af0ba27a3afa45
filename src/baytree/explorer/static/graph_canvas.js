// The canvas: boxes with names where there is space, otherwise points with the labels that fit.

import { Camera } from "./camera.js";
import { LabelPlaces } from "./label_places.js";
import { shortened } from "./number_words.js";
import { arrowHead, BOX_HEIGHT, drawBox, drawPoint, LINE_HEIGHT, traceArc } from "./shapes.js";

const MIN_BOX_SCALE = 0.5; // below, names in boxes are too small to read
const MIN_ARROW_SCALE = 0.6;
const N_FIRST_LABELS = 25; // which may cover points where there is no other place
const LABEL_FONT = "12px system-ui, sans-serif";
const LABEL_HEIGHT = 15;
const MAX_LABELS = 400;
const MAX_THICK_ARCS = 60; // of the chosen variable; more of them would hide all around it

/** Whether a reader looks for this one: no label may cover it. */
const isMarked = (look) => look.isChosen || look.observed !== null || look.emphasis === 2;

/** How the boxes of a drawing look; what is not given is plain. */
export const PLAIN_LOOKS = {
  isDirected: true,
  label: () => "",
  lines: null, // several lines in place of the label, where there are boxes
  observed: () => null,
  shares: () => null,
  change: () => 0,
  emphasis: () => 1, // 0 faint, 1 plain, 2 strong
  isChosen: () => false,
  arcsKey: "", // arcs look the same as long as this stays
  weight: () => 1, // larger ones get their labels first
};

export class GraphCanvas {
  constructor(canvas, { onChoose, onHover }) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
    this.camera = new Camera(canvas, () => this.redraw());
    this.#listen(onChoose, onHover);
    new ResizeObserver(() => this.#resize()).observe(canvas);
  }

  #canvas;
  #context;
  #arcs = { canvas: document.createElement("canvas"), key: "" }; // drawn once for a view
  #drawing = null;
  #looks = PLAIN_LOOKS;
  #places = new Map();
  #colours = {};
  #frame = 0;
  #hovered = null;
  #widths = new Map();

  show(drawing, looks) {
    const isNew = this.#drawing !== drawing;
    this.#drawing = drawing;
    this.#looks = { ...PLAIN_LOOKS, ...looks };
    if (isNew) {
      this.#arcs.key = "";
      this.#places = new Map(drawing?.boxes.map((box, place) => [box, place]));
      this.#hovered = null;
      if (drawing) this.fit(false);
    }
    this.redraw();
  }

  redraw() {
    if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "faint", "line", "paper", "box", "accent", "observed", "strong"]) {
      this.#colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    this.#arcs.key = "";
    this.redraw();
  }

  fit(isSmooth = true) {
    if (this.#drawing) this.camera.fit(this.#bounds(), isSmooth);
  }

  reveal(box) {
    const place = this.#places.get(box);
    if (place === undefined) return;
    const { x, y, style } = this.#drawing;
    this.camera.reveal(x[place], y[place], style === "layered" ? MIN_BOX_SCALE : 0.8);
  }

  #bounds() {
    const { x, y, widths, style, bends } = this.#drawing;
    const margin = (place) => (style === "layered" ? widths[place] / 2 : 30);
    const bounds = [Infinity, Infinity, -Infinity, -Infinity];
    for (let place = 0; place < x.length; place += 1) {
      bounds[0] = Math.min(bounds[0], x[place] - margin(place));
      bounds[1] = Math.min(bounds[1], y[place] - BOX_HEIGHT);
      bounds[2] = Math.max(bounds[2], x[place] + margin(place));
      bounds[3] = Math.max(bounds[3], y[place] + BOX_HEIGHT);
    }
    for (const points of bends) {
      for (let i = 0; i < points.length; i += 2) {
        bounds[0] = Math.min(bounds[0], points[i]);
        bounds[2] = Math.max(bounds[2], points[i]);
      }
    }
    return bounds;
  }

  get #hasBoxes() {
    return this.#drawing.style === "layered" && this.camera.scale >= MIN_BOX_SCALE;
  }

  #lines(box) {
    return this.#looks.lines?.(box) ?? [this.#looks.label(box)];
  }

  #height(box) {
    return BOX_HEIGHT + Math.max(this.#lines(box).length - 2, 0) * LINE_HEIGHT;
  }

  #radius(box) {
    const size = 4.2 * Math.min(Math.max(this.camera.scale, 0.35), 2.6) ** 0.6;
    return size * (this.#looks.isChosen(box) ? 1.5 : 1);
  }

  #draw() {
    this.#frame = 0;
    const ratio = devicePixelRatio || 1;
    const context = this.#context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.#canvas.clientWidth, this.#canvas.clientHeight);
    if (!this.#drawing || !this.#canvas.width || !this.#canvas.height) return;
    this.#updateArcs(ratio);
    context.drawImage(this.#arcs.canvas, 0, 0, this.#canvas.clientWidth, this.#canvas.clientHeight);
    if (this.#hasBoxes) this.#drawBoxes();
    else this.#drawPoints();
  }

  /** Draw the arcs, if they would look otherwise than last time: there may be thousands. */
  #updateArcs(ratio) {
    const { canvas } = this.#arcs;
    const { width, height } = this.#canvas;
    const { x, y, scale } = this.camera;
    const key = [x, y, scale, width, height, this.#looks.arcsKey].join();
    if (key === this.#arcs.key) return;
    this.#arcs.key = key;
    canvas.width = width; // clears it too
    canvas.height = height;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (width && height) this.#drawArcs(context);
  }

  // Faint arcs first, then plain and strong ones, each kind with one stroke.
  #drawArcs(context) {
    const kinds = [[], [], []];
    this.#drawing.arcs.forEach(([from, to], arc) => {
      const least = Math.min(this.#looks.emphasis(from), this.#looks.emphasis(to));
      const touches = this.#looks.isChosen(from) || this.#looks.isChosen(to);
      kinds[least === 0 ? 0 : touches ? 2 : 1].push(arc);
    });
    const { scale } = this.camera;
    const hasHeads =
      this.#looks.isDirected && (scale >= MIN_ARROW_SCALE || this.#drawing.style === "layered");
    const colours = [this.#colours.faint, this.#colours.line, this.#colours.strong];
    kinds.forEach((arcs, kind) => {
      context.strokeStyle = context.fillStyle = colours[kind];
      const isCrowded = kind === 2 && arcs.length > MAX_THICK_ARCS;
      const nClear = kind === 2 ? MAX_THICK_ARCS : 900;
      context.globalAlpha = kind === 0 ? 1 : Math.min(Math.max(nClear / arcs.length, 0.4), 1);
      context.lineWidth =
        kind === 2 && !isCrowded ? 2 : Math.min(Math.max(this.camera.scale, 0.5), 1.2);
      context.beginPath();
      const tips = arcs.map((arc) => this.#traceArc(context, arc));
      context.stroke();
      if (hasHeads && kind > 0) {
        for (const tip of tips) arrowHead(context, tip, Math.min(Math.max(scale, 0.5), 1.1));
      }
    });
  }

  #traceArc(context, arc) {
    const [from, to] = this.#drawing.arcs[arc].map((box) => this.#places.get(box));
    const { x, y, bends, style, boxes } = this.#drawing;
    const points = [[x[from], y[from]]];
    for (let i = 0; i < bends[arc].length; i += 2) points.push([bends[arc][i], bends[arc][i + 1]]);
    points.push([x[to], y[to]]);
    const onScreen = points.map(([pointX, pointY]) => this.camera.toScreen(pointX, pointY));
    const isCurved = style === "layered";
    const half = (place) =>
      this.#hasBoxes ? (this.#height(boxes[place]) / 2) * this.camera.scale : 0;
    const gap = this.#hasBoxes ? 0 : this.#radius(boxes[to]);
    return traceArc(context, onScreen, {
      isCurved,
      fromHeight: half(from),
      toHeight: half(to),
      gap,
    });
  }

  #drawBoxes() {
    const { boxes, widths } = this.#drawing;
    const { scale } = this.camera;
    for (const { box, place, x, y } of this.#visible(160 * scale)) {
      drawBox(this.#context, this.#colours, {
        x,
        y,
        scale,
        width: widths[place],
        height: this.#height(box),
        lines: this.#lines(box),
        ...this.#lookOf(boxes[place]),
      });
    }
  }

  #lookOf(box) {
    const looks = this.#looks;
    return {
      observed: looks.observed(box),
      shares: looks.shares(box),
      change: looks.change(box),
      emphasis: looks.emphasis(box),
      isChosen: looks.isChosen(box),
      isHovered: box === this.#hovered,
    };
  }

  #drawPoints() {
    const visible = this.#visible(20);
    for (const point of visible) {
      point.radius = this.#radius(point.box);
      point.look = this.#lookOf(point.box);
      point.rank = this.#rank(point.box, point.look);
      drawPoint(this.#context, this.#colours, point);
    }
    const labelled = visible
      .filter(({ look }) => look.emphasis > 0)
      .sort((a, b) => b.rank - a.rank);
    const places = new LabelPlaces(this.#canvas.clientWidth, this.#canvas.clientHeight);
    for (const { x, y, radius, look } of visible)
      places.block(x - radius, y - radius, radius * 2, radius * 2, !isMarked(look));
    this.#drawLabels(labelled.slice(0, N_FIRST_LABELS), places, true);
    this.#drawLabels(labelled.slice(N_FIRST_LABELS, MAX_LABELS), places, false);
  }

  #drawLabels(points, places, mayCoverPoints) {
    const context = this.#context;
    context.font = LABEL_FONT;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = this.#colours.paper;
    for (const { box, x, y, radius, look } of points) {
      const label = shortened(this.#looks.label(box), 22);
      const text = look.observed === null ? label : `${label} = ${shortened(look.observed, 18)}`;
      const width = this.#textWidth(text);
      const place = places.beside(x, y, radius, width, LABEL_HEIGHT, mayCoverPoints);
      if (!place) continue;
      const middle = place[1] + LABEL_HEIGHT / 2;
      context.strokeText(text, place[0], middle);
      context.fillStyle = look.observed === null ? this.#colours.ink : this.#colours.observed;
      context.fillText(text, place[0], middle);
    }
  }

  #rank(box, look) {
    if (look.isChosen) return 1e9;
    if (look.isHovered) return 1e8;
    const seen = look.observed === null ? 0 : 1e7;
    return seen + (look.emphasis === 2 ? 1e6 : 0) + this.#looks.weight(box);
  }

  #textWidth(text) {
    if (!this.#widths.has(text)) {
      if (this.#widths.size > 20000) this.#widths.clear();
      this.#widths.set(text, this.#context.measureText(text).width + 3);
    }
    return this.#widths.get(text);
  }

  /** Return the boxes within the window, faint ones first so that others cover them. */
  #visible(margin) {
    const { boxes, x, y } = this.#drawing;
    const width = this.#canvas.clientWidth + margin;
    const height = this.#canvas.clientHeight + margin;
    const found = [[], [], []];
    boxes.forEach((box, place) => {
      const [screenX, screenY] = this.camera.toScreen(x[place], y[place]);
      if (screenX < -margin || screenY < -margin || screenX > width || screenY > height) return;
      const layer = this.#looks.isChosen(box) ? 2 : this.#looks.emphasis(box);
      found[layer].push({ box, place, x: screenX, y: screenY });
    });
    return found.flat();
  }

  #boxAt(screenX, screenY) {
    if (!this.#drawing) return null;
    const isIn = this.#hasBoxes ? this.#isInBox : this.#isNearPoint;
    const hits = this.#visible(0).filter((point) => isIn.call(this, point, screenX, screenY));
    const away = ({ x, y }) => Math.hypot(x - screenX, y - screenY);
    return hits.sort((a, b) => away(a) - away(b))[0]?.box ?? null;
  }

  #isInBox({ box, place, x, y }, screenX, screenY) {
    const { scale } = this.camera;
    const isAcross = Math.abs(screenX - x) <= (this.#drawing.widths[place] / 2) * scale;
    return isAcross && Math.abs(screenY - y) <= (this.#height(box) / 2) * scale;
  }

  #isNearPoint({ box, x, y }, screenX, screenY) {
    return Math.hypot(x - screenX, y - screenY) <= this.#radius(box) + 5;
  }

  #resize() {
    const ratio = devicePixelRatio || 1;
    this.#canvas.width = Math.round(this.#canvas.clientWidth * ratio);
    this.#canvas.height = Math.round(this.#canvas.clientHeight * ratio);
    if (!this.camera.wasMoved) this.fit(false);
    this.#draw();
  }

  #listen(onChoose, onHover) {
    const canvas = this.#canvas;
    canvas.addEventListener("pointermove", (event) => {
      const box = this.#boxAt(event.offsetX, event.offsetY);
      canvas.style.cursor = box === null ? "grab" : "pointer";
      if (box !== this.#hovered) this.redraw();
      this.#hovered = box;
      onHover(box, event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerleave", () => {
      this.#hovered = null;
      this.redraw();
      onHover(null);
    });
    canvas.addEventListener("click", (event) => {
      if (!this.camera.isDrag) onChoose(this.#boxAt(event.offsetX, event.offsetY));
    });
    canvas.addEventListener("dblclick", (event) => {
      if (this.#boxAt(event.offsetX, event.offsetY) === null) {
        this.camera.zoom(1.6, event.offsetX, event.offsetY);
      }
    });
  }
}
