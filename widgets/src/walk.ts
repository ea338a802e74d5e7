/** What is pointed at and selected, and going on from it by keyboard, pane by pane. */

import type { GraphPane } from "./draw/graph";
import type { InspectorPane } from "./draw/inspector";
import type { MemoryPane } from "./draw/memory";
import type { SourcePane } from "./draw/source";
import { neighbour, type Way } from "./selection";
import { graphOfGroup } from "./state/folding";
import type { Trace } from "./state/trace";
import type { Time } from "./time";

export interface Panes {
  readonly source: SourcePane;
  readonly memory: MemoryPane;
  readonly graph: GraphPane;
  readonly inspector: InspectorPane;
}

export class Walk {
  selected: string | undefined;
  hovered: string | undefined;
  /** The closed group that one has just walked away from, and which way. */
  private left: { group?: string | undefined; way?: Way } = {};

  constructor(
    private readonly trace: Trace,
    private readonly time: Time,
    private readonly panes: Panes,
  ) {}

  /** Select a thing, and show it wherever it stands. */
  select(key: string | undefined): void {
    const { memory, graph } = this.panes;
    this.selected = key;
    this.hovered = undefined;
    if (key === undefined) return;
    memory.columnOf(key)?.show(key);
    graph.show(key);
  }

  /** Go to the row, node or line above or below, in the pane that has the focus. */
  move(by: number): void {
    const { source, memory, graph } = this.panes;
    if (hasFocus(source)) return source.step(by);
    const inGraph = hasFocus(graph);
    const focused = memory.columns.find(hasFocus);
    const column = inGraph ? undefined : (focused ?? memory.columnOf(this.selected));
    const list =
      inGraph || (column === undefined && memory.element.hidden)
        ? graph
        : (column ?? memory.columns[1]);
    this.select(list.step(this.selected, by) ?? this.selected);
    if (!inGraph && focused === undefined) list.focus();
  }

  /** Go to what made it, what reads it, or across the mirror. */
  to(way: Way): void {
    const key = this.selected ?? this.hovered;
    if (key === undefined) return;
    const { memory, graph } = this.panes;
    // A value that leaves a closed group may be read in it too: one walks on, not back.
    const { group, way: last } = this.left;
    const isBack = (next: string): boolean =>
      way === last && group !== undefined && graph.shownAs(next) === group;
    const next = neighbour(this.trace, key, way, this.time.position, isBack) ?? key;
    const isGroup = graphOfGroup(key) !== undefined;
    this.left = { group: isGroup ? key : undefined, way };
    // Who walks in the graph walks over closed groups; nothing opens on the way.
    const over = hasFocus(graph) || isGroup || memory.element.hidden;
    this.select(over ? graph.shownAs(next) : next);
  }

  /** Read in the inspector what is pointed at, or selected. */
  inspect(): void {
    if (this.hovered !== undefined) this.select(this.hovered);
    if (this.selected !== undefined) this.panes.inspector.focus();
  }

  /** Open or close around a box of the graph, if one is selected; return whether it did. */
  foldBox(folded: boolean): boolean {
    const { selected, panes } = this;
    if (selected === undefined || !panes.graph.canFold(selected)) return false;
    if (!folded && graphOfGroup(selected) === undefined) return false;
    this.fold(folded);
    return true;
  }

  /** Fold a sub-block of the Program, or else a group of the graph. */
  fold(folded: boolean): void {
    const { selected } = this;
    const { memory, graph } = this.panes;
    const row = selected === undefined ? undefined : this.trace.row(selected)?.row;
    if (row !== undefined && row.block > 0 && !hasFocus(graph)) {
      memory.columnOf(selected)?.fold(row.block, folded);
    } else if (graph.canFold(selected)) {
      const key = graph.fold(selected, folded);
      if (key !== undefined) this.select(key);
    }
  }
}

function hasFocus({ element }: { readonly element: HTMLElement }): boolean {
  return element.contains(document.activeElement);
}
