/** What a mirrored graph is made of, however it came to be: whole, or folded. */

import type { Side } from "../layout/geometry";
import type { Spot } from "../layout/mirror";
import type { Spans } from "../layout/spans";
import type { Tone } from "./tones";

/** Later than any event. A small whole number: infinity costs each field an object. */
export const NEVER = 2 ** 30 - 1;

/** When and by which source line something came to be. */
export interface Made {
  readonly seq: number;
  readonly cell: number;
  readonly line: number;
}

export interface MirrorNode extends Made {
  /** The entity it shows; several nodes may show one. */
  readonly key: string;
  readonly side: Side;
  readonly shape: "op" | "leaf" | "pin" | "seed" | "update" | "failed" | "group";
  readonly tone: Tone;
  readonly title: string;
  /** Which op it is, or belongs to, in the order of execution. */
  readonly op: number;
  readonly spot: Spot;
  readonly x: number;
  readonly y: number;
  /** Ran outside the tape: no gradient will come back through it. */
  readonly untaped: boolean;
  /** From which event on what it kept is gone. */
  freed: number;
  /** When the op, which was there, could not run. */
  failed: number;
}

export interface MirrorEdge extends Made {
  readonly key: string;
  readonly kind: "flow" | "saved" | "gradient";
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly label: string;
  readonly arrow: boolean;
  /** Nothing stands in the lane between its ends. */
  readonly clear: boolean;
  /** The ops whose nodes it leaves and enters. */
  readonly from: number;
  readonly to: number;
  /** Where the things stand that it leaves and enters. */
  readonly tail: Spot;
  readonly head: Spot;
  /** The name of the far end, where a chip stands for a long edge. */
  readonly chip: string;
  freed: number;
  /** When a saved edge found its gradient op; before, it is a stub. */
  reached: number;
}

/**
 * A small sign beside a port: where gradients of one tensor are summed, where a hook
 * changes one, where one is stopped, where a pass found none to compute, and where a
 * tensor was overwritten in place.
 */
export interface Join {
  key: string;
  readonly sign: "sum" | "hook" | "stop" | "none" | "set";
  readonly seq: number;
  /** When a hook was taken off again. */
  removed: number;
  readonly op: number;
  /** Where the thing stands that it is beside. */
  readonly spot: Spot;
  readonly x: number;
  readonly y: number;
}

/** A block of a program, or what an optimizer does, by the word for it: "true branch". */
export interface Frame {
  title: string;
}

/** Ops in a row that left nothing on the tape, that a reverse pass recorded, or a block. */
export interface Region {
  readonly what: "untaped" | "second" | "block";
  readonly frame?: Frame;
  /** How many frames it is inside of. */
  readonly depth: number;
  readonly seq: number;
  first: number;
  last: number;
  left: number;
  right: number;
  /** How far from the axis its boxes go, where pins go further. */
  boxReach?: number;
}

/** A region's left and right; from afar, where no pins are seen, those of its boxes. */
export function endsOf({ left, right, boxReach = Infinity }: Region, afar: boolean): [number, number] {
  return afar ? [Math.max(left, -boxReach), Math.min(right, boxReach)] : [left, right];
}

/** How far from the axis anything stands, on its left and on its right. */
export class Reach {
  left = 0;
  right = 0;

  add(far: number, x: number): void {
    if (x < 0) this.left = Math.max(this.left, far);
    else this.right = Math.max(this.right, far);
  }
}

/** All that drawing, pointing and walking need to know of a mirrored graph. */
export interface Picture {
  readonly nodes: readonly MirrorNode[];
  readonly byRow: readonly (readonly MirrorNode[] | undefined)[];
  readonly edges: Spans<MirrorEdge>;
  readonly joins: Spans<Join>;
  readonly regions: readonly Region[];
  readonly edgeCount: number;
  readonly lowest: number;
  readonly widest: number;
  /** How far from the axis anything stands. */
  readonly reach: Reach;
  /** The same without the pins, which are seen from near only. */
  readonly boxReach: Reach;
  nodesOf(key: string): readonly MirrorNode[];
}
