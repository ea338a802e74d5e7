/** One column of Program memory: a Program's rows, with arcs from definition to use. */

import {
  arcPath,
  identityOf,
  phaseOf,
  ROW_HEIGHT,
  VisibleRows,
  windowOf,
} from "../layout/program";
import { describe } from "../state/entity";
import type { ProgramState, Row, VarRow } from "../state/programs";
import type { Trace } from "../state/trace";
import { countText, thousands, valueText } from "../text";
import { el, freshId, scrolledTo, setText, svg } from "./dom";
import { isTraced, type Actions, type Frame } from "./look";
import { rowElement } from "./row";
import { lineClass } from "./theme";

const GUTTER = 32;

const WORDS = {
  startup: {
    title: "Startup program",
    when: "runs once",
    empty: "Nothing yet. Parameters put their first values here.",
  },
  main: {
    title: "Main program",
    when: "runs every step",
    empty: "Nothing yet. Operators you call put themselves here.",
  },
};

/** What is said where a phase begins. */
const PHASES = {
  forward: "",
  backward: "backward",
  update: "update",
};

/** Arcs of the current line's rows are drawn for this many of them. */
const MOST_FAINT = 40;

export class Column {
  readonly element: HTMLElement;
  private readonly title = el("h3", "tg-heading");
  private readonly select = el("select", "tg-select");
  private readonly counts = el("span", "tg-counts");
  private readonly scroller = el("div", "tg-scroll tg-rows tg-code");
  private readonly content = el("div", "tg-content");
  private readonly empty = el("p", "tg-empty");
  private readonly arcs = svg("svg", { class: "tg-arcs", "aria-hidden": "true" });
  private readonly visible = new VisibleRows();
  private readonly mounted = new Map<number, HTMLElement>();
  private readonly observer: ResizeObserver;
  private program: ProgramState | undefined;
  private chosen: number | undefined;
  private frame: Frame | undefined;
  private options = "";
  private shownPosition = -1;
  /** The pane's height and how far it is scrolled: asking costs a layout of the page. */
  private height = 0;
  private scrolled = 0;
  private moved = false;
  private shownRows = 0;
  private arcsOf = "";
  private against: ProgramState | undefined;
  /** What the other program has, to see what this one alone has. */
  private counterparts: ReadonlySet<string> = new Set();
  private readonly name = el("span", "");
  private readonly when = el("span", "tg-when");

  constructor(
    private readonly family: "startup" | "main",
    private readonly actions: Actions,
  ) {
    const { title, empty } = WORDS[family];
    this.title.append(this.name, this.when);
    this.title.id = freshId("column");
    this.empty.textContent = empty;
    this.select.setAttribute("aria-label", `Which program to show as ${title}`);
    this.select.hidden = true;
    this.select.addEventListener("change", () => this.choose());
    this.content.append(this.arcs);
    this.scroller.append(this.empty, this.content);
    this.scroller.tabIndex = 0;
    this.scroller.addEventListener("scroll", () => {
      this.scrolled = this.scroller.scrollTop;
      this.mountRows();
    });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.scroller);
    this.listen();
    const head = el("div", "tg-panehead", this.title, this.select, this.counts);
    this.element = el("section", "tg-pane tg-column", head, this.scroller);
    this.element.dataset.family = family;
  }

  dispose(): void {
    this.observer.disconnect();
  }

  has(key: string): boolean {
    return this.visible.indexOf(key) !== undefined;
  }

  focus(): void {
    this.scroller.focus({ preventScroll: true });
  }

  /** The key `by` rows from `key`, or the first one of the current step. */
  step(key: string | undefined, by: number): string | undefined {
    const index = key === undefined ? undefined : this.visible.indexOf(key);
    const last = this.visible.length - 1;
    const next = index === undefined ? this.firstOfStep() : index + by;
    return this.visible.at(Math.max(0, Math.min(last, next)))?.key;
  }

  /** Bring a row into the pane's view. */
  show(key: string): void {
    const index = this.visible.indexOf(key);
    if (index === undefined) return;
    this.reveal(index);
    this.scroll();
  }

  /** Scroll as far as is wanted, once all rows stand. */
  scroll(): void {
    if (!this.moved) return;
    this.moved = false;
    this.scroller.scrollTop = this.scrolled;
    this.scrolled = this.scroller.scrollTop;
  }

  fold(block: number, folded: boolean): void {
    if (folded) this.visible.folded.add(block);
    else this.visible.folded.delete(block);
    this.rebuild();
    this.actions.redraw();
  }

  /** The program it shows: the one chosen, one just cloned, or the first. */
  pick(frame: Frame, programs: readonly ProgramState[]): ProgramState | undefined {
    const chosen = programs.find((program) => program.event.program === this.chosen);
    return chosen ?? justCloned(frame, programs) ?? firstWithRows(programs);
  }

  /** Show one of the programs, and what of it the program `against` has not. */
  update(
    frame: Frame,
    programs: readonly ProgramState[],
    against?: ProgramState,
  ): void {
    this.frame = frame;
    this.offer(programs);
    this.compare(against, programs[0]?.event.title);
    const program = this.pick(frame, programs);
    if (program !== this.program) {
      this.program = program;
      this.rebuild();
    }
    const id = String(program?.event.program);
    if (this.select.value !== id) this.select.value = id;
    const { variables, operators } = program?.counts ?? { variables: 0, operators: 0 };
    const parts = [countText(variables, "variable"), countText(operators, "operator")];
    const some = variables + operators > 0;
    setText(this.counts, some ? `${thousands(variables)} var · ${thousands(operators)} op` : "");
    this.counts.title = parts.join(", ");
    this.visible.extend(program?.rows ?? [], (row) => this.isHidden(row));
    this.sizeContent();
    this.follow(frame);
    this.mountRows();
    this.drawArcs();
  }

  private compare(against: ProgramState | undefined, source = ""): void {
    const { title, when } = WORDS[this.family];
    const left = this.family === "startup" && against !== undefined;
    const own = this.program?.event.title.startsWith("your ");
    setText(this.name, own ? `Your ${title.toLowerCase()}` : left ? source.replace(/^m/, "M") : title);
    setText(this.when, left ? " · what was cloned" : ` · ${when}`);
    const rows = against?.rows ?? [];
    if (against === this.against && rows.length === this.counterparts.size) return;
    this.against = against;
    this.counterparts = new Set(rows.map(identityOf));
  }

  private listen(): void {
    const key = (event: Event): string | undefined => {
      const target = event.target instanceof Element ? event.target : null;
      return target?.closest<HTMLElement>(".tg-row")?.dataset.key;
    };
    this.content.addEventListener("click", (event) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      if (target?.dataset.block !== undefined) {
        const block = Number(target.dataset.block);
        this.fold(block, !this.visible.folded.has(block));
      } else this.actions.select(key(event));
    });
    this.content.addEventListener("pointerover", (e) => this.actions.hover(key(e)));
    this.content.addEventListener("pointerleave", () => this.actions.hover(undefined));
  }

  /** Programs besides the first, clones for testing above all, can be chosen. */
  private offer(programs: readonly ProgramState[]): void {
    const filled = programs.filter((program) => program.rows.length > 0);
    this.select.hidden = filled.length < 2;
    this.title.hidden = filled.length >= 2;
    const options = filled.map((p) => `${p.event.program} ${p.event.title}`).join("\n");
    if (options === this.options) return;
    this.options = options;
    this.select.replaceChildren(...filled.map((program) => programOption(program)));
  }

  private choose(): void {
    this.chosen = Number(this.select.value);
    this.actions.redraw();
  }

  private isHidden(row: Row): boolean {
    const { folded } = this.visible;
    if (folded.size === 0 || this.program === undefined) return false;
    const inside = row.kind === "block" ? row.event.parent : row.block;
    return this.program.pathOf(inside).some((block) => folded.has(block));
  }

  private rebuild(): void {
    this.visible.restart();
    for (const element of this.mounted.values()) element.remove();
    this.mounted.clear();
    this.shownRows = 0;
    this.shownPosition = -1;
    this.arcsOf = "";
    this.scrollTo(0);
    this.visible.extend(this.program?.rows ?? [], (row) => this.isHidden(row));
  }

  private sizeContent(): void {
    const { length } = this.visible;
    this.empty.hidden = length > 0;
    const height = length * ROW_HEIGHT;
    this.content.style.height = `${height}px`;
    this.arcs.setAttribute("width", String(GUTTER));
    this.arcs.setAttribute("height", String(height));
    if (length > 0) {
      this.scroller.setAttribute("role", "listbox");
      this.scroller.setAttribute("aria-labelledby", this.title.id);
    } else this.scroller.removeAttribute("role");
  }

  /** Keep the newest row of the past in view as the position changes. */
  private follow({ position }: Frame): void {
    const past = this.visible.countBefore(position);
    const grown = this.visible.length !== this.shownRows;
    if (position === this.shownPosition && !grown) return;
    this.shownPosition = position;
    const running = this.runningRow();
    const row = running === undefined ? undefined : this.visible.indexOf(running);
    if (row !== undefined) return this.reveal(row);
    // A program that is only shown is read from its beginning.
    if (past === 0 || (this.frame && !isTraced(this.frame.trace))) return;
    if (this.frame?.live === true && this.frame.trace.ended) this.open(this.frame.trace);
    else this.reveal(past - 1);
  }

  /** What is complete opens at the first row that the last cell added. */
  private open({ cells }: Trace): void {
    const cell = cells.at(-1)?.cell;
    for (let index = 0; index < this.visible.length; index++) {
      const row = this.visible.at(index);
      if (row !== undefined && row.cell === cell && row.line > 0) return this.scrollTo(index * ROW_HEIGHT);
    }
  }

  /** Have a row in view when `scroll` is called. */
  private reveal(index: number): void {
    const top = index * ROW_HEIGHT;
    this.scrollTo(scrolledTo(this.scrolled, this.height, top, top + ROW_HEIGHT));
  }

  private scrollTo(top: number): void {
    this.moved ||= top !== this.scrolled;
    this.scrolled = top;
  }

  /** The key of the row that an executor runs now. */
  private runningRow(): string | undefined {
    const { trace, position = 0 } = this.frame ?? {};
    const op = trace?.running.at(position) ?? -1;
    const key = `o:${op}`;
    return op >= 0 && this.has(key) ? key : undefined;
  }

  private resize(): void {
    this.height = this.scroller.clientHeight;
    this.shownPosition = -1;
    this.actions.redraw();
  }

  private mountRows(): void {
    if (this.frame === undefined) return;
    const { first, end } = windowOf(this.visible.length, this.scrolled, this.height);
    for (const [index, element] of this.mounted) {
      if (index >= first && index < end) continue;
      element.remove();
      this.mounted.delete(index);
    }
    for (let index = first; index < end; index++) this.mountRow(index, this.frame);
    this.shownRows = this.visible.length;
  }

  private mountRow(index: number, frame: Frame): void {
    const row = this.visible.at(index);
    if (row === undefined) return;
    let element = this.mounted.get(index);
    let arrives = false;
    if (element === undefined) {
      arrives = frame.animate && index >= this.shownRows;
      const program = this.program?.event.role ?? "main";
      element = rowElement(row, program, this.visible.folded.has(row.block));
      element.id = freshId("row");
      element.style.top = `${index * ROW_HEIGHT}px`;
      this.markPhase(element, index, row);
      this.mounted.set(index, element);
      this.content.append(element);
    }
    const className = this.rowClass(row, frame) + (arrives ? " tg-arrives" : "");
    const same = element.className === className;
    if (!same && element.className !== `${className} tg-arrives`) {
      element.className = className;
    }
    if (row.kind === "var") writeValue(element, row, frame.position);
    if (row.kind === "block") writeTitle(element, row.title);
    const selected = row.key === frame.selected;
    element.setAttribute("aria-selected", String(selected));
    element.setAttribute("aria-disabled", String(row.seq >= frame.position));
    if (selected) this.scroller.setAttribute("aria-activedescendant", element.id);
  }

  /** Say on the first row of a phase that it begins. */
  private markPhase(element: HTMLElement, index: number, row: Row): void {
    const before = this.family === "main" ? this.visible.at(index - 1) : undefined;
    const phase = phaseOf(row);
    if (before !== undefined && phaseOf(before) !== phase && PHASES[phase] !== "") {
      element.dataset.phase = PHASES[phase];
    }
  }

  private rowClass(row: Row, frame: Frame): string {
    const { trace, position, step } = frame;
    const classes = ["tg-row", `tg-${row.kind}`];
    classes.push(lineClass(trace.rank(row.cell, row.line)));
    if (row.seq >= position) classes.push("tg-future");
    else if (step !== undefined && row.seq >= step.seq) classes.push("tg-current");
    if (row.key === frame.selected) classes.push("tg-selected");
    else if (row.key === frame.hovered) classes.push("tg-hovered");
    if (frame.linked.has(row.key)) classes.push("tg-linked");
    if (this.against !== undefined && !this.counterparts.has(identityOf(row))) {
      classes.push("tg-alone");
    }
    if (row.kind !== "op") return classes.join(" ");
    if (row.removed < position) classes.push("tg-removed");
    if (trace.running.at(position) === row.event.op) classes.push("tg-running");
    return classes.join(" ");
  }

  /** Arcs of the row pointed at, else selected, else faintly of the current line's. */
  private drawArcs(): void {
    const { frame } = this;
    if (frame === undefined) return;
    const key = [frame.hovered, frame.selected].find(
      (k) => k !== undefined && this.has(k),
    );
    const step = frame.step?.seq ?? -1;
    const pointed = frame.hovered ?? frame.selected ?? "";
    const wanted = `${pointed} ${key ?? step} ${this.visible.length} ${frame.position}`;
    if (wanted === this.arcsOf) return;
    this.arcsOf = wanted;
    this.arcs.replaceChildren();
    if (key !== undefined) return this.drawArcsOf(key, frame, "");
    if ((frame.hovered ?? frame.selected) !== undefined) return;
    for (const made of this.rowsOfStep(frame)) {
      this.drawArcsOf(made, frame, " tg-arc-faint");
    }
  }

  private drawArcsOf(key: string, frame: Frame, faint: string): void {
    const entity = describe(frame.trace, key, frame.position);
    const from = this.visible.indexOf(key);
    if (entity === undefined || from === undefined) return;
    const draw = (links: typeof entity.producers, className: string): void => {
      for (const link of links.slice(0, 60)) {
        const to = this.visible.indexOf(link.key);
        if (to === undefined || to === from) continue;
        const path = arcPath(from, to, GUTTER);
        this.arcs.append(svg("path", { class: className + faint, d: path }));
      }
    };
    draw(entity.producers, "tg-arc tg-arc-from");
    draw(entity.consumers, "tg-arc tg-arc-to");
  }

  /** The operators that the current line made: what they read and make tells all. */
  private rowsOfStep({ step, position }: Frame): string[] {
    if (step === undefined) return [];
    const found: string[] = [];
    const first = this.visible.countBefore(step.seq);
    const end = this.visible.countBefore(position);
    if (end - first > 2 * MOST_FAINT) return [];
    for (let index = first; index < end && found.length < MOST_FAINT; index++) {
      const row = this.visible.at(index);
      if (row?.kind === "op") found.push(row.key);
    }
    return found;
  }

  private firstOfStep(): number {
    const { step, position = 0 } = this.frame ?? {};
    const start = this.visible.countBefore(step?.seq ?? 0);
    return start < this.visible.countBefore(position) ? start : 0;
  }
}

/** Whose block it is shows when the op that runs it has come. */
function writeTitle(element: HTMLElement, title: string): void {
  element.dataset.name = title;
  setText(element.querySelector<HTMLElement>(".tg-name")!, title);
}

/** What a variable holds now takes the place of its dtype. */
function writeValue(element: HTMLElement, row: VarRow, position: number): void {
  if (row.value.length === 0) return;
  const cell = element.querySelector<HTMLElement>(".tg-value");
  if (cell === null) return;
  const stats = row.value.at(position);
  const bad = stats !== undefined && stats.nan + stats.inf > 0;
  setText(cell, stats === undefined ? row.event.dtype : valueText(stats));
  cell.classList.toggle("tg-held", stats !== undefined);
  cell.classList.toggle("tg-bad", bad);
}

/** A clone is shown, beside what it was cloned from, while its line is the current one. */
function justCloned(
  { step, position }: Frame,
  programs: readonly ProgramState[],
): ProgramState | undefined {
  if (step === undefined) return undefined;
  return programs.findLast(({ event, rows, passes }) => {
    const isNew = event.seq >= step.seq && event.seq < position;
    const isClone = event.origin !== undefined && passes.stages.length === 0;
    return isNew && isClone && rows.length > 0;
  });
}

function programOption(program: ProgramState): HTMLOptionElement {
  const { role, title, program: id } = program.event;
  const word = title.replace(/^[mst](?=\w+ program$)/, (first) => first.toUpperCase());
  const kinds = { main: " · runs every step", test: " · a clone", startup: "", other: "" };
  const kind = program.passes.stages.length > 0 ? " · after passes" : kinds[role];
  const option = el("option", "", (word || "Program") + kind);
  option.value = String(id);
  return option;
}

function firstWithRows(programs: readonly ProgramState[]): ProgramState | undefined {
  const isMain = (p: ProgramState): boolean => p.event.origin === undefined;
  const filled = programs.filter((program) => program.rows.length > 0);
  return filled.find(isMain) ?? filled[0] ?? programs.find(isMain);
}
