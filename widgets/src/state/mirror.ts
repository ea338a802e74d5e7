/**
 * A mirrored graph as it grows: ops and leaves on the left, their gradients at the same
 * height on the right. Eager tapes and static Programs both tell it what happened, in
 * the same few words; it knows neither.
 */

import { BOX, LANE, laneX, PORT, ROW, rowY, type Side } from "../layout/geometry";
import { MirrorLayout, type Spot } from "../layout/mirror";
import { Groups, type Group, type Item } from "../layout/groups";
import { Spans } from "../layout/spans";
import { NEVER } from "./picture";
import type { Join, Made, MirrorEdge, MirrorNode, Picture, Region } from "./picture";
import type { Tone } from "./tones";

export type { Join, Made, MirrorEdge, MirrorNode } from "./picture";

/** A leaf this many rows away, or a value read this often, gets a chip, no edge. */
const FAR = 8;
const OFTEN = 6;

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
  /** Of its outputs, those that no gradient flows through. */
  readonly stops?: readonly string[];
  /** Layers, name scopes and blocks it is in, outermost first. */
  readonly scope?: readonly string[];
  /** Recorded by a reverse pass. */
  readonly second?: boolean;
}

/** What an op's output, or a leaf, offers to those that read it. */
interface Wire {
  readonly node: MirrorNode;
  readonly generation: number;
  /** How far beside the node's middle it leaves, when there are several outputs. */
  readonly offset: number;
  reads: number;
  parts: number;
  pass: number;
  total: boolean;
  join?: Join;
}

/** Where an op's inputs stand, and those of them that it stands between. */
export interface Parents {
  readonly all: readonly Spot[];
  readonly between: readonly Spot[];
}

type EdgeWords = Pick<MirrorEdge, "label" | "arrow" | "chip">;

const NONE: readonly string[] = [];
const RATE_OFFSET = 42;
const RATE_RISE = 10;
const UPDATE_RADIUS = 10;
const KEPT_HEIGHTS = [0, 16, -16];

/** Where an input's edge enters an op: its gradient leaves at the mirror image. */
interface Entry {
  readonly wire: string;
  readonly x: number;
  readonly chip: string;
  used: boolean;
}

/** An op as it was last drawn. */
interface Drawn {
  readonly node: MirrorNode;
  readonly entries: readonly Entry[];
  saved?: MirrorEdge;
}

/** A gradient op, and the op that it belongs to. */
interface Twin {
  readonly node: MirrorNode;
  readonly of: Drawn;
}

export class Mirror implements Picture {
  readonly layout = new MirrorLayout();
  readonly nodes: MirrorNode[] = [];
  readonly byRow: MirrorNode[][] = [];
  readonly edges = new Spans<MirrorEdge>();
  readonly joins = new Spans<Join>();
  /** Where a tensor's gradient has hooks: one sign for all of them. */
  private readonly hooks = new Map<string, Join>();
  /** Of each tensor how many, and whose key they have: a leaf's come before it is drawn. */
  private readonly standing = new Map<string, { readonly whole: string; count: number }>();
  readonly regions: Region[] = [];
  /** The ops' nodes, in the order of execution. */
  readonly ops: MirrorNode[] = [];
  /** Of each op: where its inputs stand, which part it is of, and its region if any. */
  readonly above: Parents[] = [];
  readonly parts: number[] = [];
  readonly regionOf: (Region | undefined)[] = [];
  edgeCount = 0;
  hasGradients = false;
  /** Most things are shown by one node: a list comes with the second. */
  private readonly byKey = new Map<string, MirrorNode | MirrorNode[]>();
  private readonly wires = new Map<string, Wire>();
  private readonly drawn = new Map<string, Drawn>();
  private readonly twins = new Map<string, Twin>();
  private readonly done = new Set<string>();
  /** The gradient op that each part of a gradient comes from. */
  private readonly giverOf = new Map<string, string>();
  private readonly grouped = new Groups();
  private part = 0;
  private generation = 0;
  private pass = 0;

  get lowest(): number {
    return this.layout.lowest;
  }

  get widest(): number {
    return this.layout.widest;
  }

  /** What can be folded. */
  get groups(): readonly Group[] {
    return this.grouped.all;
  }

  /** What of each op can be equal to another's. */
  get items(): readonly Item[] {
    return this.grouped.items;
  }

  /** The nodes that show an entity, oldest first. */
  nodesOf(key: string): readonly MirrorNode[] {
    const found = this.byKey.get(key);
    return found === undefined ? [] : Array.isArray(found) ? found : [found];
  }

  /** What follows is a part of its own, under all that is there; it may read leaves anew. */
  startBelow(anew = true): void {
    this.part += 1;
    if (anew) this.generation += 1;
    this.layout.startBelow();
  }

  /** What gradients meet from now on are those of another reverse pass. */
  startPass(): void {
    this.pass += 1;
  }

  /** An op ran, or was appended. */
  forward(op: Forward): void {
    const parents = this.parents(op.inputs);
    const spot = this.layout.op(parents.all, parents.between);
    const node = this.addOp(op, spot, "op", parents);
    this.readInputs(op, node);
    op.outputs.forEach((wire, index) => {
      const offset = spread(index, op.outputs.length, BOX.width);
      const made = unread(node, this.generation, offset);
      this.wires.set(wire, made);
      if (op.stops?.includes(wire)) this.sign(op, made, "stop", wire, -1);
    });
    if (op.untaped) this.extendRegion(node, "untaped");
    else if (op.second === true) this.extendRegion(node, "second");
  }

  /** An op raised: it stands where it would have stood. */
  failed(op: Forward): void {
    const parents = this.parents(op.inputs);
    const spot = this.layout.op(parents.all, parents.between);
    this.readInputs(op, this.addOp(op, spot, "failed", parents));
  }

  /** An op that is there could not run. */
  broken(seq: number, op: string): void {
    for (const node of this.nodesOf(op)) node.failed = Math.min(node.failed, seq);
  }

  /** A hook looks at, or changes, the gradient of the tensor on `wire`. */
  hook(made: Made, wire: string, whole: string): void {
    const hooks = this.standing.get(wire) ?? { whole, count: 0 };
    this.standing.set(wire, hooks);
    hooks.count += 1;
    const target = this.wires.get(wire);
    if (target !== undefined && hooks.count === 1) this.signHook(made, target, wire);
  }

  /** A hook was taken off: the sign goes with the last. */
  unhook(seq: number, wire: string): void {
    const hooks = this.standing.get(wire);
    if (hooks === undefined) return;
    hooks.count -= 1;
    const join = this.hooks.get(wire);
    if (hooks.count === 0 && join !== undefined) join.removed = seq;
  }

  isHooked(wire: string): boolean {
    return (this.standing.get(wire)?.count ?? 0) > 0;
  }

  private signHook(by: Made, target: Wire, wire: string): void {
    const { whole } = this.standing.get(wire) ?? { whole: "" };
    this.hooks.set(wire, this.sign(by, target, "hook", whole, 1));
  }

  /** The op keeps these of its slots for its gradient. */
  keep(made: Made, op: string, slots: readonly string[]): void {
    const drawn = this.drawn.get(op);
    if (drawn === undefined || slots.length === 0) return;
    const { node } = drawn;
    const label = keptText(slots);
    const x = node.x + BOX.width / 2;
    const y = keptY(node.spot);
    const ends = { x1: x, y1: y, x2: -x, y2: y };
    const what = { key: op, kind: "saved" as const, label };
    drawn.saved = this.connect(made, what, ends, node, node);
  }

  /** What the op had kept is let go. */
  free(seq: number, op: string): void {
    for (const node of this.nodesOf(op)) node.freed = Math.min(node.freed, seq);
    const edge = this.drawn.get(op)?.saved;
    if (edge !== undefined) edge.freed = Math.min(edge.freed, seq);
  }

  /** The gradient of `op` appears beside it; false when there is no such op. */
  backward(
    made: Made & { key: string; title: string; tone: Tone },
    op: string,
  ): boolean {
    const of = this.drawn.get(op);
    if (of === undefined) return false;
    if (this.twins.get(made.key)?.of === of) return true;
    this.hasGradients = true;
    const { spot, op: index } = of.node;
    const place = { side: 1 as Side, spot, op: index, ...at(1, spot) };
    const node = this.add(made, { ...place, shape: "op" });
    this.twins.set(made.key, { node, of });
    if (of.saved !== undefined) {
      of.saved.reached = Math.min(of.saved.reached, made.seq);
    }
    return true;
  }

  /** `part` of the gradient `whole` flows from a gradient op to `wire`'s tensor. */
  flow(made: Made, wire: string, part: string, whole: string, from: string): void {
    const target = this.wires.get(wire);
    const twin = this.twins.get(from);
    if (target === undefined || twin === undefined) return;
    const source = twin.node;
    this.whole(made, target, whole);
    if (this.giverOf.get(part) === from) return;
    this.giverOf.set(part, from);
    const { x: x2, y: y2 } = this.port(target, 1);
    const y1 = source.y - BOX.height / 2;
    const { x: x1, chip } = exit(twin, wire) ?? { x: source.x, chip: "" };
    const ends = chip === "" ? { x1, y1, x2, y2 } : { x1, y1, x2: x1, y2: y1 - PORT };
    this.connect(made, { key: part, kind: "gradient", chip }, ends, source, target.node);
    // A leaf adds up what several passes bring, all else is made anew by each.
    if (target.pass !== this.pass && target.node.shape !== "leaf") target.parts = 0;
    target.pass = this.pass;
    target.parts += 1;
    if (target.parts === 2) this.join(made, target, whole);
  }

  /** The reverse pass starts at the tensor on `wire`. */
  seed(made: Made, key: string, wire: string, whole: string): void {
    const target = this.wires.get(wire);
    if (target === undefined || !this.once(`seed ${wire}`)) return;
    const { spot, op } = target.node;
    const place = { side: 1 as Side, spot, op, ...this.port(target, 1) };
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

  /** An optimizer op changes the parameter on `wire`, as far as `rate` tells it to. */
  update(
    made: Made & { key: string; title: string; tone: Tone },
    wire: string,
    rate?: Pick<Input, "wire" | "name">,
  ): void {
    const target = this.wires.get(wire);
    if (target?.node.shape !== "leaf" || !target.total) return;
    if (!this.once(`update ${wire} ${target.generation}`)) return;
    const { spot, op, x, y } = target.node;
    const place = { spot, op, x: -x + BOX.width / 2 + 7, y };
    const node = this.add(made, { side: 1, shape: "update", ...place });
    if (rate === undefined) return;
    const what = { key: rate.wire, kind: "flow" as const, chip: rate.name };
    // The chip stands over the parameter's gradient, not beyond the outermost lane.
    const y1 = y - BOX.height / 2 - RATE_RISE;
    const ends = { x1: place.x - RATE_OFFSET, y1, x2: place.x, y2: y - UPDATE_RADIUS };
    this.connect(made, what, ends, node, node);
  }

  /** Return the places of all inputs that have one, and of those to stand between. */
  private parents(inputs: readonly Input[]): Parents {
    const all: Spot[] = [];
    const computed: Spot[] = [];
    for (const input of inputs) {
      const node = this.current(input.wire)?.node;
      if (node !== undefined) all.push(node.spot);
      if (node !== undefined && node.shape !== "leaf") computed.push(node.spot);
    }
    // Copies are as long as they need be: what grows keeps room for a dozen more.
    const kept = all.slice();
    const isMixed = computed.length > 0 && computed.length < all.length;
    return { all: kept, between: isMixed ? computed.slice() : kept };
  }

  /** A leaf read again under a finished pass is placed anew, near its new reader. */
  private current(name: string): Wire | undefined {
    const wire = this.wires.get(name);
    if (wire?.node.shape === "leaf" && wire.generation !== this.generation) return;
    return wire;
  }

  private readInputs(op: Forward, reader: MirrorNode): void {
    // What comes down to the reader is not to end behind a leaf.
    const { slot } = reader.spot;
    const isTaken = this.above[reader.op].all.some((at) => Math.abs(at.slot - slot) < 2);
    let outwards = isTaken ? 1 : 0;
    const sources = op.inputs.map((input) => {
      const known = this.current(input.wire);
      const wire = known ?? this.leaf(op, input, reader, outwards++);
      wire.reads += 1;
      const chip = isFar(wire, reader) ? input.name : "";
      const { node, offset } = wire;
      const x1 = chip === "" ? node.x + offset : reader.x;
      return { wire: input.wire, chip, node, x1, y1: bottom(node) };
    });
    // Ends in the order of their beginnings: the edges of one op need not cross.
    sources.sort((a, b) => a.x1 - b.x1);
    const entries = sources.map(({ wire, chip, node, x1, y1 }, index): Entry => {
      const x2 = reader.x + spread(index, sources.length, BOX.width);
      const y2 = reader.y - BOX.height / 2;
      const ends = chip === "" ? { x1, y1, x2, y2 } : { x1: x2, y1: y2 - PORT, x2, y2 };
      const label = isData(node) ? node.title : "";
      const what = { key: wire, kind: "flow" as const, arrow: true, chip, label };
      this.connect(op, what, ends, node, reader);
      return { wire, x: x2, chip, used: false };
    });
    this.drawn.set(op.key, { node: reader, entries });
  }

  private leaf(by: Made, input: Input, reader: MirrorNode, outwards: number): Wire {
    const spot = this.layout.leaf(reader.spot, outwards);
    const { op } = reader;
    const { cell, line, wire: key, name: title, tone } = input;
    const what = { seq: by.seq, cell, line, key, title, tone };
    const node = this.add(what, { side: -1, shape: "leaf", spot, op, ...at(-1, spot) });
    const wire = unread(node, this.generation, 0);
    this.wires.set(input.wire, wire);
    if (this.isHooked(key)) this.signHook(by, wire, key);
    return wire;
  }

  /** The whole gradient of a tensor, from where its parts meet to who receives it. */
  private whole(by: Made, wire: Wire, key: string): void {
    this.hasGradients = true;
    if (wire.total) return;
    wire.total = true;
    const { node } = wire;
    const { x, y } = this.port(wire, 1);
    // Across from what ran off the tape there is no gradient op to receive it.
    if (node.shape === "leaf" || (node.untaped && wire.offset === 0)) {
      const place = { spot: node.spot, op: node.op, ...at(1, node.spot) };
      const what = { ...made(by), key, title: node.title, tone: "g" as Tone };
      this.add(what, { side: 1, shape: "leaf", ...place });
    }
    const ends = { x1: x, y1: y, x2: x, y2: bottom(node) };
    this.connect(by, { key, kind: "gradient", arrow: true }, ends, node, node);
  }

  private join(by: Made, wire: Wire, key: string): void {
    wire.join ??= this.sign(by, wire, "sum", key, 1);
  }

  private sign(
    by: Made,
    wire: Wire,
    sign: Join["sign"],
    key: string,
    side: Side,
  ): Join {
    const { x, y } = this.port(wire, side);
    const { op, spot } = wire.node;
    const beside = sign === "hook" ? 18 : 0;
    const made: Join = { key, sign, seq: by.seq, removed: Infinity, op, spot, x: x + beside, y };
    this.joins.add(spot.row, spot.row + 1, made);
    return made;
  }

  private addOp(
    op: Forward,
    spot: Spot,
    shape: "op" | "failed",
    above: Parents,
  ): MirrorNode {
    const index = this.ops.length;
    const node = this.add(op, { side: -1, shape, spot, op: index, ...at(-1, spot) });
    this.ops.push(node);
    this.above.push(above);
    this.parts.push(this.part);
    this.grouped.append({ title: op.title, scope: op.scope ?? NONE });
    return node;
  }

  /** Ops that follow one another share a background. */
  private extendRegion(node: MirrorNode, what: Region["what"]): void {
    const { row } = node.spot;
    const [left, right] = [node.x - LANE / 2, node.x + LANE / 2];
    const last = this.regions.at(-1);
    const follows = this.ops.at(-2)?.untaped === (what === "untaped");
    if (last?.what === what && row - last.last <= 1 && follows) {
      last.last = Math.max(last.last, row);
      last.left = Math.min(last.left, left);
      last.right = Math.max(last.right, right);
    } else {
      this.regions.push({ what, seq: node.seq, first: row, last: row, left, right });
    }
    this.regionOf[node.op] = this.regions.at(-1);
  }

  /** Where the readers of a tensor branch off, just under it. */
  private port(wire: Wire, side: Side): { x: number; y: number } {
    return { x: -side * (wire.node.x + wire.offset), y: bottom(wire.node) + PORT };
  }

  private once(what: string): boolean {
    if (this.done.has(what)) return false;
    this.done.add(what);
    return true;
  }

  private add(
    what: Made & { key: string; title: string; tone: Tone; untaped?: boolean },
    where: Pick<MirrorNode, "side" | "shape" | "op" | "spot" | "x" | "y">,
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
      freed: NEVER,
      failed: NEVER,
      side: where.side,
      shape: where.shape,
      op: where.op,
      spot: where.spot,
      x: where.x,
      y: where.y,
    };
    this.nodes.push(node);
    const { row } = where.spot;
    // A row holds few nodes: a copy as long as they need takes less than one that grows.
    this.byRow[row] = [...(this.byRow[row] ?? []), node];
    const known = this.byKey.get(what.key);
    if (known === undefined) this.byKey.set(what.key, node);
    else if (Array.isArray(known)) known.push(node);
    else this.byKey.set(what.key, [known, node]);
    return node;
  }

  private connect(
    by: Made,
    what: Pick<MirrorEdge, "key" | "kind"> & Partial<EdgeWords>,
    ends: Pick<MirrorEdge, "x1" | "y1" | "x2" | "y2">,
    from: MirrorNode,
    to: MirrorNode,
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
      chip: what.chip ?? "",
      from: isData(from) ? -1 : from.op,
      to: to.op,
      tail: from.spot,
      head: to.spot,
      freed: NEVER,
      reached: NEVER,
    };
    const first = Math.floor(Math.min(edge.y1, edge.y2) / ROW);
    this.edges.add(first, Math.ceil(Math.max(edge.y1, edge.y2) / ROW), edge);
    this.edgeCount += 1;
    return edge;
  }
}

/** Edges of outer lanes pass behind the inner nodes, each at a height of its own. */
export function keptY({ row, slot }: Spot): number {
  return rowY(row) + (KEPT_HEIGHTS[slot >> 1] ?? 0);
}

/** Of what is kept for its shape alone no value is held. */
function keptText(slots: readonly string[]): string {
  const values = slots.filter((slot) => !slot.endsWith(".shape"));
  if (values.length < slots.length) values.push("shapes");
  return values.join(", ");
}

/** Where the gradient op's next edge to `wire` leaves. */
function exit({ of }: Twin, wire: string): Pick<Entry, "x" | "chip"> | undefined {
  const entry = of.entries.find((known) => known.wire === wire && !known.used);
  if (entry === undefined) return undefined;
  entry.used = true;
  return { x: -entry.x, chip: entry.chip };
}

function unread(node: MirrorNode, generation: number, offset: number): Wire {
  return { node, generation, offset, reads: 0, parts: 0, pass: 0, total: false };
}

/** Data comes from outside; a parameter belongs to the layer that reads it. */
export function isData(node: MirrorNode): boolean {
  return node.shape === "leaf" && node.tone === "D";
}

/** Whether an edge would run past so much that the name alone says more. */
function isFar({ node, reads }: Wire, reader: MirrorNode): boolean {
  if (reader.spot.row - node.spot.row <= FAR) return false;
  return node.shape === "leaf" || reads > OFTEN;
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

/**
 * Spread `count` ends over the middle of a side that is `width` long, at whole numbers:
 * any other would be an object of its own in each of many edges.
 */
function spread(index: number, count: number, width: number): number {
  return Math.round(((index + 1) / (count + 1) - 0.5) * width * 0.7);
}

/** The layer that a parameter belongs to, by its name: `fc_0` for `fc_0.w_0`. */
export function ownerOf(name: string): readonly string[] {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? [name.slice(0, dot)] : [];
}
