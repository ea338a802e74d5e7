/** How deep a graph is opened: to a level that was asked for, or so far as fits. */

import { everyGroup, withoutNumbers, type Group } from "./groups";

/** So many boxes a reader takes in at once; fewer, where there is no room for these. */
export const MOST_BOXES = [25, 18, 12];

/** What a loader of data does is one box until somebody opens it. */
const SHUT = /^DataLoader$/;

/** The groups that are closed where `level` of them are open, one inside another. */
export function closedAt(groups: readonly Group[], level: number): Group[] {
  const closed: Group[] = [];
  for (const group of groups) {
    if (level <= 1 || SHUT.test(group.title)) closed.push(...everyGroup([group]));
    else closed.push(...closedAt(group.children, level - 1));
  }
  return closed;
}

/** How many boxes some ops are of which groups hold some. */
function boxesOf(ops: number, groups: readonly Group[]): number {
  return groups.reduce((sum, group) => sum - sizeOf(group) + 1, ops);
}

/**
 * The groups that are closed where as many are open as fit: of those that are seen the
 * largest open first, all of a kind together, until a kind would be too much. There are
 * so many `ops` in all, and `leaves` beside them. Turns of a loop, of which each does the
 * same, stay one box.
 */
export function closedToFit(
  groups: readonly Group[],
  ops: number,
  leaves: number,
  most: number,
  isLoop: (group: Group) => boolean = () => false,
): Group[] {
  let seen = [...groups];
  for (;;) {
    const [largest] = seen
      .filter((group) => !SHUT.test(group.title) && !isLoop(group))
      .sort((a, b) => sizeOf(b) - sizeOf(a));
    if (largest === undefined) break;
    const kind = kindOf(largest);
    const opened = seen.flatMap((group) => (kindOf(group) === kind ? group.children : [group]));
    if (boxesOf(ops, opened) + leaves > most) break;
    seen = opened;
  }
  return [...everyGroup(seen)];
}

function sizeOf({ first, end }: Group): number {
  return end - first;
}

/** `encoder_0` and `encoder_11` open together, and so do whole networks. */
function kindOf({ kind, depth, title }: Group): string {
  if (kind === "scope" && depth === 0) return "network";
  return `${kind} ${depth} ${withoutNumbers(title)}`;
}
