/** The whole view: panes, time, selection and keys, over one event log. */

import { el, button, freshId } from "./draw/dom";
import { Finder } from "./draw/finder";
import { GraphPane } from "./draw/graph";
import { Help } from "./draw/help";
import { InspectorPane } from "./draw/inspector";
import { legend } from "./draw/legend";
import type { Actions, Frame } from "./draw/look";
import { MemoryPane } from "./draw/memory";
import { ScrubberPane } from "./draw/scrubber";
import { SourcePane } from "./draw/source";
import { StepBar, type Answer } from "./draw/stepbar";
import { progressOf, Status } from "./draw/status";
import {
  hostTheme,
  readPalette,
  watchHostTheme,
  type Palette,
  type ThemeChoice,
} from "./draw/theme";
import { commandOf, type Command } from "./keys";
import type { EventLog } from "./log";
import { AutoPlayer } from "./player";
import { neighbour, neighbours, type Way } from "./selection";
import { graphOfGroup } from "./state/folding";
import { Trace } from "./state/trace";
import { Chapters } from "./views/chapters";

export interface ViewOptions {
  readonly title?: string;
  readonly theme?: ThemeChoice;
  /** The height of a row of panes, in pixels. */
  readonly height?: number;
}

/** More new events than this appear at once, without sliding in. */
const MOST_ANIMATED = 80;
/** What comes sooner after the last, in milliseconds, does too: a layer a row is dear. */
const UNHURRIED = 260;
const NOTHING_YET = "Variables and operators appear here as lines make them.";
export const DEFAULT_HEIGHT = 560;
const SUPPRESS = "data-lm-suppress-shortcuts";
const WIDE = 1520;
const MEDIUM = 760;

export class View implements Actions {
  readonly element = el("div", "tg-root");
  private readonly trace = new Trace();
  private readonly source = new SourcePane(this);
  private readonly memory = new MemoryPane(this);
  private readonly graph = new GraphPane(this, () => this.readColours());
  private readonly inspector = new InspectorPane(this);
  private readonly player = new AutoPlayer(
    () => this.advance(),
    () => this.redraw(),
  );
  private readonly scrubber = new ScrubberPane(
    this,
    {
      play: () => this.play(),
      faster: () => this.player.faster(),
      isPlaying: () => this.player.playing,
      pace: () => this.player.pace,
    },
    () => this.readColours(),
  );
  private readonly finder = new Finder(
    this,
    () => this.trace,
    () => this.element.focus({ preventScroll: true }),
  );
  private readonly help = new Help();
  private readonly chapters = new Chapters(() => this.redraw());
  private readonly stepBar = new StepBar(
    (line) => this.trace.cells.at(-1)?.lines[line - 1]?.trim() ?? "",
    (answer) => this.tell(answer),
  );
  private readonly body = el("div", "tg-body");
  private readonly legend = legend();
  private readonly blank = el("p", "tg-pane tg-empty tg-blank", NOTHING_YET);
  private readonly status: Status;
  private readonly observer: ResizeObserver;
  private readonly stopWatching: () => void;
  private palette: Palette | undefined;
  private theme: ThemeChoice = "auto";
  private position = 0;
  private live = true;
  private selected: string | undefined;
  private hovered: string | undefined;
  /** What was last said to be selected. */
  private said: string | undefined;
  private requested = 0;
  /** When something new was last drawn. */
  private grewAt = -Infinity;
  /** Brings answers to a kernel that waits at each line, where there is one. */
  onAnswer: ((answer: Answer) => void) | undefined;
  private asked = false;
  /** How many events had come when the kernel was lost. */
  private lostAt = -1;
  /** The closed group that one has just walked away from, and which way. */
  private left: { group: string | undefined; way: Way | undefined } = {
    group: undefined,
    way: undefined,
  };

  constructor(
    private readonly log: EventLog,
    options: ViewOptions = {},
  ) {
    const helpButton = button("tg-tool", "Keys and help (?)", "?", () =>
      this.help.open(),
    );
    const tools = [this.finder.element, helpButton];
    this.status = new Status(tools, (key) => this.select(key));
    const aside = el("div", "tg-aside", this.source.element, this.inspector.element);
    const panes = [this.memory.element, this.graph.element];
    const main = el("div", "tg-main", ...panes, this.blank);
    const { head, notice, announcer } = this.status;
    this.body.append(aside, main);
    const { tabs, panels } = this.chapters;
    const under = [this.scrubber.element, this.legend];
    const parts = [head, notice, this.stepBar.element, tabs, this.body, panels, ...under];
    this.element.append(...parts, this.help.element, announcer);
    this.element.tabIndex = -1;
    this.element.id = freshId("view");
    this.element.setAttribute("role", "region");
    globalThis.addEventListener("keydown", this.lend, true);
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.chooseLayout());
    this.observer.observe(this.element);
    this.stopWatching = watchHostTheme(() => this.applyTheme());
    this.configure({ title: "", theme: "auto", height: DEFAULT_HEIGHT, ...options });
  }

  configure({ title, theme, height }: ViewOptions): void {
    if (title !== undefined) {
      this.status.setTitle(title);
      this.element.setAttribute("aria-label", title || "Trace");
    }
    if (height !== undefined) {
      this.element.style.setProperty("--tg-height", `${height}px`);
    }
    if (theme !== undefined) this.theme = theme;
    this.applyTheme();
  }

  /** Say that something is wrong with what came. */
  complain(why: string): void {
    this.status.complaint = why;
    this.redraw();
  }

  /** The kernel waits before this line; without one, it goes on by itself. */
  waitAt(line: number | undefined): void {
    this.lostAt = -1;
    this.stepBar.wait(line);
    if (line !== undefined) this.element.dataset.waiting = String(line);
    else delete this.element.dataset.waiting;
    this.redraw();
  }

  /** Nothing is heard of the kernel; what has come stays, and whatever comes heals it. */
  lose(): void {
    this.lostAt = this.log.events.length;
    const focused = this.stepBar.element.contains(document.activeElement);
    this.stepBar.lose();
    if (focused) this.element.focus({ preventScroll: true });
    delete this.element.dataset.waiting;
    this.redraw();
  }

  dispose(): void {
    cancelAnimationFrame(this.requested);
    this.player.stop();
    this.observer.disconnect();
    globalThis.removeEventListener("keydown", this.lend, true);
    this.source.dispose();
    this.scrubber.dispose();
    this.memory.dispose();
    this.graph.dispose();
    this.chapters.dispose();
    this.stopWatching();
    this.element.remove();
  }

  /** Draw in the next frame, once, however often it is asked for. */
  redraw(): void {
    this.requested ||= requestAnimationFrame(() => {
      this.requested = 0;
      this.draw();
    });
  }

  select(key: string | undefined): void {
    this.selected = key;
    this.hovered = undefined;
    if (key !== undefined) {
      this.memory.columnOf(key)?.show(key);
      this.graph.show(key);
    }
    this.redraw();
  }

  hover(key: string | undefined): void {
    if (key === this.hovered) return;
    this.hovered = key;
    this.redraw();
  }

  seek(position: number): void {
    this.asked = true;
    this.live = position >= this.trace.length;
    this.position = Math.max(0, Math.min(position, this.trace.length));
    this.redraw();
  }

  goToStep(count: number): void {
    const { steps } = this.trace;
    const last = count >= steps.length;
    this.seek(last ? Infinity : this.trace.positionAfter(Math.max(0, count)));
  }

  private draw(): void {
    const known = this.trace.length;
    const { events } = this.log;
    while (this.trace.length < events.length) {
      this.trace.fold(events[this.trace.length]);
    }
    const added = this.trace.length - known;
    if (this.live) this.position = this.trace.length;
    const unhurried = added > 0 && this.unhurried();
    const few = known > 0 && added <= MOST_ANIMATED;
    const frame = this.frame(this.live && few && unhurried);
    this.body.hidden = !this.chapters.update(frame);
    this.legend.hidden = !this.chapters.needsLegend;
    this.scrubber.element.hidden = this.body.hidden && this.trace.steps.length === 0;
    for (const pane of [this.source, this.memory, this.graph, this.inspector]) {
      if (!this.body.hidden) pane.update(frame);
    }
    this.blank.hidden = !this.memory.element.hidden || !this.graph.element.hidden;
    this.scrubber.update(frame);
    this.stepBar.update();
    this.status.update(frame, this.missing(), this.doing());
    if (added > 0 || this.asked) this.status.announce(frame, this.asked);
    if (this.said !== this.selected) this.status.announceSelected(frame);
    this.said = this.selected;
    this.asked = false;
    this.element.dataset.empty = String(this.trace.length === 0);
    this.element.dataset.state = this.lost ? "lost" : progressOf(this.trace);
    this.element.dataset.position = String(this.position);
    if (added > 0) this.stamp(this.trace.length - 1);
  }

  /** Whether what came before has had the time to slide in. */
  private unhurried(): boolean {
    const now = performance.now();
    const since = now - this.grewAt;
    this.grewAt = now;
    return since > UNHURRIED;
  }

  private frame(animate: boolean): Frame {
    const { trace, position, live, selected, hovered } = this;
    const step = trace.stepAt(position);
    const linked = neighbours(trace, hovered ?? selected, position);
    return { trace, position, step, live, animate, selected, hovered, linked };
  }

  private get lost(): boolean {
    const isRunning = progressOf(this.trace) === "running";
    return isRunning && this.lostAt === this.log.events.length;
  }

  private doing(): string {
    if (this.lost) return "the kernel was lost at";
    return this.stepBar.waits ? "waiting at" : "running";
  }

  private missing(): number {
    const gaps = this.log.gaps();
    return gaps.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  /** Say, once the browser has painted it, up to which event the view has come. */
  private stamp(seq: number): void {
    setTimeout(() => {
      const time = performance.timeOrigin + performance.now();
      this.element.dataset.seq = String(seq);
      this.element.dataset.paintedAt = time.toFixed(1);
      const detail = { seq, time };
      this.element.dispatchEvent(
        new CustomEvent("tg-painted", { bubbles: true, detail }),
      );
    });
  }

  private applyTheme(): void {
    const theme = this.theme === "auto" ? hostTheme() : this.theme;
    if (this.element.dataset.theme === theme) return;
    this.element.dataset.theme = theme;
    this.palette = undefined;
    this.redraw();
  }

  /** The palette, once the stylesheet applies. */
  private readColours(): Palette {
    if (this.palette === undefined || this.palette.ink === "") {
      this.palette = readPalette(this.element);
    }
    return this.palette;
  }

  private chooseLayout(): void {
    const width = this.element.clientWidth;
    const layout = width >= WIDE ? "wide" : width >= MEDIUM ? "medium" : "narrow";
    this.element.dataset.layout = layout;
    this.redraw();
  }

  private play(): void {
    const atEnd = this.trace.stepsAt(this.position) >= this.trace.steps.length;
    if (!this.player.playing && atEnd) this.goToStep(0);
    this.player.play();
  }

  /** Whoever lets the cell go on wants to see what it does. */
  private tell(answer: Answer): void {
    delete this.element.dataset.waiting;
    this.player.stop();
    this.seek(Infinity);
    this.onAnswer?.(answer);
  }

  private advance(): boolean {
    const next = this.trace.stepsAt(this.position) + 1;
    this.goToStep(next);
    return next < this.trace.steps.length;
  }

  /**
   * JupyterLab hears of keys before any element does, unless this attribute is there:
   * the plain ones are the view's, those with Ctrl or Cmd stay the notebook's.
   */
  private readonly lend = ({ ctrlKey, metaKey }: KeyboardEvent): void => {
    this.element.toggleAttribute(SUPPRESS, !ctrlKey && !metaKey);
  };

  /** Keys are the view's while it has the focus, and never reach the notebook. */
  private key(event: KeyboardEvent): void {
    const { target } = event;
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (!modified && event.key !== "Tab") event.stopPropagation();
    const typed = target instanceof HTMLSelectElement;
    const pressed =
      target instanceof HTMLButtonElement && /^( |Enter)$/.test(event.key);
    if (pressed || (typed && event.key !== "Escape")) return;
    const command = commandOf(event);
    if (command === undefined) return;
    event.preventDefault();
    if (this.help.isOpen) {
      if (command === "help" || command === "leave") this.help.close();
      return;
    }
    this.run(command);
  }

  private run(command: Command): void {
    const done = this.trace.stepsAt(this.position);
    const actions: Record<Command, () => void> = {
      back: () => this.goToStep(done - 1),
      on: () => this.goToStep(done + 1),
      eventBack: () => this.seek(this.position - 1),
      eventOn: () => this.seek(this.position + 1),
      up: () => this.move(-1),
      down: () => this.move(1),
      first: () => this.goToStep(0),
      last: () => this.seek(Infinity),
      play: () => this.play(),
      inspect: () => this.inspect(),
      producer: () => this.walk("producer"),
      consumer: () => this.walk("consumer"),
      twin: () => this.walk("twin"),
      open: () => this.fold(false),
      close: () => this.fold(true),
      find: () => this.finder.open(),
      fit: () => this.graph.fit(),
      zoomIn: () => this.graph.zoom(1.4),
      zoomOut: () => this.graph.zoom(1 / 1.4),
      view: () => this.chapters.next(),
      step: () => this.stepBar.answer("step"),
      continue: () => this.stepBar.answer("continue"),
      stop: () => this.stepBar.answer("stop"),
      help: () => this.help.open(),
      leave: () => this.leave(),
    };
    if (["back", "on", "eventBack", "eventOn", "first"].includes(command)) {
      this.player.stop();
    }
    actions[command]();
  }

  private move(by: number): void {
    const { activeElement } = document;
    const inGraph = this.graph.element.contains(activeElement);
    const focused = this.memory.columns.find((c) => c.element.contains(activeElement));
    const column = inGraph
      ? undefined
      : (focused ?? this.memory.columnOf(this.selected));
    const usesGraph = inGraph || (column === undefined && this.memory.element.hidden);
    if (usesGraph) {
      this.select(this.graph.step(this.selected, by) ?? this.selected);
      if (!inGraph) this.graph.focus();
      return;
    }
    const list = column ?? this.memory.columns[1];
    this.select(list.step(this.selected, by) ?? this.selected);
    if (focused === undefined) list.focus();
  }

  private walk(way: Way): void {
    const key = this.selected ?? this.hovered;
    if (key === undefined) return;
    // A value that leaves a closed group may be read in it too: one walks on, not back.
    const { group, way: last } = this.left;
    const isBack = (next: string): boolean =>
      way === last && group !== undefined && this.graph.shownAs(next) === group;
    const next = neighbour(this.trace, key, way, this.position, isBack) ?? key;
    const isGroup = graphOfGroup(key) !== undefined;
    this.left = { group: isGroup ? key : undefined, way };
    // Who walks in the graph walks over closed groups; nothing opens on the way.
    const inGraph = this.graph.element.contains(document.activeElement);
    const over = inGraph || isGroup || this.memory.element.hidden;
    this.select(over ? this.graph.shownAs(next) : next);
  }

  private inspect(): void {
    if (this.hovered !== undefined) this.select(this.hovered);
    if (this.selected !== undefined) this.inspector.focus();
  }

  /** Fold a sub-block of the Program, or else a group of the graph. */
  private fold(folded: boolean): void {
    const { selected } = this;
    const row = selected === undefined ? undefined : this.trace.row(selected)?.row;
    const inGraph = this.graph.element.contains(document.activeElement);
    if (row !== undefined && row.block > 0 && !inGraph) {
      this.memory.columnOf(selected)?.fold(row.block, folded);
    } else if (this.graph.canFold(selected)) {
      const key = this.graph.fold(selected, folded);
      if (key !== undefined) this.select(key);
    }
  }

  private leave(): void {
    const { activeElement } = document;
    if (this.player.playing) this.player.stop();
    else if (this.selected !== undefined) this.selected = undefined;
    else if (activeElement instanceof HTMLElement) activeElement.blur();
    this.redraw();
  }
}
