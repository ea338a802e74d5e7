/**
 * Where things stand in the mirrored graph: rows go down with the data flow, lanes go
 * outwards from the axis. A gradient stands at its forward's row and lane, reflected:
 * only the forward half needs a layout. Nothing once placed moves.
 */

import { LANES } from "./geometry";

/** A place: two slots make a lane, so that a node can stand between two others. */
export interface Spot {
  readonly row: number;
  readonly slot: number;
}

const LAST_SLOT = 2 * (LANES - 1);

export class MirrorLayout {
  /** How many slots were looked at, the measure of its cost. */
  probes = 0;
  lowest = -1;
  widest = 0;
  private base = 0;
  private readonly taken: number[] = [];
  /** Of each row that was found full, one under it that may not be. */
  private readonly below: number[] = [];

  /** Further ops that depend on nothing placed begin under all that is there. */
  startBelow(): void {
    this.base = this.lowest + 1;
  }

  /** Place an op under all of its `inputs`, midway of those it stands `between`. */
  op(inputs: readonly Spot[], between: readonly Spot[] = inputs): Spot {
    const row = inputs.reduce((lowest, { row }) => Math.max(lowest, row), this.base);
    const slots = between.reduce((sum, { slot }) => sum + slot, 0);
    const target = between.length === 0 ? 0 : Math.floor(slots / between.length);
    return this.place(row + 1, target);
  }

  /** Place a leaf one row over its first consumer, `outwards` lanes away from it. */
  leaf(consumer: Spot, outwards: number): Spot {
    return this.place(consumer.row - 1, consumer.slot + 2 * outwards);
  }

  private place(wanted: number, target: number): Spot {
    const { below } = this;
    for (let row = open(below, wanted); ; row = open(below, row + 1)) {
      const slot = this.nearest(row, Math.min(target, LAST_SLOT));
      if (slot >= 0) return this.take(row, slot);
      below[row] = row + 1;
    }
  }

  private nearest(row: number, target: number): number {
    const taken = this.taken[row] ?? 0;
    for (let distance = 0; distance <= LAST_SLOT; distance++) {
      this.probes += 1;
      const outwards = target + distance;
      if (outwards <= LAST_SLOT && !(taken & (1 << outwards))) return outwards;
      const inwards = target - distance;
      if (inwards >= 0 && !(taken & (1 << inwards))) return inwards;
    }
    return -1;
  }

  private take(row: number, slot: number): Spot {
    // A node is two slots wide: none may stand within one slot of it.
    this.taken[row] = (this.taken[row] ?? 0) | ((7 << slot) >> 1);
    this.lowest = Math.max(this.lowest, row);
    this.widest = Math.max(this.widest, slot);
    return { row, slot };
  }
}

/** The first row from `row` on that was not found full. */
function open(below: number[], row: number): number {
  let end = row;
  while (below[end] !== undefined) end = below[end];
  while (below[row] !== undefined) {
    const next = below[row];
    below[row] = end;
    row = next;
  }
  return end;
}
