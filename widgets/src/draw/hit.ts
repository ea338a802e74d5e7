/** What is under the pointer: a node, else an edge near enough. */

import { ROW } from "../layout/geometry";
import type { Picture } from "../state/picture";
import { pointOn, route, sizeOf } from "./scene";

const PIECES = 12;

export function hit(
  mirror: Picture,
  x: number,
  y: number,
  reach: number,
): string | undefined {
  const row = Math.round(y / ROW);
  const near = [row, row - 1, row + 1].flatMap((at) => mirror.byRow[at] ?? []);
  for (const node of near.reverse()) {
    const { width, height } = sizeOf(node);
    if (Math.abs(x - node.x) <= width / 2 && Math.abs(y - node.y) <= height / 2) {
      return node.key;
    }
  }
  let best = reach;
  let found: string | undefined;
  const rows = [Math.floor(y / ROW), Math.ceil(y / ROW)] as const;
  for (const edge of mirror.edges.touching(...rows, 2000)) {
    const distance = distanceTo(route(edge), x, y);
    if (distance >= best) continue;
    best = distance;
    found = edge.key;
  }
  return found;
}

function distanceTo(points: readonly number[], x: number, y: number): number {
  let best = Infinity;
  let [px, py] = points;
  for (let at = 0; at + 7 < points.length; at += 6) {
    const cubic = points.slice(at, at + 8);
    for (let piece = 1; piece <= PIECES; piece++) {
      const [qx, qy] = pointOn(cubic, piece / PIECES);
      best = Math.min(best, toSegment(x, y, px, py, qx, qy));
      [px, py] = [qx, qy];
    }
  }
  return best;
}

function toSegment(
  x: number,
  y: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - x1) * dx + (y - y1) * dy) / length;
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}
