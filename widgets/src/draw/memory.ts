/** Program memory: what runs once beside what runs every step, in append order. */

import type { ProgramState } from "../state/programs";
import { Column } from "./column";
import { el } from "./dom";
import type { Actions, Frame, Pane } from "./look";

export class MemoryPane implements Pane {
  readonly element: HTMLElement;
  private readonly startup: Column;
  private readonly main: Column;

  constructor(actions: Actions) {
    this.startup = new Column("startup", actions);
    this.main = new Column("main", actions);
    const columns = [this.startup.element, this.main.element];
    this.element = el("div", "tg-memory", ...columns);
    this.element.hidden = true;
  }

  /** The column a key's row stands in, that one first which shows it now. */
  columnOf(key: string | undefined): Column | undefined {
    const columns = [this.main, this.startup];
    return columns.find((column) => key !== undefined && column.has(key));
  }

  get columns(): readonly Column[] {
    return [this.startup, this.main];
  }

  dispose(): void {
    for (const column of this.columns) column.dispose();
  }

  update(frame: Frame): void {
    const programs = [...frame.trace.programs.values()];
    this.element.hidden = !programs.some(hasContent);
    if (this.element.hidden) return;
    const isStartup = (p: ProgramState): boolean => p.event.role === "startup";
    const startups = programs.filter(isStartup);
    const others = programs.filter((program) => !isStartup(program));
    const shown = this.main.pick(frame, others);
    const source = sourceOf(shown, frame);
    this.startup.update(frame, source ? [source] : startups, source && shown);
    this.main.update(frame, others, source);
    // Scrolling lays the page out: once, when all rows of both stand.
    for (const column of this.columns) column.scroll();
    // A column that will never have a row would only take room.
    const never = frame.trace.ended && source === undefined && !startups.some(hasContent);
    this.startup.element.hidden = never;
    this.element.classList.toggle("tg-single", never);
  }
}

/** The program that a clone was made from: the two stand side by side. */
function sourceOf(
  shown: ProgramState | undefined,
  { trace }: Frame,
): ProgramState | undefined {
  const { origin } = shown?.event ?? {};
  if (origin === undefined || (shown?.passes.stages.length ?? 0) > 0) return undefined;
  return trace.programs.get(origin);
}

function hasContent(program: ProgramState): boolean {
  return program.rows.length > 0;
}
