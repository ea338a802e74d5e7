/** Edges on a canvas: those that look the same are one path, drawn at once. */

import type { Curve } from "./scene";
import type { Palette } from "./theme";

/** How much of its colour shows what is still to come. */
export const FAINT = 0.3;

type Context = CanvasRenderingContext2D;

export function drawCurves(
  context: Context,
  curves: readonly Curve[],
  palette: Palette,
): void {
  const [plain, marked] = [new Map<string, Curve[]>(), new Map<string, Curve[]>()];
  for (const curve of curves) {
    const { of, width, state, dashed, arrow, bad } = curve;
    const groups = isMarked(curve) ? marked : plain;
    const look = `${of} ${width} ${state} ${dashed} ${arrow} ${bad}`;
    const alike = groups.get(look);
    if (alike === undefined) groups.set(look, [curve]);
    else alike.push(curve);
  }
  // What is pointed at is not to be hidden by what is not.
  for (const alike of [...plain.values(), ...marked.values()]) {
    drawAlike(context, alike, palette);
  }
}

function isMarked({ state }: Curve): boolean {
  return state === "selected" || state === "linked";
}

function drawAlike(context: Context, curves: readonly Curve[], palette: Palette): void {
  const [first] = curves;
  const future = first.state === "future";
  const colour = isMarked(first) ? palette.accent : palette[first.of];
  context.globalAlpha = future ? FAINT : 1;
  context.strokeStyle = future ? palette.dim : first.bad ? palette.bad : colour;
  context.fillStyle = context.strokeStyle;
  context.lineWidth = first.width + (isMarked(first) ? 1 : 0);
  context.setLineDash(first.dashed ? [3, 5] : []);
  context.beginPath();
  for (const { points } of curves) {
    context.moveTo(points[0], points[1]);
    for (let i = 2; i < points.length; i += 6) bend(context, points, i);
  }
  context.stroke();
  context.setLineDash([]);
  if (!first.arrow) return;
  context.beginPath();
  for (const curve of curves) addArrow(context, curve);
  context.fill();
}

function bend(context: Context, points: readonly number[], i: number): void {
  context.bezierCurveTo(
    points[i],
    points[i + 1],
    points[i + 2],
    points[i + 3],
    points[i + 4],
    points[i + 5],
  );
}

/** A small head at the end of a curve, which always arrives upright. */
function addArrow(context: Context, { points, width }: Curve): void {
  const [x, y] = [points[points.length - 2], points[points.length - 1]];
  const way = Math.sign(y - points[points.length - 3]) || 1;
  const size = 4 + width;
  context.moveTo(x, y + way);
  context.lineTo(x - size * 0.7, y - way * size);
  context.lineTo(x + size * 0.7, y - way * size);
  context.closePath();
}
