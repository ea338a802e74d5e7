/** The cell's own lines: the current one lit, each in the colour of what it made. */

import type { Cell, Failure } from "../state/trace";
import { thousands } from "../text";
import { el, freshId, reveal, setText } from "./dom";
import { isTraced, type Actions, type Frame, type Pane } from "./look";
import { codeLine } from "./python";
import { lineClass } from "./theme";

interface LineView {
  readonly cell: number;
  readonly line: number;
  readonly row: HTMLElement;
  readonly count: HTMLElement;
}

export class SourcePane implements Pane {
  readonly element: HTMLElement;
  private readonly scroller = el("div", "tg-scroll tg-code");
  private readonly lines: LineView[] = [];
  private readonly messages = new Map<string, HTMLElement>();
  private readonly failed = new Set<HTMLElement>();
  private frame: Frame | undefined;
  private cells = 0;
  private shownStep = -1;
  private readonly observer = new ResizeObserver(() => this.resize());

  constructor(private readonly actions: Actions) {
    const heading = el("h3", "tg-heading", "Source");
    heading.id = freshId("source");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute("aria-labelledby", heading.id);
    this.element = el("section", "tg-pane tg-source", heading, this.scroller);
    this.observer.observe(this.scroller);
  }

  dispose(): void {
    this.observer.disconnect();
  }

  update(frame: Frame): void {
    this.frame = frame;
    const { cells } = frame.trace;
    this.element.hidden = !isTraced(frame.trace);
    for (; this.cells < cells.length; this.cells++) this.addCell(cells[this.cells]);
    for (const failure of frame.trace.failures) this.showFailure(failure, frame);
    for (const line of this.lines) this.paintLine(line, frame);
    this.follow(frame);
  }

  private addCell(cell: Cell): void {
    if (cell.title !== "" && this.cells > 0) {
      this.scroller.append(el("div", "tg-celltitle", cell.title));
    }
    cell.lines.forEach((text, index) => this.addLine(cell, text, index + 1));
  }

  private addLine(cell: Cell, text: string, line: number): void {
    const number = el("span", "tg-lineno", String(line));
    const count = el("span", "tg-count");
    const row = el("div", "tg-line tg-hue-none", number, codeLine(text), count);
    const view = { cell: cell.cell, line, row, count };
    row.dataset.cell = String(cell.cell);
    row.dataset.line = String(line);
    row.dataset.kind = "line";
    row.addEventListener("click", () => this.jump(view));
    this.scroller.append(row);
    this.lines.push(view);
  }

  /** Go to the line above or below the current one, over those that never ran. */
  step(by: number): void {
    const { cell, line } = this.frame?.step ?? { cell: -1, line: -1 };
    const from = this.lines.findIndex((l) => l.cell === cell && l.line === line);
    for (let at = from + by; at in this.lines; at += by) {
      if (this.jump(this.lines[at])) return;
    }
  }

  /** Go to the end of a line's latest run, if there is one: so does a click on it. */
  private jump({ cell, line }: LineView): boolean {
    const steps = this.frame?.trace.steps ?? [];
    const last = steps.findLastIndex((s) => s.cell === cell && s.line === line);
    if (last >= 0) this.actions.goToStep(last + 1);
    return last >= 0;
  }

  private paintLine(view: LineView, frame: Frame): void {
    const { trace, position, step } = frame;
    const { cell, line, row } = view;
    const runs = trace.runs(cell, line, position);
    const about = runs > 1 && trace.isAbout(cell, line, position) ? "about " : "";
    const current = step?.cell === cell && step.line === line;
    const hue = lineClass(trace.rank(cell, line, position));
    const state = current ? " tg-current" : runs === 0 ? " tg-unrun" : "";
    const failed = this.failed.has(row) ? " tg-failed" : "";
    const className = `tg-line ${hue}${state}${failed}`;
    if (row.className !== className) row.className = className;
    if (current) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    setText(view.count, runs > 1 ? `${about}×${thousands(runs)}` : "");
  }

  private showFailure(failure: Failure, { position }: Frame): void {
    let message = this.messages.get(failure.key);
    const view = this.find(failure.cell, failure.line);
    if (view === undefined) return;
    if (message === undefined) {
      const title = el("strong", "", failure.title);
      message = el(
        "div",
        "tg-failure",
        title,
        el("div", "tg-message", failure.message),
      );
      this.messages.set(failure.key, message);
      view.row.after(message);
      this.shownStep = -1;
    }
    message.hidden = failure.seq >= position;
    if (message.hidden) this.failed.delete(view.row);
    else this.failed.add(view.row);
  }

  private find(cell: number, line: number): LineView | undefined {
    return this.lines.find((view) => view.cell === cell && view.line === line);
  }

  /** A pane that gets shorter must not lose the current line. */
  private resize(): void {
    this.shownStep = -1;
    if (this.frame !== undefined) this.follow(this.frame);
  }

  private follow({ step, trace, position }: Frame): void {
    const shown = trace.stepsAt(position);
    if (shown === this.shownStep) return;
    this.shownStep = shown;
    const view = step && this.find(step.cell, step.line);
    if (view === undefined) return;
    const { offsetTop: top, offsetHeight, nextElementSibling: next } = view.row;
    const message = next instanceof HTMLElement && next.className === "tg-failure";
    const extra = message ? next.offsetHeight : 0;
    reveal(this.scroller, top, top + offsetHeight + extra);
  }
}
