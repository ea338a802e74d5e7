/** A program before and after each pass, from the operators that went and came. */

import type { OpEvent, PassEvent } from "../events";

/** The program's operators at one point, and the pass that led there. */
export interface Stage {
  readonly event?: PassEvent;
  /** Those of the outermost block. */
  readonly ops: readonly OpEvent[];
  /** Those of every block, by its number. */
  readonly blocks: Blocks;
}

type Blocks = ReadonlyMap<number, readonly OpEvent[]>;

interface Entry {
  readonly event: OpEvent;
  readonly removed: boolean;
}

export class PassHistory {
  readonly stages: Stage[] = [];
  private readonly journal: Entry[] = [];
  private readonly current = new Listing();

  inserted(event: OpEvent): void {
    this.put({ event, removed: false });
  }

  removed(event: OpEvent): void {
    this.put({ event, removed: true });
  }

  passed(event: PassEvent): void {
    if (this.stages.length === 0) this.stages.push(this.beginning(event.before));
    this.stages.push({ event, ...this.current.copy() });
  }

  private put(entry: Entry): void {
    this.journal.push(entry);
    this.current.put(entry);
  }

  /**
   * The program before the first pass: when its outermost block first had `count`
   * operators. Its other blocks are told after that one, before anything changes.
   */
  private beginning(count: number): Stage {
    const found = new Listing();
    for (const entry of this.journal) {
      const isWhole = found.of(0).length >= count;
      if (isWhole && (entry.removed || entry.event.block === 0)) break;
      found.put(entry);
    }
    return found.copy();
  }
}

/** The operators of a program, block by block. */
class Listing {
  private readonly blocks = new Map<number, OpEvent[]>();

  of(block: number): OpEvent[] {
    let ops = this.blocks.get(block);
    if (ops === undefined) this.blocks.set(block, (ops = []));
    return ops;
  }

  put(entry: Entry): void {
    put(this.of(entry.event.block), entry);
  }

  copy(): { ops: OpEvent[]; blocks: Blocks } {
    const blocks = new Map([...this.blocks].map(([block, ops]) => [block, [...ops]]));
    return { ops: blocks.get(0) ?? [], blocks };
  }
}

function put(ops: OpEvent[], { event, removed }: Entry): void {
  if (removed) {
    const at = ops.findLastIndex(({ op }) => op === event.op);
    if (at >= 0) ops.splice(at, 1);
  } else ops.splice(Math.min(event.index, ops.length), 0, event);
}

/** Operators that stayed, or some that went beside those that came in their place. */
export interface Hunk {
  readonly kind: "same" | "changed";
  readonly before: readonly OpEvent[];
  readonly after: readonly OpEvent[];
}

/** Join two stages by the operators that are in both, in order. */
export function compare(
  before: readonly OpEvent[],
  after: readonly OpEvent[],
): Hunk[] {
  const stayed = common(before, after);
  const hunks: { kind: Hunk["kind"]; before: OpEvent[]; after: OpEvent[] }[] = [];
  const last = (kind: Hunk["kind"]): (typeof hunks)[number] => {
    const hunk = hunks.at(-1);
    if (hunk?.kind === kind) return hunk;
    const fresh = { kind, before: [], after: [] };
    hunks.push(fresh);
    return fresh;
  };
  let at = 0;
  for (const event of before) {
    if (!stayed.has(event.op)) {
      last("changed").before.push(event);
      continue;
    }
    while (after[at].op !== event.op) last("changed").after.push(after[at++]);
    const same = last("same");
    same.before.push(event);
    same.after.push(after[at++]);
  }
  for (; at < after.length; at++) last("changed").after.push(after[at]);
  return hunks;
}

/** Set what came beside what went, where that wrote the same names, in order. */
export function paired(
  before: readonly OpEvent[],
  after: readonly OpEvent[],
): [OpEvent | undefined, OpEvent | undefined][] {
  const lines: [OpEvent | undefined, OpEvent | undefined][] = [];
  const writers = new Map<string, number>();
  after.forEach((fresh, at) => {
    for (const name of written(fresh)) writers.set(name, at);
  });
  let next = 0;
  let joined = 0;
  for (const old of before) {
    const places = written(old).map((name) => writers.get(name) ?? -1);
    const match = places.find((at) => at >= next) ?? -1;
    while (next < match) lines.push([undefined, after[next++]]);
    lines.push([old, after[match]]);
    if (match < 0) continue;
    next = match + 1;
    joined = lines.length;
  }
  // What is left comes beside what went without a successor, after all that is joined.
  for (const fresh of after.slice(next)) {
    if (joined < lines.length) lines[joined] = [lines[joined][0], fresh];
    else lines.push([undefined, fresh]);
    joined += 1;
  }
  return lines;
}

function written({ outputs }: OpEvent): string[] {
  return Object.values(outputs).flat();
}

/** The operators in both, less those that a pass has moved past others. */
function common(before: readonly OpEvent[], after: readonly OpEvent[]): Set<number> {
  const places = new Map(after.map(({ op }, index) => [op, index]));
  const found = new Set<number>();
  let furthest = -1;
  for (const { op } of before) {
    const place = places.get(op);
    if (place === undefined || place < furthest) continue;
    furthest = place;
    found.add(op);
  }
  return found;
}
