/** The head of the view: what this is, how far it is, and what was left out. */

import type { Dropped } from "../events";
import { INTERRUPTED, type Trace } from "../state/trace";
import { countText, thousands } from "../text";
import { describe } from "../state/entity";
import { button, el, setText } from "./dom";
import { isTraced, type Frame } from "./look";
import { rowName } from "./row";
import { sayStep } from "./scrubber";

/** What is sampled, so that recording stays fast: it is told, and alarms nobody. */
const SAMPLED = new Set(["training steps", "runs", "values", "repeats of a line"]);

export type Progress = "waiting" | "running" | "done" | "failed";

export class Status {
  readonly head = el("div", "tg-head");
  readonly notice = el("div", "tg-notice");
  /** Said by screen readers, seen by nobody. */
  readonly announcer = el("div", "tg-sr");
  complaint = "";
  private readonly alarm: HTMLButtonElement;
  private readonly sampled: HTMLButtonElement;
  /** Whether one wants to know why something is not recorded. */
  private isAsked = false;
  private trouble: string | undefined;
  private parts: string[] = [];
  private reasons: string[] = [];
  private readonly title = el("h2", "tg-title");
  private readonly text = el("span", "tg-status");
  private announcedAt = 0;

  constructor(tools: readonly HTMLElement[], go: (key: string) => void) {
    this.alarm = button("tg-alarm", "", "", () => {
      if (this.trouble !== undefined) go(this.trouble);
    });
    this.alarm.hidden = true;
    this.sampled = button("tg-tool tg-sampled", "", "", () => {
      this.isAsked = !this.isAsked;
      this.sampled.ariaExpanded = String(this.isAsked);
      this.say();
    });
    this.sampled.ariaExpanded = "false";
    this.sampled.removeAttribute("aria-label");
    this.sampled.title = "Why?";
    this.announcer.setAttribute("role", "status");
    this.notice.hidden = true;
    const spring = el("span", "tg-spring");
    this.head.append(this.title, this.text, this.sampled, this.alarm, spring, ...tools);
  }

  setTitle(title: string): void {
    setText(this.title, title);
    this.title.hidden = title === "";
  }

  update(frame: Frame, missing: number, doing: string): void {
    const { trace } = frame;
    const progress = progressOf(trace);
    this.text.dataset.progress = progress;
    setText(this.text, statusText(frame, progress, doing));
    this.warn(frame);
    const sums = summed(trace.dropped);
    const [sampled, lost] = [true, false].map((is) => sums.filter(({ what }) => SAMPLED.has(what) === is));
    this.parts = lost.map(({ count, what, why }) => `Left out: ${thousands(count)} ${what} (${why}).`);
    const [{ line = 0, root } = {}] = trace.tape.barren.filter(({ seq }) => seq < frame.position);
    if (root) this.parts.unshift(`Backward of ${root.name}, line ${line}, had nothing to do: nothing there requires a gradient.`);
    if (missing > 0) this.parts.unshift(`Waiting for ${countText(missing, "event")}.`);
    if (this.complaint !== "") this.parts.unshift(this.complaint);
    this.reasons = sampled.map(({ count, what, why }) => `${thousands(count)} ${what}: ${why}.`);
    this.sampled.hidden = sampled.length === 0;
    const few = sampled.map(({ count, what }) => `${thousands(count)} ${what}`).join(", ");
    setText(this.sampled, `${few} not recorded`);
    this.say();
  }

  /** Say what is wrong, and, to whoever asks, why not all was recorded. */
  private say(): void {
    const { parts, reasons, isAsked } = this;
    const why = isAsked ? ["Not recorded, so that the program stays fast:", ...reasons] : [];
    const shown = reasons.length > 0 ? [...parts, ...why] : parts;
    this.notice.hidden = shown.length === 0;
    setText(this.notice, shown.join(" "));
  }

  /** Say where the first thing that is not finite came up. */
  private warn({ trace, position }: Frame): void {
    const [first] = trace.troubles;
    this.alarm.hidden = first === undefined || first.seq >= position;
    if (this.alarm.hidden || first.key === this.trouble) return;
    this.trouble = first.key;
    const name = describe(trace, first.key, position)?.name ?? "a value";
    const line = first.line > 0 ? `, line ${first.line}` : "";
    const text = `✕ NaN or Inf, first in ${name}${line}`;
    this.alarm.textContent = text;
    this.alarm.title = `${text}: go there`;
    this.alarm.setAttribute("aria-label", this.alarm.title);
  }

  /** Say what has been selected: it may be far from what has the focus. */
  announceSelected({ trace, selected, position }: Frame): void {
    const entity = selected === undefined ? undefined : describe(trace, selected, position);
    if (entity === undefined) return setText(this.announcer, "Nothing selected.");
    const line = entity.line > 0 ? `, line ${entity.line}` : "";
    setText(this.announcer, `Selected ${entity.name}, ${entity.role}${line}.`);
  }

  /** Say where the learner is; not more than once a second while it runs by itself. */
  announce(frame: Frame, asked: boolean): void {
    const now = performance.now();
    const over = progressOf(frame.trace) !== "running";
    if (!asked && !over && now - this.announcedAt < 1000) return;
    this.announcedAt = now;
    setText(this.announcer, `${sayStep(frame)}. ${madeText(frame)}`);
  }
}

export function progressOf(trace: Trace): Progress {
  if (trace.length === 0) return "waiting";
  if (trace.cells.some((cell) => cell.end?.ok === false)) return "failed";
  return trace.ended || trace.cells.length === 0 ? "done" : "running";
}

function statusText(
  { trace, step, live }: Frame,
  progress: Progress,
  doing: string,
): string {
  const lines = countText(trace.steps.length, "line");
  const events = countText(trace.length, "event");
  if (progress === "waiting") return "waiting for the first line";
  if (!isTraced(trace)) {
    return progress === "failed" ? "stopped by an error" : trace.ended ? "" : events;
  }
  if (!live && step !== undefined)
    return `looking back at line ${step.line} · ${events}`;
  if (!live) return `before the first line · ${events}`;
  if (progress === "running" && step !== undefined) {
    return `${doing} line ${step.line}`;
  }
  const ran = `${lines} run · ${events}`;
  const stop = trace.failures.at(-1);
  if (progress !== "failed") return ran;
  if (stop?.title === INTERRUPTED) return `interrupted at line ${stop.line} · ${ran}`;
  return `stopped by an error · ${ran}`;
}

/** Add up what was cut, by what it was and why. */
function summed(dropped: readonly Dropped[]): Pick<Dropped, "count" | "what" | "why">[] {
  const sums = new Map<string, { count: number; what: string; why: string }>();
  for (const { count, what, why } of dropped) {
    const key = `${what} (${why})`;
    const before = sums.get(key)?.count ?? 0;
    sums.set(key, { count: before + count, what, why });
  }
  return [...sums.values()];
}

/** What the step at the position made, a few names of it. */
function madeText({ trace, step, position }: Frame): string {
  if (step === undefined) return "";
  const made: string[] = [];
  const isNew = ({ seq }: { seq: number }): boolean =>
    seq >= step.seq && seq < position;
  for (const { rows } of trace.programs.values()) {
    for (let i = rows.length - 1; i >= 0 && rows[i].seq >= step.seq; i--) {
      if (isNew(rows[i])) made.unshift(rowName(rows[i]));
    }
  }
  const { nodes } = trace.tape.mirror;
  for (let i = nodes.length - 1; i >= 0 && nodes[i].seq >= step.seq; i--) {
    if (isNew(nodes[i])) made.unshift(nodes[i].title);
  }
  if (made.length === 0) return "";
  const rest = made.length > 5 ? ` and ${made.length - 5} more` : "";
  return `Made ${made.slice(0, 5).join(", ")}${rest}.`;
}
