// Axes: where a value lies on one, how far it reaches, and which values it names.
"use strict";

/** A function from values of [low, high] to places of [from, to], with some room at both ends. */
function scale([low, high], from, to, log, room = 0) {
  const turn = log ? Math.log10 : (value) => value;
  const side = Math.sign(to - from) * room;
  const start = turn(low);
  const rate = (to - from - 2 * side) / (turn(high) - start);
  const place = (value) => from + side + (turn(value) - start) * rate;
  const back = (position) => start + (position - from - side) / rate;
  place.ends = [from, to].map((position) => (log ? 10 ** back(position) : back(position)));
  return place;
}

/** The least and the largest of some values; a lone value gets some room. */
function reach(values, log) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (low < high) return [low, high];
  const half = Math.abs(low) / 2 || 1;
  return log ? [low / 1.5, high * 1.5] : [low - half, high + half];
}

/** Round values between two ends, about as many as asked for. */
function evenTicks([low, high], many) {
  const raw = (high - low) / many;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = decade * [1, 2, 5, 10].find((factor) => factor * decade >= raw * 0.99);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, i) => (first + i) * step);
}

/** Values for a logarithmic axis: decades, or finer where it has few. */
function logTicks([low, high]) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  for (const digits of [[1], [1, 2, 5], [1, 2, 3, 5, 7]]) {
    const found = [];
    const stride = digits.length > 1 ? 1 : Math.ceil((last - first) / 8);
    for (let decade = first; decade <= last; decade += stride) {
      found.push(...digits.map((digit) => digit * 10 ** decade));
    }
    const inside = found.filter((value) => value >= low && value <= high);
    if (inside.length >= 3) return inside;
  }
  return evenTicks([low, high], 4).filter((value) => value > 0);
}

/** A tick's name: 500, 20k, 1.5M. */
function short(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e12)) return value.toExponential(1);
  const [unit, letter] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [0, ""]].find(([one]) => size >= one);
  return `${Number((value / (unit || 1)).toPrecision(4))}${letter}`.replace("-", "−");
}
