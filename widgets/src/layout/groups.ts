/**
 * What can be folded: the ops of a layer or name scope, and equal groups of ops that
 * follow one another. Found from the sequence of ops alone, op by op as they come.
 */

import { Repeats, withoutNumbers, type Unit } from "./repeats";

export { withoutNumbers } from "./repeats";

/** An op as this file sees it: what it is, and the scopes it is in, outermost first. */
export interface Item {
  readonly title: string;
  readonly scope: readonly string[];
}

export interface Group {
  /** The same for as long as the group's first op is there. */
  readonly id: string;
  /** The ops of a scope; equal parts in a row; one such part; or the ops of a line. */
  readonly kind: "scope" | "repeat" | "turn" | "line";
  /** How many scopes it is inside of. */
  readonly depth: number;
  readonly title: string;
  /** How many equal parts follow one another; 1 for a scope, or one such part. */
  readonly times: number;
  /** The ops from `first` up to, and without, `end`. */
  readonly first: number;
  readonly end: number;
  readonly children: readonly Group[];
}

const DEEPEST = 8;

/** The groups of a sequence that grows. */
export class Groups {
  readonly items: Item[] = [];
  private readonly signs = new Signs();
  private readonly top = new Level(0, this.signs);

  /** The first op has this number. */
  constructor(readonly start = 0) {}

  append(item: Item): void {
    this.top.append(item, this.start + this.items.length);
    this.items.push(item);
  }

  /** The groups of all that was appended; they hold until more is. */
  get all(): readonly Group[] {
    return this.top.groups();
  }

  /** How many pairs were compared, the measure of its cost. */
  get compared(): number {
    return this.signs.compared;
  }
}

/** The groups of a sequence that grows, none of which goes on across a cut. */
export class CutGroups {
  readonly items: Item[] = [];
  private parts: Groups[] = [];
  private found: readonly Group[] = [];
  private known: readonly number[] | undefined;
  private taken = 0;

  /** `cuts` says before which ops the sequence is cut, in order; another list, if others. */
  constructor(private readonly cuts: () => readonly number[]) {}

  append(item: Item): void {
    this.items.push(item);
  }

  get all(): readonly Group[] {
    const cuts = this.cuts();
    const { items } = this;
    if (this.known === cuts && this.taken === items.length) return this.found;
    if (this.known !== cuts) {
      this.known = cuts;
      this.taken = 0;
      this.parts = [...new Set([0, ...cuts])].map((start) => new Groups(start));
    }
    const { parts } = this;
    for (let part = parts.findLastIndex(({ start }) => start <= this.taken); this.taken < items.length; ) {
      if (parts[part + 1]?.start === this.taken) part += 1;
      parts[part].append(items[this.taken++]);
    }
    this.found = parts.length === 1 ? parts[0].all : parts.flatMap(({ all }) => all);
    return this.found;
  }
}

export function groupsOf(items: readonly Item[]): readonly Group[] {
  const groups = new Groups();
  for (const item of items) groups.append(item);
  return groups.all;
}

/** Every group, outer ones before those inside them. */
export function* everyGroup(groups: readonly Group[]): Generator<Group> {
  for (const group of groups) {
    yield group;
    yield* everyGroup(group.children);
  }
}

/** The groups around op `index`, outermost first. */
export function groupsAround(groups: readonly Group[], index: number): Group[] {
  const found: Group[] = [];
  let level = groups;
  for (;;) {
    const group = level[lastFrom(level, index)];
    if (group === undefined || index >= group.end) return found;
    found.push(group);
    level = group.children;
  }
}

/** The index of the last group that starts at `op` or before; -1 if none does. */
function lastFrom(groups: readonly Group[], op: number): number {
  let [low, high] = [0, groups.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (groups[middle].first <= op) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Numbers for what units do, equal for those that do the same. */
class Signs {
  compared = 0;
  private readonly known = new Map<string, number>();

  of(text: string): number {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const sign = this.known.size;
    this.known.set(text, sign);
    return sign;
  }
}

/** The units side by side in one scope, the last of which may be a scope under way. */
class Level {
  private readonly repeats: Repeats;
  private open: OpenScope | undefined;
  private found: readonly Group[] | undefined;

  constructor(
    private readonly depth: number,
    private readonly signs: Signs,
  ) {
    this.repeats = new Repeats(depth, signs);
  }

  append(item: Item, at: number): void {
    this.found = undefined;
    const scope = this.depth < DEEPEST ? item.scope[this.depth] : undefined;
    if (this.open !== undefined && this.open.title !== scope) this.close(this.open);
    if (scope === undefined) {
      const sign = this.signs.of(item.title);
      this.repeats.add({ title: item.title, sign, first: at, end: at + 1 });
      return;
    }
    this.open ??= new OpenScope(scope, item.title, at, this.depth, this.signs);
    this.open.append(item);
  }

  groups(): readonly Group[] {
    this.found ??= this.repeats.upTo(this.open?.unit());
    return this.found;
  }

  private close(scope: OpenScope): void {
    const unit = scope.unit();
    this.open = undefined;
    this.repeats.add(unit);
  }
}

/** A scope that the next op may be in as well. */
class OpenScope {
  private readonly level: Level;
  private sign: number;
  private end: number;

  constructor(
    readonly title: string,
    private readonly firstOp: string,
    private readonly first: number,
    private readonly depth: number,
    private readonly signs: Signs,
  ) {
    this.level = new Level(depth + 1, signs);
    this.sign = signs.of(`${withoutNumbers(title)} holds`);
    this.end = first;
  }

  append(item: Item): void {
    this.level.append(item, this.end);
    this.sign = this.signs.of(`${this.sign} then ${item.title}`);
    this.end += 1;
  }

  /** The scope as it is now; one of a single op is that op: nothing is to be folded. */
  unit(): Unit {
    const { title, sign, first, end, depth } = this;
    if (end - first === 1) return { title: this.firstOp, sign, first, end };
    const children = this.level.groups();
    const names = { id: `${first}.${depth}`, kind: "scope" as const, depth };
    const group: Group = { ...names, title, times: 1, first, end, children };
    return { title, sign, first, end, group };
  }
}
