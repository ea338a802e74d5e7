/** The groups of a whole sequence, looked for from its end: what finding them op by op equals. */

import { withoutNumbers, type Item } from "../src/layout/groups";

interface Group {
  /** The same for as long as the group's first op is there. */
  readonly id: string;
  readonly title: string;
  /** How many equal parts follow one another; 1 for a scope, or one such part. */
  readonly times: number;
  /** The ops from `first` up to, and without, `end`. */
  readonly first: number;
  readonly end: number;
  readonly children: readonly Group[];
}

/** An op, or a scope that holds some, as one element of a sequence. */
interface Unit {
  readonly title: string;
  /** Equal for units that do the same. */
  readonly sign: number;
  readonly first: number;
  readonly end: number;
  readonly group?: Group;
}

const LONGEST_PERIOD = 128;
const DEEPEST = 8;
/** A part of one or two ops must come this often, a longer one twice. */
const LEAST_TIMES = 3;

export function groupedAtOnce(items: readonly Item[]): Group[] {
  const signs = new Map<string, number>();
  const signOf = (text: string): number => {
    const known = signs.get(text) ?? signs.size;
    signs.set(text, known);
    return known;
  };
  return within(items, 0, items.length, 0, signOf);
}

type SignOf = (text: string) => number;

function within(
  items: readonly Item[],
  first: number,
  end: number,
  depth: number,
  signOf: SignOf,
): Group[] {
  const units: Unit[] = [];
  for (let at = first; at < end; ) {
    const scope = depth < DEEPEST ? items[at].scope[depth] : undefined;
    let next = at + 1;
    if (scope === undefined) {
      const { title } = items[at];
      units.push({ title, sign: signOf(title), first: at, end: next });
    } else {
      while (next < end && items[next].scope[depth] === scope) next += 1;
      units.push(scopeUnit(items, { title: scope, first: at, end: next }, depth, signOf));
    }
    at = next;
  }
  return repeated(units, depth);
}

function scopeUnit(
  items: readonly Item[],
  { title, first, end }: Pick<Unit, "title" | "first" | "end">,
  depth: number,
  signOf: SignOf,
): Unit {
  const children = within(items, first, end, depth + 1, signOf);
  const group = { id: `${first}.${depth}`, title, times: 1, first, end, children };
  const held = items.slice(first, end).map((item) => signOf(item.title));
  const sign = signOf(`${withoutNumbers(title)} ${held.join(" ")}`);
  // A scope of one op is that op: there is nothing to fold.
  if (end - first === 1) return { title: items[first].title, sign, first, end };
  return { title, sign, first, end, group };
}

/** Put repeats into groups; what does not repeat stays as it is. */
function repeated(units: readonly Unit[], depth: number): Group[] {
  const periods = bestPeriods(units);
  const found: Group[] = [];
  for (let at = 0; at < units.length; ) {
    const { period, times } = periods[at];
    if (times < 2) {
      const { group } = units[at];
      if (group !== undefined) found.push(group);
      at += 1;
      continue;
    }
    found.push(repeat(units.slice(at, at + period * times), period, times, depth));
    at += period * times;
  }
  return found;
}

function repeat(
  units: readonly Unit[],
  period: number,
  times: number,
  depth: number,
): Group {
  const parts = Array.from({ length: times }, (_, turn) =>
    units.slice(turn * period, (turn + 1) * period),
  );
  const children = parts.flatMap((part) => turnOf(part, depth));
  const [{ first }] = units;
  const { end } = units[units.length - 1];
  const title = partTitle(parts[0]);
  return { id: `${first}.${depth}x`, title, times, first, end, children };
}

/** One of the equal parts: a lone op needs no group, a lone scope has one already. */
function turnOf(part: readonly Unit[], depth: number): Group[] {
  if (part.length === 1) return part[0].group === undefined ? [] : [part[0].group];
  const [{ first }] = part;
  const { end } = part[part.length - 1];
  const children = part.flatMap(({ group }) => group ?? []);
  const id = `${first}.${depth}t`;
  return [{ id, title: partTitle(part), times: 1, first, end, children }];
}

function partTitle(part: readonly Unit[]): string {
  if (part.length === 1) {
    const [{ title, group }] = part;
    return group === undefined ? title : withoutNumbers(title);
  }
  const titles = part.map(({ title, group }) =>
    group === undefined ? title : withoutNumbers(title),
  );
  const shown = titles.slice(0, 3).join(", ");
  return titles.length > 3 ? `${shown} +${titles.length - 3}` : shown;
}

/** For each place, the period whose equal parts from there on reach furthest. */
function bestPeriods(units: readonly Unit[]): { period: number; times: number }[] {
  const { length } = units;
  const best = Array.from({ length }, () => ({ period: 0, times: 1, reach: 1 }));
  const most = Math.min(LONGEST_PERIOD, length >> 1);
  for (let period = 1; period <= most; period++) {
    let equal = 0;
    for (let at = length - period - 1; at >= 0; at--) {
      equal = units[at].sign === units[at + period].sign ? equal + 1 : 0;
      const times = Math.floor(equal / period) + 1;
      const least = period < 3 ? LEAST_TIMES : 2;
      if (times < least || times * period <= best[at].reach) continue;
      best[at] = { period, times, reach: times * period };
    }
  }
  return best;
}
