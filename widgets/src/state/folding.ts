/** Which groups of a mirrored graph are closed, and the graph as it then looks. */

import { BOX, laneX, PORT, ROW, rowY } from "../layout/geometry";
import { everyGroup, groupsAround, type Group } from "../layout/groups";
import { Spans } from "../layout/spans";
import { countText } from "../text";
import { isData, type Mirror } from "./mirror";
import { Paced } from "./paced";
import type { Join, MirrorEdge, MirrorNode, Picture, Region } from "./picture";

const PREFIX = "fold:";

export class Folding {
  private readonly closed = new Set<string>();
  private readonly drawn = new Paced<Picture>();

  constructor(
    readonly id: string,
    readonly mirror: Mirror,
  ) {}

  /** The graph as it looks now: the mirror itself while nothing is closed. */
  get picture(): Picture {
    if (this.closed.size === 0) return this.mirror;
    const groups = this.outermost();
    const { nodes, edgeCount, changes, groupings } = this.mirror;
    const version = nodes.length + edgeCount + changes + groupings;
    return this.drawn.at(version, () => folded(this.mirror, this.id, groups));
  }

  /** Whether what is shown lacks the newest: it is to be asked for again. */
  get isBehind(): boolean {
    return this.mirror.isBehind || (this.isFolded && this.drawn.isBehind);
  }

  get isFolded(): boolean {
    return this.closed.size > 0;
  }

  /** Close the innermost open group around `key`; return what now stands for it. */
  close(key: string | undefined): string | undefined {
    const around = this.around(key);
    const open = around.filter((group) => !this.isHidden(group));
    const group = open.at(-1);
    if (group === undefined) return undefined;
    this.set([group], true);
    return groupKey(this.id, group);
  }

  /** Open the group that `key` is; return what first comes out of it. */
  open(key: string): string | undefined {
    const group = groupOf(this.mirror, key);
    if (group === undefined || !this.closed.has(group.id)) return undefined;
    this.set([group], false);
    const [child] = group.children;
    if (child !== undefined && child.first === group.first && this.closed.has(child.id)) {
      return groupKey(this.id, child);
    }
    return this.mirror.ops[group.first]?.key;
  }

  closeAll(): void {
    this.set([...everyGroup(this.mirror.groups)], true);
  }

  openAll(): void {
    this.set([...everyGroup(this.mirror.groups)], false);
    this.closed.clear();
  }

  /** Open whatever hides `key`. */
  reveal(key: string): void {
    if (this.closed.size === 0) return;
    const node = this.mirror.nodesOf(key).at(-1);
    const hiding = groupsAround(this.mirror.groups, node?.op ?? -1);
    if (!key.includes(PREFIX)) this.set(hiding, false);
  }

  /** What shows `key` as the graph looks now: a closed group, or the thing itself. */
  shownAs(key: string): string {
    const node = this.mirror.nodesOf(key).at(-1);
    if (this.closed.size === 0 || node === undefined || isData(node)) return key;
    const around = groupsAround(this.mirror.groups, node.op);
    const hiding = around.find(({ id }) => this.closed.has(id));
    return hiding === undefined ? key : groupKey(this.id, hiding, node.side > 0);
  }

  private set(groups: readonly Group[], closed: boolean): void {
    for (const { id } of groups) {
      if (closed) this.closed.add(id);
      else this.closed.delete(id);
    }
    this.drawn.forget();
  }

  private around(key: string | undefined): Group[] {
    if (key === undefined) return [];
    const group = groupOf(this.mirror, key);
    const op = group?.first ?? this.mirror.nodesOf(key).at(-1)?.op ?? -1;
    const around = groupsAround(this.mirror.groups, op);
    const at = around.findIndex(({ id }) => id === group?.id);
    return at < 0 ? around : around.slice(0, at);
  }

  /** Whether a group is closed, or inside one that is. */
  private isHidden(group: Group): boolean {
    const around = groupsAround(this.mirror.groups, group.first);
    const outer = around.slice(0, around.findIndex(({ id }) => id === group.id) + 1);
    return outer.some(({ id }) => this.closed.has(id));
  }

  /** The closed groups that no other closed group hides, in order. */
  private outermost(): Group[] {
    const found: Group[] = [];
    const visit = (groups: readonly Group[]): void => {
      for (const group of groups) {
        if (this.closed.has(group.id)) found.push(group);
        else visit(group.children);
      }
    };
    visit(this.mirror.groups);
    return found;
  }
}

export function groupKey(graph: string, { id }: Group, gradient = false): string {
  return `${gradient ? "g" : ""}${PREFIX}${graph}:${id}`;
}

/** The graph that a group's key belongs to; undefined for any other key. */
export function graphOfGroup(key: string): string | undefined {
  const start = key.indexOf(PREFIX);
  return start === 0 || start === 1 ? key.split(":")[1] : undefined;
}

export function groupOf(mirror: Mirror, key: string): Group | undefined {
  if (graphOfGroup(key) === undefined) return undefined;
  const id = key.slice(key.lastIndexOf(":") + 1);
  for (const group of everyGroup(mirror.groups)) if (group.id === id) return group;
  return undefined;
}

export function groupTitle({ title, times }: Group): string {
  return times > 1 ? `${title} ×${times.toLocaleString("en")}` : title;
}

export function groupDetail({ first, end }: Group): string {
  return countText(end - first, "operator");
}

/** Where a closed group stands. */
interface Fold {
  readonly group: Group;
  readonly row: number;
  readonly slot: number;
}

/**
 * The graph with every one of `groups` as one box. A row stays if anything is to be seen
 * in it, so that what is beside a group never moves through another.
 */
export function folded(
  mirror: Mirror,
  graph: string,
  groups: readonly Group[],
): Picture {
  const folds = foldsOf(mirror, groups);
  const rows = new Rows(keptRows(mirror, folds));
  const picture = new FoldedPicture();
  for (const node of mirror.nodes) {
    if (hiding(node, folds) === undefined) picture.add(shifted(node, rows));
  }
  const placed = new Set<Fold>();
  for (const node of mirror.nodes) {
    const fold = folds[node.op];
    if (fold === undefined || placed.has(fold)) continue;
    placed.add(fold);
    picture.add(box(mirror.ops[fold.group.first], fold, rows, graph, false));
  }
  const mirrored = new Set<Fold>();
  for (const node of mirror.nodes) {
    const fold = folds[node.op];
    if (fold === undefined || node.side < 0 || mirrored.has(fold)) continue;
    mirrored.add(fold);
    picture.add(box(node, fold, rows, graph, true));
  }
  for (const edge of mirror.edges.touching(-1, mirror.lowest + 2)) {
    picture.connect(redrawn(edge, folds, rows));
  }
  for (const join of mirror.joins.touching(-1, mirror.lowest + 2)) {
    if (folds[join.op] === undefined) picture.sign(join, rows);
  }
  picture.regions = mirror.regions.map((region) => ({
    ...region,
    first: rows.at(region.first),
    last: rows.at(region.last),
  }));
  picture.nodes.sort((a, b) => a.seq - b.seq);
  return picture;
}

class FoldedPicture implements Picture {
  readonly nodes: MirrorNode[] = [];
  readonly byRow: MirrorNode[][] = [];
  readonly edges = new Spans<MirrorEdge>();
  readonly joins = new Spans<Join>();
  regions: Region[] = [];
  edgeCount = 0;
  lowest = -1;
  widest = 0;
  private readonly byKey = new Map<string, MirrorNode[]>();
  private readonly drawn = new Set<string>();

  nodesOf(key: string): readonly MirrorNode[] {
    return this.byKey.get(key) ?? [];
  }

  add(node: MirrorNode): void {
    const { row, slot } = node.spot;
    this.nodes.push(node);
    (this.byRow[row] ??= []).push(node);
    const known = this.byKey.get(node.key);
    if (known === undefined) this.byKey.set(node.key, [node]);
    else known.push(node);
    this.lowest = Math.max(this.lowest, row);
    this.widest = Math.max(this.widest, slot);
  }

  /** Take an edge, unless one that looks the same is there. */
  connect(edge: MirrorEdge | undefined): void {
    if (edge === undefined) return;
    const { kind, x1, y1, x2, y2 } = edge;
    const place = `${kind} ${x1} ${y1} ${x2} ${y2}`;
    if (this.drawn.has(place)) return;
    this.drawn.add(place);
    const first = Math.floor(Math.min(y1, y2) / ROW);
    this.edges.add(first, Math.ceil(Math.max(y1, y2) / ROW), edge);
    this.edgeCount += 1;
  }

  sign(join: Join, rows: Rows): void {
    const y = rows.shift(join.y);
    this.joins.add(Math.floor(y / ROW), Math.ceil(y / ROW), { ...join, y });
  }
}

/** Where each row has gone. */
class Rows {
  private readonly places: number[] = [];

  constructor(kept: readonly boolean[]) {
    let place = 0;
    for (const isKept of kept) {
      this.places.push(place);
      if (isKept) place += 1;
    }
  }

  at(row: number): number {
    return this.places[Math.max(0, Math.min(row, this.places.length - 1))] ?? 0;
  }

  /** A height within a row keeps its distance to the row's middle. */
  shift(y: number): number {
    const row = Math.round(y / ROW);
    return y - rowY(row) + rowY(this.at(row));
  }
}

/** The fold that each op is hidden in, if any. */
function foldsOf(mirror: Mirror, groups: readonly Group[]): (Fold | undefined)[] {
  const folds: (Fold | undefined)[] = [];
  for (const group of groups) {
    const { row, slot } = mirror.ops[group.first].spot;
    const fold = { group, row, slot };
    for (let op = group.first; op < group.end; op++) folds[op] = fold;
  }
  return folds;
}

/** The fold that hides a node: data shows as long as it is above. */
function hiding(
  node: MirrorNode,
  folds: readonly (Fold | undefined)[],
): Fold | undefined {
  const fold = folds[node.op];
  return fold !== undefined && isData(node) && node.spot.row < fold.row ? undefined : fold;
}

function keptRows(mirror: Mirror, folds: readonly (Fold | undefined)[]): boolean[] {
  return Array.from({ length: mirror.lowest + 1 }, (_, row) => {
    const nodes = mirror.byRow[row];
    return nodes === undefined || nodes.some((node) => {
      const fold = hiding(node, folds);
      return fold === undefined || fold.row === row;
    });
  });
}

function shifted(node: MirrorNode, rows: Rows): MirrorNode {
  const row = rows.at(node.spot.row);
  return { ...node, spot: { row, slot: node.spot.slot }, y: rows.shift(node.y) };
}

function box(
  made: MirrorNode,
  { group, row, slot }: Fold,
  rows: Rows,
  graph: string,
  gradient: boolean,
): MirrorNode {
  const side = gradient ? 1 : -1;
  const place = rows.at(row);
  return {
    seq: made.seq,
    cell: made.cell,
    line: made.line,
    key: groupKey(graph, group, gradient),
    side,
    shape: "group",
    tone: gradient ? "grad" : "op",
    title: groupTitle(group),
    op: group.first,
    spot: { row: place, slot },
    x: laneX(side, slot),
    y: rowY(place),
    untaped: false,
    freed: Infinity,
    failed: Infinity,
  };
}

/** An edge with its ends where its nodes have gone; none if it is inside one group. */
function redrawn(
  edge: MirrorEdge,
  folds: readonly (Fold | undefined)[],
  rows: Rows,
): MirrorEdge | undefined {
  const [from, to] = [folds[edge.from], folds[edge.to]];
  if (from !== undefined && from === to) return savedOf(edge, from, rows);
  const way = edge.kind === "gradient" ? -1 : 1;
  const start = { x: edge.x1, y: rows.shift(edge.y1) };
  const end = { x: edge.x2, y: rows.shift(edge.y2) };
  if (edge.chip !== "") {
    // A chip is all at the reader: the one end of it that is drawn.
    const reader = edge.kind === "gradient" ? from : to;
    if (reader !== undefined) return undefined;
    return { ...edge, y1: start.y, y2: end.y };
  }
  const below = to !== undefined && edge.from < 0 && edge.y1 > rowY(to.row);
  if (below) return dataChip(edge, to, rows);
  const half = (way * BOX.height) / 2;
  const x = (fold: Fold): number => laneX(way > 0 ? -1 : 1, fold.slot);
  if (from !== undefined) {
    start.x = x(from);
    start.y = rowY(rows.at(from.row)) + half;
  }
  if (to !== undefined) {
    end.x = x(to);
    end.y = rowY(rows.at(to.row)) - half;
  }
  const arrow = edge.arrow || to !== undefined;
  return { ...edge, x1: start.x, y1: start.y, x2: end.x, y2: end.y, arrow };
}

/** Data that enters a group further down enters its box, under its name. */
function dataChip(edge: MirrorEdge, fold: Fold, rows: Rows): MirrorEdge {
  const x = laneX(-1, fold.slot) - BOX.width / 4;
  const y2 = rowY(rows.at(fold.row)) - BOX.height / 2;
  return { ...edge, x1: x, y1: y2 - PORT, x2: x, y2, chip: edge.label, label: "" };
}

/** What a group's ops keep is drawn once, across the mirror. */
function savedOf(edge: MirrorEdge, fold: Fold, rows: Rows): MirrorEdge | undefined {
  if (edge.kind !== "saved") return undefined;
  const x = laneX(-1, fold.slot) + BOX.width / 2;
  const y = rowY(rows.at(fold.row));
  return { ...edge, x1: x, y1: y, x2: -x, y2: y, label: "what it keeps" };
}
