/** Nodes, edges and signs of a mirrored graph as they stand where some of it is folded. */

import { laneX, rowY, type Side } from "../layout/geometry";
import type { Group } from "../layout/groups";
import type { Spot } from "../layout/mirror";
import type { Join, MirrorEdge, MirrorNode } from "./picture";
import type { Tone } from "./tones";

/** How the key and the title of a group's box are made. */
export interface Names {
  key(group: Group, gradient: boolean): string;
  title(group: Group): string;
  /** The name of what an edge carries. */
  wire(key: string): string;
}

/** A closed group: it goes on with the ops that go on with what it repeats. */
export interface Fold {
  readonly group: Group;
  /** The row of its first op in the graph itself. */
  readonly row: number;
  /** Where its box stands. */
  readonly spot: Spot;
  end: number;
  hasGradient: boolean;
}

export type Ends = Pick<MirrorEdge, "x1" | "y1" | "x2" | "y2" | "label" | "arrow"> & {
  readonly chip?: string;
  readonly clear?: boolean;
};

/** A point beside `from`, as far beside `to`: to the left of the axis, or mirrored. */
export function movedTo(x: number, y: number, from: Spot, to: Spot): { x: number; y: number } {
  const side = x < 0 ? -1 : 1;
  const outwards = laneX(side, to.slot) - laneX(side, from.slot);
  return { x: x + outwards, y: y + rowY(to.row - from.row) };
}

/** A node somewhere else; what becomes of it is seen here as well. */
export class Moved implements MirrorNode {
  readonly seq: number;
  readonly cell: number;
  readonly line: number;
  readonly key: string;
  readonly side: Side;
  readonly shape: MirrorNode["shape"];
  readonly tone: Tone;
  readonly title: string;
  readonly op: number;
  readonly untaped: boolean;
  readonly x: number;
  readonly y: number;

  constructor(
    private readonly node: MirrorNode,
    readonly spot: Spot,
  ) {
    this.seq = node.seq;
    this.cell = node.cell;
    this.line = node.line;
    this.key = node.key;
    this.side = node.side;
    this.shape = node.shape;
    this.tone = node.tone;
    this.title = node.title;
    this.op = node.op;
    this.untaped = node.untaped;
    const { x, y } = movedTo(node.x, node.y, node.spot, spot);
    this.x = x;
    this.y = y;
  }

  get freed(): number {
    return this.node.freed;
  }

  get failed(): number {
    return this.node.failed;
  }
}

/** The box of a closed group, or its mirror image; it counts the turns as they come. */
export class FoldBox implements MirrorNode {
  readonly shape = "group";
  readonly untaped = false;
  readonly freed = Infinity;
  readonly failed = Infinity;
  readonly seq: number;
  readonly cell: number;
  readonly line: number;
  readonly key: string;
  readonly tone: Tone;
  readonly op: number;
  readonly spot: Spot;
  readonly x: number;
  readonly y: number;

  constructor(
    made: MirrorNode,
    private readonly fold: Fold,
    readonly side: Side,
    private readonly names: Names,
  ) {
    this.seq = made.seq;
    this.cell = made.cell;
    this.line = made.line;
    this.key = names.key(fold.group, side > 0);
    this.tone = side > 0 ? "grad" : "op";
    this.op = fold.group.first;
    this.spot = fold.spot;
    this.x = laneX(side, fold.spot.slot);
    this.y = rowY(fold.spot.row);
  }

  get title(): string {
    const { group, end } = this.fold;
    const turn = (group.end - group.first) / group.times;
    const times = group.kind === "repeat" ? Math.floor((end - group.first) / turn) : 1;
    return this.names.title({ ...group, times });
  }
}

/** An edge with other ends. */
export class Redrawn implements MirrorEdge {
  readonly seq: number;
  readonly cell: number;
  readonly line: number;
  readonly key: string;
  readonly kind: MirrorEdge["kind"];
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly label: string;
  readonly arrow: boolean;
  readonly from: number;
  readonly to: number;
  readonly tail: Spot;
  readonly head: Spot;
  readonly chip: string;
  readonly clear: boolean;

  constructor(
    private readonly edge: MirrorEdge,
    ends: Ends,
  ) {
    this.seq = edge.seq;
    this.cell = edge.cell;
    this.line = edge.line;
    this.key = edge.key;
    this.kind = edge.kind;
    this.x1 = ends.x1;
    this.y1 = ends.y1;
    this.x2 = ends.x2;
    this.y2 = ends.y2;
    this.label = ends.label;
    this.arrow = ends.arrow;
    this.from = edge.from;
    this.to = edge.to;
    this.tail = edge.tail;
    this.head = edge.head;
    this.chip = ends.chip ?? edge.chip;
    this.clear = ends.clear ?? false;
  }

  get freed(): number {
    return this.edge.freed;
  }

  get reached(): number {
    return this.edge.reached;
  }
}

export class MovedJoin implements Join {
  constructor(
    private readonly join: Join,
    readonly x: number,
    readonly y: number,
  ) {}

  get key(): string {
    return this.join.key;
  }

  get sign(): Join["sign"] {
    return this.join.sign;
  }

  get removed(): number {
    return this.join.removed;
  }

  get seq(): number {
    return this.join.seq;
  }

  get op(): number {
    return this.join.op;
  }

  get spot(): Spot {
    return this.join.spot;
  }
}
