/** Another trace beside this one: it follows the slider, and both say what differs. */

import type { AnyEvent, BesideEvent } from "../events";
import { nodeKey, tensorGradientKey, tensorKey } from "../state/tape";
import { countBelow } from "../state/timeline";
import { button, el } from "./dom";

/** Pairs of positions, of the first trace and of the second. */
export class Pairs {
  constructor(private readonly stops: readonly (readonly number[])[]) {}

  /** Where the second trace is when the first is at `position`, or the other way. */
  across(position: number, from: 0 | 1 = 0): number {
    const column = this.stops.map((stop) => stop[from]);
    return this.stops[countBelow(column, position + 1) - 1]?.[1 - from] ?? 0;
  }
}

/** What an event is about, that one can select. */
export function keyOf(event: AnyEvent | undefined): string | undefined {
  switch (event?.kind) {
    case "grad":
      return tensorGradientKey(event.tensor);
    case "value":
      return tensorKey(event.tensor);
    case "node":
    case "free":
      return nodeKey(event.node);
    case "op":
    case "run_op":
      return `o:${event.op}`;
    default:
      return undefined;
  }
}

/** What one of the two says of the first event that differs. */
export function differenceBar(
  { words, first }: BesideEvent,
  which: 0 | 1,
  go: () => void,
): HTMLElement {
  const found = first.length > 0;
  const title = found ? "First difference" : "Both the same";
  const bar = el("div", "tg-differs", el("strong", "", title));
  bar.append(el("span", "tg-code", found ? (words[which] ?? "") : ""));
  if (found) bar.append(button("tg-tool", "Go there: the first difference", "Go there", go));
  return bar;
}
