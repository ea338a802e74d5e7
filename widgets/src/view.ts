/** The whole view: every part of it, over one event log, drawn together frame by frame. */

import { differenceBar, keyOf, Pairs } from "./draw/beside";
import { Colours } from "./draw/colours";
import { el, button, freshId } from "./draw/dom";
import { Finder } from "./draw/finder";
import { keepingFocus } from "./draw/focus";
import { GraphPane } from "./draw/graph";
import { Help } from "./draw/help";
import { InspectorPane } from "./draw/inspector";
import { legend } from "./draw/legend";
import type { Actions, Frame } from "./draw/look";
import { MemoryPane } from "./draw/memory";
import { NowPane } from "./draw/now";
import { ScrubberPane } from "./draw/scrubber";
import { SourcePane } from "./draw/source";
import { splitter } from "./draw/splitter";
import { StepBar, type Answer } from "./draw/stepbar";
import { progressOf, Status } from "./draw/status";
import type { ThemeChoice } from "./draw/theme";
import { Keyboard } from "./keyboard";
import type { Command } from "./keys";
import type { BesideEvent } from "./events";
import { EventLog } from "./log";
import { neighbours } from "./selection";
import { shared } from "./shared";
import { Trace } from "./state/trace";
import { Time } from "./time";
import { readLog } from "./validate";
import { Chapters } from "./views/chapters";
import { OpenedView, type Load } from "./views/opened";
import { Walk, type Panes } from "./walk";

export interface ViewOptions {
  readonly title?: string;
  readonly theme?: ThemeChoice;
  /** The height of a row of panes, in pixels. */
  readonly height?: number;
  /** Loads the views that have charts. */
  readonly charts?: Load;
}

/** More new events than this appear at once, without sliding in. */
const MOST_ANIMATED = 80;
/** What comes sooner after the last, in milliseconds, does too: a layer a row is dear. */
const UNHURRIED = 260;
const NOTHING_YET = "Variables and operators appear here as lines make them.";
export const DEFAULT_HEIGHT = 560;
const WIDE = 1520;
/** From here on the startup program and the graph stand beside the main program. */
const MIDDLE = 1060;
const MEDIUM = 760;
/** How wide source and inspector are, and what share of the view they may take. */
const ASIDE = 280;
const ASIDE_MOST = 0.7;
/** How much a key zooms, and how far, in pixels, it moves the graph. */
const ZOOM = 1.4;
const PAN = 80;

/** The names of this page's views: those of one name are told apart by number. */
const NAMES = new Map<string, number>();
const OF_TIME = new Set<Command>(
  "back on eventBack eventOn first last play".split(" ") as Command[],
);

export class View implements Actions {
  readonly element = el("div", "tg-root");
  private name = "";
  private readonly trace = new Trace();
  private readonly time = new Time(this.trace, () => this.redraw());
  private readonly colours = new Colours(this.element, () => this.redraw());
  private readonly panes: Panes = {
    source: new SourcePane(this),
    memory: new MemoryPane(this),
    graph: new GraphPane(this, this.colours.read),
    inspector: new InspectorPane(this),
  };
  private readonly walk = new Walk(this.trace, this.time, this.panes);
  private readonly scrubber = new ScrubberPane(this.time, this.colours.read);
  private readonly finder = new Finder(
    this,
    () => this.trace,
    () => this.focus(),
  );
  private readonly help: Help;
  private readonly chapters: Chapters;
  private readonly stepBar = new StepBar(
    (line) => this.trace.cells.at(-1)?.lines[line - 1]?.trim() ?? "",
    (answer) => this.tell(answer),
  );
  private readonly body = el("div", "tg-body");
  private readonly now = new NowPane(this);
  private readonly aside = el("div", "tg-aside");
  private readonly legend = legend();
  private readonly blank = el("p", "tg-pane tg-empty tg-blank", NOTHING_YET);
  private readonly status: Status;
  private readonly observer: ResizeObserver;
  private readonly keyboard = new Keyboard(this.element, (command, key) => this.run(command, key));
  /** What was last said to be selected. */
  private said: string | undefined;
  private requested = 0;
  /** When something new was last drawn. */
  private grewAt = -Infinity;
  /** How many events had come when the kernel was lost. */
  private lostAt = -1;
  /** The view of another trace, which follows this one; or the one that leads. */
  private other: { view: View; pairs: Pairs; leads: boolean } | undefined;
  private options: ViewOptions = {};
  /** Brings answers to a kernel that waits at each line, where there is one. */
  onAnswer: ((answer: Answer) => void) | undefined;

  constructor(
    private readonly log: EventLog,
    options: ViewOptions = {},
  ) {
    const helpButton = button("tg-tool", "Keys and help (?)", "?", () =>
      this.openHelp(),
    );
    const tools = [this.finder.element, helpButton];
    const changed = (): void => this.redraw();
    this.chapters = new Chapters(changed, options.charts);
    this.help = new Help(new OpenedView("Signs", () => true, options.charts, changed));
    this.status = new Status(tools, (key) => this.select(key));
    this.assemble();
    this.element.tabIndex = -1;
    this.element.id = freshId("view");
    this.element.setAttribute("role", "region");
    this.observer = new ResizeObserver(() => this.chooseLayout());
    this.observer.observe(this.element);
    this.configure({ title: "", theme: "auto", height: DEFAULT_HEIGHT, ...options });
  }

  private nameRegion(name: string): void {
    if (name === this.name) return;
    const count = (NAMES.get(name) ?? 0) + 1;
    NAMES.set(name, count);
    this.name = name;
    this.element.setAttribute("aria-label", count === 1 ? name : `${name} ${count}`);
  }

  configure(options: ViewOptions): void {
    this.options = { ...this.options, ...options };
    const { title, theme, height } = options;
    if (title !== undefined) {
      this.status.setTitle(title);
      this.nameRegion(title || "Trace");
    }
    if (height !== undefined) {
      this.element.style.setProperty("--tg-height", `${height}px`);
    }
    this.colours.choose(theme);
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
    keepingFocus(this.element, () => this.stepBar.lose());
    delete this.element.dataset.waiting;
    this.redraw();
  }

  dispose(): void {
    cancelAnimationFrame(this.requested);
    this.time.player.stop();
    this.observer.disconnect();
    this.keyboard.dispose();
    for (const pane of Object.values(this.panes)) pane.dispose?.();
    this.scrubber.dispose();
    this.chapters.dispose();
    this.colours.dispose();
    if (this.other?.leads === false) {
      this.other.view.dispose();
      this.element.parentElement?.remove();
    }
    this.element.remove();
  }

  /** Draw in the next frame, once, however often it is asked for. */
  redraw(): void {
    this.requested ||= requestAnimationFrame(() => {
      this.requested = 0;
      keepingFocus(this.element, () => this.draw());
    });
  }

  select(key: string | undefined): void {
    this.walk.select(key);
    this.redraw();
  }

  hover(key: string | undefined): void {
    if (key === this.walk.hovered) return;
    this.walk.hovered = key;
    this.redraw();
  }

  async save(...picture: Parameters<Actions["save"]>): Promise<void> {
    try {
      const charts = await this.options.charts?.();
      if (charts === undefined) throw new Error("its code is not here");
      charts(shared).save(...picture);
    } catch (error) {
      this.complain(`The picture cannot be saved: ${(error as Error).message}.`);
    }
  }

  seek(position: number): void {
    const { other } = this;
    if (other?.leads === true) other.view.seek(other.pairs.across(position, 1));
    else this.time.seek(position);
  }

  goToStep(count: number): void {
    this.seek(this.trace.positionAfter(count));
  }

  /** Show another trace beside this one, which follows it. */
  private showBeside(event: BesideEvent): void {
    const log = new EventLog();
    const pairs = new Pairs(event.stops);
    const view = new View(log, this.options);
    try {
      const { title, events } = readLog(JSON.parse(event.log));
      log.accept(0, events);
      view.configure({ title });
    } catch (error) {
      return this.complain((error as Error).message);
    }
    this.other = { view, pairs, leads: false };
    view.other = { view: this, pairs, leads: true };
    const both = el("div", "tg-both");
    this.element.replaceWith(both);
    both.append(this.element, view.element);
    const [at = 0, there = 0] = event.first;
    const go = (): void => {
      this.select(keyOf(this.log.events[at - 1]));
      view.select(keyOf(log.events[there - 1]));
      this.seek(at);
    };
    this.body.before(differenceBar(event, 0, go));
    view.body.before(differenceBar(event, 1, go));
    if (at > 0) this.scrubber.mark = at;
    view.redraw();
  }

  private assemble(): void {
    const { source, memory, graph, inspector } = this.panes;
    const now = this.now.element;
    const { aside } = this;
    aside.append(source.element, now, inspector.element);
    const main = el("div", "tg-main", memory.element, graph.element, this.blank);
    const divider = this.addSplitters(graph.element);
    this.body.append(aside, divider, main);
    const { head, notice, announcer } = this.status;
    const { tabs, panels } = this.chapters;
    const under = [this.scrubber.element, this.legend];
    const parts = [head, notice, this.stepBar.element, tabs, this.body, panels, ...under];
    this.element.append(...parts, this.help.element, announcer);
  }

  /** The borders that can be dragged: of source and inspector, the graph, and under all. */
  private addSplitters(graph: HTMLElement): HTMLElement {
    const { aside, body, element } = this;
    const set = (name: string, value: string): void => {
      element.style.setProperty(name, value);
      this.redraw();
    };
    const isLeft = (): boolean => element.dataset.layout === "middle";
    const divider = splitter({
      look: "tg-divider",
      label: "Width of source and inspector: drag, or arrow keys; i: wide",
      upright: true,
      way: () => 1,
      size: () => aside.offsetWidth || ASIDE,
      most: () => Math.max(ASIDE, element.clientWidth * ASIDE_MOST),
      resize: (size) => set("--tg-aside", `${size}px`),
    });
    divider.addEventListener("dblclick", () => this.widen());
    const share = splitter({
      look: "tg-splitter tg-upright",
      label: "Width of the backward graph",
      upright: true,
      way: () => (isLeft() ? 1 : -1),
      size: () => graph.offsetWidth,
      resize: (size) => {
        const columns = [`minmax(0, 1fr)`, `minmax(0, ${size}px)`];
        set("--tg-columns", (isLeft() ? columns.reverse() : columns).join(" "));
      },
    });
    const height = splitter({
      look: "tg-splitter tg-level",
      label: "Height of the panes",
      upright: false,
      way: () => 1,
      size: () => graph.offsetHeight || body.offsetHeight,
      resize: (size) => set("--tg-height", `${size}px`),
    });
    graph.append(share);
    body.append(height);
    return divider;
  }

  /** Source and inspector wide enough to read in, or as usual. */
  private widen(): void {
    const { style, clientWidth } = this.element;
    const isWide = parseFloat(style.getPropertyValue("--tg-aside")) > ASIDE;
    if (isWide) style.removeProperty("--tg-aside");
    else style.setProperty("--tg-aside", `${Math.round(Math.max(460, clientWidth * 0.45))}px`);
    this.redraw();
  }

  private draw(): void {
    const { trace, time, walk, element, status } = this;
    const known = trace.length;
    const { events } = this.log;
    while (trace.length < events.length) trace.fold(events[trace.length]);
    const added = trace.length - known;
    const { beside } = trace;
    if (beside !== undefined && this.other === undefined) this.showBeside(beside);
    time.follow();
    this.lead();
    const unhurried = added > 0 && this.unhurried();
    const few = known > 0 && added <= MOST_ANIMATED;
    const frame = this.frame(time.live && few && unhurried);
    this.drawParts(frame);
    if (added > 0 || time.asked) status.announce(frame, time.asked);
    if (this.said !== walk.selected) status.announceSelected(frame);
    this.said = walk.selected;
    time.asked = false;
    element.dataset.empty = String(trace.length === 0);
    element.dataset.state = this.lost ? "lost" : progressOf(trace);
    element.dataset.position = String(time.position);
    if (added > 0) this.stamp(trace.length - 1);
  }

  /** Bring the other trace, if this one leads it, to where this one is. */
  private lead(): void {
    const { other, time, trace } = this;
    if (other === undefined || other.leads) return;
    const ended = time.position >= trace.length;
    const position = ended ? Infinity : other.pairs.across(time.position);
    const { time: its } = other.view;
    if (ended ? !its.live : its.live || its.position !== position) its.seek(position);
  }

  private drawParts(frame: Frame): void {
    const { body, blank, panes, scrubber } = this;
    body.hidden = !this.chapters.update(frame);
    this.legend.hidden = !this.chapters.needsLegend;
    const alone = this.other?.leads !== true;
    scrubber.element.hidden = !alone || (body.hidden && this.trace.steps.length === 0);
    for (const pane of Object.values(panes)) {
      if (!body.hidden) pane.update(frame);
    }
    if (!body.hidden) this.now.update(frame);
    blank.hidden = !panes.memory.element.hidden || !panes.graph.element.hidden;
    scrubber.update(frame);
    this.stepBar.update();
    this.status.update(frame, this.missing(), this.doing());
  }

  /** Whether what came before has had the time to slide in. */
  private unhurried(): boolean {
    const now = performance.now();
    const since = now - this.grewAt;
    this.grewAt = now;
    return since > UNHURRIED;
  }

  private frame(animate: boolean): Frame {
    const { trace } = this;
    const { position, live } = this.time;
    const { selected, hovered } = this.walk;
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

  private chooseLayout(): void {
    const width = this.element.clientWidth;
    const fits = (least: number): boolean => width >= least;
    const layout = fits(WIDE) ? "wide" : fits(MIDDLE) ? "middle" : fits(MEDIUM) ? "medium" : "narrow";
    if (layout !== this.element.dataset.layout) this.element.style.removeProperty("--tg-columns");
    this.element.dataset.layout = layout;
    this.redraw();
  }

  private focus(): void {
    this.element.focus({ preventScroll: true });
  }

  /** Whoever lets the cell go on wants to see what it does. */
  private tell(answer: Answer): void {
    delete this.element.dataset.waiting;
    this.time.player.stop();
    this.seek(Infinity);
    this.onAnswer?.(answer);
  }

  /** Do what a key asks for; return whether that is anything. */
  private run(command: Command, key = ""): boolean {
    if (this.help.isOpen) {
      const closes = command === "help" || command === "leave";
      if (closes) this.help.close();
      return closes;
    }
    const { time, walk, stepBar, other } = this;
    if (other?.leads === true && OF_TIME.has(command)) return other.view.run(command);
    const { graph } = this.panes;
    const commands: Record<Command, () => unknown> = {
      back: () => time.step(-1),
      on: () => time.step(1),
      eventBack: () => time.seek(time.position - 1),
      eventOn: () => time.seek(time.position + 1),
      first: () => time.goToStep(0),
      last: () => time.seek(Infinity),
      play: () => time.play(),
      up: () => walk.move(-1),
      down: () => walk.move(1),
      inspect: () => walk.inspect(),
      wide: () => this.widen(),
      producer: () => walk.to("producer"),
      consumer: () => walk.to("consumer"),
      twin: () => walk.to("twin"),
      open: () => walk.fold(false),
      close: () => walk.fold(true),
      find: () => this.finder.open(),
      fit: () => graph.fit(),
      level: () => graph.openTo(Number(key)),
      earlier: () => graph.turn(-1),
      later: () => graph.turn(1),
      zoomIn: () => walk.foldBox(false) || graph.zoom(ZOOM),
      zoomOut: () => walk.foldBox(true) || graph.zoom(1 / ZOOM),
      panUp: () => graph.pan(0, PAN),
      panDown: () => graph.pan(0, -PAN),
      panLeft: () => graph.pan(PAN, 0),
      panRight: () => graph.pan(-PAN, 0),
      view: () => this.chapters.next(),
      step: () => stepBar.answer("step"),
      continue: () => stepBar.answer("continue"),
      stop: () => stepBar.answer("stop"),
      help: () => this.openHelp(),
      leave: () => this.leave(),
    };
    if (OF_TIME.has(command) && command !== "play" && command !== "last") {
      time.player.stop();
    }
    commands[command]();
    this.redraw();
    return true;
  }

  private openHelp(): void {
    this.help.open(this.frame(false));
  }

  private leave(): void {
    const { activeElement } = document;
    const { player } = this.time;
    if (player.playing) player.stop();
    else if (this.walk.selected !== undefined) this.select(undefined);
    else if (activeElement instanceof HTMLElement) activeElement.blur();
  }
}
