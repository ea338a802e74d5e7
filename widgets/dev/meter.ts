/**
 * What a picture's first view asks of the eye, in figures: pure functions over the
 * scene's shapes and over the texts as they are written on the canvas.
 */

import { pointOn, type Backdrop, type Box, type Camera, type Curve, type Shape, type Size } from "../src/draw/scene";

/** A rectangle in pixels of the stage. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A text as it stands on the stage: where, and how high its letters are. */
export interface Written extends Area {
  readonly text: string;
  readonly pixels: number;
}

export interface Figures {
  /** Forward boxes: operators, groups and data; gradients mirror them, pins are part of one. */
  readonly boxes: number;
  /** The smallest letters, in pixels. */
  readonly smallest: number;
  /** Texts cut although their pane has room for them. */
  readonly cut: number;
  /** Pairs of boxes, or of texts, or of a text and a box, that lie over one another. */
  readonly overlaps: number;
  /** Pairs of an edge and a box, not one of its ends, that it runs through. */
  readonly crossings: number;
  /** Frames without a title. */
  readonly untitled: number;
  /** The first few of what is counted, in words. */
  readonly why: readonly string[];
}

/** A pane that is filled beyond this share of its width has no room. */
const FULL = 0.85;
/** What touches, or comes so near, does not overlap. */
const SLACK = 1;
const SAMPLES = 16;

/** `forward` is how many forward boxes there are, those out of sight included. */
export function measure(
  shapes: readonly Shape[],
  texts: readonly Written[],
  camera: Camera,
  size: Size,
  forward: number,
): Figures {
  const why: string[] = [];
  const screen = (x: number, y: number): [number, number] => [
    (x - camera.x) * camera.scale + size.width / 2,
    (y - camera.y) * camera.scale + size.height / 2,
  ];
  const areaOf = ({ x, y, width, height }: Box): Area => {
    const [left, top] = screen(x, y);
    const [right, bottom] = screen(x + width, y + height);
    return { left, top, right, bottom };
  };
  const all = shapes.filter((shape): shape is Box => shape.kind === "box");
  const areas = all.map((box) => ({ box, area: areaOf(box) }));
  const boxes = areas.filter(({ area }) => isSeen(area, size));
  const seen = texts.filter((text) => isSeen(text, size));
  const smallest = seen.reduce((least, { pixels }) => Math.min(least, pixels), Infinity);
  const left = boxes.reduce((least, { area }) => Math.min(least, area.left), Infinity);
  const right = boxes.reduce((most, { area }) => Math.max(most, area.right), -Infinity);
  const hasRoom = right - left < FULL * size.width;
  const cutTexts = hasRoom ? seen.filter(({ text }) => /.…|…./.test(text)) : [];
  for (const { text } of cutTexts) why.push(`cut: ${text}`);
  let overlaps = 0;
  const collide = (what: string): void => {
    overlaps += 1;
    why.push(`overlap: ${what}`);
  };
  pairs(boxes, (one, other) => {
    if (overlap(one.area, other.area)) collide(`${name(one.box)} and ${name(other.box)}`);
  });
  pairs(seen, (one, other) => {
    if (overlap(one, other)) collide(`${one.text} and ${other.text}`);
  });
  for (const text of seen) {
    for (const { box, area } of boxes) {
      if (overlap(text, area) && !isInside(text, area)) collide(`${text.text} on ${name(box)}`);
    }
  }
  let crossings = 0;
  for (const curve of shapes) {
    if (curve.kind !== "curve") continue;
    const points = sampled(curve).map(([x, y]) => screen(x, y));
    for (const { box, area } of boxes) {
      if (isThrough(points, area)) {
        crossings += 1;
        why.push(`through: ${curve.of} ${curve.key} through ${name(box)}`);
      }
    }
  }
  const frames = shapes.filter(
    (shape): shape is Backdrop => shape.kind === "backdrop" && shape.what === "block",
  );
  // A frame's title is on its border, or, of both its halves, on the axis between these.
  const isTitled = ({ x, y, width, height }: Backdrop): boolean =>
    shapes.some(
      (label) =>
        label.kind === "label" &&
        ((Math.abs(label.y - y) < 8 && label.x >= x && label.x < x + width) ||
          (label.x === 0 && label.text !== "" && label.y > y && label.y < y + height)),
    );
  const isHalf = (one: Backdrop, other: Backdrop): boolean =>
    one.x < 0 !== other.x < 0 && one.y < other.y + other.height && other.y < one.y + one.height;
  const untitled = frames.filter((frame) => {
    return !isTitled(frame) && !frames.some((other) => isHalf(frame, other) && isTitled(other));
  }).length;
  const cut = cutTexts.length;
  return { boxes: forward, smallest, cut, overlaps, crossings, untitled, why: why.slice(0, 12) };
}

function name({ node, caption }: Box): string {
  return `${caption.title || node.title}${node.side > 0 ? " (gradient)" : ""}`;
}

function isSeen({ left, top, right, bottom }: Area, { width, height }: Size): boolean {
  return right > 0 && bottom > 0 && left < width && top < height;
}

function overlap(one: Area, other: Area): boolean {
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return across > SLACK && down > SLACK;
}

function isInside(one: Area, { left, top, right, bottom }: Area): boolean {
  const { left: l, top: t, right: r, bottom: b } = one;
  return l >= left - SLACK && t >= top - SLACK && r <= right + SLACK && b <= bottom + SLACK;
}

function sampled({ points }: Curve): [number, number][] {
  const found: [number, number][] = [];
  for (let at = 0; at + 7 < points.length; at += 6) {
    const cubic = points.slice(at, at + 8);
    for (let piece = 0; piece <= SAMPLES; piece++) found.push(pointOn(cubic, piece / SAMPLES));
  }
  return found;
}

/** Whether a line is inside a box that neither its first nor its last point touches. */
function isThrough(points: readonly [number, number][], area: Area): boolean {
  const within = ([x, y]: [number, number], by: number): boolean =>
    x > area.left - by && x < area.right + by && y > area.top - by && y < area.bottom + by;
  if (within(points[0], 4) || within(points[points.length - 1], 4)) return false;
  return points.some((point) => within(point, -2));
}

function pairs<T>(things: readonly T[], visit: (one: T, other: T) => void): void {
  things.forEach((one, index) => {
    for (const other of things.slice(index + 1)) visit(one, other);
  });
}
