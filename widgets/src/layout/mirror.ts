/**
 * Where things stand in the mirrored graph: an op stands under all that ran before it, so
 * time runs downwards, and in the lane of what it reads unless another op stands between:
 * then in the lane outside. A gradient stands at its forward's row and lane, reflected:
 * only the forward half needs a layout. Nothing once placed moves.
 */

import { LANES, pinRows } from "./geometry";

/** A place: two slots make a lane; only whole lanes are stood in, edges pass between. */
export interface Spot {
  readonly row: number;
  readonly slot: number;
}

/** How many rows are looked through for what stands in the way of an edge. */
const NEAR = 6;

export class MirrorLayout {
  /** How many places were looked at, the measure of its cost. */
  probes = 0;
  lowest = -1;
  widest = 0;
  /** The row that the next op must stand under. */
  above = 0;
  /** Of each lane the last row that is taken. */
  private readonly lasts = Array.from({ length: LANES }, () => -1);
  private readonly taken: number[] = [];
  private hasOps = false;

  /** Further ops that depend on nothing placed begin under all that is there. */
  startBelow(): void {
    this.above = this.lowest + 1;
    this.hasOps = false;
  }

  /** Leave a row free: for a title, and what a block is given. */
  skip(): void {
    this.above += 1;
  }

  /** Place an op under all that is there, by what it reads, beside so many pins. */
  op(inputs: readonly Spot[], pins = 0, leaves = 0): Spot {
    let lane = inputs.reduce((least, { slot }) => Math.min(least, slot >> 1), LANES);
    if (lane === LANES) lane = this.hasOps ? 1 : 0;
    else if (this.isBetween(inputs, lane)) lane = Math.max(lane, 1);
    this.hasOps = true;
    let row = this.above + 1;
    // Its own leaves stand in the row over it, where an op's pins may be in the way.
    if (leaves > 0 && !this.isFree(row - 1, lane) && !this.isFree(row - 1, lane + 1)) row += 1;
    this.above = row;
    const spot = this.take(row, lane);
    for (let at = row; pins > 0 && at <= row + pinRows(pins); at++) {
      this.take(at, Math.min(lane + 1, LANES - 1));
      this.above = at;
    }
    return spot;
  }

  /** Place a leaf one row over its first consumer, `outwards` lanes away from it. */
  leaf(consumer: Spot, outwards: number): Spot {
    const row = Math.max(0, consumer.row - 1);
    const wanted = (consumer.slot >> 1) + outwards;
    for (let lane = wanted; lane < LANES; lane++) {
      this.probes += 1;
      if (this.isFree(row, lane)) return this.take(row, lane);
    }
    return this.take(row, Math.min(wanted, LANES - 1));
  }

  /** Whether nothing stands in a lane between two rows that are near one another. */
  isClear(slot: number, from: number, to: number): boolean {
    const [first, last] = from < to ? [from + 1, to] : [to + 1, from];
    if (last - first > NEAR) return false;
    for (let row = first; row < last; row++) {
      this.probes += 1;
      if (!this.isFree(row, slot >> 1)) return false;
    }
    return true;
  }

  /** Whether an op stands between a lane's inputs and what is placed next. */
  private isBetween(inputs: readonly Spot[], lane: number): boolean {
    const own = inputs.filter(({ slot }) => slot >> 1 === lane);
    return this.lasts[lane] > Math.max(...own.map(({ row }) => row));
  }

  private isFree(row: number, lane: number): boolean {
    return ((this.taken[row] ?? 0) & (1 << lane)) === 0;
  }

  private take(row: number, lane: number): Spot {
    this.probes += 1;
    this.taken[row] = (this.taken[row] ?? 0) | (1 << lane);
    this.lasts[lane] = Math.max(this.lasts[lane], row);
    this.lowest = Math.max(this.lowest, row);
    this.widest = Math.max(this.widest, 2 * lane);
    return { row, slot: 2 * lane };
  }
}
