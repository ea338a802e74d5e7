/** Training as it goes: the loss, how fast, how long still, and each layer's gradient. */

import { el } from "../draw/dom";
import type { Frame } from "../draw/look";
import type { TrainEvent } from "../events";
import { countText, numberText, shorten, thousands } from "../text";
import type { Panel } from "./chapter";
import {
  ChartFrame,
  LETTER,
  level,
  round,
  stroke,
  ticks,
  timeText,
  words,
  type Chart,
  type Shape,
} from "./figure";

const LEFT = 58;
const TOP = 28;
const BOTTOM = 24;
const LOSS_NOTE = "Thin: each step. Thick: smoothed. ✕: not finite.";
const NORM_NOTE = "From 1e-6, or less, to 100, or more. ✕: not finite.";
const NAMES = 120;
/** The height of a row of the heat map, at least: a chart that is too tall scrolls. */
const LEAST_ROW = 8;
/** Columns of the heat map of norms, at most: more steps share one. */
const MOST_COLUMNS = 160;
/** A loss that falls by more than this is drawn by powers of ten. */
const LONG_WAY = 1000;

type Values = readonly (number | null)[];
type Steps = readonly TrainEvent[];

/** The steps' losses as a thin line, and their mean over some steps as a thick one. */
export function lossChart(steps: Steps, width: number, height: number): Chart {
  return lineChart("Loss", steps, steps.map(({ loss }) => loss), width, height);
}

/** How the learning rate goes. */
export function rateChart(steps: Steps, width: number, height: number): Chart {
  const rates = steps.map(({ rate = null }) => rate);
  return lineChart("Learning rate", steps, rates, width, height);
}

function lineChart(
  name: string,
  steps: Steps,
  told: Values,
  width: number,
  height: number,
): Chart {
  // Sums of larger ones are no numbers.
  const values = told.map((value) => (Math.abs(value ?? 0) < 1e300 ? value : null));
  const known = values.filter((value) => value !== null);
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), 1e-12);
  const byPowers = least > 0 && most > LONG_WAY * least;
  const scale = byPowers ? Math.log10 : Number;
  const low = byPowers ? Math.floor(scale(least)) : Math.min(0, least);
  const range = scale(most) - low;
  const x = placed(steps, LEFT, width - 10);
  const tall = height - TOP - BOTTOM;
  const y = (at: number): number => TOP + tall * (1 - (at - low) / range);
  const title = byPowers ? `${name}, by powers of ten` : name;
  const shapes: Shape[] = [
    words(title, LEFT, 15, "tg-charttitle"),
    ...stepAxis(steps, x, height - 6),
  ];
  for (const tick of ticks(range, 4)) {
    if (byPowers && tick % 1 !== 0) continue;
    const text = byPowers ? `1e${low + tick}` : numberText(low + tick);
    shapes.push(...level(text, y(low + tick), LEFT, width - 10));
  }
  const levels = values.map((value) => (value === null ? null : scale(value)));
  shapes.push(stroke(curve(levels, x, y), "tg-thin"));
  shapes.push(stroke(curve(smoothed(levels), x, y), "tg-thick"));
  values.forEach((value, index) => {
    if (value === null) shapes.push(cross(x(index), TOP));
  });
  const label = `${title} over ${countText(steps.length, "step")}`;
  return { width, height, label, shapes };
}

/** Where a step lies, by its index, between two places. */
function placed(steps: Steps, from: number, to: number): (index: number) => number {
  const last = Math.max(1, steps.length - 1);
  return (index) => from + (index / last) * (to - from);
}

function* stepAxis(
  steps: Steps,
  x: (index: number) => number,
  y: number,
): Generator<Shape> {
  yield words("step", x(0) - 12, y, "tg-axis", "end");
  for (const tick of ticks(steps.at(-1)?.step ?? 0, 6)) {
    const index = steps.findIndex(({ step }) => step === tick);
    if (index < 0) continue;
    const text = thousands(tick);
    // No label is cut off at the right edge.
    const most = x(steps.length - 1) + 10 - (text.length * LETTER) / 2;
    yield words(text, Math.min(x(index), most), y, "tg-axis", "middle");
  }
}

function cross(x: number, y: number): Shape {
  return stroke(`M${round(x - 4)} ${y}l8 8m0 -8l-8 8`, "tg-cross");
}

/** The mean of each value and as many before it as after: a fortieth of all. */
export function smoothed(values: Values): Values {
  const sums = [0];
  const counts = [0];
  for (const value of values) {
    sums.push((sums.at(-1) ?? 0) + (value ?? 0));
    counts.push((counts.at(-1) ?? 0) + (value === null ? 0 : 1));
  }
  const wide = Math.round(values.length / 80);
  return values.map((_, index) => {
    const reach = Math.min(wide, index, values.length - 1 - index);
    const [from, to] = [index - reach, index + reach + 1];
    const count = counts[to] - counts[from];
    return count === 0 ? null : (sums[to] - sums[from]) / count;
  });
}

function curve(
  values: Values,
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let pen = "M";
  let path = "";
  values.forEach((value, index) => {
    if (value === null) pen = "M";
    else {
      path += `${pen}${round(x(index))} ${round(y(value))}`;
      pen = "L";
    }
  });
  return path;
}

/** A row a layer, a column for each step or few, the darker the larger the gradient. */
export function normChart(steps: Steps, width: number, height: number): Chart {
  const layers = [...new Set(steps.flatMap(({ norms }) => Object.keys(norms)))];
  const columns = Math.min(MOST_COLUMNS, steps.length);
  const wide = (width - NAMES - 10) / Math.max(1, columns);
  const room = (height - TOP - BOTTOM) / Math.max(1, layers.length);
  const tall = Math.max(LEAST_ROW, Math.min(44, room));
  const middle = placed(steps, NAMES + wide / 2, width - 10 - wide / 2);
  const bottom = TOP + layers.length * tall + 14;
  const shapes: Shape[] = [
    words("Gradient norm by layer", 4, 15, "tg-charttitle"),
    ...stepAxis(steps, middle, bottom),
  ];
  const bad = new Set<number>();
  layers.forEach((layer, row) => {
    const y = round(TOP + row * tall);
    const text = shorten(layer, Math.floor((NAMES - 10) / LETTER));
    shapes.push(words(text, NAMES - 6, y + tall / 2 + 4, "tg-axis", "end"));
    for (let column = 0; column < columns; column++) {
      const [first, end] = [column, column + 1].map((at) =>
        Math.floor((at * steps.length) / columns),
      );
      const worst = worstOf(steps.slice(first, end), layer);
      if (worst === undefined) continue;
      const isBad = worst.norm === null;
      const share = isBad ? 1 : (normLevel(worst.norm) + 0.5) / 8.5;
      const [x, next] = [column, column + 1].map((at) => Math.round(NAMES + at * wide));
      if (isBad) bad.add(x);
      const key = `${layer}@${worst.step}`;
      // A lone bad step among hundreds must not get too thin to be seen.
      const breadth = Math.max(isBad ? 3 : 1, next - x);
      const box = { x, y, height: round(tall - 2), width: breadth };
      const look = isBad ? "tg-norm tg-norm-bad" : "tg-norm";
      shapes.push({ kind: "rect", ...box, look, key, share });
    }
  });
  for (const x of bad) shapes.push(cross(x + wide / 2, TOP - 10));
  const label = `gradient norms of ${countText(layers.length, "layer")}`;
  return { width, height: Math.max(height, bottom + 6), label, shapes };
}

/** Of several steps the largest norm: what is not finite is the largest of all. */
function worstOf(
  steps: Steps,
  layer: string,
): { step: number; norm: number | null } | undefined {
  let worst: { step: number; norm: number | null } | undefined;
  for (const { step, norms } of steps) {
    const norm = norms[layer];
    if (norm === undefined) continue;
    if (norm === null) return { step, norm };
    if (worst === undefined || norm > (worst.norm ?? 0)) worst = { step, norm };
  }
  return worst;
}

/** 0 (1e-6 or less) to 8 (100 or more): one more for each power of ten. */
export function normLevel(norm: number | null): number {
  return Math.min(8, Math.max(0, Math.round(Math.log10(norm ?? 0) + 6)));
}

/** The figures beside the curve, as name and text. */
export function trainFigures(steps: readonly TrainEvent[]): [string, string][] {
  const last = steps.at(-1);
  if (last === undefined) return [];
  const recent = steps.slice(-20);
  const seconds = recent.reduce((sum, step) => sum + step.seconds, 0);
  const samples = recent.reduce((sum, step) => sum + step.samples, 0);
  const of = last.steps === undefined ? "" : ` of ${thousands(last.steps)}`;
  const figures: [string, string][] = [
    ["step", `${thousands(last.step)}${of}`],
    ["epoch", String(last.epoch)],
    ["loss", numberText(last.loss)],
  ];
  for (const [name, value] of Object.entries(last.metrics)) {
    figures.push([name, numberText(value)]);
  }
  if (last.rate !== undefined) figures.push(["learning rate", numberText(last.rate)]);
  figures.push(["a step takes", timeText(seconds / recent.length)]);
  if (samples > 0 && seconds > 0) {
    const rate = thousands(Number((samples / seconds).toPrecision(4)));
    figures.push(["examples a second", rate]);
  }
  if (last.steps !== undefined) {
    const left = Math.max(0, last.steps - last.step) * (seconds / recent.length);
    figures.push(["time left", left === 0 ? "done" : timeText(left)]);
  }
  return figures;
}

export class TrainingView implements Panel {
  readonly element = el("section", "tg-pane tg-chapter tg-training");
  private readonly bar = el("progress", "tg-progress");
  private readonly figures = el("dl", "tg-figures tg-trainfigures");
  private readonly loss: ChartFrame;
  private readonly norms: ChartFrame;
  private readonly rate: ChartFrame;
  private steps: readonly TrainEvent[] = [];
  private drawn = "";

  constructor() {
    this.bar.setAttribute("aria-label", "Steps done");
    const redraw = (): void => this.draw();
    this.loss = new ChartFrame("Loss", () => "", redraw, LOSS_NOTE);
    const tell = (key: string): string => this.normText(key);
    const scale = el("span", "tg-scale");
    this.norms = new ChartFrame("Gradient norms", tell, redraw, scale, NORM_NOTE);
    this.rate = new ChartFrame("Learning rate", () => "", redraw);
    const beside = el("div", "tg-chartframe", this.norms.element, this.rate.element);
    const charts = el("div", "tg-traincharts", this.loss.element, beside);
    this.element.append(this.bar, this.figures, charts);
  }

  update({ trace, position }: Frame): void {
    const { training } = trace;
    const end = training.findIndex(({ seq }) => seq >= position);
    this.steps = end < 0 ? training : training.slice(0, end);
    this.draw();
  }

  dispose(): void {
    for (const frame of [this.loss, this.norms, this.rate]) frame.dispose();
  }

  private draw(): void {
    const { steps, loss, norms, rate } = this;
    const frames = [loss, norms, rate];
    const sizes = frames.map(({ width, height }) => `${width} ${height}`);
    const drawn = `${steps.length} ${sizes.join(" ")}`;
    if (drawn === this.drawn || loss.width === 0) return;
    this.drawn = drawn;
    const last = steps.at(-1);
    this.bar.hidden = last?.steps === undefined;
    this.bar.max = last?.steps ?? 1;
    this.bar.value = last?.step ?? 0;
    const items = trainFigures(steps).map(([name, text]) =>
      el("div", "", el("dt", "", name), el("dd", "tg-code", text)),
    );
    this.figures.replaceChildren(...items);
    // What tells nothing leaves its room to the others; they are drawn again for it.
    norms.element.hidden = steps.every((step) => Object.keys(step.norms).length === 0);
    rate.element.hidden = new Set(steps.map((step) => step.rate)).size < 2;
    const chart = [lossChart, normChart, rateChart];
    frames.forEach((frame, at) => {
      const { width, height } = frame;
      if (width > 0) frame.draw(chart[at](steps, width, height));
    });
  }

  private normText(key: string): string {
    const at = key.lastIndexOf("@");
    const [layer, step] = [key.slice(0, at), Number(key.slice(at + 1))];
    const found = this.steps.find((known) => known.step === step);
    return `${layer}, step ${step}: ‖g‖ ${numberText(found?.norms[layer] ?? null)}`;
  }
}
