// Numbers as text.

const SUPERSCRIPTS = {
  "-": "⁻",
  0: "⁰",
  1: "¹",
  2: "²",
  3: "³",
  4: "⁴",
  5: "⁵",
  6: "⁶",
  7: "⁷",
  8: "⁸",
  9: "⁹",
};

export function percent(probability) {
  if (probability === 0) return "0 %";
  if (probability === 1) return "100 %";
  const share = probability * 100;
  if (share < 0.01) return "< 0.01 %";
  if (share > 99.99) return "> 99.99 %";
  return `${share.toFixed(share < 1 || share > 99 ? 2 : 1)} %`;
}

/** Return a probability from its natural logarithm; powers of ten for small ones. */
export function probabilityOfLog(logProbability) {
  const power = logProbability / Math.LN10;
  if (power > -4) return Number(Math.exp(logProbability).toPrecision(4)).toString();
  const exponent = Math.floor(power);
  const digits = (10 ** (power - exponent)).toFixed(2);
  return `${digits} × 10${[...String(exponent)].map((letter) => SUPERSCRIPTS[letter]).join("")}`;
}

export function pluralize(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function shortened(text, length) {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}
