/** Charts: lists of simple shapes, made by pure functions, put on the page as SVG. */

import { el, svg } from "../draw/dom";
import { ownKey } from "../keys";

export interface Rect {
  readonly kind: "rect";
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly look: string;
  /** What it stands for, if it can be pointed at. */
  readonly key?: string;
  /** How much of its colour it has, if not all. */
  readonly share?: number;
  readonly style?: string;
}

type Anchor = "start" | "middle" | "end";

export interface Words {
  readonly kind: "words";
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly look: string;
  readonly anchor: Anchor;
  /** Read from the bottom to the top. */
  readonly turned?: boolean;
}

export interface Stroke {
  readonly kind: "stroke";
  readonly d: string;
  readonly look: string;
  readonly style?: string;
}

export type Shape = Rect | Words | Stroke;

export interface Chart {
  readonly width: number;
  readonly height: number;
  readonly label: string;
  readonly shapes: readonly Shape[];
}

export function words(
  text: string,
  x: number,
  y: number,
  look: string,
  anchor: Anchor = "start",
): Words {
  return { kind: "words", x: round(x), y: round(y), text, look, anchor };
}

export function stroke(d: string, look: string): Stroke {
  return { kind: "stroke", d, look };
}

/** A level of an axis: a line from `left` to `right`, and what it stands for. */
export function level(text: string, y: number, left: number, right: number): Shape[] {
  const line = stroke(`M${left} ${round(y)}H${right}`, "tg-gridline");
  return [line, words(text, left - 6, y + 4, "tg-axis", "end")];
}

/** To a tenth of a pixel: more would only be longer. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A letter of a chart's text is about this wide. */
export const LETTER = 6.6;

export function chartElement({ width, height, label, shapes }: Chart): SVGSVGElement {
  const drawing = svg("svg", { class: "tg-chart", width, height, role: "img" });
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawing.setAttribute("aria-label", label);
  drawing.append(...shapes.map(shapeElement));
  return drawing;
}

function shapeElement(shape: Shape): SVGElement {
  const look = { class: `tg-mark ${shape.look}` };
  if (shape.kind === "stroke") return styled(svg("path", { ...look, d: shape.d }), shape);
  const { x, y } = shape;
  if (shape.kind === "words") {
    const text = svg("text", { ...look, x, y, "text-anchor": shape.anchor });
    text.textContent = shape.text;
    if (shape.turned === true) text.setAttribute("transform", `rotate(-90 ${x} ${y})`);
    return text;
  }
  const { width, height, key, share = 1 } = shape;
  const rect = svg("rect", { ...look, x, y, width, height, rx: 2 });
  if (share < 1) rect.setAttribute("fill-opacity", String(share));
  if (key !== undefined) rect.dataset.key = key;
  return styled(rect, shape);
}

/** Through the object model, which no policy of a page forbids. */
function styled(element: SVGElement, { style }: { readonly style?: string }): SVGElement {
  if (style !== undefined) element.style.cssText = style;
  return element;
}

/** Round steps for an axis: 1, 2 or 5 times a power of ten, about `count` of them. */
export function ticks(most: number, count: number): number[] {
  if (!(most > 1e-300 && most < 1e300)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((times) => times * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** Ticks for an axis of so many pixels, far enough apart for their labels. */
export function ticksAlong(most: number, pixels: number): number[] {
  return ticks(most, Math.max(1, Math.min(6, Math.floor(pixels / 60))));
}

export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${Number(size.toPrecision(3))} ${units[unit]}`;
}

export function timeText(seconds: number): string {
  if (seconds >= 60) {
    const minutes = Math.floor(seconds / 60);
    const rest = Math.round(seconds - 60 * minutes);
    return `${minutes} min ${rest} s`;
  }
  if (seconds >= 1) return `${Number(seconds.toPrecision(3))} s`;
  if (seconds >= 1e-3) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  return `${Number((seconds * 1e6).toPrecision(3))} µs`;
}

const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** A chart whose parts can be pointed at, or gone through with the arrow keys. */
export class ChartFrame {
  readonly element: HTMLElement;
  readonly details = el("p", "tg-details");
  private readonly box = el("div", "tg-chartbox");
  private readonly observer: ResizeObserver;
  private chart: Chart | undefined;
  private selected: string | undefined;

  /**
   * `describe` says in words what a key stands for; `resized` asks for a new chart;
   * `note` explains the signs.
   */
  constructor(
    label: string,
    private readonly describe: (key: string) => string,
    resized: () => void,
    ...note: readonly (string | Node)[]
  ) {
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "group");
    this.box.setAttribute("aria-label", `${label}: arrow keys go through its parts`);
    this.details.setAttribute("role", "status");
    const said = el("p", "tg-note", ...note);
    this.element = el("div", "tg-chartframe", this.box, said, this.details);
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("pointerover", (event) => {
      const key = keyAt(event);
      if (key !== undefined) this.select(key);
    });
    this.observer = new ResizeObserver(resized);
    this.observer.observe(this.box);
  }

  get width(): number {
    return this.box.clientWidth;
  }

  get height(): number {
    return this.box.clientHeight;
  }

  onPick(act: (key: string) => void): void {
    this.box.addEventListener("click", (event) => {
      const key = keyAt(event);
      if (key !== undefined) act(key);
    });
    this.box.addEventListener("keydown", (event) => {
      const { selected } = this;
      if (selected !== undefined && ownKey(event, { Enter: 0 }) === 0) act(selected);
    });
  }

  draw(chart: Chart): void {
    this.chart = chart;
    this.box.replaceChildren(chartElement(chart));
    this.mark();
  }

  dispose(): void {
    this.observer.disconnect();
  }

  private select(key: string): void {
    this.selected = key;
    this.details.textContent = this.describe(key);
    this.mark();
  }

  private mark(): void {
    for (const rect of this.box.querySelectorAll<SVGElement>("[data-key]")) {
      rect.classList.toggle("tg-picked", rect.dataset.key === this.selected);
    }
  }

  private key(event: KeyboardEvent): void {
    const shapes = this.chart?.shapes ?? [];
    const keys = shapes.flatMap((shape) => (shape.kind === "rect" && shape.key) || []);
    if (keys.length === 0) return;
    const by = ownKey(event, ARROWS);
    if (by === undefined) return;
    const at = this.selected === undefined ? -1 : keys.indexOf(this.selected);
    const next = at < 0 ? 0 : (at + by + keys.length) % keys.length;
    this.select(keys[next]);
  }
}

function keyAt(event: Event): string | undefined {
  const target = event.target instanceof Element ? event.target : null;
  return target?.closest<SVGElement>("[data-key]")?.dataset.key;
}
