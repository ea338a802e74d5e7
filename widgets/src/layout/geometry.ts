/** The mirror's measures, in world units (one is a CSS pixel at scale 1). */

export const LANE = 196;
export const ROW = 80;
export const AXIS = 108;
export const BOX = { width: 180, height: 44 };

/** How far under a node its readers branch off, and their gradients meet. */
export const PORT = 14;
export const LANES = 8;

/** -1 draws on the left, where the forward pass is, 1 on the right, its mirror. */
export type Side = -1 | 1;

/** The centre of half-slot `slot` (two make a lane), counted outwards from the axis. */
export function laneX(side: Side, slot: number): number {
  return side * (AXIS / 2 + (slot / 2 + 0.5) * LANE);
}

export function rowY(row: number): number {
  return row * ROW;
}
