/** Where the window on a mirrored graph looks, and how it gets there. */

import { AXIS, LANE, PORT, ROW } from "../layout/geometry";
import type { MirrorNode, Picture } from "../state/picture";
import { sizeOf, type Camera, type Size } from "./scene";

const READABLE = 0.58;
/** What is all there is shown whole if only titles can be read; then one may zoom. */
const TITLES = 0.34;
const FOLLOWING = 0.85;
const SMALL = 0.38;
const SMALLEST = 0.002;
const LARGEST = 2.5;
const MARGIN = 20;
/** The strip at the top where the sides' names stand. */
const HEADROOM = 34;

/** `follow` keeps the newest node readable, `whole` shows all, `free` is the user's. */
export type Mode = "follow" | "whole" | "free";

export class CameraMan {
  mode: Mode = "follow";
  readonly camera: Camera = { x: 0, y: 0, scale: 1 };
  private target: Camera = { x: 0, y: 0, scale: 1 };
  private placed = false;

  /** Choose where to look, from what there is, what is newest and whether more comes. */
  aim(
    mirror: Picture,
    newest: MirrorNode | undefined,
    size: Size,
    grows: boolean,
  ): void {
    if (this.mode === "free" || size.width === 0) return;
    const { width, top, height } = extent(mirror, grows);
    const room = { width: size.width, height: size.height - HEADROOM };
    const fit = Math.min(room.width / width, room.height / height, 1);
    const middle = top + height / 2;
    if (this.mode === "whole" || fit >= (grows ? READABLE : TITLES)) {
      this.target = { x: 0, y: middle - HEADROOM / 2 / fit, scale: fit };
      return;
    }
    const scale = Math.min(FOLLOWING, Math.max(SMALL, room.width / width));
    const half = room.height / 2 / scale;
    const wanted = newest?.y ?? 0;
    const lowest = top + height - half;
    const inside = Math.min(Math.max(wanted, top + half), lowest);
    const y = height < 2 * half ? middle : inside;
    // Of a graph that is all there one sees the middle, where its halves meet.
    const outside = newest && grows ? farEdge(newest) - room.width / 2 / scale : 0;
    const x = Math.max(0, outside) * Math.sign(newest?.x ?? 0);
    this.target = { x, y: y - HEADROOM / 2 / scale, scale };
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
    for (const part of ["x", "y", "scale"] as const) {
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
    const dx = Math.abs(node.x - camera.x) * camera.scale;
    const dy = Math.abs(node.y - camera.y) * camera.scale;
    if (dx < size.width / 2 - 60 && dy < size.height / 2 - 40) return;
    this.take();
    const scale = Math.max(camera.scale, READABLE);
    const x = dx < size.width / 2 - 60 ? camera.x : node.x;
    this.target = { x, y: node.y, scale };
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

function extent(
  mirror: Picture,
  grows: boolean,
): { width: number; top: number; height: number } {
  // While it grows two lanes a side at least: a second one does not rescale the picture.
  const slots = Math.max(grows ? 2 : 0, mirror.widest);
  const width = AXIS + 2 * (slots / 2 + 1) * LANE + 3 * MARGIN;
  const height = (Math.max(0, mirror.lowest) + 1) * ROW + PORT;
  return { width, top: -ROW / 2, height };
}
