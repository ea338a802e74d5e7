/** Processes side by side, what they send each other, and who waits for whom. */

import { button, el } from "../draw/dom";
import type { Frame } from "../draw/look";
import type { MessageEvent as Message } from "../events";
import {
  arcsOf,
  awaited,
  isWait,
  messagesOf,
  processesOf,
  spanOf,
  stepsOf,
  type Arc,
  type Process,
  type Row,
} from "../state/cluster";
import { countText, shorten } from "../text";
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
const TOP = 30;
const LANE = 34;
/** The room that arcs take between two columns, at least. */
const LEAST_GUTTER = 90;
const LEAST_COLUMN = 120;
const MOST_COLUMN = 300;
/** A wait shorter than this share of the step is not drawn out. */
const LEAST_WAIT = 0.02;
const MOST_PROCESSES = 7;

/** Colours by role: a gradient, a parameter, the optimizer, and what only waits. */
const COLOURS: Record<Row["look"], string> = {
  send: "var(--tg-tone-g)",
  recv: "var(--tg-tone-P)",
  wait: "var(--tg-tone-D)",
  update: "var(--tg-tone-optimise)",
  quiet: "var(--tg-tone-T)",
};
const DEAD = "var(--tg-tone-failed)";
const DASHES: Record<Arc["look"], string> = { send: "", recv: "stroke-dasharray:5 3" };

/** Trainers on either side, servers in the middle: no arc passes a column it can avoid. */
export function columns(processes: readonly Process[]): Process[] {
  const trainers = processes.filter(({ isServer }) => !isServer);
  const servers = processes.filter(({ isServer }) => isServer);
  const half = Math.ceil(trainers.length / 2);
  return [...trainers.slice(0, half), ...servers, ...trainers.slice(half)];
}

/** The programs, with an arc for each message between them. */
export function programsChart(
  processes: readonly Process[],
  arcs: readonly Arc[],
  now: (arc: Arc) => boolean,
  width: number,
): Chart {
  const shown = columns(processes).slice(0, MOST_PROCESSES);
  const gaps = Math.max(1, shown.length - 1);
  const room = (width - gaps * LEAST_GUTTER - 2) / Math.max(1, shown.length);
  const wide = Math.floor(Math.max(LEAST_COLUMN, Math.min(MOST_COLUMN, room)));
  const gutter = Math.max(LEAST_GUTTER, Math.floor((width - 2 - shown.length * wide) / gaps));
  const left = (at: number): number => 1 + at * (wide + gutter);
  const at = new Map(shown.map(({ id }, i) => [id, i]));
  const most = Math.max(1, ...shown.map(({ rows }) => rows.length));
  const height = TOP + most * ROW + 8;
  // A short program stands in the middle of the height: its arcs stay short.
  const down = shown.map(({ rows }) => ((most - rows.length) * ROW) / 2);
  const y = (column: number, row: number): number => TOP + down[column] + row * ROW + ROW / 2 - 1;
  const shapes: Shape[] = [];
  for (const arc of arcs) {
    const [from, to] = [at.get(arc.from[0]), at.get(arc.to[0])];
    if (from === undefined || to === undefined) continue;
    const way = to > from ? 1 : -1;
    const x1 = left(from) + (way > 0 ? wide : 0);
    const x2 = left(to) + (way > 0 ? 0 : wide);
    const [y1, y2] = [y(from, arc.from[1]), y(to, arc.to[1])];
    const bend = round(x1 + way * gutter * 0.5);
    const other = round(x2 - way * gutter * 0.5);
    const line = `M${x1} ${round(y1)}C${bend} ${round(y1)} ${other} ${round(y2)} ${x2} ${round(y2)}`;
    const tip = `M${x2 - way * 6} ${round(y2 - 3)}L${x2} ${round(y2)}L${x2 - way * 6} ${round(y2 + 3)}`;
    const colour = `stroke:${COLOURS[arc.look]};stroke-width:1.5;opacity:${now(arc) ? 1 : 0.3}`;
    shapes.push({ ...stroke(line, ""), style: `${colour};${DASHES[arc.look]}` });
    shapes.push({ ...stroke(tip, ""), style: colour });
  }
  shown.forEach((process, column) => {
    shapes.push(words(shorten(process.title, Math.floor(wide / 7.5)), left(column), 16, "tg-charttitle"));
    process.rows.forEach((row, index) => {
      const box = { x: left(column), y: y(column, index) - ROW / 2 + 1, width: wide, height: ROW - 3 };
      const key = `row ${process.id} ${index}`;
      shapes.push({ kind: "rect", ...box, look: "tg-span", key, style: `--tg-stripe:${COLOURS[row.look]}` });
      const text = shorten(row.text, Math.floor((wide - 12) / LETTER));
      shapes.push(words(text, box.x + 6, box.y + 12, "tg-spanname"));
    });
  });
  const label = `${countText(shown.length, "program")} and ${countText(arcs.length, "message")} between them`;
  return { width: Math.max(width, left(shown.length - 1) + wide + 1), height, label, shapes };
}

/** A lane for each process: what it computes, sends, receives, and whom it waits for. */
export function timelineChart(
  messages: readonly Message[],
  processes: readonly Process[],
  position: number,
  width: number,
): Chart {
  const lanes = columns(processes).slice(0, MOST_PROCESSES);
  const [from, to] = spanOf(messages);
  const left = 10 + LETTER * Math.min(22, Math.max(0, ...lanes.map(({ title }) => title.length)));
  const scale = (width - left - 10) / Math.max(1e-9, to - from);
  const x = (time: number): number => round(left + (Math.min(to, Math.max(from, time)) - from) * scale);
  const height = TOP + lanes.length * LANE + 6;
  const lane = new Map(lanes.map(({ id }, i) => [id, TOP + i * LANE]));
  const shapes: Shape[] = [];
  for (const tick of ticksAlong(to - from, width - left)) {
    const at = x(from + tick);
    shapes.push(stroke(`M${at} 18V${height}`, "tg-gridline"));
    const text = timeText(tick);
    shapes.push(words(text, Math.min(at + 3, width - text.length * LETTER), 12, "tg-axis"));
  }
  lanes.forEach(({ title }, i) => {
    const y = TOP + i * LANE;
    shapes.push(words(shorten(title, 22), 1, y + 14, "tg-axis"));
    shapes.push(stroke(`M${left} ${y + LANE - 6}H${width - 10}`, "tg-gridline"));
  });
  const waits: Shape[] = [];
  messages.forEach((message, index) => {
    const y = lane.get(message.process);
    if (y === undefined || message.what === "serve") return;
    const isBack = message.what === "restart";
    const colour = isBack ? DEAD : COLOURS[lookOf(message)];
    const [begin, end] = [x(message.start), x(message.start + message.duration)];
    const box = { x: begin, y, width: Math.max(1.5, round(end - begin)), height: 20 };
    const later = message.seq < position ? "" : ";opacity:0.3";
    const style = `--tg-stripe:${colour}${later}`;
    const thin = box.width < 5 ? " tg-sliver" : "";
    shapes.push({ kind: "rect", ...box, look: `tg-span${thin}`, key: String(index), style });
    const letters = Math.floor((box.width - 8) / LETTER);
    if (isBack && letters >= 4) waits.push(words(shorten("died", letters), box.x + 4, y + 14, "tg-spanname"));
    const whom = awaited(message, messages);
    if (whom === undefined || message.duration < LEAST_WAIT * (to - from)) return;
    const there = lane.get(whom.process);
    if (there === undefined) return;
    const title = lanes.find(({ id }) => id === whom.process)?.title ?? "";
    if (letters >= 8) waits.push(words(shorten(`waits for ${title}`, letters), box.x + 4, y + 14, "tg-spanname"));
    const at = x(whom.start + (whom.name === "send" ? whom.duration : 0));
    const ends = there > y ? [there, y + 20] : [there + 20, y];
    const style2 = `stroke:var(--tg-ink);stroke-width:1.2${later}`;
    const tip = there > y ? 5 : -5;
    waits.push({ ...stroke(`M${at} ${ends[0]}V${ends[1]}`, ""), style: `${style2};stroke-dasharray:3 2` });
    waits.push({ ...stroke(`M${at - 3} ${ends[1] + tip}L${at} ${ends[1]}L${at + 3} ${ends[1] + tip}`, ""), style: style2 });
  });
  const label = `${countText(messages.length, "call")} in ${timeText(to - from)}`;
  return { width, height, label, shapes: [...shapes, ...waits] };
}

function lookOf({ what }: Message): Row["look"] {
  if (what === "send" || what === "update") return what;
  if (what === "save") return "quiet";
  return what === "barrier" ? "wait" : "recv";
}

function titleOf(process: number, processes: readonly Process[]): string {
  return processes.find(({ id }) => id === process)?.title ?? `process ${process}`;
}

/** What one call was, in a sentence. */
export function messageText(
  message: Message,
  among: readonly Message[],
  processes: readonly Process[],
): string {
  const { what, name, peer, bytes, duration } = message;
  const size = bytes > 0 ? `, ${bytesText(bytes)}` : "";
  const whom = awaited(message, among);
  const wait = whom === undefined ? "" : `, waiting for ${titleOf(whom.process, processes)}`;
  const side = what === "send" ? "to" : "from";
  const where = peer === "" ? "" : ` ${side} ${peer}`;
  return `${titleOf(message.process, processes)}: ${[what, name].join(" ").trim()}${where}${size}, ${timeText(duration)}${wait}`;
}

/** Of each trainer, how long it waited in a step, and for whom most. */
export function waitsText(messages: readonly Message[], processes: readonly Process[]): string {
  const [from, to] = spanOf(messages);
  const servers = processes.filter(({ isServer }) => isServer).length;
  const answer = servers === 0 ? "" : ` for the ${servers === 1 ? "server" : "servers"}`;
  const told = processes.flatMap(({ id, title, isServer }) => {
    if (isServer) return [];
    const own = messages.filter((m) => m.process === id && isWait(m));
    const longest = own.toSorted((a, b) => b.duration - a.duration)[0];
    const whom = longest === undefined ? undefined : awaited(longest, messages);
    const name = processes.find((p) => p.id === whom?.process)?.title;
    const time = own.reduce((sum, { duration }) => sum + duration, 0);
    return [`${title} waits ${timeText(time)}${name === undefined ? answer : ` for ${name}`}`];
  });
  return `${timeText(to - from)}: ${told.slice(0, 4).join(", ")}`;
}

/** Who died in the whole run, and from which step each was restarted. */
export function restartsText(messages: readonly Message[], processes: readonly Process[]): string {
  const told = messages.filter(({ what }) => what === "restart").map(({ process, step }) =>
    `${titleOf(process, processes)} died and was restarted from step ${step}`);
  return told.length > 3 ? `${told.slice(0, 3).join(", ")} and ${told.length - 3} more` : told.join(", ");
}

/** Where a step is among those that are recorded: of a long training not all are. */
export function stepText(step: number, steps: readonly number[]): string {
  if (step === 0) return steps.length > 1 ? "Startup" : "Whole run";
  const counted = steps.filter((other) => other > 0);
  const last = counted.at(-1) ?? 0;
  if (last === counted.length) return `Step ${step} of ${last}`;
  return `Step ${step}, ${counted.indexOf(step) + 1} of ${counted.length} recorded`;
}

const NOTE = [
  "Orange arcs are gradients on their way to the servers, dashed ones parameters on their way back.",
  "Below, the same step in time: sends orange, barriers blue, waits yellow, updates green, saves grey, restarts red.",
  "All gradients leave together, at the send barrier.",
  "A dashed arrow comes from whom somebody waited for. Between bars a process computes, or waits for its turn.",
].join(" ");

export class ClusterView implements Panel {
  readonly element = el("section", "tg-pane tg-chapter tg-cluster");
  private readonly summary = el("p", "tg-summary");
  private readonly programs: ChartFrame;
  private readonly times: ChartFrame;
  private processes: readonly Process[] = [];
  private arcs: readonly Arc[] = [];
  private messages: readonly Message[] = [];
  private all: readonly Message[] = [];
  private steps: readonly number[] = [];
  /** What somebody chose; until then the step that the scrubber is in. */
  private chosen: number | undefined;
  private step = 0;
  private position = 0;
  private known = "";
  private drawn = "";

  constructor() {
    this.programs = new ChartFrame("Programs", (key) => this.textOf(key), () => this.draw());
    this.times = new ChartFrame("Timeline", (key) => this.textOf(key), () => this.draw(), NOTE);
    this.times.element.style.flex = "none";
    const go = (by: number): void => this.go(by);
    const back = button("tg-tool", "The step before", "‹", () => go(-1));
    const on = button("tg-tool", "The step after", "›", () => go(1));
    const tools = el("span", "tg-tools", back, on);
    const head = el("div", "tg-panehead", this.summary, tools);
    this.element.append(head, this.programs.element, this.times.element);
  }

  update({ trace, position }: Frame): void {
    const known = `${trace.messages.length} ${trace.processes.length} ${trace.ops.size}`;
    if (known !== this.known) {
      this.known = known;
      this.all = trace.messages;
      this.processes = processesOf(trace);
      this.arcs = arcsOf(this.processes);
      this.steps = stepsOf(this.all, this.processes);
    }
    if (position !== this.position) this.chosen = undefined;
    this.position = position;
    this.draw();
  }

  dispose(): void {
    this.programs.dispose();
    this.times.dispose();
  }

  private go(by: number): void {
    const at = this.steps.indexOf(this.step) + by;
    this.chosen = this.steps[Math.max(0, Math.min(this.steps.length - 1, at))];
    this.draw();
  }

  /** The step of the last message of a trainer before the position. */
  private now(): number {
    const servers = new Set(this.processes.filter((p) => p.isServer).map(({ id }) => id));
    const isPast = (m: Message): boolean => m.seq < this.position && !servers.has(m.process);
    return this.all.findLast(isPast)?.step ?? this.steps[0] ?? 0;
  }

  private draw(): void {
    const { all, processes, programs, times } = this;
    if (programs.width === 0 || processes.length === 0) return;
    this.step = this.chosen ?? this.now();
    const past = this.chosen === undefined ? this.position : Infinity;
    const drawn = `${this.known} ${this.step} ${past} ${programs.width}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.messages = messagesOf(all, processes, this.step);
    const here = this.messages.filter(({ seq }) => seq < past);
    const isNow = ({ look, name, from, to }: Arc): boolean => {
      const trainer = look === "send" ? from[0] : to[0];
      return here.some((m) => m.process === trainer && (m.what === look || m.what === "all_reduce")
        && (m.what === "all_reduce" || m.name.replace(/\.trainer_\d+$/, "") === name));
    };
    programs.draw(programsChart(processes, this.arcs, isNow, programs.width));
    if (this.messages.length > 0) {
      times.draw(timelineChart(this.messages, processes, past, times.width));
    }
    const step = stepText(this.step, this.steps);
    const waits = this.messages.length > 0 ? ` · ${waitsText(this.messages, processes)}` : "";
    const died = restartsText(this.all, processes);
    this.summary.textContent = [`${step}${waits}`, died].filter(Boolean).join(" · ");
  }

  private textOf(key: string): string {
    const [kind, id, index] = key.split(" ");
    if (kind !== "row") return messageText(this.messages[Number(key)], this.messages, this.processes);
    const process = this.processes.find((p) => p.id === Number(id));
    const ops = process?.rows[Number(index)]?.ops ?? [];
    const names = (slots: Readonly<Record<string, readonly string[]>>): string => Object.values(slots).flat().join(", ");
    if (ops.length === 1) return `${ops[0].type}: ${names(ops[0].inputs)} → ${names(ops[0].outputs)}`;
    return ops.map(({ type }) => type).join(", ");
  }
}
