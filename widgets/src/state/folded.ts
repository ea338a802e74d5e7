/**
 * A mirrored graph with some of its groups as one box each. It follows the graph as that
 * grows: what is new is placed under what it reads, midway of that, and nothing once
 * placed moves.
 */

import { AXIS, BOX, laneX, PIN, PORT, ROW, rowY } from "../layout/geometry";
import { withoutNumbers, type Group, type Item } from "../layout/groups";
import { MirrorLayout, type Spot } from "../layout/mirror";
import { Spans } from "../layout/spans";
import { DETACHED, isData, isSeenFromAfar, keptY, reachOf, type Mirror, type Above } from "./mirror";
import {
  FoldBox,
  Moved,
  MovedJoin,
  movedTo,
  Redrawn,
  type Ends,
  type Fold,
  type Names,
} from "./moved";
import { Reach, type Join, type MirrorEdge, type MirrorNode, type Picture, type Region } from "./picture";
import { TONES } from "./tones";
import { WHOLE, type Phase, type Section } from "./section";

/** How far beyond a lane's border its edges keep apart. */
const CHANNEL = 12;

export class FoldedPicture implements Picture {
  /** How many nodes, edges and signs were looked at, the measure of its cost. */
  looks = 0;
  readonly nodes: MirrorNode[] = [];
  readonly byRow: MirrorNode[][] = [];
  readonly edges = new Spans<MirrorEdge>();
  readonly joins = new Spans<Join>();
  readonly regions: Region[] = [];
  readonly reach = new Reach();
  readonly boxReach = new Reach();
  private readonly layout = new MirrorLayout();
  private readonly byKey = new Map<string, MirrorNode[]>();
  private readonly drawn = new Set<string>();
  /** The places of what was detached inside of a box. */
  private readonly inBox = new Set<Spot>();
  /** The fold that each op is hidden in, if any. */
  private readonly folds: (Fold | undefined)[] = [];
  /** Where that now is which stands in some place of the graph itself. */
  private readonly places = new Map<Spot, Spot>();
  private readonly changed = new Map<Region, Region>();
  private readonly seen: { node: number; edge: number; join: number };
  private seenGroups = 0;
  /** The range of ops that is taken up. */
  private range = 0;
  private readonly frames = new Map<Phase, Region>();
  /** From this op on, groups take up what goes on with them. */
  private readonly known: number;
  private part = 0;

  constructor(
    private readonly mirror: Mirror,
    private readonly groups: readonly Group[],
    private readonly names: Names,
    private readonly section: Section = WHOLE,
  ) {
    this.seen = { ...section.ranges[0].from };
    const last = groups.at(-1);
    const { items } = mirror;
    let known = items.length;
    // The turn under way belongs to a repeat at the end as well.
    while (last !== undefined && known > last.end && goesOn(items, last, known - 1)) {
      known -= 1;
    }
    this.known = known === last?.end ? known : items.length;
  }

  get edgeCount(): number {
    return this.edges.all.length;
  }

  get lowest(): number {
    return this.layout.lowest;
  }

  get widest(): number {
    return this.layout.widest;
  }

  nodesOf(key: string): readonly MirrorNode[] {
    return this.byKey.get(key) ?? [];
  }

  /** The closed group that hides an op. */
  groupAt(op: number): Group | undefined {
    return this.folds[op]?.group;
  }

  /** Take up what has come to the graph since. */
  follow(): this {
    const { mirror, seen, section } = this;
    for (;;) {
      const { to } = section.ranges[this.range];
      const end = to ?? mirror.mark();
      for (; seen.node < end.node; seen.node++) this.node(mirror.nodes[seen.node]);
      for (; seen.edge < end.edge; seen.edge++) this.edge(mirror.edges.all[seen.edge]);
      for (; seen.join < end.join; seen.join++) this.join(mirror.joins.all[seen.join]);
      const next = section.ranges[this.range + 1];
      if (to === undefined || next === undefined) break;
      this.range += 1;
      Object.assign(seen, next.from);
    }
    return this;
  }

  private node(node: MirrorNode): void {
    this.looks += 1;
    if (!this.holds(node.op)) return;
    if (node.shape === "pin") this.pin(node);
    else if (node.side > 0) this.gradient(node);
    else if (node.shape === "leaf") this.leaf(node);
    else this.op(node);
  }

  /** Whether an op is in what is looked at: a gradient may be of one that is not. */
  private holds(op: number): boolean {
    return this.section.ranges.some(({ from, to }) => op >= from.op && op < (to?.op ?? Infinity));
  }

  private op(node: MirrorNode): void {
    const group = this.groupFor(node.op);
    const last = this.folds[node.op - 1];
    if (group === undefined) {
      this.places.set(node.spot, this.under(node));
      this.add(new Moved(node, this.placeOf(node.spot)));
      this.extendRegion(node);
    } else if (last?.group === group) {
      this.folds[node.op] = last;
      this.places.set(node.spot, last.spot);
      last.end = node.op + 1;
    } else {
      const spot = this.under(node, group.end);
      const { row } = node.spot;
      const fold = { group, row, spot, end: node.op + 1, hasGradient: false };
      this.folds[node.op] = fold;
      this.places.set(node.spot, spot);
      this.add(new FoldBox(node, fold, -1, this.names));
      this.extendFrames(node, group.depth);
    }
  }

  /** The closed group that the next op is in, or goes on with. */
  private groupFor(op: number): Group | undefined {
    const { groups } = this;
    while (this.seenGroups < groups.length && groups[this.seenGroups].end <= op) {
      this.seenGroups += 1;
    }
    const group = groups.at(this.seenGroups);
    if (group !== undefined && group.first <= op) return group;
    const last = op >= this.known ? this.folds[op - 1] : undefined;
    if (last === undefined || !goesOn(this.mirror.items, last.group, op)) return undefined;
    return last.group;
  }

  /** A place under what an op reads, or what the ops up to `end` read of others. */
  private under({ op }: MirrorNode, end = op + 1): Spot {
    const { above, parts } = this.mirror;
    const part = parts[op];
    if (part > this.part) this.layout.startBelow();
    this.part = part;
    const known = ({ inputs }: Above): Spot[] =>
      inputs.flatMap((at) => this.places.get(at) ?? []);
    const { pins, leaves } = above[op];
    const begins = this.section.phases.some(({ apart, first }) => apart && first === op);
    if (this.mirror.entered.has(op) || begins) this.layout.skip();
    if (this.groupFor(op) === undefined) {
      return this.layout.op(known(above[op]), pins, leaves);
    }
    const places: Spot[] = [];
    for (let inside = op; inside < end && inside < above.length; inside++) {
      places.push(...known(above[inside]));
    }
    return this.layout.op(places);
  }

  /** What belongs to an op is hidden with it. */
  private pin(node: MirrorNode): void {
    if (this.folds[node.op] === undefined) this.add(new Moved(node, this.placeOf(node.spot)));
  }

  /** Data shows as long as it is above the box that reads it. */
  private leaf(node: MirrorNode): void {
    const { spot, op } = node;
    const fold = this.folds[op];
    const { row, slot } = this.placeOf(this.mirror.ops[op].spot);
    const isNamed = node.title !== TONES.D.word;
    if (fold !== undefined && !(isData(node) && isNamed && spot.row < fold.row)) {
      this.places.set(spot, fold.spot);
      return;
    }
    // A leaf that an op made stands under that op, any other over what reads it.
    const above = this.mirror.ops[op].spot;
    const made = spot.row > above.row;
    // As far beside its reader as it was.
    const beside = Math.max(0, slot + spot.slot - above.slot);
    const place = made
      ? this.layout.op([{ row, slot: beside }])
      : this.layout.leaf({ row, slot: beside }, 0);
    this.places.set(spot, place);
    this.add(new Moved(node, this.placeOf(spot)));
    if (node.tone === "T") this.extendFrames(node);
  }

  private gradient(node: MirrorNode): void {
    const fold = this.folds[node.op];
    if (fold === undefined) {
      if (!this.places.has(node.spot)) this.places.set(node.spot, this.beside(node));
      this.add(new Moved(node, this.placeOf(node.spot)));
      if (node.shape === "op") this.extendRegion(node);
      else if (node.shape === "leaf" && this.isArgument(node)) this.extendFrames(node);
    } else if (!fold.hasGradient) {
      fold.hasGradient = true;
      this.add(new FoldBox(node, fold, 1, this.names));
      this.extendFrames(node, fold.group.depth);
    }
  }

  /** A place for a gradient that stands beside another one. */
  private beside({ op, spot }: MirrorNode): Spot {
    const above = this.mirror.ops[op].spot;
    const { row, slot } = this.placeOf(above);
    return this.layout.leaf({ row: row + 1 + spot.row - above.row, slot }, 1);
  }

  /** Whether what stands here is of what a block is given. */
  private isArgument({ spot }: MirrorNode): boolean {
    const there = this.mirror.byRow[spot.row];
    return there.some((node) => node.spot === spot && node.shape === "leaf" && node.tone === "T");
  }

  private edge(edge: MirrorEdge): void {
    this.looks += 1;
    const [from, to] = [this.folds[edge.from], this.folds[edge.to]];
    let ends = this.isCut(edge) ? this.stub(edge, from, to) : this.ends(edge, from, to);
    // What was detached inside of a box leaves the box.
    if (edge.label === DETACHED && from !== undefined && from === to) this.inBox.add(edge.head);
    if (ends === undefined) return;
    const isDetached = edge.kind === "flow" && this.inBox.has(edge.tail);
    if (isDetached) ends = { ...ends, label: DETACHED };
    const { x1, y1, x2, y2 } = ends;
    if (from !== undefined || to !== undefined) {
      // Of several that look the same the first is drawn.
      const place = `${edge.kind} ${isDetached} ${x1} ${y1} ${x2} ${y2}`;
      if (this.drawn.has(place)) return;
      this.drawn.add(place);
    }
    const first = Math.floor(Math.min(y1, y2) / ROW);
    const last = Math.ceil(Math.max(y1, y2) / ROW);
    const [tail, head] = [this.placeOf(edge.tail), this.placeOf(edge.head)];
    const isLong = Math.abs(y2 - y1) > ROW && tail.slot === head.slot;
    const clear = isLong && this.layout.isClear(tail.slot, tail.row, head.row);
    if (Math.abs(y2 - y1) > ROW && !clear && edge.kind !== "saved") {
      // It goes through the channel beyond the outer lane.
      const out = Math.abs(laneX(1, Math.max(tail.slot, head.slot) + 1)) + CHANNEL;
      for (const reach of [this.reach, this.boxReach]) reach.add(out, x1);
    }
    this.edges.add(first, last, new Redrawn(edge, { ...ends, clear }));
  }

  /** The ends of an edge where its nodes have gone; none if it is inside one group. */
  private ends(edge: MirrorEdge, from?: Fold, to?: Fold): Ends | undefined {
    const { kind, label, arrow, chip } = edge;
    if (from !== undefined && from === to) return savedOf(edge, from);
    if (chip !== "") {
      // A chip is all at the reader: the one end of it that is drawn.
      const [fold, spot] = kind === "gradient" ? [from, edge.tail] : [to, edge.head];
      if (fold !== undefined) return undefined;
      const start = this.moved(edge.x1, edge.y1, spot);
      const end = this.moved(edge.x2, edge.y2, spot);
      return { x1: start.x, y1: start.y, x2: end.x, y2: end.y, label, arrow };
    }
    if (to !== undefined && edge.from < 0 && this.placeOf(edge.tail) === to.spot) {
      return label === TONES.D.word ? undefined : dataChip(edge, to);
    }
    const way = kind === "gradient" ? -1 : 1;
    const start = from ? edgeOfBox(from, way, 1) : this.moved(edge.x1, edge.y1, edge.tail);
    const end = to ? edgeOfBox(to, way, -1) : this.moved(edge.x2, edge.y2, edge.head);
    if (kind === "saved") start.y = end.y = keptY(this.placeOf(edge.tail));
    const ends = { x1: start.x, y1: start.y, x2: end.x, y2: end.y };
    return { ...ends, label, arrow: arrow || to !== undefined };
  }

  /** Whether an end of an edge is not in what is looked at. */
  private isCut({ tail, head }: MirrorEdge): boolean {
    return !this.places.has(tail) || !this.places.has(head);
  }

  /** A name stands for the end that is elsewhere. */
  private stub(edge: MirrorEdge, from?: Fold, to?: Fold): Ends | undefined {
    const { kind, key, arrow } = edge;
    const chip = edge.chip || this.names.wire(key);
    if (chip === "") return undefined;
    if (kind === "flow" && this.places.has(edge.head)) {
      if (to !== undefined) return dataChip({ ...edge, label: chip }, to);
      const { x: x2, y: y2 } = this.moved(edge.x2, edge.y2, edge.head);
      return { x1: x2, y1: y2 - PORT, x2, y2, chip, label: "", arrow };
    }
    if (kind !== "gradient" || !this.places.has(edge.tail) || from !== undefined) return undefined;
    const { x: x1, y: y1 } = this.moved(edge.x1, edge.y1, edge.tail);
    return { x1, y1, x2: x1, y2: y1 - PORT, chip, label: "", arrow };
  }

  private join(join: Join): void {
    this.looks += 1;
    if (this.folds[join.op] !== undefined || !this.places.has(join.spot)) return;
    const { x, y } = this.moved(join.x, join.y, join.spot);
    const { row } = this.placeOf(join.spot);
    this.joins.add(row, row + 1, new MovedJoin(join, x, y));
  }

  /** Widen the frames of the `depth` outermost blocks around a node, or a group of them. */
  private extendFrames(node: MirrorNode, depth?: number): void {
    const { op, spot, side } = node;
    const { regions, framesOf } = this.mirror;
    for (const frame of framesOf.get(op)?.slice(0, depth) ?? []) {
      const region = regions.find((known) => known.frame === frame && known.left < 0 === side < 0);
      if (region !== undefined) this.widen(region, node, this.placeOf(spot));
    }
  }

  private extendRegion(node: MirrorNode): void {
    const { op, spot, side } = node;
    this.extendFrames(node);
    // What is all an evaluation says so by its frame.
    const isSaid = this.section.phases.some(({ apart, first, end }) => apart && op >= first && op < end);
    const own = side < 0 && !isSaid ? this.mirror.regionOf[op] : undefined;
    if (own !== undefined) this.widen(own, node, this.placeOf(spot));
  }

  private widen(region: Region, { op, side, shape }: MirrorNode, { row, slot }: Spot): void {
    const { pins } = this.mirror.above[op];
    const isTitled = region.frame && this.mirror.entered.has(op) && shape === "op";
    const start = isTitled ? row - 1 : row;
    const inner = Math.abs(laneX(side, slot - 1));
    const out = region.frame && pins > 0 && shape === "op" ? PIN.width + PIN.gap : 0;
    const boxReach = Math.abs(laneX(side, slot + 1));
    const outer = boxReach + out;
    const halves = side < 0 ? [-outer, -inner] : [inner, outer];
    const known = this.changed.get(region);
    if (known === undefined) {
      const [left, right] = halves;
      const made: Region = { ...region, first: start, last: row, left, right, boxReach };
      this.changed.set(region, made);
      this.regions.push(made);
      return;
    }
    known.first = Math.min(known.first, start);
    known.last = Math.max(known.last, row);
    known.left = Math.min(known.left, halves[0]);
    known.right = Math.max(known.right, halves[1]);
    known.boxReach = Math.max(known.boxReach ?? 0, boxReach);
  }

  private placeOf(spot: Spot): Spot {
    return this.places.get(spot) ?? spot;
  }

  private moved(x: number, y: number, spot: Spot): { x: number; y: number } {
    return movedTo(x, y, spot, this.placeOf(spot));
  }

  /** What an optimizer does has a frame, across the mirror. */
  private frame({ op, seq, spot }: MirrorNode): void {
    const phase = this.section.phases.find(({ first, end }) => op >= first && op < end);
    if (phase === undefined) return;
    const { row, slot } = spot;
    const out = laneX(1, slot + 1);
    const right = phase.apart === true ? AXIS : out;
    const known = this.frames.get(phase);
    if (known === undefined) {
      const { title } = phase;
      const ends = { first: row, last: row, left: -out, right };
      const made: Region = { what: "block", frame: { title }, depth: -1, seq, ...ends };
      this.frames.set(phase, made);
      this.regions.push(made);
      return;
    }
    known.first = Math.min(known.first, row);
    known.last = Math.max(known.last, row);
    known.left = Math.min(known.left, -out);
    known.right = Math.max(known.right, right);
  }

  private add(node: MirrorNode): void {
    if (node.side < 0) this.frame(node);
    this.nodes.push(node);
    this.reach.add(reachOf(node), node.x);
    if (isSeenFromAfar(node)) this.boxReach.add(reachOf(node), node.x);
    (this.byRow[node.spot.row] ??= []).push(node);
    const known = this.byKey.get(node.key);
    if (known === undefined) this.byKey.set(node.key, [node]);
    else known.push(node);
  }
}

/** Whether an op goes on with the scope, or with the turns, that come before it. */
function goesOn(items: readonly Item[], group: Group, op: number): boolean {
  const { kind, depth, first, end, times } = group;
  if (kind === "turn" || kind === "line") return false;
  const before = items[kind === "scope" ? first : op - (end - first) / times];
  const item = items[op];
  for (let outer = 0; outer < depth; outer++) {
    if (item.scope[outer] !== before.scope[outer]) return false;
  }
  const [own, other] = [item.scope.at(depth), before.scope.at(depth)];
  if (kind === "scope") return own === other;
  return item.title === before.title && bare(own) === bare(other);
}

function bare(scope: string | undefined): string | undefined {
  return scope === undefined ? undefined : withoutNumbers(scope);
}

/** The middle of a box's lower edge, for what leaves it, or of the upper one. */
function edgeOfBox({ spot }: Fold, way: 1 | -1, edge: 1 | -1): { x: number; y: number } {
  const side = way > 0 ? -1 : 1;
  return { x: laneX(side, spot.slot), y: rowY(spot.row) + (way * edge * BOX.height) / 2 };
}

/** Data that enters a group further down enters its box, under its name. */
function dataChip({ label: chip, arrow }: MirrorEdge, { spot }: Fold): Ends {
  const x = laneX(-1, spot.slot) - BOX.width / 4;
  const y2 = rowY(spot.row) - BOX.height / 2;
  return { x1: x, y1: y2 - PORT, x2: x, y2, chip, label: "", arrow };
}

/** What a group's ops keep is drawn once, across the mirror. */
function savedOf({ kind, arrow }: MirrorEdge, { spot }: Fold): Ends | undefined {
  if (kind !== "saved") return undefined;
  const x = laneX(-1, spot.slot) + BOX.width / 2;
  const y = rowY(spot.row);
  return { x1: x, y1: y, x2: -x, y2: y, label: "values", arrow };
}
