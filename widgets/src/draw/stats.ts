/** A tensor's value at a glance: figures, histogram, heat map or picture, and its past. */

import type { Stats } from "../events";
import { countText, numberText, shapeText } from "../text";
import { el, svg } from "./dom";

const WIDTH = 220;
const HEIGHT = 44;
const HEAT = 96;
const HEAT_WIDE = 100;
const SPARK = 28;
const MOST_PAST = 200;

export function statsView(
  title: string,
  stats: Stats,
  past: readonly Stats[] = [],
): HTMLElement {
  const view = el("div", "tg-stats");
  if (title !== "") {
    const what = el("span", "tg-note", `${shapeText(stats.shape)} ${stats.dtype}`);
    view.append(el("h4", "tg-subheading", title, " ", what));
  }
  if (stats.nan + stats.inf > 0) view.append(warning(stats));
  view.append(el("div", "tg-glance", ...pixelView(stats), figures(stats)));
  if (past.length > 1) view.append(evolution(title, past));
  if (stats.hist.length > 0) view.append(histogram(stats));
  else if (stats.stride) view.append(el("p", "tg-note", `of a sample, 1 in ${stats.stride}`));
  if (stats.first.length > 0) view.append(firstValues(stats));
  return view;
}

/** The tensor as a picture, or as a heat map. */
function pixelView(stats: Stats): HTMLElement[] {
  const picture = pictureOf(stats);
  if (picture !== undefined) return [imageView(picture, stats)];
  return stats.heat[0]?.length > 0 ? [heatMap(stats)] : [];
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
  const bins = hist.slice(0, WIDTH);
  const most = Math.max(1, ...bins);
  const total = hist.reduce((sum, count) => sum + count, 0);
  const [low, high] = [numberText(min), numberText(max)];
  const part = stride > 1 ? `, each ${stride}th of all,` : "";
  const label = `histogram of ${countText(total, "element")}${part} from ${low} to ${high}`;
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
  const drawing = svg("svg", { class: "tg-hist", viewBox, role: "img" });
  drawing.setAttribute("aria-label", label);
  drawing.setAttribute("preserveAspectRatio", "none");
  const step = WIDTH / bins.length;
  bins.forEach((count, index) => {
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

/** The first elements, as many as the log holds. */
function firstValues({ first, shape }: Stats): HTMLElement {
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  const rest = size > first.length ? ", …" : "";
  const text = `[${first.map((value) => numberText(value)).join(", ")}${rest}]`;
  return el("p", "tg-code tg-firstvalues", text);
}

/** How its norm went from event to event: the last 200, oldest on the left. */
function evolution(title: string, past: readonly Stats[]): HTMLElement {
  const norms = past.slice(-MOST_PAST).map(({ norm }) => norm);
  const known = norms.filter((norm) => norm !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const viewBox = `0 0 ${WIDTH} ${SPARK}`;
  const drawing = svg("svg", { class: "tg-spark", viewBox, role: "img" });
  drawing.setAttribute("preserveAspectRatio", "none");
  const from = `${numberText(known.at(0) ?? null)} to ${numberText(known.at(-1) ?? null)}`;
  const label = `norm over ${countText(past.length, "write")}: ${from}`;
  drawing.setAttribute("aria-label", `${title}, ${label}`);
  drawing.append(svg("path", { d: sparkPath(norms, low, high) }));
  return el("div", "tg-evolution", drawing, el("span", "tg-note", label));
}

/** A line through the numbers, broken where one is not finite. */
export function sparkPath(
  values: readonly (number | null)[],
  low: number,
  high: number,
): string {
  const step = WIDTH / Math.max(1, values.length - 1);
  const range = high - low || 1;
  let pen = "M";
  let path = "";
  values.forEach((value, index) => {
    if (value === null) {
      pen = "M";
      return;
    }
    const y = SPARK - 2 - ((value - low) / range) * (SPARK - 4);
    path += `${pen}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    pen = "L";
  });
  return path;
}

export interface PixelPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray;
}

/** The picture that a tensor of pictures begins with; none for any other. */
export function pictureOf({ image, image_size: size }: Stats): PixelPicture | undefined {
  if (image === undefined || size?.length !== 2) return undefined;
  const [height, width] = size;
  const bytes = decoded(image);
  const channels = bytes.length / (width * height);
  if (channels !== 1 && channels !== 3) return undefined;
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < width * height; at++) {
    for (let channel = 0; channel < 3; channel++) {
      const byte = bytes.charCodeAt(at * channels + (channels === 3 ? channel : 0));
      pixels[at * 4 + channel] = byte;
    }
  }
  return { width, height, pixels };
}

/** What base64 says; nothing if it is none. */
function decoded(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

function imageView(picture: PixelPicture, { shape }: Stats): HTMLElement {
  const { width, height, pixels } = picture;
  const canvas = pixelCanvas(width, height, pixels, Math.max(4, HEAT_WIDE / height));
  canvas.setAttribute("aria-label", `the first picture, ${height} by ${width} pixels`);
  const count = shape.length > 3 ? `first of ${shape[0]}, ` : "";
  const note = el("span", "tg-note", `${count}${shapeText(shape.slice(-3))}`);
  return el("div", "tg-heatframe", canvas, note);
}

function pixelCanvas(
  width: number,
  height: number,
  pixels: Uint8ClampedArray,
  cell: number,
): HTMLCanvasElement {
  const canvas = pixelsOn(width, height, pixels);
  canvas.setAttribute("role", "img");
  canvas.style.width = `${width * cell}px`;
  canvas.style.height = `${height * cell}px`;
  return canvas;
}

/** A canvas with these pixels, one to one. */
export function pixelsOn(
  width: number,
  height: number,
  pixels: Uint8ClampedArray,
): HTMLCanvasElement {
  const canvas = el("canvas", "tg-heat");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context !== null) {
    const data = context.createImageData(width, height);
    data.data.set(pixels);
    context.putImageData(data, 0, 0);
  }
  return canvas;
}

/** Blue below zero, orange above, as far from white as the value is from zero. */
function heatMap({ heat: told, shape }: Stats): HTMLElement {
  const heat = told.slice(0, HEAT).map((row) => row.slice(0, HEAT));
  const rows = heat.length;
  const columns = Math.max(...heat.map((row) => row.length));
  const cell = Math.max(3, Math.min(16, HEAT / rows, HEAT_WIDE / columns));
  const canvas = pixelCanvas(columns, rows, heatPixels(heat, columns), cell);
  canvas.setAttribute("aria-label", `heat map, ${rows} by ${columns} cells`);
  const size = shape.reduce((product, dimension) => product * dimension, 1);
  const pooled = size > rows * columns;
  const note = pooled ? `pooled to ${rows} × ${columns}` : `${rows} × ${columns}`;
  const caption = el("span", "tg-note", `${note}, blue < 0 < orange`);
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
