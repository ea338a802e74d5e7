/** Where a Program's temporaries lie in one arena: time to the right, bytes upwards. */

import { el } from "../draw/dom";
import type { Frame } from "../draw/look";
import { hueClass } from "../draw/theme";
import type { PlanBuffer, PlanEvent } from "../events";
import { countText, shorten, thousands } from "../text";
import type { Panel } from "./chapter";
import {
  bytesText,
  ChartFrame,
  LETTER,
  level,
  round,
  stroke,
  ticks,
  words,
  type Chart,
  type Shape,
} from "./figure";

const LEFT = 62;
const BOTTOM = 34;
const TOP = 26;
/** Of an operator's type, so many letters are written under its column. */
const TYPE = 20;
/** Of the buffers at the peak so many are named. */
const MOST_NAMED = 6;
/** Buffers lower than this together leave no room for types. */
const LOW = 200;
/** What is lower has no border, which would make it higher than it is. */
const BORDERED = 3;
/** As much is seen of a buffer, however low: downwards, not to be above the peak. */
const LEAST = 0.5;
/** Of an axis's name, so much room. */
const NAMED = 230;

/** The buffers as they would lie if none took over another's bytes. */
export function naive(buffers: readonly PlanBuffer[]): PlanBuffer[] {
  let end = 0;
  return buffers.map((buffer) => {
    const offset = end;
    end += buffer.size;
    return { ...buffer, offset };
  });
}

/**
 * A rectangle a buffer, the peak as a line, and who takes over whose bytes; where most are
 * alive at one operator, that is marked.
 */
export function planChart(
  title: string,
  buffers: readonly PlanBuffer[],
  peak: number,
  most: number,
  width: number,
  height: number,
  ops: readonly string[] = [],
  fullest?: number,
): Chart {
  const end = buffers.reduce((last, buffer) => Math.max(last, buffer.end + 1), 1);
  const wide = width - LEFT - 8;
  const types = wide / end < 11 ? [] : ops.slice(0, end).map((op) => shorten(op, TYPE));
  const below = types.reduce((most, type) => Math.max(most, type.length * LETTER), 0);
  const inner = height - TOP - BOTTOM;
  const told = inner - below - 8 < LOW ? [] : types;
  const tall = inner - (told.length > 0 ? below + 8 : 0);
  const x = (op: number): number => round(LEFT + (op / end) * wide);
  const y = (byte: number): number => round(TOP + tall - (byte / most) * tall);
  const shapes: Shape[] = [...axes(end, most, x, y, width, height)];
  for (const [op, type] of told.entries()) {
    const at = (x(op) + x(op + 1)) / 2 + 4;
    const look = op === fullest ? "tg-peakword" : "tg-axis";
    shapes.push({ ...words(type, at, y(0) + 22, look, "end"), turned: true });
  }
  const index = new Map(buffers.map((buffer, i) => [buffer.name, i]));
  const isOver = ({ alias_of: over, offset }: PlanBuffer): boolean =>
    buffers[index.get(over ?? "") ?? -1]?.offset === offset;
  /** From which operator on an alias lies over a buffer. */
  const covered = new Map(buffers.filter(isOver).map((b) => [b.alias_of, b.start]));
  for (const [i, buffer] of buffers.entries()) {
    const { name, offset, size, start, end: stop, alias_of: over } = buffer;
    const hue = index.get(over ?? "") ?? i;
    const box = { x: x(start), y: y(offset + size) };
    const [w, h] = [x(stop + 1) - box.x, y(offset) - box.y];
    const border = h < BORDERED ? 0 : 1;
    const kind = `${border ? "tg-buffer" : "tg-sliver"} ${hueClass(hue)}`;
    const look = border && isOver(buffer) ? `${kind} tg-alias` : kind;
    const size_ = { width: Math.max(1, round(w - border)), height: Math.max(LEAST, round(h - border)) };
    shapes.push({ kind: "rect", ...box, ...size_, look, key: `${i}` });
    const room = x(Math.min(stop + 1, covered.get(name) ?? Infinity)) - box.x - 8;
    if (h < 13 || room < 5 * LETTER) continue;
    const letters = Math.floor(room / LETTER);
    const down = Math.min(13, h / 2 + 3.5);
    shapes.push(words(shorten(name, letters), box.x + 5, box.y + down, "tg-buffername"));
  }
  shapes.push(...chains(buffers, x, y));
  if (fullest !== undefined) {
    const at = round((x(fullest) + x(fullest + 1)) / 2);
    shapes.push(stroke(`M${at} ${y(peak)}V${y(0)}`, "tg-peak"));
    if (told.length === 0) {
      const text = `most at ${thousands(fullest)}`;
      shapes.push(words(text, Math.min(at, width - NAMED), height - 5, "tg-peakword", "middle"));
    }
  }
  const text = `peak ${bytesText(peak)}`;
  shapes.push(
    stroke(`M${LEFT} ${y(peak)}H${width - 8}`, "tg-peak"),
    words(text, width - 10, y(peak) - 5, "tg-peakword", "end"),
    words(title, LEFT, 14, "tg-charttitle"),
  );
  const own = buffers.filter((buffer) => !isOver(buffer)).length;
  const label = `${title}: ${countText(own, "buffer")}, ${text}`;
  return { width, height, label, shapes };
}

function* axes(
  end: number,
  most: number,
  x: (op: number) => number,
  y: (byte: number) => number,
  width: number,
  height: number,
): Generator<Shape> {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(1, most)) / 10);
  for (const byte of ticks(most / unit, 5).map((tick) => tick * unit)) {
    yield* level(bytesText(byte), y(byte), LEFT, width - 8);
  }
  for (const op of ticks(end, 6)) {
    const text = thousands(op);
    const at = Math.min(x(op), width - (text.length * LETTER) / 2);
    yield words(text, at, y(0) + 16, "tg-axis", "middle");
  }
  yield words("operator, in program order", width - 10, height - 5, "tg-axis", "end");
}

/** A line from where a buffer ends to where the next one begins on the same bytes. */
function* chains(
  buffers: readonly PlanBuffer[],
  x: (op: number) => number,
  y: (byte: number) => number,
): Generator<Shape> {
  const last = new Map<number, PlanBuffer>();
  const inOrder = buffers.toSorted((a, b) => a.start - b.start);
  for (const buffer of inOrder) {
    const before = last.get(buffer.offset);
    last.set(buffer.offset, buffer);
    if (before === undefined || before.end >= buffer.start) continue;
    const middle = y(buffer.offset + buffer.size / 2);
    const at = round(Math.max(middle, y(buffer.offset) - 4));
    yield stroke(`M${x(before.end + 1)} ${at}H${x(buffer.start)}`, "tg-chain");
  }
}

/** What one buffer is, in a sentence. */
export function bufferText(plan: PlanEvent, index: number): string {
  const buffer = plan.buffers[index];
  const { name, size, offset, start, end, alias_of: over } = buffer;
  const op = (at: number): string => {
    const type = plan.ops?.[at];
    return type === undefined ? `operator ${at}` : `${type} (${at})`;
  };
  const alias = over === undefined ? "" : ` It takes over ${over} in place.`;
  const place = `${bytesText(size)} from byte ${thousands(offset)}`;
  return `${name}: ${place}, alive from ${op(start)} to ${op(end)}.${alias}`;
}

/** At which operator most bytes are alive, and whose they are. */
function fullestOf(buffers: readonly PlanBuffer[]): { at: number; alive: PlanBuffer[] } {
  const ends = new Map(buffers.map(({ name, end }) => [name, end]));
  // What takes over another's bytes adds to them from where that ends.
  const own = buffers
    .map((b) => ({ ...b, start: Math.max(b.start, (ends.get(b.alias_of ?? "") ?? -1) + 1) }))
    .filter(({ start, end }) => start <= end);
  const changes: number[] = [];
  for (const { start, end, size } of own) {
    changes[start] = (changes[start] ?? 0) + size;
    changes[end + 1] = (changes[end + 1] ?? 0) - size;
  }
  let [bytes, most, at] = [0, 0, 0];
  changes.forEach((change, op) => {
    bytes += change;
    if (bytes > most) [most, at] = [bytes, op];
  });
  return { at, alive: own.filter(({ start, end }) => start <= at && at <= end) };
}

/** The same in words, the largest first. */
export function peakText({ buffers, ops }: PlanEvent): string {
  const { at, alive } = fullestOf(buffers);
  const names = alive.toSorted((a, b) => b.size - a.size).map(({ name }) => name);
  const rest = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return `Most are alive at ${ops?.[at] ?? "operator"} (${at}): ${names.slice(0, MOST_NAMED).join(", ")}${rest}.`;
}

export class PlanView implements Panel {
  readonly element = el("section", "tg-pane tg-chapter tg-plan");
  private readonly summary = el("p", "tg-summary");
  private readonly before: ChartFrame;
  private readonly after: ChartFrame;
  private plan: PlanEvent | undefined;
  private drawn = "";

  constructor() {
    const describe = (key: string): string =>
      this.plan === undefined ? "" : bufferText(this.plan, Number(key));
    this.before = new ChartFrame("Each buffer on its own", describe, () => this.draw());
    this.after = new ChartFrame("Planned", describe, () => this.draw());
    const pair = el("div", "tg-pairchart", this.before.element, this.after.element);
    this.element.append(this.summary, pair);
  }

  update({ trace, position }: Frame): void {
    const past = trace.plans.filter(({ seq }) => seq < position);
    this.plan = past.at(-1) ?? trace.plans[0];
    this.draw();
  }

  dispose(): void {
    this.before.dispose();
    this.after.dispose();
  }

  private draw(): void {
    const { plan } = this;
    if (plan === undefined || this.after.width === 0) return;
    const { width, height } = this.after;
    const drawn = `${plan.seq} ${width} ${height}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const apart = naive(plan.buffers);
    const top = apart.reduce((most, b) => Math.max(most, b.offset + b.size), plan.arena);
    const most = Math.max(1, top, plan.naive_peak) * 1.06;
    const { at } = fullestOf(plan.buffers);
    const chart = (title: string, buffers: readonly PlanBuffer[], peak: number): Chart =>
      planChart(title, buffers, peak, most, width, height, plan.ops, at);
    this.before.draw(chart("Without a plan: each has its own bytes", apart, plan.naive_peak));
    this.after.draw(chart("Planned: bytes are used again", plan.buffers, plan.planned_peak));
    this.summary.textContent = `${planText(plan)} ${peakText(plan)}`;
  }
}

export function planText({ buffers, naive_peak, planned_peak }: PlanEvent): string {
  const share = naive_peak > 0 ? Math.round((1 - planned_peak / naive_peak) * 100) : 0;
  const saved = `${bytesText(planned_peak)} instead of ${bytesText(naive_peak)}`;
  const hint =
    "A colour is a buffer, the same in both. " +
    "Dashed: taken over in place. Dotted: the same bytes, used again.";
  const own = buffers.filter(({ alias_of: over }) => over === undefined).length;
  const counts = `${countText(buffers.length, "value")} in ${countText(own, "buffer")}`;
  return `${counts}, ${saved}: ${share} % less. ${hint}`;
}
