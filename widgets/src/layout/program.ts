/** Which rows of a Program show, and how the arcs beside them run. */

import type { Row } from "../state/programs";
import { countBefore } from "../state/timeline";

export const ROW_HEIGHT = 22;

/** Rows that stay out of sight are those of a folded block and of blocks inside it. */
export class VisibleRows {
  readonly folded = new Set<number>();
  private rows: Row[] = [];
  private taken = 0;
  private readonly indexes = new Map<string, number>();

  get length(): number {
    return this.rows.length;
  }

  at(index: number): Row | undefined {
    return this.rows[index];
  }

  indexOf(key: string): number | undefined {
    return this.indexes.get(key);
  }

  /** Take up rows that were added: they come after all that are there. */
  extend(all: readonly Row[], isHidden: (row: Row) => boolean): void {
    for (; this.taken < all.length; this.taken++) {
      const row = all[this.taken];
      if (isHidden(row)) continue;
      this.indexes.set(row.key, this.rows.length);
      this.rows.push(row);
    }
  }

  restart(): void {
    this.rows = [];
    this.taken = 0;
    this.indexes.clear();
  }

  /** How many visible rows came before event `position`. */
  countBefore(position: number): number {
    return countBefore(this.rows, position);
  }
}

/** The path of an arc in a gutter `width` wide, from one row's middle to another's. */
export function arcPath(from: number, to: number, width: number): string {
  const [y1, y2] = [from, to].map((index) => (index + 0.5) * ROW_HEIGHT);
  const distance = Math.abs(to - from);
  const reach = Math.min(width - 3, 6 + 5 * Math.log2(1 + distance));
  const turn = Math.min(Math.abs(y2 - y1) / 2, reach) * Math.sign(y2 - y1);
  const edge = width - reach;
  return (
    `M${width} ${y1} Q${edge} ${y1} ${edge} ${y1 + turn} ` +
    `L${edge} ${y2 - turn} Q${edge} ${y2} ${width} ${y2}`
  );
}

/** The rows to keep in the document: all of a short list, a window of a long one. */
export function windowOf(
  count: number,
  top: number,
  height: number,
): { first: number; end: number } {
  if (count <= 120) return { first: 0, end: count };
  const spare = 12;
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - spare);
  const end = Math.min(count, Math.ceil((top + height) / ROW_HEIGHT) + spare);
  return { first, end };
}

export type Phase = "forward" | "backward" | "update";

/** What part of training a row is for. */
export function phaseOf(row: Row): Phase {
  if (row.kind === "op") {
    const { role } = row.event;
    return role === "backward" ? "backward" : role === "optimize" ? "update" : "forward";
  }
  if (row.kind !== "var") return "forward";
  const { role } = row.event;
  return role === "g" ? "backward" : role === "L" ? "update" : "forward";
}

/** What tells a row of one Program that it is the same in a clone. */
export function identityOf(row: Row): string {
  if (row.kind === "var") return `v ${row.event.name}`;
  if (row.kind !== "op") return `${row.kind} ${row.block}`;
  const outputs = Object.values(row.event.outputs).flat();
  return `o ${row.event.type} ${outputs.join(" ")}`;
}
