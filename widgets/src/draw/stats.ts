/** A tensor's value at a glance: figures, a histogram and a heat map. */

import type { Stats } from "../events";
import { countText, numberText } from "../text";
import { el, svg } from "./dom";

const WIDTH = 220;
const HEIGHT = 44;
const HEAT = 96;

export function statsView(title: string, stats: Stats): HTMLElement {
  const view = el("div", "tg-stats", el("h4", "tg-subheading", title));
  if (stats.nan + stats.inf > 0) view.append(warning(stats));
  view.append(figures(stats));
  if (stats.hist.length > 0) view.append(histogram(stats));
  if (stats.heat.length > 0) view.append(heatMap(stats));
  return view;
}

function warning({ nan, inf }: Stats): HTMLElement {
  const text = [nan > 0 ? `${nan} NaN` : "", inf > 0 ? `${inf} Inf` : ""];
  const counts = text.filter((part) => part !== "").join(" and ");
  return el("p", "tg-bad", `✕ holds ${counts}`);
}

function figures(stats: Stats): HTMLElement {
  const list = el("dl", "tg-figures");
  for (const name of ["min", "max", "mean", "std", "norm"] as const) {
    const value = el("dd", "tg-code", numberText(stats[name]));
    list.append(el("div", "", el("dt", "", name), value));
  }
  return list;
}

export function histogram({ hist, min, max, stride = 1 }: Stats): HTMLElement {
  const most = Math.max(1, ...hist);
  const total = hist.reduce((sum, count) => sum + count, 0);
  const [low, high] = [numberText(min), numberText(max)];
  const part = stride > 1 ? `, each ${stride}th of all,` : "";
  const label = `histogram of ${countText(total, "element")}${part} from ${low} to ${high}`;
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
  const drawing = svg("svg", { class: "tg-hist", viewBox, role: "img" });
  drawing.setAttribute("aria-label", label);
  drawing.setAttribute("preserveAspectRatio", "none");
  const step = WIDTH / hist.length;
  hist.forEach((count, index) => {
    if (count === 0) return;
    const height = Math.max(1.5, (count / most) * (HEIGHT - 2));
    const place = { x: index * step + 0.5, y: HEIGHT - height, height };
    drawing.append(svg("rect", { ...place, width: Math.max(1, step - 1) }));
  });
  if (stride > 1) drawing.append(svgTitle(`each ${stride}th element is counted`));
  const ends = el("div", "tg-ends tg-code", el("span", "", low), el("span", "", high));
  const frame = el("div", "tg-histogram");
  frame.append(drawing, ends);
  return frame;
}

function svgTitle(text: string): SVGElement {
  const title = svg("title");
  title.textContent = text;
  return title;
}

/** Blue below zero, orange above, as far from white as the value is from zero. */
function heatMap({ heat, shape }: Stats): HTMLElement {
  const rows = heat.length;
  const columns = Math.max(...heat.map((row) => row.length));
  const canvas = el("canvas", "tg-heat");
  canvas.width = columns;
  canvas.height = rows;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `heat map, ${rows} by ${columns} cells`);
  const cell = Math.max(3, Math.min(16, HEAT / rows, WIDTH / columns));
  canvas.style.width = `${columns * cell}px`;
  canvas.style.height = `${rows * cell}px`;
  const context = canvas.getContext("2d");
  if (context !== null) {
    const pixels = context.createImageData(columns, rows);
    pixels.data.set(heatPixels(heat, columns));
    context.putImageData(pixels, 0, 0);
  }
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  const pooled = size > rows * columns;
  const note = pooled ? `pooled to ${rows} × ${columns}` : `${rows} × ${columns}`;
  const caption = el("span", "tg-note", `${note} · blue < 0 < orange`);
  return el("div", "tg-heatframe", canvas, caption);
}

export function heatPixels(
  heat: readonly (readonly (number | null)[])[],
  columns: number,
): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(heat.length * columns * 4);
  const sizes = heat.flat().map((value) => Math.abs(value ?? 0));
  const most = sizes.reduce((a, b) => Math.max(a, b), 0) || 1;
  heat.forEach((row, y) => {
    row.forEach((value, x) => {
      pixels.set([...heatColour(value, most), 255], (y * columns + x) * 4);
    });
  });
  return pixels;
}

const ZERO = [247, 247, 244];
const BELOW = [0, 92, 150];
const ABOVE = [196, 84, 0];
const NOT_FINITE = [214, 0, 60];

function heatColour(value: number | null, most: number): number[] {
  if (value === null) return NOT_FINITE;
  const end = value < 0 ? BELOW : ABOVE;
  const share = Math.abs(value) / most;
  return ZERO.map((zero, i) => Math.round(zero + (end[i] - zero) * share));
}
