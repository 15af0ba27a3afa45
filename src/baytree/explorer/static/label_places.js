// Places for labels beside their points, so that none covers another label or a point.

const CELL = 48;

export class LabelPlaces {
  #cells = new Map();
  #width;

  constructor(width) {
    this.#width = width; // of the window, at whose edges no label is cut
  }

  /** Take a rectangle, unless a part of it is taken. */
  take(left, top, width, height) {
    if (this.#isTaken(left, top, width, height)) return false;
    this.block(left, top, width, height);
    return true;
  }

  block(left, top, width, height) {
    const rectangle = [left, top, left + width, top + height];
    for (const key of cells(...rectangle)) {
      const own = this.#cells.get(key);
      if (own) own.push(rectangle);
      else this.#cells.set(key, [rectangle]);
    }
  }

  /** Return the first free place around a point with a radius, or null. */
  beside(x, y, radius, width, height) {
    const gap = radius + 3;
    const places = [
      [x + gap, y - height / 2],
      [x - gap - width, y - height / 2],
      [x - width / 2, y - gap - height],
      [x - width / 2, y + gap],
    ];
    const isInside = ([left]) => left >= 0 && left + width <= this.#width;
    const isFree = ([left, top]) => this.take(left, top, width, height);
    return places.find((place) => isInside(place) && isFree(place)) ?? null;
  }

  #isTaken(left, top, width, height) {
    const right = left + width;
    const bottom = top + height;
    for (const key of cells(left, top, right, bottom)) {
      for (const [l, t, r, b] of this.#cells.get(key) ?? []) {
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
