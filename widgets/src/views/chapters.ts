/** The tabs: the trace itself, and whatever else the log tells of. */

import { button, el, freshId } from "../draw/dom";
import { isTraced, type Frame } from "../draw/look";
import { ownKey } from "../keys";
import type { Trace } from "../state/trace";
import type { Chapter } from "./chapter";
import { OpenedView, type Load } from "./opened";

const TRACE = "Trace";

interface Tab {
  readonly title: string;
  readonly button: HTMLButtonElement;
  readonly chapter?: Chapter;
}

export class Chapters {
  readonly tabs = el("div", "tg-tabs");
  readonly panels = el("div", "tg-chapters");
  private readonly all: readonly Tab[];
  /** What somebody chose; until then it is what tells most. */
  private chosen = "";
  private active = TRACE;

  constructor(
    private readonly changed: () => void,
    charts?: Load,
  ) {
    const opened = (title: string, of: (trace: Trace) => readonly unknown[]): Chapter =>
      new OpenedView(title, (trace) => of(trace).length > 0, charts, changed);
    const chapters = [
      opened("Passes", ({ programs }) =>
        [...programs.values()].filter(({ passes }) => passes.stages.length > 0),
      ),
      opened("Memory plan", ({ plans }) => plans),
      opened("to_static", ({ rewritten }) => rewritten),
      opened("Training", ({ training }) => training),
      opened("Profile", ({ profiles }) => profiles),
      opened("Cluster", ({ messages }) => messages),
    ];
    this.panels.append(...chapters.map(({ element }) => element));
    this.panels.hidden = true;
    const trace = { title: TRACE, button: this.tab(TRACE) };
    this.all = [trace, ...chapters.map((chapter) => this.chapterTab(chapter))];
    this.tabs.append(...this.all.map((tab) => tab.button));
    this.tabs.setAttribute("role", "tablist");
    this.tabs.setAttribute("aria-label", "Views");
    this.tabs.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show what is chosen; return whether that is the trace itself. */
  update(frame: Frame): boolean {
    const shown = this.all.filter((tab) => isThere(tab, frame.trace));
    const isShown = ({ title }: Tab): boolean => title === this.chosen;
    this.active = (shown.find(isShown) ?? first(shown, frame.trace))?.title ?? TRACE;
    this.tabs.hidden = shown.length < 2;
    for (const tab of this.all) {
      const chosen = tab.title === this.active;
      tab.button.hidden = !shown.includes(tab);
      tab.button.setAttribute("aria-selected", String(chosen));
      tab.button.tabIndex = chosen ? 0 : -1;
      if (tab.chapter === undefined) continue;
      tab.chapter.element.hidden = !chosen;
      if (chosen) tab.chapter.update(frame);
    }
    this.panels.hidden = this.active === TRACE;
    return this.active === TRACE;
  }

  /** Whether what is shown has the roles and colours that the legend explains. */
  get needsLegend(): boolean {
    const shown = this.all.find(({ title }) => title === this.active)?.chapter;
    return shown === undefined || shown.element.querySelector(".tg-badge") !== null;
  }

  /** Go to the next view there is. */
  next(by = 1): void {
    const shown = this.all.filter((tab) => !tab.button.hidden);
    const at = shown.findIndex(({ title }) => title === this.active);
    const next = shown[(at + by + shown.length) % shown.length];
    if (next !== undefined) this.choose(next.title);
  }

  dispose(): void {
    for (const { chapter } of this.all) chapter?.dispose?.();
  }

  private choose(title: string): void {
    this.chosen = this.active = title;
    this.changed();
  }

  private tab(title: string): HTMLButtonElement {
    const element = button("tg-tab", title, title, () => this.choose(title));
    element.setAttribute("role", "tab");
    element.id = freshId("tab");
    element.removeAttribute("title");
    return element;
  }

  private chapterTab(chapter: Chapter): Tab {
    const { title, element } = chapter;
    const tab = this.tab(title);
    element.id = freshId("panel");
    element.setAttribute("role", "tabpanel");
    element.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", element.id);
    return { title, button: tab, chapter };
  }

  private key(event: KeyboardEvent): void {
    const by = ownKey(event, { ArrowRight: 1, ArrowLeft: -1 });
    if (by === undefined) return;
    this.next(by);
    this.all.find(({ title }) => title === this.chosen)?.button.focus();
  }
}

function isThere({ chapter }: Tab, trace: Trace): boolean {
  if (chapter !== undefined) return chapter.available(trace);
  const { programs, tape } = trace;
  const filled = [...programs.values()].some(({ rows }) => rows.length > 0);
  return filled || tape.tensors.size + tape.nodes.size > 0 || isTraced(trace);
}

/** Code that ran comes first, but for a cluster; of what is only shown, what it is about. */
function first(shown: readonly Tab[], trace: Trace): Tab | undefined {
  if (trace.messages.length > 0) return shown.at(-1);
  const about = shown.find(({ chapter }) => chapter !== undefined);
  return isTraced(trace) ? shown[0] : (about ?? shown[0]);
}
