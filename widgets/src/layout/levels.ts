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

/** How many boxes a group is, opened once; `weight` is that of an op in boxes. */
function inside({ first, end, children }: Group, weight: (first: number, end: number) => number): number {
  const held = children.reduce((sum, child) => sum + weight(child.first, child.end), 0);
  return weight(first, end) - held + children.length;
}

/**
 * The groups that are closed where as many are open as fit: of those that are seen the
 * largest open first, all of a kind together, until a kind would be too much.
 */
export function closedToFit(
  groups: readonly Group[],
  weight: (first: number, end: number) => number,
  rest: number,
  most: number,
): Group[] {
  let seen = [...groups];
  let boxes = rest + seen.length;
  for (;;) {
    const largest = seen.reduce<Group | undefined>((best, group) => {
      if (SHUT.test(group.title)) return best;
      return best === undefined || sizeOf(group) > sizeOf(best) ? group : best;
    }, undefined);
    if (largest === undefined) break;
    const kind = kindOf(largest);
    const opened = seen.filter((group) => kindOf(group) === kind);
    const more = opened.reduce((sum, group) => sum + inside(group, weight) - 1, 0);
    if (boxes + more > most) break;
    boxes += more;
    seen = seen.flatMap((group) => (opened.includes(group) ? group.children : [group]));
  }
  return [...everyGroup(seen)];
}

function sizeOf({ first, end }: Group): number {
  return end - first;
}

/** `encoder_0` and `encoder_11` open together. */
function kindOf({ kind, depth, title }: Group): string {
  return `${kind} ${depth} ${withoutNumbers(title)}`;
}
