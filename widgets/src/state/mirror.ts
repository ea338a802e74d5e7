/**
 * A mirrored graph as it grows: ops and leaves on the left, their gradients at the same
 * height on the right. Eager tapes and static Programs both tell it what happened, in
 * the same few words; it knows neither.
 */

import {
  BOX,
  LANE,
  laneX,
  PIN,
  pinY,
  PORT,
  ROW,
  rowY,
  type Side,
} from "../layout/geometry";
import { MirrorLayout, type Spot } from "../layout/mirror";
import { CutGroups, type Group, type Item } from "../layout/groups";
import { withLines } from "../layout/lines";
import { Spans } from "../layout/spans";
import { countText } from "../text";
import { NEVER, Reach } from "./picture";
import type { Frame, Join, Made, MirrorEdge, MirrorNode, Picture, Region } from "./picture";
import type { Mark } from "./steps";
import type { Tone } from "./tones";

export type { Join, Made, MirrorEdge, MirrorNode } from "./picture";

/** A leaf this many rows away, or a value read this often, is a pin, without an edge. */
const FAR = 8;
const OFTEN = 6;
/** So many leaves stand over the op that reads them first; more are pins. */
const MOST_LEAVES = 2;
/** What belongs to the op that reads it. */
const PINNED = "PBLg";

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
  /** The blocks among these, which are framed. */
  readonly frames?: readonly Frame[];
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
  /** Which gradient stands across from it, and where others stand beside that one. */
  across?: string;
  beside?: Map<string, Wire>;
  /** No gradient flows through it, which is told where an op reads it. */
  stops: boolean;
  /** Signs beside it, of each kind one. */
  join?: Join;
  set?: Join;
  none?: Join;
}

/** What an op is placed by: where its inputs stand, its pins, and leaves of its own. */
export interface Above {
  readonly inputs: readonly Spot[];
  readonly pins: number;
  readonly leaves: number;
}

/** A learning rate that optimizer ops share: it is told once. */
export interface Rate extends Made {
  readonly key: string;
  readonly name: string;
  /** The parameter that is updated by it. */
  readonly of: string;
}

type EdgeWords = Pick<MirrorEdge, "label" | "arrow" | "chip">;

/** What is said of the edge from a tensor to what was detached from it. */
export const DETACHED = "detached";

/** What stands where nothing but shapes is kept: no memory, which could be let go. */
export const ONLY_SHAPES = "shapes only";

const NONE: readonly string[] = [];
const NOWHERE: readonly number[] = [];
const KEPT_HEIGHTS = [0, 16, -16];

/** Where an input's edge enters an op: its gradient leaves at the mirror image. */
interface Entry {
  readonly wire: string;
  readonly of: Wire;
  readonly x: number;
  readonly y: number;
  /** The node that it enters, or the pin that it is. */
  readonly node: MirrorNode;
  /** What `grad` returned and had its part from here, or "" for a gradient that stays. */
  used: string | undefined;
}

/** An op as it was last drawn. */
interface Drawn {
  readonly node: MirrorNode;
  readonly entries: Entry[];
  saved?: MirrorEdge;
  /** Its gradient op, the first of them. */
  gradient?: MirrorNode;
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
  /** Tensors that were overwritten before they were drawn. */
  private readonly overwritten = new Set<string>();
  readonly regions: Region[] = [];
  /** The ops' nodes, in the order of execution. */
  readonly ops: MirrorNode[] = [];
  /** Of each op: where its inputs stand, which part it is of, and its region if any. */
  readonly above: Above[] = [];
  readonly parts: number[] = [];
  readonly regionOf: (Region | undefined)[] = [];
  /** Of each op in blocks: their frames, and whose mirror image is drawn. */
  readonly framesOf = new Map<number, readonly Frame[]>();
  /** The ops that blocks begin with: over them there is a row for the block's title. */
  readonly entered = new Set<number>();
  private readonly rates: Rate[] = [];
  edgeCount = 0;
  readonly reach = new Reach();
  readonly boxReach = new Reach();
  hasGradients = false;
  /** Most things are shown by one node: a list comes with the second. */
  private readonly byKey = new Map<string, MirrorNode | MirrorNode[]>();
  private readonly wires = new Map<string, Wire>();
  private readonly drawn = new Map<string, Drawn>();
  private readonly twins = new Map<string, Twin>();
  private readonly done = new Set<string>();
  /** The gradient op that each part of a gradient comes from. */
  private readonly giverOf = new Map<string, string>();
  private readonly framed = [new Map<Frame, Region>(), new Map<Frame, Region>()];
  private readonly grouped: CutGroups;
  private isSettled = false;
  private lined: { cuts: readonly number[]; count: number; groups: readonly Group[] } | undefined;
  private part = 0;
  private generation = 0;
  private pass = 0;

  /** Groups of ops do not go on across the `cuts`: ops before which something new begins. */
  constructor(private readonly cuts: () => readonly number[] = () => NOWHERE) {
    this.grouped = new CutGroups(cuts);
  }

  get lowest(): number {
    return this.layout.lowest;
  }

  get widest(): number {
    return this.layout.widest;
  }

  /** What can be folded. */
  get groups(): readonly Group[] {
    const { all } = this.grouped;
    if (!this.isSettled) return all;
    const [cuts, count] = [this.cuts(), this.ops.length];
    if (this.lined?.cuts !== cuts || this.lined.count !== count) {
      this.lined = { cuts, count, groups: withLines(all, this.ops, new Set(cuts)) };
    }
    return this.lined.groups;
  }

  /** All is there: what a line did can be folded as well. */
  settle(): void {
    this.isSettled = true;
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

  /** How much of it there is. */
  mark(): Mark {
    const { ops, nodes, edges, joins } = this;
    return {
      op: ops.length,
      node: nodes.length,
      edge: edges.all.length,
      join: joins.all.length,
    };
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
    const node = this.addOp(op, "op");
    op.outputs.forEach((wire, index) => {
      const offset = spread(index, op.outputs.length, BOX.width);
      const made = unread(node, this.generation, offset);
      this.wires.set(wire, made);
      // Of a constant there is no gradient to be stopped.
      made.stops = op.inputs.length > 0 && (op.stops?.includes(wire) ?? false);
    });
    // Where nothing is read there is no gradient to tell of.
    if (op.untaped && op.inputs.length > 0) this.extendRegion(node, "untaped");
    else if (op.second === true) this.extendRegion(node, "second");
  }

  /** An op raised: it stands where it would have stood. */
  failed(op: Forward): void {
    this.addOp(op, "failed");
  }

  /** A tensor that an op made is a leaf from now on: it gets a gradient of its own. */
  leafOf(by: Made, leaf: Input): void {
    const maker = this.wires.get(leaf.wire);
    this.wires.delete(leaf.wire);
    if (maker?.node.shape === "op") this.leafUnder(by, leaf, maker);
  }

  /**
   * A leaf has the values of the tensor on `wire`, to which no gradient goes back: it
   * leaves the lane to what goes on with the tensor itself.
   */
  detached(by: Made, leaf: Input, wire: string): void {
    const source = this.current(wire);
    if (source === undefined || source.node.shape === "pin") return;
    this.leafUnder(by, leaf, source, 1, DETACHED);
  }

  /** A leaf that was an op's result, or shares it, stands under that. */
  private leafUnder(by: Made, leaf: Input, source: Wire, outwards = 0, label = ""): void {
    const { wire, cell, line, name: title, tone } = leaf;
    const from = source.node;
    const { row, slot } = from.spot;
    const spot = this.layout.op([{ row, slot: slot + 2 * outwards }]);
    const what = { seq: by.seq, cell, line, key: wire, title, tone };
    const place = { spot, op: from.op, ...at(-1, spot) };
    const node = this.add(what, { side: -1, shape: "leaf", ...place });
    const ends = { x1: from.x + source.offset, y1: bottom(from), x2: node.x, y2: top(node) };
    this.connect(by, { key: wire, kind: "flow", arrow: true, label }, ends, from, node);
    this.wires.set(wire, unread(node, this.generation, 0));
  }

  /** What a block's op is given goes to the leaf `within` that the block reads first. */
  argument(by: Made, op: string, wire: string, within: string): (() => void) | undefined {
    const source = this.wires.get(wire);
    const leaf = this.nodesOf(within).findLast(({ shape }) => shape === "leaf");
    if (source === undefined || leaf === undefined || source.node.shape === "pin") return undefined;
    const x1 = source.node.x + source.offset;
    const ends = { x1, y1: bottom(source.node), x2: leaf.x, y2: top(leaf) };
    this.connect(by, { key: wire, kind: "flow", arrow: true }, ends, source.node, leaf);
    const entry = { wire, of: source, x: leaf.x, y: top(leaf), node: leaf, used: undefined };
    return () => this.drawn.get(op)?.entries.push(entry);
  }

  /** A block's gradient op hands the gradient `key` on to one inside it. */
  handOn(by: Made, key: string, from: string, to: string): void {
    const [outer, inner] = [this.twins.get(from)?.node, this.twins.get(to)?.node];
    if (outer === undefined || inner === undefined) return;
    const ends = { x1: outer.x, y1: top(outer), x2: inner.x, y2: bottom(inner) };
    this.connect(by, { key, kind: "gradient", arrow: true }, ends, outer, inner);
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

  /** Other values were written to the tensor on `wire`, in place. */
  overwrite(by: Made, wire: string): void {
    const target = this.wires.get(wire);
    if (target === undefined) this.overwritten.add(wire);
    else target.set ??= this.sign(by, target, "set", wire, -1);
  }

  /** A reverse pass from the tensor on `wire` had nothing to do. */
  barren(by: Made, wire: string): void {
    const target = this.wires.get(wire);
    if (target !== undefined) target.none ??= this.sign(by, target, "none", wire, -1);
  }

  /** A tensor is drawn for the first time: so are the signs that it has by now. */
  private signFirst(by: Made, target: Wire, wire: string): void {
    if (this.isHooked(wire)) this.signHook(by, target, wire);
    if (this.overwritten.delete(wire)) target.set = this.sign(by, target, "set", wire, -1);
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
    if (of.gradient !== undefined && of.gradient.title !== made.title) {
      // Ops of several types that make one gradient share a box, under the first's title.
      this.twins.set(made.key, { node: of.gradient, of });
      this.index(made.key, of.gradient);
      return true;
    }
    const place = { side: 1 as Side, spot, op: index, ...at(1, spot) };
    const node = this.add(made, { ...place, shape: "op" });
    of.gradient ??= node;
    this.twins.set(made.key, { node, of });
    this.extendFrames(node);
    if (of.saved !== undefined) {
      of.saved.reached = Math.min(of.saved.reached, made.seq);
    }
    return true;
  }

  /**
   * `part` of the gradient `whole` flows from a gradient op to `wire`'s tensor; if it is
   * returned, not to what stands across from it for good.
   */
  flow(
    made: Made,
    wire: string,
    part: string,
    whole: string,
    from: string,
    isReturned = false,
  ): void {
    const twin = this.twins.get(from);
    const returned = isReturned ? whole : "";
    const entry = twin?.of.entries.find(
      (known) => known.wire === wire && known.used !== returned,
    );
    const read = entry?.of ?? this.wires.get(wire);
    if (read === undefined || twin === undefined) return;
    const target = this.receiver(made, read, whole, returned);
    const source = twin.node;
    this.whole(made, target, whole);
    if (this.giverOf.get(part) === from) return;
    this.giverOf.set(part, from);
    if (entry !== undefined) entry.used = returned;
    if (entry?.node.shape === "pin" && target === read) {
      // The whole gradient stands at the first of a parameter's pins, parts at others.
      if (entry.node !== target.node) this.pinGradient(made, entry.node, part);
    } else {
      const { x: x2, y: y2 } = this.port(target, 1);
      const x1 = entry === undefined ? source.x : -entry.x;
      const ends = { x1, y1: entry?.y ?? top(source), x2, y2 };
      const start = entry === undefined || entry.node.shape === "op" ? source : entry.node;
      this.connect(made, { key: part, kind: "gradient" }, ends, start, target.node);
    }
    // A leaf adds up what several passes bring, all else is made anew by each.
    if (target.pass !== this.pass && target.node.shape !== "leaf") target.parts = 0;
    target.pass = this.pass;
    target.parts += 1;
    if (target.parts === 2) this.join(made, target, whole);
  }

  /** Where a gradient ends: what comes second stands beside what is there already. */
  private receiver(by: Made, wire: Wire, whole: string, returned: string): Wire {
    const { node } = wire;
    const isOp = node.shape === "op";
    if (isOp ? returned === "" : (wire.across ??= returned) === returned) return wire;
    const known = wire.beside?.get(returned);
    if (known !== undefined) return isOp ? wire : known;
    const spot = this.layout.leaf({ row: node.spot.row + 1, slot: node.spot.slot }, 1);
    const own = unread({ ...node, shape: "leaf", spot, ...at(-1, spot) }, this.generation, 0);
    (wire.beside ??= new Map()).set(returned, own);
    if (!isOp) return own;
    // What an op made has its gradient op across: what is returned branches off under it.
    this.whole(by, own, whole);
    const { x: x1, y: y1 } = this.port(wire, 1);
    const { x: x2, y: y2 } = this.port(own, 1);
    this.connect(by, { key: whole, kind: "gradient" }, { x1, y1, x2, y2 }, node, own.node);
    return wire;
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
    if (target === undefined || !isOwn(target.node) || !target.total) return;
    if (!this.once(`update ${wire} ${target.generation}`)) return;
    const { spot, op, x, y, shape } = target.node;
    const out = shape === "pin" ? PIN.width / 2 + 13 : BOX.width / 2 + 7;
    this.add(made, { side: 1, shape: "update", spot, op, x: out - x, y });
    const { wire: key = "", name = "" } = rate ?? {};
    if (name === "" || this.rates.findLast(({ of }) => of === wire)?.name === name) return;
    const { seq, cell, line } = made;
    this.rates.push({ seq, cell, line, key, name, of: wire });
  }

  /** The learning rates at a position: the latest of each parameter, as a schedule has many. */
  ratesAt(position: number): Rate[] {
    const past = this.rates.filter(({ seq }) => seq < position);
    const latest = new Map(past.map((rate) => [rate.of, rate])).values();
    return [...new Map([...latest].map((rate) => [rate.name, rate])).values()];
  }

  /** A leaf read again under a finished pass is placed anew, near its new reader. */
  private current(name: string): Wire | undefined {
    const wire = this.wires.get(name);
    if (wire === undefined || !isOwn(wire.node)) return wire;
    return wire.generation === this.generation ? wire : undefined;
  }

  /** Which inputs are pins: what belongs to the reader, and what is far away. */
  private pinned(inputs: readonly Input[]): boolean[] {
    let leaves = 0;
    const row = this.layout.above + 1;
    return inputs.map(({ wire, tone }) => {
      const known = this.current(wire);
      if (known === undefined) return PINNED.includes(tone) || ++leaves > MOST_LEAVES;
      return known.node.shape === "pin" || isFar(known, row);
    });
  }

  private readInputs(op: Forward, reader: MirrorNode, pinned: readonly boolean[]): void {
    // What comes down to the reader is not to end behind a leaf.
    const { slot } = reader.spot;
    const isTaken = this.above[reader.op].inputs.some((at) => at.slot === slot);
    const fresh = op.inputs.filter(({ wire }, i) => !pinned[i] && this.current(wire) === undefined);
    // The first stands furthest to the left: in the picture as in the code.
    let outwards = new Set(fresh.map(({ wire }) => wire)).size - (isTaken ? 0 : 1);
    let pins = 0;
    const count = this.above[reader.op].pins;
    const entries: Entry[] = [];
    const sources: { wire: string; of: Wire; x1: number }[] = [];
    op.inputs.forEach((input, index) => {
      const { wire } = input;
      const known = this.current(wire);
      if (pinned[index]) {
        const node = this.pin(op, input, reader, pinY(pins++, count));
        const of = known ?? unread(node, this.generation, 0);
        if (known === undefined) {
          this.wires.set(wire, of);
          this.signFirst(op, of, wire);
        }
        this.read(op, of, wire);
        entries.push({ wire, of, x: node.x, y: node.y, node, used: undefined });
        return;
      }
      const of = known ?? this.leaf(op, input, reader, outwards--);
      this.read(op, of, wire);
      sources.push({ wire, of, x1: of.node.x + of.offset });
    });
    // Ends in the order of their beginnings: the edges of one op need not cross.
    sources.sort((a, b) => a.x1 - b.x1);
    sources.forEach(({ wire, of, x1 }, index) => {
      const x2 = reader.x + spread(index, sources.length, BOX.width);
      const ends = { x1, y1: bottom(of.node), x2, y2: top(reader) };
      const label = isData(of.node) ? of.node.title : "";
      const what = { key: wire, kind: "flow" as const, arrow: true, label };
      this.connect(op, what, ends, of.node, reader);
      entries.push({ wire, of, x: x2, y: top(reader), node: reader, used: undefined });
    });
    this.drawn.set(op.key, { node: reader, entries });
  }

  private read(by: Made, of: Wire, key: string): void {
    of.reads += 1;
    if (of.stops) this.sign(by, of, "stop", key, -1);
    of.stops = false;
  }

  /** A small sign of what an op reads, beside it. */
  private pin(by: Made, input: Input, reader: MirrorNode, down: number): MirrorNode {
    const { cell, line, wire: key, name: title, tone } = input;
    const what = { seq: by.seq, cell, line, key, title, tone };
    const x = reader.x - BOX.width / 2 - PIN.gap - PIN.width / 2;
    const { spot, op, y } = reader;
    const place = { side: -1 as Side, shape: "pin" as const, spot, op, x, y: y + down };
    const node = this.add(what, place);
    this.wirePin(by, node, key);
    return node;
  }

  /** The gradient of a pin, or a part of it, at its mirror image. */
  private pinGradient(by: Made, pin: MirrorNode, key: string): void {
    const { spot, op, title, x, y } = pin;
    const place = { side: 1 as Side, shape: "pin" as const, spot, op, x: -x, y };
    const node = this.add({ ...made(by), key, title, tone: "g" }, place);
    this.wirePin(by, node, key);
  }

  /** The short line from an op to its pin, or from its gradient op to a gradient. */
  private wirePin(by: Made, node: MirrorNode, key: string): void {
    const { x, y, side, op } = node;
    const inner = x - (side * PIN.width) / 2;
    const reader = this.ops[op] ?? node;
    // What hangs lower than its op is led up to it.
    const y1 = Math.min(y, reader.y + BOX.height / 2 - 4);
    const ends = { x1: inner - side * PIN.gap, y1, x2: inner, y2: y };
    const kind = side > 0 ? "gradient" : "flow";
    this.connect(by, { key, kind }, ends, reader, node);
  }


  private leaf(by: Made, input: Input, reader: MirrorNode, outwards: number): Wire {
    const spot = this.layout.leaf(reader.spot, outwards);
    const { op } = reader;
    const { cell, line, wire: key, name: title, tone } = input;
    const what = { seq: by.seq, cell, line, key, title, tone };
    const node = this.add(what, { side: -1, shape: "leaf", spot, op, ...at(-1, spot) });
    if (tone === "T") this.extendFrames(node);
    const wire = unread(node, this.generation, 0);
    this.wires.set(input.wire, wire);
    this.signFirst(by, wire, key);
    return wire;
  }

  /** The whole gradient of a tensor, from where its parts meet to who receives it. */
  private whole(by: Made, wire: Wire, key: string): void {
    this.hasGradients = true;
    if (wire.total) return;
    wire.total = true;
    const { node } = wire;
    if (node.shape === "pin") return this.pinGradient(by, node, key);
    const { x, y } = this.port(wire, 1);
    // Across from what ran off the tape, or read nothing, no gradient op receives it.
    const isAlone = node.untaped || this.readsNothing(node);
    if (node.shape === "leaf" || (isAlone && wire.offset === 0)) {
      const place = { spot: node.spot, op: node.op, ...at(1, node.spot) };
      const what = { ...made(by), key, title: node.title, tone: "g" as Tone };
      const leaf = this.add(what, { side: 1, shape: "leaf", ...place });
      if (node.tone === "T") this.extendFrames(leaf);
    }
    const ends = { x1: x, y1: y, x2: x, y2: bottom(node) };
    this.connect(by, { key, kind: "gradient", arrow: true }, ends, node, node);
  }

  private readsNothing({ op, shape }: MirrorNode): boolean {
    const { inputs, pins, leaves } = this.above[op];
    return shape === "op" && inputs.length + pins + leaves === 0;
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
    const { op, spot, shape } = wire.node;
    const beside = sign === "hook" && shape !== "pin" ? 18 : 0;
    const made: Join = { key, sign, seq: by.seq, removed: Infinity, op, spot, x: x + beside, y };
    this.joins.add(spot.row, spot.row + 1, made);
    return made;
  }

  private addOp(op: Forward, shape: "op" | "failed"): MirrorNode {
    const index = this.ops.length;
    const isFirst = op.frames?.some((frame) => !this.framed[0].has(frame)) === true;
    if (isFirst) this.layout.skip();
    const pinned = this.pinned(op.inputs);
    const above = this.placesOf(op.inputs, pinned);
    const spot = this.layout.op(above.inputs, above.pins, above.leaves);
    const node = this.add(op, { side: -1, shape, spot, op: index, ...at(-1, spot) });
    this.ops.push(node);
    this.above.push(above);
    if (op.frames !== undefined) this.framesOf.set(index, op.frames);
    if (isFirst) this.entered.add(index);
    this.parts.push(this.part);
    this.grouped.append({ title: op.title, scope: op.scope ?? NONE });
    this.readInputs(op, node, pinned);
    this.extendFrames(node);
    return node;
  }

  /** Where inputs stand: what was computed tells the lane, or else leaves that are there. */
  private placesOf(all: readonly Input[], pinned: readonly boolean[]): Above {
    const [ops, own]: [Spot[], Spot[]] = [[], []];
    let [pins, leaves] = [0, 0];
    all.forEach(({ wire }, index) => {
      const node = this.current(wire)?.node;
      if (pinned[index]) pins += 1;
      else if (node === undefined) leaves += 1;
      else (isOwn(node) ? own : ops).push(node.spot);
    });
    return { inputs: ops.length > 0 ? ops : own, pins, leaves };
  }

  /** The frames of the blocks that an op is in, or their mirror images. */
  private extendFrames(node: MirrorNode): void {
    const { op, side, seq } = node;
    const spot = { row: node.spot.row - Number(this.entered.has(op) && node.shape === "op") };
    const { pins = 0 } = this.above[op] ?? {};
    const inner = Math.abs(node.x) - LANE / 2;
    const boxReach = inner + LANE;
    const outer = boxReach + (pins > 0 ? PIN.width + PIN.gap : 0);
    const [left, right] = side < 0 ? [-outer, -inner] : [inner, outer];
    const framed = this.framed[side < 0 ? 0 : 1];
    this.framesOf.get(op)?.forEach((frame, depth) => {
      let known = framed.get(frame);
      if (known === undefined) {
        const { row } = spot;
        known = { what: "block", frame, depth, seq, first: row, last: row, left, right, boxReach };
        framed.set(frame, known);
        this.regions.push(known);
      }
      known.first = Math.min(known.first, spot.row);
      known.last = Math.max(known.last, node.spot.row);
      known.left = Math.min(known.left, left);
      known.right = Math.max(known.right, right);
      known.boxReach = Math.max(known.boxReach ?? 0, boxReach);
    });
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
      const { seq } = node;
      this.regions.push({ what, depth: 0, seq, first: row, last: row, left, right });
    }
    this.regionOf[node.op] = this.regions.at(-1);
  }

  /** Where the readers of a tensor branch off, just under it. */
  private port(wire: Wire, side: Side): { x: number; y: number } {
    const { x, y, shape } = wire.node;
    if (shape === "pin") return { x: -side * (x + (PIN.width + PIN.gap) / 2), y };
    return { x: -side * (x + wire.offset), y: bottom(wire.node) + PORT };
  }

  /** Whether an edge can go straight: its ends are in one lane with nothing between. */
  private isClear(ends: Pick<MirrorEdge, "y1" | "y2">, from: Spot, to: Spot): boolean {
    if (Math.abs(ends.y2 - ends.y1) <= ROW || from.slot !== to.slot) return false;
    return this.layout.isClear(from.slot, from.row, to.row);
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
    this.reach.add(reachOf(node), node.x);
    if (isSeenFromAfar(node)) this.boxReach.add(reachOf(node), node.x);
    const { row } = where.spot;
    // A row holds few nodes: a copy as long as they need takes less than one that grows.
    this.byRow[row] = [...(this.byRow[row] ?? []), node];
    this.index(what.key, node);
    return node;
  }

  private index(key: string, node: MirrorNode): void {
    const known = this.byKey.get(key);
    if (known === undefined) this.byKey.set(key, node);
    else if (Array.isArray(known)) known.push(node);
    else this.byKey.set(key, [known, node]);
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
      clear: this.isClear(ends, from.spot, to.spot),
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
    // A long edge goes through the channel beyond its nodes.
    if (Math.abs(edge.y2 - edge.y1) > ROW && !edge.clear && edge.kind !== "saved") {
      const out = Math.max(Math.abs(edge.x1), Math.abs(edge.x2)) + (LANE + PIN.gap) / 2;
      this.reach.add(out, edge.x1);
      this.boxReach.add(out, edge.x1);
    }
    this.edgeCount += 1;
    return edge;
  }
}

/** Whether it is seen where only titles can be read: pins and updates are not. */
export function isSeenFromAfar({ shape }: MirrorNode): boolean {
  return shape !== "pin" && shape !== "update";
}

/** How far out a node goes. */
export function reachOf({ x, shape }: MirrorNode): number {
  if (shape === "update") return Math.abs(x) + 14;
  return Math.abs(x) + (shape === "pin" ? PIN.width : BOX.width) / 2;
}

/** Edges of outer lanes pass behind the inner nodes, each at a height of its own. */
export function keptY({ row, slot }: Spot): number {
  return rowY(row) + (KEPT_HEIGHTS[slot >> 1] ?? 0);
}

/** Of what is kept for its shape alone no value is held; generated names say nothing. */
function keptText(slots: readonly string[]): string {
  const values = slots.filter((slot) => !slot.endsWith(".shape"));
  if (values.length === 0) return ONLY_SHAPES;
  if (values.some((slot) => /_\d+$/.test(slot))) return countText(values.length, "value");
  if (values.length < slots.length) values.push("shapes");
  return values.join(", ");
}

function unread(node: MirrorNode, generation: number, offset: number): Wire {
  return { node, generation, offset, reads: 0, parts: 0, pass: 0, total: false, stops: false };
}

/** Data comes from outside; a parameter belongs to the layer that reads it. */
export function isData(node: MirrorNode): boolean {
  return node.shape === "leaf" && node.tone === "D";
}

/** Whether it stands beside what reads it, and may stand there again. */
function isOwn({ shape }: MirrorNode): boolean {
  return shape === "leaf" || shape === "pin";
}

/** Whether an edge to this row would run past so much that the name alone says more. */
function isFar({ node, reads }: Wire, row: number): boolean {
  if (row - node.spot.row <= FAR) return false;
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

function top(node: MirrorNode): number {
  return node.y - BOX.height / 2;
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
