/** Training as it goes: the loss, how fast, how long still, and each layer's gradient. */

import { el } from "../draw/dom";
import type { Frame } from "../draw/look";
import type { TrainEvent } from "../events";
import type { Trace } from "../state/trace";
import { countText, numberText, shorten, thousands } from "../text";
import type { Chapter } from "./chapter";
import { ChartFrame, LETTER, ticks, timeText, type Chart, type Shape } from "./figure";

const LEFT = 58;
const TOP = 28;
const BOTTOM = 24;
const LOSS_NOTE = "Thin: each step. Thick: smoothed. ✕: not finite.";
const NORM_NOTE = "Pale: 1e-6 or less. Full colour: 100 or more. Red: not finite.";
const NAMES = 120;
/** Columns of the heat map of norms, at most: more steps share one. */
const MOST_COLUMNS = 160;

/** The steps' losses as a thin line, and a moving mean as a thick one. */
export function lossChart(
  steps: readonly TrainEvent[],
  width: number,
  height: number,
): Chart {
  const known = steps.flatMap(({ loss }) => (loss === null ? [] : [loss]));
  const low = Math.min(0, ...known);
  const high = Math.max(...known, low + 1e-12);
  const last = Math.max(1, steps.length - 1);
  const x = (index: number): number => LEFT + (index / last) * (width - LEFT - 10);
  const tall = height - TOP - BOTTOM;
  const y = (loss: number): number => TOP + tall * (1 - (loss - low) / (high - low));
  const shapes: Shape[] = [
    { kind: "words", x: LEFT, y: 15, text: "Loss", look: "tg-charttitle" },
  ];
  for (const tick of ticks(high - low, 4)) {
    const at = round(y(low + tick));
    shapes.push({ kind: "stroke", d: `M${LEFT} ${at}H${width - 10}`, look: "tg-gridline" });
    const text = numberText(low + tick);
    shapes.push({ kind: "words", x: LEFT - 6, y: at + 4, text, look: "tg-axis", anchor: "end" });
  }
  for (const tick of ticks(last, 6)) {
    const text = String(steps[tick]?.step ?? tick);
    const place = { x: round(x(tick)), y: height - 6 };
    shapes.push({ kind: "words", ...place, text, look: "tg-axis", anchor: "middle" });
  }
  const losses = steps.map(({ loss }) => loss);
  shapes.push({ kind: "stroke", d: curve(losses, x, y), look: "tg-thin" });
  shapes.push({ kind: "stroke", d: curve(smoothed(losses), x, y), look: "tg-thick" });
  losses.forEach((loss, index) => {
    if (loss !== null) return;
    const at = round(x(index));
    const d = `M${at - 5} ${TOP}l10 10m0 -10l-10 10`;
    shapes.push({ kind: "stroke", d, look: "tg-cross" });
  });
  const label = `loss over ${countText(steps.length, "step")}`;
  return { width, height, label, shapes };
}

/** The mean of what came so far, recent steps the most. */
export function smoothed(values: readonly (number | null)[]): (number | null)[] {
  let mean: number | null = null;
  return values.map((value) => {
    if (value === null) return mean;
    mean = mean === null ? value : mean + 0.08 * (value - mean);
    return mean;
  });
}

function curve(
  values: readonly (number | null)[],
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
export function normChart(
  steps: readonly TrainEvent[],
  width: number,
  height: number,
): Chart {
  const layers = [...new Set(steps.flatMap(({ norms }) => Object.keys(norms)))];
  const shapes: Shape[] = [
    { kind: "words", x: 4, y: 15, text: "Gradient norm by layer", look: "tg-charttitle" },
  ];
  const columns = Math.min(MOST_COLUMNS, steps.length);
  const wide = (width - NAMES - 10) / Math.max(1, columns);
  const tall = Math.min(44, (height - TOP - BOTTOM) / Math.max(1, layers.length));
  layers.forEach((layer, row) => {
    const y = round(TOP + row * tall);
    const text = shorten(layer, Math.floor((NAMES - 10) / LETTER));
    const place = { x: NAMES - 6, y: round(y + tall / 2 + 4) };
    shapes.push({ kind: "words", ...place, text, look: "tg-axis", anchor: "end" });
    for (let column = 0; column < columns; column++) {
      const [first, end] = [column, column + 1].map((at) =>
        Math.floor((at * steps.length) / columns),
      );
      const worst = worstOf(steps.slice(first, end), layer);
      if (worst === undefined) continue;
      const look = `tg-norm tg-norm-${normLevel(worst.norm)}`;
      const key = `${layer}@${worst.step}`;
      const box = { x: round(NAMES + column * wide), y, height: round(tall - 2) };
      // A lone bad step among hundreds must not get too thin to be seen.
      const least = worst.norm === null ? 3 : 1;
      // A little over the next one, so that no light comes through between.
      const breadth = Math.max(least, round(wide + 0.6));
      shapes.push({ kind: "rect", ...box, width: breadth, look, key });
    }
  });
  const label = `gradient norms of ${countText(layers.length, "layer")}`;
  return { width, height, label, shapes };
}

/** Of several steps the largest norm: what is not finite is the largest of all. */
function worstOf(
  steps: readonly TrainEvent[],
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

/** 0 (1e-6 or less) to 8 (100 or more), a step for each power of ten; "bad" if none. */
export function normLevel(norm: number | null): string {
  if (norm === null) return "bad";
  if (norm <= 0) return "0";
  return String(Math.min(8, Math.max(0, Math.round(Math.log10(norm) + 6))));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
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

export class TrainingView implements Chapter {
  readonly title = "Training";
  readonly element = el("section", "tg-pane tg-chapter tg-training");
  private readonly bar = el("progress", "tg-progress");
  private readonly figures = el("dl", "tg-figures tg-trainfigures");
  private readonly loss: ChartFrame;
  private readonly norms: ChartFrame;
  private steps: readonly TrainEvent[] = [];
  private drawn = "";

  constructor() {
    this.bar.setAttribute("aria-label", "Steps done");
    const redraw = (): void => this.draw();
    this.loss = new ChartFrame("Loss", () => "", redraw, LOSS_NOTE);
    const tell = (key: string): string => this.normText(key);
    this.norms = new ChartFrame("Gradient norms", tell, redraw, NORM_NOTE);
    const charts = [this.loss.element, this.norms.element];
    this.element.append(this.bar, this.figures, el("div", "tg-traincharts", ...charts));
  }

  available(trace: Trace): boolean {
    return trace.training.length > 0;
  }

  update({ trace, position }: Frame): void {
    const { training } = trace;
    const end = training.findIndex(({ seq }) => seq >= position);
    this.steps = end < 0 ? training : training.slice(0, end);
    this.draw();
  }

  dispose(): void {
    this.loss.dispose();
    this.norms.dispose();
  }

  private draw(): void {
    const { steps, loss, norms } = this;
    const sizes = [loss.width, loss.height, norms.width, norms.height];
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
    loss.draw(lossChart(steps, loss.width, loss.height));
    const hasNorms = steps.some((step) => Object.keys(step.norms).length > 0);
    norms.element.hidden = !hasNorms;
    if (hasNorms) norms.draw(normChart(steps, norms.width, norms.height));
  }

  private normText(key: string): string {
    const at = key.lastIndexOf("@");
    const [layer, step] = [key.slice(0, at), Number(key.slice(at + 1))];
    const found = this.steps.find((known) => known.step === step);
    return `${layer}, step ${step}: ‖g‖ ${numberText(found?.norms[layer] ?? null)}`;
  }
}
