/** What `to_static` made of a function: your lines | the new lines | operators. */

import { el, freshId } from "../draw/dom";
import type { Frame } from "../draw/look";
import { codeLine } from "../draw/python";
import { lineClass } from "../draw/theme";
import type { AstEvent } from "../events";
import { ownKey } from "../keys";
import type { Trace } from "../state/trace";
import type { Panel } from "./chapter";

/** The lines of source a line of each column belongs to: 0 for none. */
export interface Links {
  readonly source: readonly number[];
  readonly transformed: readonly number[];
  readonly ops: readonly number[];
}

export function linksOf(event: AstEvent): Links {
  const count = event.source.replace(/\n$/, "").split("\n").length;
  return {
    source: Array.from({ length: count }, (_, index) => index + 1),
    transformed: event.lines,
    ops: event.ops.map(({ line }) => event.lines[line - 1] ?? 0),
  };
}

/** A colour for each line of source that something was made of, in order. */
export function huesOf({ transformed, source }: Links): number[] {
  const used = new Set(transformed.filter((line) => line > 0));
  let next = 0;
  return source.map((line) => (used.has(line) ? next++ : -1));
}

const COLUMNS = ["source", "transformed", "ops"] as const;
const TITLES = {
  source: "Your source",
  transformed: "As to_static rewrites it",
  ops: "Operators it makes",
};

export class RewrittenView implements Panel {
  readonly element = el("section", "tg-pane tg-chapter tg-rewritten");
  private readonly select = el("select", "tg-select");
  private readonly grid = el("div", "tg-threecolumns");
  private trace: Trace | undefined;
  private shown = "";
  private rows: HTMLElement[][] = [];
  private links: Links = { source: [], transformed: [], ops: [] };

  constructor() {
    this.select.setAttribute("aria-label", "Which function to show");
    this.select.addEventListener("change", () => this.draw());
    this.element.append(el("div", "tg-panehead", this.select), this.grid);
    this.grid.addEventListener("keydown", (event) => this.key(event));
  }

  update({ trace }: Frame): void {
    this.trace = trace;
    const all = trace.rewritten;
    for (let i = this.select.options.length; i < all.length; i++) {
      const option = el("option", "", `${all[i].function}()`);
      option.value = String(i);
      this.select.append(option);
    }
    this.draw();
  }

  private draw(): void {
    const event = this.trace?.rewritten[Number(this.select.value)];
    if (event === undefined || this.shown === String(event.seq)) return;
    this.shown = String(event.seq);
    this.links = linksOf(event);
    const hues = huesOf(this.links);
    const texts = {
      source: event.source.replace(/\n$/, "").split("\n"),
      transformed: event.transformed.replace(/\n$/, "").split("\n"),
      ops: event.ops.map(({ text }) => text),
    };
    this.rows = [];
    const columns = COLUMNS.map((name, at) => {
      const heading = el("h3", "tg-heading", TITLES[name]);
      heading.id = freshId("column");
      const rows = texts[name].map((text, index) => {
        const from = this.links[name][index] ?? 0;
        return this.row(text, at, index, hues[from - 1] ?? -1);
      });
      this.rows.push(rows);
      const list = el("div", "tg-scroll tg-code", ...rows);
      list.setAttribute("role", "group");
      list.setAttribute("aria-labelledby", heading.id);
      return el("div", "tg-column3", heading, list);
    });
    this.grid.replaceChildren(...columns);
    this.rows[0][0]?.setAttribute("tabindex", "0");
  }

  private row(text: string, column: number, index: number, hue: number): HTMLElement {
    const number = el("span", "tg-lineno", String(index + 1));
    const isOp = COLUMNS[column] === "ops";
    const code = codeLine(text, isOp ? [{ kind: "plain", text }] : undefined);
    const row = el("div", `tg-line ${lineClass(hue)}`, number, code);
    row.tabIndex = -1;
    row.addEventListener("pointerenter", () => this.mark(column, index));
    row.addEventListener("focus", () => this.mark(column, index));
    row.addEventListener("click", () => row.focus({ preventScroll: true }));
    return row;
  }

  /** Light every line, in all three, that goes back to the same line of source. */
  private mark(column: number, index: number): void {
    const from = this.links[COLUMNS[column]][index] ?? 0;
    this.rows.forEach((rows, at) => {
      rows.forEach((row, i) => {
        const same = from > 0 && this.links[COLUMNS[at]][i] === from;
        row.classList.toggle("tg-current", same);
        if (same && at !== column) row.scrollIntoView({ block: "nearest" });
      });
    });
  }

  private key(event: KeyboardEvent): void {
    const at = this.rows.findIndex((rows) => rows.some((row) => row === event.target));
    const index = this.rows[at]?.findIndex((row) => row === event.target) ?? -1;
    if (index < 0) return;
    const down = ownKey(event, { ArrowDown: 1, ArrowUp: -1 });
    if (down !== undefined) return this.rows[at][index + down]?.focus();
    const across = ownKey(event, { ArrowRight: 1, ArrowLeft: -1 });
    if (across === undefined) return;
    const column = Math.max(0, Math.min(this.rows.length - 1, at + across));
    const from = this.links[COLUMNS[at]][index];
    const linked = this.links[COLUMNS[column]].indexOf(from);
    this.rows[column][Math.max(0, linked)]?.focus();
  }
}
