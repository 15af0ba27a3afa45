// Boxes, points and arcs on a canvas.

import { shortened } from "./number_words.js";

export const BOX_HEIGHT = 40;
export const LINE_HEIGHT = 14;

const FONT = "12.5px system-ui, sans-serif";
const OBSERVED_FONT = "600 11.5px system-ui, sans-serif";

const STATE_STEPS = [0.95, 0.62, 0.4, 0.26, 0.16]; // strength of the colour, state by state

/** Trace an arc and return its tip: [x, y, direction in x, direction in y]. */
export function traceArc(context, points, { isCurved, fromHeight, toHeight, gap }) {
  const [startX, startY] = points[0];
  const last = points.length - 1;
  const [endX, endY] = points[last];
  if (!isCurved) return traceLine(context, [startX, startY], [endX, endY], gap);
  const down = endY >= startY ? 1 : -1;
  const path = [
    [startX, startY + fromHeight * down],
    ...points.slice(1, last),
    [endX, endY - (toHeight + gap) * down],
  ];
  context.moveTo(...path[0]);
  for (let i = 0; i < last; i += 1) {
    const [fromX, fromY] = path[i];
    const [toX, toY] = path[i + 1];
    const [outX, outY] = direction(path, i);
    const [inX, inY] = direction(path, i + 1);
    context.bezierCurveTo(fromX + outX, fromY + outY, toX - inX, toY - inY, toX, toY);
  }
  return [...path[last], 0, down];
}

/** Return a third of the speed at a point: straight down at both ends, along its neighbours between. */
function direction(path, i) {
  if (i === 0) return [0, (path[1][1] - path[0][1]) / 2];
  if (i === path.length - 1) return [0, (path[i][1] - path[i - 1][1]) / 2];
  return [(path[i + 1][0] - path[i - 1][0]) / 6, (path[i + 1][1] - path[i - 1][1]) / 6];
}

function traceLine(context, [startX, startY], [endX, endY], gap) {
  const length = Math.max(Math.hypot(endX - startX, endY - startY), 1e-6);
  const [dx, dy] = [(endX - startX) / length, (endY - startY) / length];
  const [x, y] = [endX - dx * gap, endY - dy * gap];
  context.moveTo(startX, startY);
  context.lineTo(x, y);
  return [x, y, dx, dy];
}

export function arrowHead(context, [x, y, dx, dy], scale) {
  const [length, half] = [7 * scale, 3 * scale];
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x - dx * length - dy * half, y - dy * length + dx * half);
  context.lineTo(x - dx * length + dy * half, y - dy * length - dx * half);
  context.fill();
}

/** Draw a box with its lines, and below them the shares of its states or what was observed. */
export function drawBox(context, colours, box) {
  const { scale, width, height, observed, isChosen, isHovered, emphasis } = box;
  context.save();
  context.translate(box.x, box.y);
  context.scale(scale, scale);
  context.globalAlpha = emphasis === 0 ? 0.35 : 1;
  context.beginPath();
  context.roundRect(-width / 2, -height / 2, width, height, 7);
  context.fillStyle = colours.box;
  context.fill();
  tint(context, colours, box);
  context.lineWidth = isChosen ? 3 : isHovered || observed !== null ? 2 : 1;
  context.strokeStyle = isChosen
    ? colours.strong
    : observed === null
      ? colours.line
      : colours.observed;
  if (emphasis === 2 && !isChosen) context.strokeStyle = colours.strong;
  context.stroke();
  drawLines(context, colours, box);
  if (observed !== null) drawObserved(context, colours, box);
  else if (box.shares) drawShares(context, colours, box);
  context.restore();
}

/** Colour the traced box the more its distribution moved. */
function tint(context, colours, { change, observed }) {
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * (observed === null ? Math.min(change, 0.5) * 0.6 : 0.12);
  context.fillStyle = observed === null ? colours.accent : colours.observed;
  context.fill();
  context.globalAlpha = alpha;
}

function drawLines(context, colours, { lines, width, shares, observed }) {
  context.fillStyle = colours.ink;
  context.font = FONT;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const middle = shares || observed !== null ? -6 : 0;
  lines.forEach((line, i) => {
    const text = fitted(context, line, width - 10);
    context.fillText(text, 0, middle + (i - (lines.length - 1) / 2) * LINE_HEIGHT);
  });
}

function drawObserved(context, colours, { observed, width }) {
  context.fillStyle = colours.observed;
  context.font = OBSERVED_FONT;
  context.fillText(fitted(context, `= ${observed}`, width - 10), 0, 10);
}

const fittedTexts = new Map();

/** Return a text as it is, or with its end cut off so that it is not wider than it may be. */
export function fitted(context, text, width) {
  const key = `${width} ${context.font} ${text}`;
  if (!fittedTexts.has(key)) {
    if (fittedTexts.size > 20000) fittedTexts.clear();
    fittedTexts.set(key, cutToFit(context, text, width));
  }
  return fittedTexts.get(key);
}

function cutToFit(context, text, width) {
  const letters = [...text];
  let [least, most] = [0, letters.length]; // that many letters fit; more than that do not
  const cut = (n) => (n < letters.length ? shortened(text, n + 1) : text);
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (context.measureText(cut(middle)).width <= width) least = middle;
    else most = middle - 1;
  }
  return cut(least);
}

function drawShares(context, colours, { shares, width }) {
  const whole = width - 18;
  const alpha = context.globalAlpha;
  let left = -whole / 2;
  context.fillStyle = colours.accent;
  shares.forEach((share, state) => {
    context.globalAlpha = alpha * STATE_STEPS[Math.min(state, STATE_STEPS.length - 1)];
    context.fillRect(left, 6, Math.max(whole * share - 0.8, 0), 7);
    left += whole * share;
  });
  context.globalAlpha = alpha;
}

/** Draw a point: filled the more its distribution moved, and in another colour if observed. */
export function drawPoint(context, colours, { x, y, radius, look }) {
  context.globalAlpha = look.emphasis === 0 ? 0.45 : 1;
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fillStyle = colours.box;
  context.fill();
  context.fillStyle = look.observed === null ? colours.accent : colours.observed;
  if (look.observed === null) context.globalAlpha *= 0.12 + 0.88 * Math.min(look.change * 3, 1);
  context.fill();
  context.globalAlpha = look.emphasis === 0 ? 0.45 : 1;
  context.lineWidth = look.isChosen || look.isHovered ? 2.5 : 1;
  context.strokeStyle = look.isChosen || look.emphasis === 2 ? colours.strong : colours.accent;
  if (look.observed !== null) context.strokeStyle = colours.observed;
  context.stroke();
  context.globalAlpha = 1;
}
