/** Logs that somebody has meddled with: a place at random holds what nobody expects. */

import type { Log } from "../src/events";

export const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(2)</script>",
  "]]><svg onload=alert(3)>",
  "red;background:url(//evil.example)",
  "\u001B[2J\u001B]0;owned\u0007\r\b",
  "\u202Eevil\u2066\u2028\u2029\0",
  "__proto__",
  "constructor",
  "\uD800",
  "",
  "x".repeat(30_000),
  "a/".repeat(6000),
  "$\\frac{1}{0}$ %s ${x}",
];

const NUMBERS = [-1, 0, 1, 7, -7, 1e9, -1e9, 2 ** 31, 2 ** 53 - 1, 1e22, 1e308, -1e308, 0.5];
const OTHERS = [null, true, false, [], {}, [[]], [null], { x: 1 }, [1e9, 1e9], ["a"]];
/** As a log's text may have it; an object of our own making cannot. */
const POLLUTED = '{"__proto__":{"polluted":"yes"},"constructor":["x"],"toString":1}';

type Tree = Record<string, unknown> | unknown[];

/** Every list and mapping in a value, the value itself first. */
function trees(value: unknown, found: Tree[] = []): Tree[] {
  if (typeof value !== "object" || value === null) return found;
  found.push(value as Tree);
  for (const part of Object.values(value)) trees(part, found);
  return found;
}

/** A copy of a log with one to four places changed; `random` says which, and how. */
export function mutated(log: Log, random: () => number): unknown {
  const copy = JSON.parse(JSON.stringify(log)) as Log;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)];
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
    const { events } = copy;
    if (!Array.isArray(events) || events.length === 0) break;
    const event = pick(events);
    const at = events.indexOf(event);
    const kind = random();
    if (kind < 0.06) events.splice(at, 1);
    else if (kind < 0.12) events.splice(at, 0, structuredClone(event));
    else if (kind < 0.18) events.push(...events.splice(at, 3));
    else if (kind < 0.2) meddle(copy, pick);
    else meddle(pick(trees(event)), pick);
    if (random() < 0.95) number(events);
  }
  return JSON.parse(JSON.stringify(copy)) as unknown;
}

function number(events: readonly unknown[]): void {
  events.forEach((event, seq) => {
    const known = typeof event === "object" && event !== null && "seq" in event;
    if (known && Math.abs(Number(event.seq)) < 1e6) Object.assign(event, { seq });
  });
}

/** Put something else of the same kind into a place, or of another kind now and then. */
function meddle(tree: object, pick: <T>(items: readonly T[]) => T): void {
  const parts = tree as Record<string, unknown>;
  const key = pick(Object.keys(parts));
  if (key === undefined) return;
  const value = parts[key];
  const way = pick(["same", "same", "same", "same", "other", "gone", "more", "swapped"]);
  if (way === "gone") delete parts[key];
  else if (way === "more" && !Array.isArray(tree)) parts[pick(HOSTILE)] = value;
  else if (way === "other") {
    parts[key] = pick([...HOSTILE, ...NUMBERS, ...OTHERS, JSON.parse(POLLUTED)]);
  } else if (way === "swapped") parts[key] = parts[pick(Object.keys(parts))];
  else if (typeof value === "string") parts[key] = pick(HOSTILE);
  else if (typeof value === "number") parts[key] = pick(NUMBERS);
  else if (typeof value === "boolean") parts[key] = !value;
  else if (Array.isArray(value)) parts[key] = pick([[], [...value, ...value], value.slice(1)]);
  else if (value !== null && typeof value === "object") {
    parts[key] = JSON.parse(pick([JSON.stringify(value), "{}", POLLUTED])) as unknown;
  }
}
