/** How numbers, shapes and lists are written. */

import type { Shape, Stats } from "./events";

/** Write a shape as Paddle prints it: `[4, 10]`, -1 for what is not known. */
export function shapeText(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

/** Write a number in at most seven characters or so. */
export function numberText(value: number | null, digits = 4): string {
  if (value === null) return "not finite";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2);
  return String(Number(value.toPrecision(digits)));
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

/**
 * Cut a text that is too long at its end, before what tells it from others: the last
 * name of several, how many times, or what a call is given. From short ones goes first
 * what says least. A number is never cut: it would be another.
 */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const [, name] = /^(.+?) = [^=]*$/.exec(text) ?? [];
  if (name !== undefined) return shorten(name, length);
  const [, given] = /^\w+(\(.*\))$/.exec(text) ?? [];
  if (given !== undefined) {
    const head = length - 1 - given.length;
    return head < 2 ? `${text.slice(0, length - 1)}…` : `${text.slice(0, head)}…${given}`;
  }
  const path = shortenPath(text, length);
  if (path !== undefined) return path;
  const telling = length < 16 ? text.replace(/^(elementwise|reduce)_/, "…") : text;
  if (telling.length <= length) return telling;
  const [tail] = /((?<=\.)[^.]+| ×[\d,]+|_\d+)?$/.exec(telling) ?? [""];
  if (tail.length > length - 3) return `${telling.slice(0, Math.max(0, length - 1))}…`;
  const head = telling.slice(0, length - 1 - tail.length).replace(/[_.,\s]+$/, "");
  return `${head}…${tail}`;
}

/**
 * A path loses names from its middle: `encoder…linear1.weight` of
 * `encoder.layers.0.linear1.weight`; its own name comes last and stays whole.
 */
function shortenPath(path: string, length: number): string | undefined {
  const [first, ...rest] = path.split(".");
  if (rest.length === 0 || /[^\w.]/.test(path)) return undefined;
  for (let kept = rest.length - 1; kept > 0; kept--) {
    const short = `${first}…${rest.slice(-kept).join(".")}`;
    if (short.length <= length) return short;
  }
  // Its own name alone, unless a piece of the first fits before that.
  const own = `…${rest[rest.length - 1]}`;
  return own.length <= length && own.length > length - 3 ? own : undefined;
}

/** The elements themselves, of a number or of at most six; undefined for more. */
export function smallText({ shape, first, nan, inf }: Stats, digits = 4): string | undefined {
  const count = shape.reduce((product, dimension) => product * dimension, 1);
  if (count > 6 || first.length !== count || count === 0) return undefined;
  // The log has null for either; where both occur, nobody can tell which is which.
  const lost = nan === 0 ? "±inf" : inf === 0 ? "nan" : "nan/±inf";
  const texts = first.map((value) =>
    value === null ? lost : numberText(value, digits),
  );
  return shape.length === 0 ? texts[0] : `[${texts.join(", ")}]`;
}

/** A value in a word: the elements themselves, or the mean of many. */
export function valueText(stats: Stats, alarming = true): string {
  if (alarming && stats.nan + stats.inf > 0) return stats.nan > 0 ? "✕ NaN" : "✕ Inf";
  const count = stats.shape.reduce((product, dimension) => product * dimension, 1);
  const small = smallText(stats);
  if (small !== undefined && count > 1) return `= ${small}`;
  return count === 1 ? `= ${numberText(stats.mean)}` : `mean ${numberText(stats.mean)}`;
}
