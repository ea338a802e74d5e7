/** Where the window on a mirrored graph looks, and how it gets there. */

import { AXIS, BOX, LANE, PIN, ROW } from "../layout/geometry";
import { endsOf, type MirrorNode, type Picture } from "../state/picture";
import { FULL, sizeOf, TITLED, type Camera, type Size } from "./scene";

const READABLE = FULL;
const FOLLOWING = 0.85;
const SMALLEST = 0.002;
const LARGEST = 2.5;
const MARGIN = 8;
/** So much wider may boxes be for their names' sake. */
const WIDEST = 4;
/** A box is at most so wide for its name's sake, and at least so wide, in pixels. */
const [WIDE, NARROW] = [330, 100];
/** So much further than boxes the frames around them reach. */
const FRAMES = 24;
/** The strip at the top where the sides' names stand. */
const HEADROOM = 34;

/** `follow` keeps the newest node readable, `whole` shows all, `free` is the user's. */
export type Mode = "follow" | "whole" | "free";

/** Whether all titles of a picture that is all there can be read at once, or all rows seen. */
export function fits(picture: Picture, size: Size, inWidth = true, near = false): boolean {
  const room = { ...size, height: size.height - HEADROOM };
  const { width, height, fit } = fitted(picture, room, false);
  if (near) return fit >= FULL;
  const scale = Math.min(1, (size.height - HEADROOM) / height);
  const wide = (BOX.width * size.width) / width;
  return scale >= TITLED && (!inWidth || wide >= NARROW);
}

export class CameraMan {
  mode: Mode = "follow";
  readonly camera: Required<Camera> = { x: 0, y: 0, scale: 1, stretch: 1 };
  private target: Required<Camera> = { x: 0, y: 0, scale: 1, stretch: 1 };
  private placed = false;

  /** Choose where to look, from what there is, what is newest and whether more comes. */
  aim(
    mirror: Picture,
    newest: MirrorNode | undefined,
    size: Size,
    grows: boolean,
  ): void {
    if (this.mode === "free" || size.width === 0) return;
    const room = { width: size.width, height: size.height - HEADROOM };
    const { fit, width, middle: across, top, height } = fitted(mirror, room, grows);
    const middle = top + height / 2;
    const free = (scale: number): number =>
      grows ? 1 : Math.max(1, Math.min(WIDEST, WIDE / BOX.width / scale, room.width / width / scale));
    if (this.mode === "whole" || fit >= (grows ? READABLE : TITLED)) {
      const stretch = free(fit);
      this.target = { x: across * stretch, y: middle - HEADROOM / 2 / fit, scale: fit, stretch };
      return;
    }
    const scale = Math.min(FOLLOWING, Math.max(TITLED, room.width / width));
    const half = room.height / 2 / scale;
    const wanted = newest?.y ?? 0;
    const lowest = top + height - half;
    const inside = Math.min(Math.max(wanted, top + half), lowest);
    const y = height < 2 * half ? middle : inside;
    // Of a graph that is all there one sees the middle, where its halves meet.
    const outside = newest && grows ? farEdge(newest) - room.width / 2 / scale : 0;
    const stretch = free(scale);
    const x = across * stretch + Math.max(0, outside) * Math.sign(newest?.x ?? 0);
    this.target = { x, y: y - HEADROOM / 2 / scale, scale, stretch };
  }

  /** Move towards the target; return whether there is way to go. */
  move(smooth: boolean): boolean {
    const { camera, target } = this;
    const near =
      Math.abs(target.y - camera.y) * camera.scale < 0.5 &&
      Math.abs(target.x - camera.x) * camera.scale < 0.5 &&
      Math.abs(target.scale / camera.scale - 1) < 0.002;
    if (near || !smooth || !this.placed) {
      Object.assign(camera, target);
      this.placed = true;
      return false;
    }
    for (const part of ["x", "y", "scale", "stretch"] as const) {
      camera[part] += (target[part] - camera[part]) * 0.3;
    }
    return true;
  }

  pan(dx: number, dy: number): void {
    this.take();
    this.target.x -= dx / this.camera.scale;
    this.target.y -= dy / this.camera.scale;
    Object.assign(this.camera, this.target);
  }

  /** Zoom by `factor` so that the world point under (`x`, `y`) stays under it. */
  zoom(factor: number, x: number, y: number, size: Size): void {
    this.take();
    const before = this.toWorld(x, y, size);
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.camera.scale * factor));
    this.camera.scale = scale;
    const after = this.toWorld(x, y, size);
    this.camera.x += before.x - after.x;
    this.camera.y += before.y - after.y;
    Object.assign(this.target, this.camera);
  }

  /** Look at a node if it cannot be seen now. */
  show(node: { x: number; y: number }, size: Size): void {
    const { camera } = this;
    const { stretch } = camera;
    const at = node.x * stretch;
    const dx = Math.abs(at - camera.x) * camera.scale;
    const dy = Math.abs(node.y - camera.y) * camera.scale;
    if (dx < size.width / 2 - 60 && dy < size.height / 2 - 40) return;
    this.take();
    const scale = Math.max(camera.scale, READABLE);
    const x = dx < size.width / 2 - 60 ? camera.x : at;
    this.target = { x, y: node.y, scale, stretch };
  }

  /** Keep what has moved from one place to another where it is seen, large enough to be read. */
  hold(from: MirrorNode, to: MirrorNode): void {
    this.take();
    const { camera } = this;
    const scale = Math.max(camera.scale, READABLE);
    const closer = camera.scale / scale;
    // Boxes stay as wide as they are on the screen.
    const stretch = Math.max(1, camera.stretch * closer);
    const x = to.x * stretch - (from.x * camera.stretch - camera.x) * closer;
    this.target = { x, y: to.y - (from.y - camera.y) * closer, scale, stretch };
  }

  /** Look at this height, as one who presses the minimap asks. */
  look(y: number): void {
    this.take();
    this.target.y = y;
    Object.assign(this.camera, this.target);
  }

  toWorld(x: number, y: number, size: Size): { x: number; y: number } {
    const { camera } = this;
    return {
      x: camera.x + (x - size.width / 2) / camera.scale,
      y: camera.y + (y - size.height / 2) / camera.scale,
    };
  }

  toScreen(x: number, y: number, size: Size): { x: number; y: number } {
    const { camera } = this;
    return {
      x: (x - camera.x) * camera.scale + size.width / 2,
      y: (y - camera.y) * camera.scale + size.height / 2,
    };
  }

  private take(): void {
    if (this.mode === "free") return;
    this.mode = "free";
    this.target = { ...this.camera };
  }
}

function farEdge(node: MirrorNode): number {
  return Math.abs(node.x) + sizeOf(node).width / 2;
}

interface Extent {
  readonly width: number;
  /** Its middle, beside the axis where one half reaches further than the other. */
  readonly middle: number;
  readonly top: number;
  readonly height: number;
}

/** The extent of what is seen at the scale at which all of it fits: from afar no pins. */
function fitted(mirror: Picture, room: Size, grows: boolean): Extent & { fit: number } {
  const scaleOf = ({ width, height }: Extent): number =>
    Math.min(room.width / width, room.height / height, 1);
  const whole = extent(mirror, grows);
  const fit = scaleOf(whole);
  if (grows || fit >= FULL) return { ...whole, fit };
  const boxes = extent(mirror, false, mirror.boxReach);
  // So near that pins were seen again they would be cut.
  return { ...boxes, fit: Math.min(scaleOf(boxes), FULL - 0.001) };
}

function extent(mirror: Picture, grows: boolean, reach = mirror.reach): Extent {
  // While it grows a lane with pins at least: the first of them rescales nothing.
  const least = grows ? AXIS / 2 + LANE + PIN.width + MARGIN : AXIS / 2 + BOX.width;
  let left = Math.max(least, reach.left);
  // Where no gradient ever flows only what is kept reaches over the axis.
  let right = !grows && reach.right === 0 ? AXIS : Math.max(least, reach.right);
  if (grows) left = right = Math.max(left, right);
  for (const region of grows ? [] : mirror.regions) {
    if (region.frame === undefined) continue;
    const [first, last] = endsOf(region, reach === mirror.boxReach);
    left = Math.max(left, FRAMES - first);
    right = Math.max(right, last + FRAMES);
  }
  const width = left + right + 2 * MARGIN;
  const middle = (right - left) / 2;
  const first = mirror.byRow.findIndex((row) => row !== undefined);
  const rows = Math.max(0, mirror.lowest) + 1 - (grows ? 0 : Math.max(0, first));
  const height = rows * ROW + ROW - BOX.height;
  const top = -ROW / 2 + (grows ? 0 : Math.max(0, first)) * ROW;
  return { width, middle, top, height };
}

/** The longest side of a picture that is saved: a canvas twice as long is allowed. */
const LONGEST = 8000;

/** Where to look from to see all of a graph at its own size, and how large that is. */
export function wholeView(mirror: Picture): { size: Size; camera: Camera } {
  const { width, middle: x, top, height } = extent(mirror, false);
  const scale = Math.min(1, LONGEST / Math.max(width, height));
  const size = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) };
  return { size, camera: { x, y: top + height / 2, scale } };
}
