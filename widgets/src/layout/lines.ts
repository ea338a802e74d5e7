/** Ops that one line of the source made, and that no layer holds, can be folded as well. */

import type { Group } from "./groups";
import { partTitle } from "./repeats";

/** An op, by the line that made it. */
export interface Placed {
  readonly title: string;
  readonly cell: number;
  readonly line: number;
}

/** Fewer ops of a line are no group. */
const LEAST = 3;

/** The groups, and among them those of lines, none of which goes on across a cut. */
export function withLines(
  groups: readonly Group[],
  ops: readonly Placed[],
  cuts: ReadonlySet<number>,
): Group[] {
  const found: Group[] = [];
  let at = 0;
  const addLoose = (to: number): void => {
    while (at < to) {
      const { cell, line } = ops[at];
      const first = at++;
      while (at < to && ops[at].line === line && ops[at].cell === cell && !cuts.has(at)) at += 1;
      if (at - first < LEAST || line <= 0) continue;
      const title = partTitle(ops.slice(first, at));
      const names = { id: `${first}.0l`, kind: "line" as const, depth: 0, title, times: 1 };
      found.push({ ...names, first, end: at, children: [] });
    }
  };
  for (const group of groups) {
    addLoose(group.first);
    found.push(group);
    at = group.end;
  }
  addLoose(ops.length);
  return found;
}
