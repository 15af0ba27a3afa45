// Places for labels beside their points, without overlap of labels and with little overlap of points.

const CELL = 48;

export class LabelPlaces {
  #cells = new Map();
  #width;
  #height;

  constructor(width, height) {
    this.#width = width; // of the window, at whose edges no label is cut
    this.#height = height;
  }

  /** Keep a rectangle free of labels; of those that may cover points only if it is no point. */
  block(left, top, width, height, isPoint = true) {
    const rectangle = [left, top, left + width, top + height, isPoint];
    for (const key of cells(...rectangle.slice(0, 4))) {
      const own = this.#cells.get(key);
      if (own) own.push(rectangle);
      else this.#cells.set(key, [rectangle]);
    }
  }

  /** Take the first free place around a point with a radius and return it, or null. */
  beside(x, y, radius, width, height, mayCoverPoints = false) {
    const gap = radius + 3;
    const corner = radius + 1; // just beside the square around the point
    const places = [
      [x + gap, y - height / 2],
      [x - gap - width, y - height / 2],
      [x - width / 2, y - gap - height],
      [x - width / 2, y + gap],
      [x + corner, y - corner - height],
      [x + corner, y + corner],
      [x - corner - width, y - corner - height],
      [x - corner - width, y + corner],
    ];
    const isInside = ([left, top]) =>
      left >= 0 && left + width <= this.#width && top >= 0 && top + height <= this.#height;
    const firstFree = (isOverPoints) =>
      places.find((place) => isInside(place) && !this.#isTaken(...place, width, height, isOverPoints));
    const found = firstFree(false) ?? (mayCoverPoints ? firstFree(true) : null) ?? null;
    if (found) this.block(...found, width, height, false);
    return found;
  }

  #isTaken(left, top, width, height, isOverPoints) {
    const right = left + width;
    const bottom = top + height;
    for (const key of cells(left, top, right, bottom)) {
      for (const [l, t, r, b, isPoint] of this.#cells.get(key) ?? []) {
        if (isPoint && isOverPoints) continue;
        if (left < r && right > l && top < b && bottom > t) return true;
      }
    }
    return false;
  }
}

function* cells(left, top, right, bottom) {
  for (let x = Math.floor(left / CELL); x <= Math.floor(right / CELL); x += 1) {
    for (let y = Math.floor(top / CELL); y <= Math.floor(bottom / CELL); y += 1) {
      yield x * 65536 + y;
    }
  }
}
