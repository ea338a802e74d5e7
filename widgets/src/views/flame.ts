/** Where the time went: a flame of spans, and a table of what took the most. */

import { button, el } from "../draw/dom";
import type { Frame } from "../draw/look";
import { hueClass } from "../draw/theme";
import type { ProfileEvent, Span } from "../events";
import { countText, shorten, thousands } from "../text";
import type { Panel } from "./chapter";
import {
  bytesText,
  ChartFrame,
  LETTER,
  round,
  stroke,
  ticksAlong,
  timeText,
  words,
  type Chart,
  type Shape,
} from "./figure";

const ROW = 20;
const TOP = 22;
/** A span narrower than this, in pixels, is drawn together with those beside it. */
const LEAST = 1.2;
/** A log may say any number; a span of time must be one too. */
const MOST = 1e300;

/** From when to when, in seconds. */
export interface Extent {
  readonly from: number;
  readonly to: number;
}

export function extentOf(spans: readonly Span[]): Extent {
  const from = spans.reduce((least, { start }) => Math.min(least, start), Infinity);
  const to = spans.reduce((most, s) => Math.max(most, s.start + s.duration), 0);
  return { from: from < MOST ? Math.max(from, -MOST) : 0, to: Math.min(to, MOST) };
}

/** A rectangle a span; those too narrow to see are one, so there are never too many. */
export function flameChart(
  spans: readonly Span[],
  { from, to }: Extent,
  width: number,
): Chart {
  const scale = (width - 2) / Math.max(1e-9, to - from);
  const depths = [...new Set(spans.map(({ depth }) => depth))].sort((a, b) => a - b);
  const row = new Map(depths.map((depth, i) => [depth, i]));
  const height = TOP + Math.max(1, row.size) * ROW + 4;
  const shapes: Shape[] = [];
  for (const tick of ticksAlong(to - from, width)) {
    const x = round(1 + tick * scale);
    shapes.push(stroke(`M${x} 16V${height}`, "tg-gridline"));
    const text = timeText(tick);
    // No label is cut off at the right edge.
    shapes.push(words(text, Math.min(x + 3, width - text.length * LETTER), 12, "tg-axis"));
  }
  const ends: number[] = [];
  spans.forEach((span, index) => {
    const start = Math.max(span.start, from);
    const end = Math.min(span.start + span.duration, to);
    if (end < start || (end === start && span.duration > 0)) return;
    const x = round(Math.min(1 + (start - from) * scale, width - 1 - LEAST));
    const wide = (end - start) * scale;
    if (wide < LEAST && x < (ends[span.depth] ?? 0)) return;
    const box = { x, y: TOP + row.get(span.depth)! * ROW, width: round(Math.max(LEAST, wide - 0.5)) };
    ends[span.depth] = x + box.width;
    const thin = box.width < 5 ? " tg-sliver" : "";
    const look = `tg-span${thin} ${hueOf(span.name)}`;
    shapes.push({ kind: "rect", ...box, height: ROW - 2, look, key: String(index) });
    if (wide < 4 * LETTER) return;
    const text = shorten(span.name, Math.floor((wide - 8) / LETTER));
    shapes.push(words(text, x + 4, box.y + 13, "tg-spanname"));
  });
  const label = `${countText(spans.length, "span")} in ${timeText(to - from)}`;
  return { width, height, label, shapes };
}

/** The same colour for the same name. */
function hueOf(name: string): string {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return hueClass(hash);
}

export interface Total {
  readonly name: string;
  calls: number;
  total: number;
  /** Without what ran inside it. */
  self: number;
  bytes: number;
}

/** Sums by name, what took the most itself first. */
export function totals(spans: readonly Span[]): Total[] {
  const found = new Map<string, Total>();
  const open: { end: number; total: Total }[] = [];
  const inOrder = spans.toSorted((a, b) => a.start - b.start || a.depth - b.depth);
  for (const { name, start, duration, depth, bytes = 0 } of inOrder) {
    const total = found.get(name) ?? { name, calls: 0, total: 0, self: 0, bytes: 0 };
    found.set(name, total);
    total.calls += 1;
    total.total += duration;
    total.self += duration;
    total.bytes += bytes;
    open.length = Math.min(open.length, depth);
    const parent = open[depth - 1];
    if (parent !== undefined && start <= parent.end) parent.total.self -= duration;
    open[depth] = { end: start + duration, total };
  }
  return [...found.values()].sort((a, b) => b.self - a.self);
}

const MOST_TOTALS = 40;

export class FlameView implements Panel {
  readonly element = el("section", "tg-pane tg-chapter tg-flame");
  private readonly summary = el("p", "tg-summary");
  private readonly frame: ChartFrame;
  private readonly table = el("table", "tg-totals");
  private readonly whole: HTMLButtonElement;
  private spans: readonly Span[] = [];
  private extent: Extent = { from: 0, to: 0 };
  private known = 0;
  private drawn = "";

  constructor() {
    this.frame = new ChartFrame(
      "Spans",
      (key) => this.spanText(Number(key)),
      () => this.draw(),
    );
    this.frame.onPick((key) => this.zoom(Number(key)));
    this.whole = button("tg-tool", "Show the whole profile", "Show all", () => {
      this.extent = extentOf(this.spans);
      this.draw();
    });
    const head = el("div", "tg-panehead", this.summary, el("span", "tg-tools", this.whole));
    const scroll = el("div", "tg-scroll tg-totalsbox", this.table);
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", "Sums by name");
    this.element.append(head, this.frame.element, scroll);
  }

  update({ trace }: Frame): void {
    if (trace.profiles.length !== this.known) {
      this.known = trace.profiles.length;
      this.spans = spansOf(trace.profiles);
      this.extent = extentOf(this.spans);
      this.tell();
    }
    this.draw();
  }

  dispose(): void {
    this.frame.dispose();
  }

  private zoom(index: number): void {
    const { start, duration } = this.spans[index];
    this.extent = { from: start, to: start + duration };
    this.draw();
  }

  private draw(): void {
    const { extent, spans, frame } = this;
    const drawn = `${spans.length} ${extent.from} ${extent.to} ${frame.width}`;
    if (drawn === this.drawn || frame.width === 0) return;
    this.drawn = drawn;
    const { from, to } = extentOf(spans);
    this.whole.hidden = extent.from === from && extent.to === to;
    frame.draw(flameChart(spans, extent, frame.width));
  }

  private tell(): void {
    const all = totals(this.spans);
    const whole = all.reduce((sum, { self }) => sum + self, 0);
    const sums = `${countText(this.spans.length, "span")} · ${timeText(whole)}`;
    this.summary.textContent = `${sums}. Press a span, or Enter, to look closer.`;
    const titles = ["name", "calls", "own time", "share", "total time", "bytes made"];
    const head = el("tr", "", ...titles.map((title) => el("th", "", title)));
    const rows = all.slice(0, MOST_TOTALS).map((total) => totalRow(total, whole));
    const more = all.length - rows.length;
    const caption = more > 0 ? [el("caption", "", `and ${more} more`)] : [];
    this.table.replaceChildren(...caption, el("thead", "", head), el("tbody", "", ...rows));
  }

  private spanText(index: number): string {
    const { name, start, duration, bytes, at } = this.spans[index];
    const memory = bytes === undefined ? "" : `, ${bytesText(bytes)}`;
    const line = at === undefined ? "" : `, line ${at}`;
    return `${name}: ${timeText(duration)} from ${timeText(start)}${memory}${line}`;
  }
}

/** The latest profile's spans; a profile may come in several pieces. */
function spansOf(profiles: readonly ProfileEvent[]): Span[] {
  const title = profiles.at(-1)?.title;
  return profiles.filter((p) => p.title === title).flatMap((p) => p.spans);
}

function totalRow({ name, calls, total, self, bytes }: Total, whole: number): HTMLElement {
  const share = whole > 0 ? (100 * self) / whole : 0;
  const swatch = el("span", `tg-swatch ${hueOf(name)}`);
  const part = el("td", "tg-share", `${share.toFixed(1)} %`);
  part.style.setProperty("--tg-part", String(share / 100));
  const cells = [
    el("td", "tg-code", swatch, name),
    el("td", "", thousands(calls)),
    el("td", "", timeText(self)),
    part,
    el("td", "", timeText(total)),
    el("td", "", bytes > 0 ? bytesText(bytes) : ""),
  ];
  return el("tr", "", ...cells);
}
