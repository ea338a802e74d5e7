/**
 * Equal units that follow one another, found unit by unit: of the places from which
 * repeats can start the first that is open yet is watched, for every period at once. A
 * further unit costs one comparison a period at most, however many came before it.
 */

import type { Group } from "./groups";

/** An op, or a scope that holds some, as one element of a sequence. */
export interface Unit {
  readonly title: string;
  /** Equal for units that do the same. */
  readonly sign: number;
  readonly first: number;
  readonly end: number;
  readonly group?: Group;
}

/** So many times the part that is `period` units long, from a place on. */
interface Run {
  readonly period: number;
  readonly times: number;
}

/** A repeat of which more turns may come: those that it has are kept. */
interface Growing {
  readonly at: number;
  readonly period: number;
  readonly children: Group[];
  turns: number;
  /** How many of the children belong to whole turns of units that are over. */
  kept: number;
}

const LONGEST_PERIOD = 128;
/** A part of one or two units must come this often, a longer one twice. */
const LEAST_TIMES = 3;

/** How many pairs of units were compared, the measure of the cost. */
export interface Tally {
  compared: number;
}

export class Repeats {
  private readonly units: Unit[] = [];
  private readonly groups: Group[] = [];
  /** So many of the groups nothing that follows can change. */
  private settled = 0;
  /** The first unit of which what follows decides what it is a part of. */
  private at = 0;
  /** For each period the first unit from `at` on unlike that a period later; -1: none. */
  private readonly unlike = new Int32Array(LONGEST_PERIOD + 1).fill(-1);
  /** For how many periods no such unit is known. */
  private running = LONGEST_PERIOD;
  private growing: Growing | undefined;

  constructor(
    private readonly depth: number,
    private readonly tally: Tally,
  ) {}

  /** Take a unit that is over. */
  add(unit: Unit): void {
    const last = this.units.length;
    this.units.push(unit);
    const longest = Math.min(LONGEST_PERIOD, last - this.at);
    const { units, unlike } = this;
    for (let period = 1; period <= longest; period++) {
      if (unlike[period] >= 0) continue;
      this.tally.compared += 1;
      if (units[last - period].sign !== unit.sign) this.end(period, last - period);
    }
    while (this.running === 0) this.settle();
  }

  /** All groups, where `open`, if given, is a last unit that may yet change. */
  upTo(open?: Unit): readonly Group[] {
    this.groups.length = this.settled;
    const run = this.longestRun(open);
    const rest = this.units.slice(this.at + Math.max(1, run.period * run.times));
    const held = this.at + run.period * run.times > this.units.length;
    if (this.units.length > this.at) this.take(run, open);
    if (open !== undefined && !held) rest.push(open);
    this.takeAll(rest);
    return this.groups;
  }

  private isLike(index: number, { sign }: Unit): boolean {
    this.tally.compared += 1;
    return this.units[index].sign === sign;
  }

  private end(period: number, at: number): void {
    this.unlike[period] = at;
    this.running -= 1;
  }

  /** Every run from `at` has ended: what starts there is known, and what to watch next. */
  private settle(): void {
    this.groups.length = this.settled;
    const run = this.longestRun();
    this.take(run);
    this.settled = this.groups.length;
    this.at += Math.max(1, run.period * run.times);
    for (let period = 1; period <= LONGEST_PERIOD; period++) {
      if (this.unlike[period] < this.at) this.watch(period);
    }
  }

  private watch(period: number): void {
    this.unlike[period] = -1;
    this.running += 1;
    for (let at = this.at; at + period < this.units.length; at++) {
      if (!this.isLike(at, this.units[at + period])) return this.end(period, at);
    }
  }

  /** The run from `at` that reaches furthest; the shorter of two periods that do. */
  private longestRun(open?: Unit): Run {
    const { at, units } = this;
    let best: Run = { period: 0, times: 1 };
    for (let period = 1; period <= Math.min(LONGEST_PERIOD, units.length - at); period++) {
      const next = units.length - period;
      const end = this.unlike[period];
      let equal = (end < 0 ? next : end) - at;
      if (end < 0 && open && this.isLike(next, open)) equal += 1;
      best = further(best, { period, times: Math.floor(equal / period) + 1 });
    }
    return best;
  }

  private take({ period, times }: Run, open?: Unit): void {
    const { group } = this.units[this.at];
    if (times >= 2) this.groups.push(this.repeat({ period, times }, open));
    else if (group !== undefined) this.groups.push(group);
  }

  /** The repeat that starts at `at`, with the turns that it has already. */
  private repeat({ period, times }: Run, open?: Unit): Group {
    const { at, units, depth } = this;
    const growing = this.growingFrom(period);
    const { children } = growing;
    children.length = growing.kept;
    const whole = Math.min(times, Math.floor((units.length - at) / period));
    const turn = (index: number): Unit[] =>
      units.slice(at + index * period, at + (index + 1) * period);
    for (; growing.turns < whole; growing.turns++) {
      children.push(...turnOf(turn(growing.turns), depth));
    }
    growing.kept = children.length;
    if (times > whole && open !== undefined) {
      children.push(...turnOf([...turn(whole), open], depth));
    }
    const last = units[at + period * times - 1] ?? open;
    return repeatOf(turn(0), { times, end: last.end, children }, depth);
  }

  private growingFrom(period: number): Growing {
    const { at, growing } = this;
    if (growing?.at === at && growing.period === period) return growing;
    this.growing = { at, period, children: [], turns: 0, kept: 0 };
    return this.growing;
  }

  /** Take the few units behind the run under way. */
  private takeAll(units: readonly Unit[]): void {
    const runs = this.longestRuns(units);
    for (let at = 0; at < units.length; ) {
      const { period, times } = runs[at];
      const held = units.slice(at, at + Math.max(1, period * times));
      const [{ group }] = held;
      if (times >= 2) this.groups.push(wholeRepeat(held, period, this.depth));
      else if (group !== undefined) this.groups.push(group);
      at += held.length;
    }
  }

  private longestRuns(units: readonly Unit[]): Run[] {
    const best = units.map((): Run => ({ period: 0, times: 1 }));
    for (let period = 1; period <= Math.min(LONGEST_PERIOD, units.length >> 1); period++) {
      let equal = 0;
      for (let at = units.length - period - 1; at >= 0; at--) {
        this.tally.compared += 1;
        equal = units[at].sign === units[at + period].sign ? equal + 1 : 0;
        best[at] = further(best[at], { period, times: Math.floor(equal / period) + 1 });
      }
    }
    return best;
  }
}

/** Of two runs from the same place the one that reaches further, if it is a repeat. */
function further(best: Run, run: Run): Run {
  const least = run.period < 3 ? LEAST_TIMES : 2;
  const isFurther = run.times * run.period > best.times * Math.max(1, best.period);
  return run.times >= least && isFurther ? run : best;
}

function wholeRepeat(units: readonly Unit[], period: number, depth: number): Group {
  const times = units.length / period;
  const turns = Array.from({ length: times }, (_, turn) =>
    units.slice(turn * period, (turn + 1) * period),
  );
  const children = turns.flatMap((turn) => turnOf(turn, depth));
  return repeatOf(turns[0], { times, end: units[units.length - 1].end, children }, depth);
}

function repeatOf(
  part: readonly Unit[],
  what: Pick<Group, "times" | "end" | "children">,
  depth: number,
): Group {
  const [{ first }] = part;
  const names = { id: `${first}.${depth}x`, kind: "repeat" as const, depth };
  return { ...names, title: partTitle(part), first, ...what };
}

/** One of the equal parts: a lone op needs no group, a lone scope has one already. */
function turnOf(part: readonly Unit[], depth: number): Group[] {
  if (part.length === 1) return part[0].group === undefined ? [] : [part[0].group];
  const [{ first }] = part;
  const { end } = part[part.length - 1];
  const children = part.flatMap(({ group }) => group ?? []);
  const names = { id: `${first}.${depth}t`, kind: "turn" as const, depth };
  return [{ ...names, title: partTitle(part), times: 1, first, end, children }];
}

/** What a part holds, in the titles of the first few. */
export function partTitle(part: readonly Pick<Unit, "title" | "group">[]): string {
  const titles = part.map(({ title, group }) =>
    group === undefined ? title : withoutNumbers(title),
  );
  const shown = titles.slice(0, 3).join(", ");
  return titles.length > 3 ? `${shown} +${titles.length - 3}` : shown;
}

/** `encoder_11` and `encoder_0` are two of the same: an `encoder`. */
export function withoutNumbers(name: string): string {
  return name.replace(/[_.]?\d+/g, "") || name;
}
