/** How a graph is looked at in tests: nothing pointed at, every value known. */

import type { Look } from "../src/draw/scene";
import { caption, carried, signText } from "../src/state/caption";
import type { Trace } from "../src/state/trace";

export function look(trace: Trace, position = trace.length): Look {
  return {
    position,
    selected: undefined,
    linked: new Set(),
    hue: (cell, line) => trace.rank(cell, line),
    isCurrent: () => false,
    caption: (node) => caption(trace, node, position),
    stats: (key) => carried(trace, key, position),
    signed: (join, digits) => signText(trace, join, position, digits),
    isBad: () => false,
  };
}
