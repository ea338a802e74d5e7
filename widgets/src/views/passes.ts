/** Before | after a pass, joined by the operators that stayed; a slider over the passes. */

import { badge } from "../draw/badge";
import { el, freshId, setText } from "../draw/dom";
import type { Frame } from "../draw/look";
import { lineClass } from "../draw/theme";
import type { OpEvent } from "../events";
import { compare, paired, type Hunk, type PassHistory, type Stage } from "../state/passes";
import type { Made } from "../state/picture";
import { names, type ProgramState } from "../state/programs";
import { operatorTone } from "../state/tones";
import type { Trace } from "../state/trace";
import { countText, thousands } from "../text";
import type { Panel } from "./chapter";

/** So many of the operators that stayed are shown before and after a change. */
const CONTEXT = 2;
const MOST_LINES = 1500;
const FEW_CHANGES = 12;
const MOST_SAME = 2 * CONTEXT + 2;

export class PassesView implements Panel {
  readonly element = el("section", "tg-pane tg-chapter tg-passes");
  private readonly slider = el("input", "tg-range");
  private readonly words = el("p", "tg-passwords");
  private readonly changes = el("ul", "tg-changes");
  private readonly table = el("div", "tg-scroll tg-code tg-diff");
  private trace: Trace | undefined;
  private shown = "";

  constructor() {
    this.slider.type = "range";
    this.slider.min = "1";
    this.slider.setAttribute("aria-label", "Pass");
    this.slider.addEventListener("input", () => this.draw());
    this.table.tabIndex = this.changes.tabIndex = 0;
    this.table.id = freshId("diff");
    this.table.setAttribute("role", "table");
    this.table.setAttribute("aria-label", "Operators before and after the pass");
    this.words.setAttribute("role", "status");
    const head = el("div", "tg-passhead", this.slider, this.words);
    this.element.append(head, this.changes, this.table);
  }

  update({ trace }: Frame): void {
    this.trace = trace;
    const stages = historyOf(trace)?.passes.stages.length ?? 1;
    const last = String(stages - 1);
    if (this.slider.max !== last) {
      this.slider.max = last;
      if (this.shown === "") this.slider.value = "1";
    }
    this.draw();
  }

  private draw(): void {
    const program = this.trace && historyOf(this.trace);
    if (program === undefined || this.trace === undefined) return;
    const { stages } = program.passes;
    const at = Math.min(stages.length - 1, Math.max(1, Number(this.slider.value)));
    const shown = `${program.event.program} ${at} ${stages.length}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const [before, after] = [stages[at - 1], stages[at]];
    const { event } = after;
    const name = event?.name ?? "";
    // A report tells how many there were, and not which.
    const known = countOf(before) > 0;
    this.table.hidden = !known;
    const [old, fresh] = known
      ? [countOf(before), countOf(after)]
      : [event?.before ?? 0, event?.after ?? 0];
    const counts = `${thousands(old)} → ${countText(fresh, "operator")}`;
    const text = `Pass ${at} of ${stages.length - 1}: ${name} · ${counts}`;
    setText(this.words, text);
    this.slider.setAttribute("aria-valuetext", text);
    const changes = event?.changes ?? [];
    const most = known ? FEW_CHANGES : MOST_LINES;
    this.changes.replaceChildren(...changes.slice(0, most).map(changeItem));
    this.changes.classList.toggle("tg-all", !known);
    if (changes.length > most) {
      const rest = thousands(changes.length - most);
      this.changes.append(el("li", "tg-more", `and ${rest} more`));
    }
    const head = line("tg-diffhead", ["before"], [`after ${name}`]);
    const look = { trace: this.trace, origin: originOf(program, this.trace) };
    const lines = blockNumbers(before, after).flatMap((block) => [
      ...(block > 0 ? [blockLine(block)] : []),
      ...blockLines(before, after, block, look),
    ]);
    const left = lines.length - MOST_LINES;
    const words = `and ${countText(left, "line")} more`;
    const more = left > 0 ? [line("tg-gap", [words], [])] : [];
    this.table.replaceChildren(head, ...lines.slice(0, MOST_LINES), ...more);
    this.table.scrollTop = 0;
  }
}

type Rewritten = ProgramState & { readonly passes: PassHistory };

/** The program that the most passes have rewritten. */
function historyOf(trace: Trace): Rewritten | undefined {
  let best: Rewritten | undefined;
  for (const program of trace.programs.values()) {
    const { length } = program.passes.stages;
    if (length > (best?.passes.stages.length ?? 0)) best = program;
  }
  return best;
}

function changeItem(change: {
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly what: string;
  readonly where: string;
}): HTMLElement {
  const item = el("li", "");
  const fresh = change.new.join(", ") || "nothing";
  item.append(
    el("span", "tg-code tg-minus", change.old.join(", ") || "nothing"),
    " → ",
    el("span", "tg-code tg-plus", fresh),
  );
  if (change.what !== "") item.append(`: ${change.what}`);
  if (change.where !== "") item.append(el("span", "tg-note", ` ${change.where}`));
  return item;
}

function countOf({ blocks }: Stage): number {
  return [...blocks.values()].reduce((sum, ops) => sum + ops.length, 0);
}

function blockNumbers(before: Stage, after: Stage): number[] {
  const numbers = new Set([...before.blocks.keys(), ...after.blocks.keys()]);
  return [...numbers].sort((a, b) => a - b);
}

function blockLine(block: number): HTMLElement {
  return line("tg-diffblock", [`block ${block}`], []);
}

function blockLines(
  before: Stage,
  after: Stage,
  block: number,
  look: Look,
): HTMLElement[] {
  const [old, fresh] = [before, after].map(({ blocks }) => blocks.get(block) ?? []);
  return compare(old, fresh).flatMap((hunk) => hunkLines(hunk, look));
}

function hunkLines(hunk: Hunk, look: Look): HTMLElement[] {
  const { kind, before, after } = hunk;
  if (kind === "changed") {
    return paired(before, after).map(([old, fresh]) => {
      const left = old === undefined ? [] : cell(old, "−", look);
      const sign = old?.type === fresh?.type ? "~" : "+";
      const right = fresh === undefined ? [] : cell(fresh, sign, look);
      const signs = `${old ? " tg-hasold" : ""}${fresh ? " tg-hasnew" : ""}`;
      return line(`tg-changed${signs}`, left, right);
    });
  }
  const lines = before.map((event) =>
    line("tg-same", cell(event, " ", look), cell(event, " ", look)),
  );
  if (lines.length <= MOST_SAME) return lines;
  const hidden = lines.length - 2 * CONTEXT;
  const text = countText(hidden, "operator stays", "operators stay");
  const gap = line("tg-gap", [`⋯ ${text}`], []);
  return [...lines.slice(0, CONTEXT), gap, ...lines.slice(-CONTEXT)];
}

function line(
  className: string,
  left: readonly (HTMLElement | string)[],
  right: readonly (HTMLElement | string)[],
): HTMLElement {
  const cells = [left, right].map((parts, side) => {
    const element = el("div", `tg-diffcell ${side === 0 ? "tg-old" : "tg-new"}`, ...parts);
    element.setAttribute("role", "cell");
    return element;
  });
  const row = el("div", `tg-diffline ${className}`, ...cells);
  row.setAttribute("role", "row");
  return row;
}

interface Look {
  readonly trace: Trace;
  /** The program that was copied to be rewritten. */
  readonly origin: ProgramState | undefined;
}

/** The line of the user's that made, in the program first copied, what this one makes. */
function provenance(event: OpEvent, { trace, origin }: Look): Made {
  let made: Made = event;
  const outputs = names(event.outputs);
  for (let copied = origin; copied !== undefined; copied = originOf(copied, trace)) {
    const { writers } = copied;
    const maker = outputs.flatMap((name) => writers.get(name)?.at(-1) ?? []).at(0);
    if (maker === undefined) break;
    made = maker;
  }
  return made;
}

/** A copy is younger than what it was made from: what claims otherwise has no end. */
function originOf({ event }: ProgramState, trace: Trace): ProgramState | undefined {
  const found = trace.programs.get(event.origin ?? -1);
  return found !== undefined && found.event.seq < event.seq ? found : undefined;
}

function cell(event: OpEvent, sign: string, look: Look): HTMLElement[] {
  const { cell: source, line: at } = provenance(event, look);
  const hue = lineClass(look.trace.rank(source, at));
  const stripe = el("span", `tg-diffstripe ${hue}`);
  const inputs = names(event.inputs).join(", ");
  const outputs = names(event.outputs).join(", ");
  return [
    stripe,
    el("span", "tg-rowline", at > 0 ? String(at) : ""),
    el("span", "tg-sign", sign),
    badge(operatorTone(event.type, event.role)),
    el("span", "tg-name", event.type),
    el("span", "tg-args", inputs === "" ? `→ ${outputs}` : `${inputs} → ${outputs}`),
  ];
}
