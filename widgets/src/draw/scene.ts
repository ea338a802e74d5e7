/**
 * What a mirrored graph looks like through a window: a list of simple shapes, in
 * drawing order. It depends on nothing but its arguments, so a test, a canvas and an export can
 * all use it.
 */

import type { Stats } from "../events";
import { AXIS, BOX, LANE, PIN, ROW } from "../layout/geometry";
import type { Caption } from "../state/caption";
import { DETACHED, ONLY_SHAPES } from "../state/mirror";
import { endsOf, type Join, type MirrorEdge, type MirrorNode, type Picture, type Region } from "../state/picture";
import type { Tone } from "../state/tones";
import { shorten } from "../text";

/** The world point in the middle of the window, and CSS pixels per world unit. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
  /** How much wider all is than high: where there is room beside, names need not be cut. */
  stretch?: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Look {
  readonly position: number;
  readonly selected: string | undefined;
  readonly linked: ReadonlySet<string>;
  /** The colour rank of a source line. */
  hue(cell: number, line: number): number;
  isCurrent(cell: number, line: number): boolean;
  /** The key of the op that an executor runs now. */
  readonly running?: string | undefined;
  caption(node: MirrorNode): Caption;
  stats(key: string): Stats | undefined;
  /** What stands beside a sign, in numbers of so many digits. */
  signed(join: Join, digits: number): string;
  /** Whether it is known, without looking closer, that something is not finite. */
  isBad(node: MirrorNode): boolean;
  /** Whether what an edge carries is one to be told of: what is infinite on purpose is not. */
  isTrouble?(key: string): boolean;
}

/** How much of a node can be read at the camera's scale. */
export type Detail = "dot" | "title" | "full";

export interface Curve {
  readonly kind: "curve";
  readonly of: MirrorEdge["kind"];
  readonly key: string;
  /** A start, then three points for each cubic piece. */
  readonly points: readonly number[];
  readonly width: number;
  readonly state: State;
  readonly dashed: boolean;
  readonly arrow: boolean;
  readonly bad: boolean;
}

export interface Box {
  readonly kind: "box";
  readonly node: MirrorNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly tone: Tone;
  readonly hue: number;
  readonly state: State;
  readonly current: boolean;
  readonly running: boolean;
  readonly freed: boolean;
  readonly bad: boolean;
  /** The op raised: drawn hatched. */
  readonly failed: boolean;
  readonly detail: Detail;
  readonly caption: Caption;
  /** From afar, where its pins are not seen: what the first of them is. */
  readonly pinned: Tone | undefined;
}

export interface Mark {
  readonly kind: "mark";
  readonly sign: Join["sign"] | "seed" | "update" | "bad";
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly state: State;
  /** How much larger than usual, so that it can be seen from far away. */
  readonly size: number;
}

/** The name of a far end, instead of the long edge to it. */
export interface Chip {
  readonly kind: "chip";
  readonly key: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly gradient: boolean;
  readonly state: State;
}

/** A background behind ops that have something in common. */
export interface Backdrop {
  readonly kind: "backdrop";
  readonly what: Region["what"];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly state: State;
}

export interface Label {
  readonly kind: "label";
  readonly text: string;
  /** Where it begins; its middle, if it is on a kept value's edge. */
  readonly x: number;
  readonly y: number;
  readonly state: State;
}

export type State = "plain" | "future" | "selected" | "linked";
export type Shape = Curve | Box | Mark | Label | Chip | Backdrop;

const NOTHING: Caption = { title: "", detail: "" };
const MAX_EDGES = 4000;
/** A far node's least width, in CSS pixels. */
const LEAST = 7;
/** Half of what is free between two lanes' boxes, but for a line's own width. */
const GAP = 6;
/** How wide a letter is, in pixels, of what is kept between the mirror's halves. */
const KEPT = 7;
/** So many rows are a whole number of a border's dashes. */
const DASHES = 7;
const CHIP = { letter: 6.7, most: 15, far: 10 };
const BACKDROPS: Record<Region["what"], string> = {
  untaped: "no gradients",
  second: "in backward",
  block: "",
};
/** How much further an outer frame goes than one inside it, of so many. */
const FRAME = { pad: 7, most: 3 };

export function scene(mirror: Picture, camera: Camera, size: Size, look: Look): Shape[] {
  const half = size.height / 2 / camera.scale;
  const first = Math.floor((camera.y - half) / ROW - 0.5);
  const last = Math.ceil((camera.y + half) / ROW + 0.5);
  const detail = detailAt(camera.scale);
  const shapes: Shape[] = [];
  for (const region of mirror.regions) {
    if (region.last >= first && region.first <= last) {
      pushBackdrop(shapes, within(region, first, last), detail, look);
    }
  }
  if (ROW * camera.scale > 3) {
    for (const edge of mirror.edges.touching(first, last, MAX_EDGES)) {
      pushEdge(shapes, edge, camera, look);
    }
  }
  const stride = Math.max(1, Math.ceil(1.2 / (ROW * camera.scale)));
  const start = Math.max(0, Math.ceil(first / stride) * stride);
  for (let row = start; row <= last && row < mirror.byRow.length; row += stride) {
    const nodes = mirror.byRow[row] ?? [];
    for (const node of nodes) pushNode(shapes, node, nodes, camera, look);
  }
  if (detail !== "dot") {
    for (const join of mirror.joins.touching(first, last)) pushJoin(shapes, join, detail, look);
  }
  return stretched(shapes, camera.stretch ?? 1).sort((a, b) => depth(a) - depth(b));
}

/** Shapes as much further apart and wider; signs and letters stay as they are. */
function stretched(shapes: Shape[], stretch: number): Shape[] {
  if (stretch === 1) return shapes;
  return shapes.map((shape): Shape => {
    if (shape.kind === "curve") {
      return { ...shape, points: shape.points.map((at, i) => (i % 2 ? at : at * stretch)) };
    }
    const x = shape.x * stretch;
    if (shape.kind === "box" || shape.kind === "backdrop") {
      return { ...shape, x, width: shape.width * stretch };
    }
    return { ...shape, x };
  });
}

/** From this scale on boxes have two lines. */
export const FULL = 0.6;
/** From here on titles alone can be read; what is smaller has no words. */
export const TITLED = 0.335;

function detailAt(scale: number): Detail {
  if (scale >= FULL) return "full";
  return scale >= TITLED ? "title" : "dot";
}

/** The size of the box that shows a node. */
export function sizeOf(node: MirrorNode): { width: number; height: number } {
  if (node.shape === "seed" || node.shape === "update")
    return { width: 20, height: 20 };
  return node.shape === "pin" ? PIN : BOX;
}

/** 1 for a vanishing gradient of 1e-6 or less, 5 for one of 100 or more. */
export function edgeWidth(norm: number): number {
  if (norm <= 0) return 1;
  const share = (Math.log10(norm) + 6) / 8;
  return 1 + 4 * Math.min(1, Math.max(0, share));
}

export function isBad(stats: Stats | undefined): boolean {
  return stats !== undefined && stats.nan + stats.inf > 0;
}

/** The way of an edge; a long one goes through the channel between two lanes. */
export function route(edge: MirrorEdge): number[] {
  const { x1, y1, x2, y2, kind } = edge;
  if (kind === "saved" || isOfPin(edge)) return straight(x1, y1, x2, y2);
  const rise = y2 - y1;
  const way = Math.sign(rise);
  if (Math.abs(rise) <= ROW) {
    const bend = rise / 2;
    return [x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2];
  }
  // Both turns are made in the gap between two rows, beside no node.
  const leave = y2 - way * gapFrom(y2, -way);
  const end = (y2 + leave) / 2;
  if (edge.clear) {
    const down = straight(x1, y1, x1, leave);
    return [...down, x1, end, x2, end, x2, y2];
  }
  const channel = channelX(x1, x2, edge.tail.row);
  const enter = y1 + way * gapFrom(y1, way);
  const start = (y1 + enter) / 2;
  const out = [x1, y1, x1, start, channel, start, channel, enter];
  const along = straight(channel, enter, channel, leave).slice(2);
  const back = [channel, end, x2, end, x2, y2];
  return [...out, ...along, ...back];
}

/** How far it is, up (-1) or down, to the row of boxes beyond the gap that `y` is in. */
function gapFrom(y: number, way: number): number {
  const gap = ROW - BOX.height;
  const within = (((y - BOX.height / 2) % ROW) + ROW) % ROW;
  const left = way > 0 ? gap - within : within;
  return left > 0 && within <= gap ? left : gap;
}

/** Whether an edge is the short line between an op and a pin beside it. */
function isOfPin({ x1, x2 }: MirrorEdge): boolean {
  return Math.abs(x2 - x1) === PIN.gap;
}

function channelX(x1: number, x2: number, row: number): number {
  const outwards = Math.sign(x1 + x2) || -1;
  const isBeside = Math.abs(x1 - x2) < LANE * 0.6;
  const x = isBeside
    ? (x1 + x2) / 2 + (outwards * LANE) / 2
    : x2 + (Math.sign(x1 - x2) * LANE) / 2;
  const between = Math.round((x * outwards - AXIS / 2) / LANE) * LANE;
  // Edges from different rows keep apart in the little room there is.
  return outwards * (AXIS / 2 + between + ((row % 3) - 1) * GAP);
}

function straight(x1: number, y1: number, x2: number, y2: number): number[] {
  const [dx, dy] = [(x2 - x1) / 3, (y2 - y1) / 3];
  return [x1, y1, x1 + dx, y1 + dy, x2 - dx, y2 - dy, x2, y2];
}

function pushEdge(shapes: Shape[], edge: MirrorEdge, camera: Camera, look: Look): void {
  const detail = detailAt(camera.scale);
  const { kind, key } = edge;
  const isPin = isOfPin(edge);
  if (isPin && detail !== "full") return;
  const state = stateOf(edge, look);
  if (kind === "saved") return pushSaved(shapes, edge, state, camera, look);
  if (edge.chip !== "" && detail !== "dot") shapes.push(chip(edge, state, detail));
  const wanted = state !== "future" && detail !== "dot";
  const stats = wanted ? look.stats(key) : undefined;
  const told = kind === "gradient" || (look.isTrouble?.(key) ?? true);
  const bad = told && isBad(stats);
  const norm = kind === "gradient" ? stats?.norm : undefined;
  const width = typeof norm === "number" ? edgeWidth(norm) : 1.5;
  const points = route(edge);
  const dashed = norm === 0 || edge.label === DETACHED;
  const arrow = edge.arrow && detail !== "dot";
  shapes.push({
    kind: "curve",
    of: kind,
    key,
    points,
    width,
    state,
    dashed,
    arrow,
    bad,
  });
  // The short end that arrives at the producer repeats what its parts say.
  if (bad && !isPin && !(kind === "gradient" && edge.arrow)) {
    const [x, y] = middle(points);
    shapes.push({ kind: "mark", sign: "bad", key, x, y, state, size: 1 });
  }
}

function chip(edge: MirrorEdge, state: State, detail: Detail): Chip {
  const { key, kind } = edge;
  const text = shorten(edge.chip, detail === "full" ? CHIP.most : CHIP.far);
  const width = text.length * CHIP.letter + 14;
  const [x, y] = kind === "gradient" ? [edge.x2, edge.y2] : [edge.x1, edge.y1];
  return { kind: "chip", key, text, x, y, width, gradient: kind === "gradient", state };
}

/**
 * The part of a region near the window: its border is dashed, and each dash costs. What
 * is cut off is as long as so many dashes, so that none of the others moves.
 */
function within(region: Region, first: number, last: number): Region {
  const cut = (rows: number): number => DASHES * Math.floor(Math.max(0, rows) / DASHES);
  const above = cut(first - region.first);
  const below = cut(region.last - last);
  return { ...region, first: region.first + above, last: region.last - below };
}

/** A region, and on its border what it is. */
function pushBackdrop(shapes: Shape[], region: Region, detail: Detail, look: Look): void {
  const { what, first, last, depth, frame } = region;
  const [left, right] = endsOf(region, detail !== "full");
  const pad = frame === undefined ? 0 : FRAME.pad * Math.max(0, FRAME.most - depth);
  const [x, y] = [left - pad, (first - 0.5) * ROW - pad / 3];
  const [width, height] = [right - left + 2 * pad, (last - first + 1) * ROW + (2 * pad) / 3];
  const state = region.seq >= look.position ? "future" : "plain";
  shapes.push({ kind: "backdrop", what, x, y, width, height, state });
  // Both halves share a title, on the axis: no edge goes there.
  if (detail === "dot") return;
  const text = frame?.title ?? BACKDROPS[what];
  // A frame around both halves has its title on its border.
  const isWhole = frame !== undefined && left < 0 && right > 0;
  const at = isWhole ? y : (frame === undefined ? first - 0.5 : first) * ROW;
  if (frame === undefined || left < 0) {
    shapes.push({ kind: "label", text, x: 0, y: at, state });
  }
}

/** What an op keeps reaches over to its gradient; until that comes it is a stub. */
function pushSaved(
  shapes: Shape[],
  edge: MirrorEdge,
  state: State,
  { scale, stretch = 1 }: Camera,
  look: Look,
): void {
  const { key, x1, y1, x2, y2, label } = edge;
  const reached = edge.reached < look.position || state === "future";
  const freed = edge.freed < look.position;
  const points = straight(x1, y1, reached ? x2 : 0, y2);
  const rest = { width: 1.25, dashed: freed, arrow: false, bad: false };
  shapes.push({ kind: "curve", of: "saved", key, points, state, ...rest });
  if (scale < FULL || state === "future") return;
  const most = Math.floor(((AXIS + LANE - BOX.width - 12) * stretch) / Math.max(KEPT, KEPT / scale));
  const isFreed = freed && label !== ONLY_SHAPES;
  const words = isFreed ? [`kept ${label}, freed`, `${label} freed`] : [`kept ${label}`];
  const text = words.find((each) => each.length <= most) ?? cut(label, most);
  shapes.push({ kind: "label", text, x: 0, y: y1, state });
}

/** Cut the end off a list, at a name's end if there is one. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[, ]+\w?$/, "")}…`;
}

function pushNode(
  shapes: Shape[],
  node: MirrorNode,
  row: readonly MirrorNode[],
  camera: Camera,
  look: Look,
): void {
  const detail = detailAt(camera.scale);
  const state = stateOf(node, look);
  const { x, y, key, shape, tone } = node;
  if (shape === "seed" || shape === "update") {
    const mark = { kind: "mark" as const, sign: shape, key, x, y, state, size: 1 };
    // An update belongs to a parameter, which is a pin: both are seen from near.
    const isSeen = shape === "update" ? detail === "full" : detail !== "dot";
    if (isSeen) shapes.push(mark);
    return;
  }
  if (shape === "pin" && detail !== "full") return;
  const { width, height } = seenSize(node, camera);
  const inner = x - (node.side * sizeOf(node).width) / 2;
  const caption = detail === "dot" ? NOTHING : look.caption(node);
  const leaf = (shape === "leaf" || shape === "pin") && detail !== "dot" && state !== "future";
  const failed = shape === "failed" || node.failed < look.position;
  const wild = state !== "future" && look.isBad(node);
  if (wild && (detail === "dot" || shape === "group")) {
    const size = Math.max(1, 0.55 / camera.scale);
    shapes.push({ kind: "mark", sign: "bad", key, x, y, state, size });
  }
  shapes.push({
    kind: "box",
    node,
    x: node.side < 0 ? inner - width : inner,
    y: y - height / 2,
    width,
    height,
    tone: failed ? "failed" : tone,
    hue: look.hue(node.cell, node.line),
    state,
    current: state !== "future" && look.isCurrent(node.cell, node.line),
    running: key === look.running,
    freed: node.freed < look.position,
    bad: wild || (leaf && (look.isTrouble?.(key) ?? true) && isBad(look.stats(key))),
    failed,
    detail,
    caption,
    pinned: detail === "title" && shape === "op" ? pinOf(node, row, look)?.tone : undefined,
  });
}

/** The first pin of an op that is there by now. */
function pinOf({ op, side }: MirrorNode, row: readonly MirrorNode[], { position }: Look) {
  return row.find((one) => one.shape === "pin" && one.op === op && one.side === side && one.seq < position);
}

/** However far away, a node is wide enough to be seen; it grows outwards. */
function seenSize(node: MirrorNode, camera: Camera): { width: number; height: number } {
  const { width, height } = sizeOf(node);
  const pixel = 1 / camera.scale;
  return { width: Math.max(width, LEAST * pixel), height: Math.max(height, pixel) };
}

function pushJoin(shapes: Shape[], join: Join, detail: Detail, look: Look): void {
  if (join.removed < look.position) return;
  const { key, sign, x, y } = join;
  const state = stateOf(join, look);
  const text = look.signed(join, detail === "full" ? 4 : 2);
  if (text !== "") {
    shapes.push({ kind: "label", text, x: x + 10, y, state });
  }
  shapes.push({ kind: "mark", sign, key, x, y, state, size: 1 });
}

function stateOf(thing: { key: string; seq: number }, look: Look): State {
  if (thing.seq >= look.position) return "future";
  if (thing.key === look.selected) return "selected";
  return look.linked.has(thing.key) ? "linked" : "plain";
}

function depth(shape: Shape): number {
  if (shape.kind === "backdrop") return -1;
  if (shape.kind === "curve") return shape.of === "saved" ? 0 : 1;
  return shape.kind === "box" ? 2 : 3;
}

function middle(points: readonly number[]): [number, number] {
  const pieces = (points.length - 2) / 6;
  const at = Math.floor(pieces / 2) * 6;
  return pointOn(points.slice(at, at + 8), 0.5);
}

/** The point of a cubic at `t`. */
export function pointOn(cubic: readonly number[], t: number): [number, number] {
  const [a, b, c, d] = [
    (1 - t) ** 3,
    3 * t * (1 - t) ** 2,
    3 * t * t * (1 - t),
    t ** 3,
  ];
  const along = (i: number): number =>
    a * cubic[i] + b * cubic[i + 2] + c * cubic[i + 4] + d * cubic[i + 6];
  return [along(0), along(1)];
}
