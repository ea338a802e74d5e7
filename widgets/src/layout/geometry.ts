/** The mirror's measures, in world units (one is a CSS pixel at scale 1). */

export const LANE = 240;
export const ROW = 62;
export const AXIS = 108;
export const BOX = { width: 220, height: 40 };

/** How far under a node its readers branch off, and their gradients meet. */
export const PORT = 11;
export const LANES = 8;

/** A parameter at the op that reads it: beside it, behind the channel for long edges. */
export const PIN = { width: 172, height: 19, pitch: 20, gap: LANE - BOX.width + 0.5 };

/** -1 draws on the left, where the forward pass is, 1 on the right, its mirror. */
export type Side = -1 | 1;

/** The centre of half-slot `slot` (two make a lane), counted outwards from the axis. */
export function laneX(side: Side, slot: number): number {
  return side * (AXIS / 2 + (slot / 2 + 0.5) * LANE);
}

export function rowY(row: number): number {
  return row * ROW;
}

/** How far under its op's middle the pin number `index` of `count` stands. */
export function pinY(index: number, count: number): number {
  return (index - (Math.min(count, 3) - 1) / 2) * PIN.pitch;
}

/** How many rows `count` pins need below that of their op. */
export function pinRows(count: number): number {
  return count <= 3 ? 0 : Math.ceil((PIN.pitch * (count - 3)) / ROW);
}
