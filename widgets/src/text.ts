/** How numbers, shapes and lists are written. */

import type { Shape, Stats } from "./events";

/** Write a shape as Paddle prints it: `[4, 10]`, -1 for what is not known. */
export function shapeText(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

/** Write a number in at most seven characters or so. */
export function numberText(value: number | null): string {
  if (value === null) return "not finite";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

/** `1,234,567.8`, without the language tables that a browser would load for it. */
export function thousands(value: number): string {
  const [whole, part] = String(value).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

/** Cut the middle out of a text that is too long: both ends tell names apart. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 4) return text.slice(0, Math.max(0, length));
  const tail = Math.floor((length - 1) / 3);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** A value in a word: the number itself, or the mean of many. */
export function valueText(stats: Stats): string {
  if (stats.nan + stats.inf > 0) return stats.nan > 0 ? "✕ NaN" : "✕ Inf";
  const count = stats.shape.reduce((product, dimension) => product * dimension, 1);
  return count === 1 ? `= ${numberText(stats.mean)}` : `mean ${numberText(stats.mean)}`;
}
