/** How deep a graph is opened: to a level that was asked for, or so far as fits. */

import { everyGroup, withoutNumbers, type Group } from "./groups";

/** So many boxes a reader takes in at once; fewer, where there is no room for these. */
export const MOST_BOXES = [25, 22, 20, 18, 15, 12];
/** Of a picture with so many boxes several networks are one each: their names tell most. */
const NETWORKS = 8;

/** What a loader of data, a clipping, or a recurrent layer does is one box until opened. */
export const SHUT = /^(DataLoader$|ClipGrad|(LSTM|GRU|SimpleRNN)_\d+$)/;

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
  const isShut = (group: Group): boolean => SHUT.test(group.title) || isLoop(group);
  /** What a group consists of; of parts that repeat neither the whole nor one has a name. */
  const partsOf = (group: Group): readonly Group[] =>
    group.children.flatMap((child) => {
      const isAll = child.kind === "repeat" && sizeOf(child) === sizeOf(group) && !isShut(child);
      return isAll || child.kind === "turn" ? partsOf(child) : [child];
    });
  let seen = [...groups];
  const units = seen.flatMap((group) => (group.kind === "repeat" && !isShut(group) ? partsOf(group) : [group]));
  const networks = units.filter((group) => isNetwork(group) && !isShut(group) && group.children.length > 0);
  const isSeveral = new Set(networks.map(({ title }) => title)).size > 1;
  const areWhole = isSeveral && boxesOf(ops, seen) + leaves >= NETWORKS;
  for (;;) {
    const [largest] = seen
      .filter((group) => !isShut(group) && !(areWhole && isNetwork(group)))
      .sort((a, b) => rankOf(a) - rankOf(b) || sizeOf(b) - sizeOf(a));
    if (largest === undefined) break;
    const kind = kindOf(largest);
    const opens = (group: Group): boolean => kindOf(group) === kind && !isShut(group);
    const opened = seen.flatMap((group) => (opens(group) ? partsOf(group) : [group]));
    if (boxesOf(ops, opened) + leaves > most) break;
    seen = opened;
  }
  return [...everyGroup(seen)];
}

/** Layers tell more than what a line of the source does beside them. */
function rankOf({ kind }: Group): number {
  return kind === "line" ? 1 : 0;
}

function sizeOf({ first, end }: Group): number {
  return end - first;
}

/** Whether it is a layer that no other one calls. */
function isNetwork({ kind, depth }: Group): boolean {
  return kind === "scope" && depth === 0;
}

/** `encoder_0` and `encoder_11` open together, and so do whole networks. */
function kindOf(group: Group): string {
  const { id, kind, depth, title } = group;
  if (isNetwork(group)) return "network";
  return kind === "line" ? id : `${kind} ${depth} ${withoutNumbers(title)}`;
}
