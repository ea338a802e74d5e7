/**
 * A mirrored graph as it grows: ops and leaves on the left, their gradients at the same
 * height on the right. Eager tapes and static Programs both tell it what happened, in
 * the same few words; it knows neither.
 */

import { BOX, laneX, PORT, ROW, rowY, type Side } from "../layout/geometry";
import { MirrorLayout, type Spot } from "../layout/mirror";
import { Spans } from "../layout/spans";
import type { Tone } from "./tones";

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
  readonly shape: "op" | "leaf" | "seed" | "update" | "failed";
  readonly tone: Tone;
  readonly title: string;
  readonly spot: Spot;
  readonly x: number;
  readonly y: number;
  /** Ran outside the tape: no gradient will come back through it. */
  readonly untaped: boolean;
  /** From which event on what it kept is gone. */
  freed: number;
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
  freed: number;
  /** When a saved edge found its gradient op; before, it is a stub. */
  reached: number;
}

/** Where several gradients of one tensor are summed. */
export interface Join {
  key: string;
  readonly seq: number;
  readonly x: number;
  readonly y: number;
}

export interface Input {
  readonly cell: number;
  readonly line: number;
  readonly wire: string;
  readonly name: string;
  readonly tone: Tone;
}

export interface Forward extends Made {
  readonly key: string;
  readonly title: string;
  readonly tone: Tone;
  readonly inputs: readonly Input[];
  readonly outputs: readonly string[];
  readonly untaped: boolean;
}

/** What an op's output, or a leaf, offers to those that read it. */
interface Wire {
  readonly node: MirrorNode;
  readonly generation: number;
  /** How far beside the node's middle it leaves, when there are several outputs. */
  readonly offset: number;
  parts: number;
  total: boolean;
  join?: Join;
}

const KEPT_HEIGHTS = [0, 16, -16];

interface Entry {
  readonly wire: string;
  readonly x: number;
  used: boolean;
}

export class Mirror {
  readonly layout = new MirrorLayout();
  readonly nodes: MirrorNode[] = [];
  readonly byRow: MirrorNode[][] = [];
  readonly edges = new Spans<MirrorEdge>();
  readonly joins = new Spans<Join>();
  edgeCount = 0;
  hasGradients = false;
  private readonly byKey = new Map<string, MirrorNode[]>();
  private readonly wires = new Map<string, Wire>();
  private readonly saved = new Map<string, MirrorEdge>();
  private readonly drawn = new Set<string>();
  /** Where each input's edge enters an op: its gradient leaves at the mirror image. */
  private readonly entries = new Map<string, Entry[]>();
  private readonly forwardOf = new Map<string, string>();
  private generation = 0;

  /** The nodes that show an entity, oldest first. */
  nodesOf(key: string): readonly MirrorNode[] {
    return this.byKey.get(key) ?? [];
  }

  /** What follows reads leaves anew, under all that is there. */
  startBelow(): void {
    this.generation += 1;
    this.layout.startBelow();
  }

  /** An op ran, or was appended. */
  forward(op: Forward): void {
    const spot = this.layout.op(...this.parents(op.inputs));
    const node = this.add(op, { side: -1, shape: "op", spot, ...at(-1, spot) });
    this.readInputs(op, node);
    op.outputs.forEach((wire, index) => {
      const offset = spread(index, op.outputs.length, BOX.width);
      const { generation } = this;
      this.wires.set(wire, { node, generation, offset, parts: 0, total: false });
    });
  }

  /** An op raised: it stands where it would have stood. */
  failed(op: Forward): void {
    const spot = this.layout.op(...this.parents(op.inputs));
    const node = this.add(op, { side: -1, shape: "failed", spot, ...at(-1, spot) });
    this.readInputs(op, node);
  }

  /** The op keeps these of its slots for its gradient. */
  keep(made: Made, op: string, slots: readonly string[]): void {
    const node = this.nodesOf(op).at(-1);
    if (node === undefined || slots.length === 0) return;
    const label = keptText(slots);
    const x = node.x + BOX.width / 2;
    // Edges of outer lanes pass behind the inner nodes, each at a height of its own.
    const y = node.y + (KEPT_HEIGHTS[Math.floor(node.spot.slot / 2)] ?? 0);
    const ends = { x1: x, y1: y, x2: -x, y2: y };
    const edge = this.connect(made, { key: op, kind: "saved", label }, ends);
    this.saved.set(op, edge);
  }

  /** What the op had kept is let go. */
  free(seq: number, op: string): void {
    for (const node of this.nodesOf(op)) node.freed = Math.min(node.freed, seq);
    const edge = this.saved.get(op);
    if (edge !== undefined) edge.freed = Math.min(edge.freed, seq);
  }

  /** The gradient of `op` appears beside it; false when there is no such op. */
  backward(
    made: Made & { key: string; title: string; tone: Tone },
    op: string,
  ): boolean {
    const twin = this.nodesOf(op).at(-1);
    if (twin === undefined) return false;
    if (!this.once(`${made.key}=${op}`)) return true;
    this.hasGradients = true;
    this.forwardOf.set(made.key, op);
    const { spot } = twin;
    this.add(made, { side: 1, shape: "op", spot, ...at(1, spot) });
    const edge = this.saved.get(op);
    if (edge !== undefined) edge.reached = Math.min(edge.reached, made.seq);
    return true;
  }

  /** `part` of the gradient `whole` flows from a gradient op to `wire`'s tensor. */
  flow(made: Made, wire: string, part: string, whole: string, from: string): void {
    const target = this.wires.get(wire);
    const source = this.nodesOf(from).find((node) => node.side === 1);
    if (target === undefined || source === undefined) return;
    this.whole(made, target, whole);
    if (!this.once(`${part}>${from}`)) return;
    const { x, y } = this.port(target, 1);
    const top = source.y - BOX.height / 2;
    const ends = { x1: this.exit(from, wire) ?? source.x, y1: top, x2: x, y2: y };
    this.connect(made, { key: part, kind: "gradient" }, ends);
    target.parts += 1;
    if (target.parts === 2) this.join(made, target, whole);
  }

  /** The reverse pass starts at the tensor on `wire`. */
  seed(made: Made, key: string, wire: string, whole: string): void {
    const target = this.wires.get(wire);
    if (target === undefined || !this.once(`seed ${wire}`)) return;
    const place = { side: 1 as Side, spot: target.node.spot, ...this.port(target, 1) };
    const node = { ...made, key, title: "1", tone: "g" as Tone };
    this.add(node, { ...place, shape: "seed" });
    this.whole(made, target, whole);
  }

  /** An explicit op sums the parts of a gradient. */
  sum(made: Made, key: string, wire: string): void {
    const target = this.wires.get(wire);
    if (target === undefined) return;
    this.join(made, target, key);
    if (target.join !== undefined) target.join.key = key;
  }

  /** An optimizer op changes the parameter on `wire`. */
  update(made: Made & { key: string; title: string; tone: Tone }, wire: string): void {
    const target = this.wires.get(wire);
    if (target?.node.shape !== "leaf" || !target.total) return;
    if (!this.once(`update ${wire} ${target.generation}`)) return;
    const { spot, x, y } = target.node;
    const place = { spot, x: -x + BOX.width / 2 + 7, y };
    this.add(made, { side: 1, shape: "update", ...place });
  }

  /** Return the places of all inputs that have one, and of those to stand between. */
  private parents(inputs: readonly Input[]): [Spot[], Spot[]] {
    const all: Spot[] = [];
    const computed: Spot[] = [];
    for (const input of inputs) {
      const node = this.current(input.wire)?.node;
      if (node !== undefined) all.push(node.spot);
      if (node !== undefined && node.shape !== "leaf") computed.push(node.spot);
    }
    return [all, computed.length > 0 ? computed : all];
  }

  /** A leaf read again under a finished pass is placed anew, near its new reader. */
  private current(name: string): Wire | undefined {
    const wire = this.wires.get(name);
    if (wire?.node.shape === "leaf" && wire.generation !== this.generation) return;
    return wire;
  }

  private readInputs(op: Forward, reader: MirrorNode): void {
    let outwards = this.parents(op.inputs)[0].length > 0 ? 1 : 0;
    const sources = op.inputs.map((input) => {
      const wire = this.current(input.wire);
      const { node, offset } = wire ?? this.leaf(op, input, reader.spot, outwards++);
      return { key: input.wire, x1: node.x + offset, y1: bottom(node) };
    });
    // Ends in the order of their beginnings: the edges of one op need not cross.
    sources.sort((a, b) => a.x1 - b.x1);
    const entries = sources.map(({ key, x1, y1 }, index): Entry => {
      const x2 = reader.x + spread(index, sources.length, BOX.width);
      const ends = { x1, y1, x2, y2: reader.y - BOX.height / 2 };
      this.connect(op, { key, kind: "flow", arrow: true }, ends);
      return { wire: key, x: x2, used: false };
    });
    this.entries.set(op.key, entries);
  }

  /** Where the gradient op's next edge to `wire` leaves. */
  private exit(gradient: string, wire: string): number | undefined {
    const entries = this.entries.get(this.forwardOf.get(gradient) ?? "") ?? [];
    const entry = entries.find((known) => known.wire === wire && !known.used);
    if (entry === undefined) return undefined;
    entry.used = true;
    return -entry.x;
  }

  private leaf(by: Made, input: Input, reader: Spot, outwards: number): Wire {
    const spot = this.layout.leaf(reader, outwards);
    const { cell, line, wire: key, name: title, tone } = input;
    const what = { seq: by.seq, cell, line, key, title, tone };
    const node = this.add(what, { side: -1, shape: "leaf", spot, ...at(-1, spot) });
    const { generation } = this;
    const wire: Wire = { node, generation, offset: 0, parts: 0, total: false };
    this.wires.set(input.wire, wire);
    return wire;
  }

  /** The whole gradient of a tensor, from where its parts meet to who receives it. */
  private whole(by: Made, wire: Wire, key: string): void {
    this.hasGradients = true;
    if (wire.total) return;
    wire.total = true;
    const { node } = wire;
    const { x, y } = this.port(wire, 1);
    if (node.shape === "leaf") {
      const place = { spot: node.spot, ...at(1, node.spot) };
      const what = { ...made(by), key, title: node.title, tone: "g" as Tone };
      this.add(what, { side: 1, shape: "leaf", ...place });
    }
    const ends = { x1: x, y1: y, x2: x, y2: bottom(node) };
    this.connect(by, { key, kind: "gradient", arrow: true }, ends);
  }

  private join(by: Made, wire: Wire, key: string): void {
    if (wire.join !== undefined) return;
    const { x, y } = this.port(wire, 1);
    wire.join = { key, seq: by.seq, x, y };
    this.joins.add(wire.node.spot.row, wire.node.spot.row + 1, wire.join);
  }

  /** Where the readers of a tensor branch off, just under it. */
  private port(wire: Wire, side: Side): { x: number; y: number } {
    return { x: -side * (wire.node.x + wire.offset), y: bottom(wire.node) + PORT };
  }

  private once(what: string): boolean {
    if (this.drawn.has(what)) return false;
    this.drawn.add(what);
    return true;
  }

  private add(
    what: Made & { key: string; title: string; tone: Tone; untaped?: boolean },
    where: Pick<MirrorNode, "side" | "shape" | "spot" | "x" | "y">,
  ): MirrorNode {
    // Spelt out, as is all that a large log makes many of: spreading is far slower.
    const node: MirrorNode = {
      seq: what.seq,
      cell: what.cell,
      line: what.line,
      key: what.key,
      title: what.title,
      tone: what.tone,
      untaped: what.untaped ?? false,
      freed: Infinity,
      side: where.side,
      shape: where.shape,
      spot: where.spot,
      x: where.x,
      y: where.y,
    };
    this.nodes.push(node);
    (this.byRow[where.spot.row] ??= []).push(node);
    const known = this.byKey.get(what.key);
    if (known === undefined) this.byKey.set(what.key, [node]);
    else known.push(node);
    return node;
  }

  private connect(
    by: Made,
    what: Pick<MirrorEdge, "key" | "kind"> & { label?: string; arrow?: boolean },
    ends: Pick<MirrorEdge, "x1" | "y1" | "x2" | "y2">,
  ): MirrorEdge {
    const edge: MirrorEdge = {
      seq: by.seq,
      cell: by.cell,
      line: by.line,
      key: what.key,
      kind: what.kind,
      x1: ends.x1,
      y1: ends.y1,
      x2: ends.x2,
      y2: ends.y2,
      label: what.label ?? "",
      arrow: what.arrow ?? false,
      freed: Infinity,
      reached: Infinity,
    };
    const first = Math.floor(Math.min(edge.y1, edge.y2) / ROW);
    this.edges.add(first, Math.ceil(Math.max(edge.y1, edge.y2) / ROW), edge);
    this.edgeCount += 1;
    return edge;
  }
}

/** Of what is kept for its shape alone no value is held. */
function keptText(slots: readonly string[]): string {
  const values = slots.filter((slot) => !slot.endsWith(".shape"));
  if (values.length < slots.length) values.push("shapes");
  return values.join(", ");
}

function made({ seq, cell, line }: Made): Made {
  return { seq, cell, line };
}

function at(side: Side, spot: Spot): { x: number; y: number } {
  return { x: laneX(side, spot.slot), y: rowY(spot.row) };
}

function bottom(node: MirrorNode): number {
  return node.y + BOX.height / 2;
}

/** Spread `count` ends over the middle of a side that is `width` long. */
function spread(index: number, count: number, width: number): number {
  return ((index + 1) / (count + 1) - 0.5) * width * 0.7;
}
