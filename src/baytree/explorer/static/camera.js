// Visible part and zoom of a drawing, moved by pointer, wheel, pinch and keys.

const MIN_SCALE = 0.02;
const MAX_SCALE = 6;
const MOVE_MS = 260;
const TOOLS_WIDTH = 48; // on the right, which a drawing that is fitted leaves free

export class Camera {
  constructor(canvas, onChange) {
    this.x = 0; // of the drawing's origin, in pixels of the page
    this.y = 0;
    this.scale = 1;
    this.wasMoved = false; // by the reader: then the drawing is not fitted again
    this.#canvas = canvas;
    this.#onChange = onChange;
    this.#listen();
  }

  #canvas;
  #onChange;
  #pointers = new Map();
  #animation = 0;
  #dragged = 0;

  /** Whether the pointer moved so far since it went down that its release is no click. */
  get isDrag() {
    return this.#dragged > 5;
  }

  toScreen(x, y) {
    return [x * this.scale + this.x, y * this.scale + this.y];
  }

  toDrawing(x, y) {
    return [(x - this.x) / this.scale, (y - this.y) / this.scale];
  }

  pan(dx, dy) {
    this.#stop();
    this.#set(this.x + dx, this.y + dy, this.scale);
    this.wasMoved = true;
  }

  zoom(factor, x = this.#canvas.clientWidth / 2, y = this.#canvas.clientHeight / 2) {
    this.#stop();
    const scale = clamp(this.scale * factor);
    const ratio = scale / this.scale;
    this.#set(x - (x - this.x) * ratio, y - (y - this.y) * ratio, scale);
    this.wasMoved = true;
  }

  /** Show a rectangle of the drawing as large as it fits. */
  fit([left, top, right, bottom], isSmooth = true, maxScale = 1.25) {
    const width = this.#canvas.clientWidth - TOOLS_WIDTH;
    const height = this.#canvas.clientHeight;
    const scale = clamp(
      Math.min((width - 24) / (right - left), (height - 72) / (bottom - top), maxScale),
    );
    this.#moveTo(
      width / 2 - ((left + right) / 2) * scale,
      height / 2 - ((top + bottom) / 2) * scale,
      scale,
      isSmooth,
    );
    this.wasMoved = false;
  }

  /** Bring a point into view, and near enough to read its name. */
  reveal(x, y, minScale) {
    const [screenX, screenY] = this.toScreen(x, y);
    const width = this.#canvas.clientWidth;
    const height = this.#canvas.clientHeight;
    const isInside = screenX > 60 && screenX < width - 60 && screenY > 50 && screenY < height - 50;
    const isSeen = isInside || !this.wasMoved; // a drawing that is fitted is seen as a whole
    if (isSeen && this.scale >= minScale) return;
    const scale = Math.max(this.scale, minScale);
    this.#moveTo(width / 2 - x * scale, height / 2 - y * scale, scale, true);
    this.wasMoved = true;
  }

  #set(x, y, scale) {
    this.x = x;
    this.y = y;
    this.scale = scale;
    this.#onChange();
  }

  #stop() {
    cancelAnimationFrame(this.#animation);
  }

  #moveTo(x, y, scale, isSmooth) {
    this.#stop();
    if (!isSmooth || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#set(x, y, scale);
      return;
    }
    const from = [this.x, this.y, this.scale];
    const start = performance.now();
    const step = (now) => {
      const share = Math.min((now - start) / MOVE_MS, 1);
      const eased = 1 - (1 - share) ** 3;
      const [nextX, nextY, nextScale] = [x, y, scale].map(
        (to, i) => from[i] + (to - from[i]) * eased,
      );
      this.#set(nextX, nextY, nextScale);
      if (share < 1) this.#animation = requestAnimationFrame(step);
    };
    this.#animation = requestAnimationFrame(step);
  }

  #listen() {
    const canvas = this.#canvas;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      if (this.#pointers.size === 1) this.#dragged = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.#drag(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(name, (event) => this.#pointers.delete(event.pointerId));
    }
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
        this.zoom(
          Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.0015)),
          event.offsetX,
          event.offsetY,
        );
      },
      { passive: false },
    );
  }

  #drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const after = [event.offsetX, event.offsetY];
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, after);
    this.#dragged += Math.abs(after[0] - before[0]) + Math.abs(after[1] - before[1]);
    if (!this.isDrag) return;
    if (other) {
      const ratio = distance(after, other) / Math.max(distance(before, other), 1);
      this.zoom(ratio, (after[0] + other[0]) / 2, (after[1] + other[1]) / 2);
    } else this.pan(after[0] - before[0], after[1] - before[1]);
  }
}

function clamp(scale) {
  return Math.min(Math.max(scale, MIN_SCALE), MAX_SCALE);
}

function distance([x, y], [otherX, otherY]) {
  return Math.hypot(x - otherX, y - otherY);
}
