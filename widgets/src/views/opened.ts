/** A view whose code is loaded when it is first opened. */

import { el, setText } from "../draw/dom";
import type { Frame } from "../draw/look";
import { shared, type Shared } from "../shared";
import type { Trace } from "../state/trace";
import type { Chapter, Panel } from "./chapter";

/** What that code offers, once it has what it shares with the page's module. */
export type Charts = (lent: Shared) => typeof import("../charts");

/** How it is loaded: at once where it is part of the page. */
export type Load = () => Charts | Promise<Charts>;

export class OpenedView implements Chapter {
  readonly element = el("div", "tg-empty");
  private view: Panel | undefined;
  private isAsked = false;

  constructor(
    readonly title: string,
    readonly available: (trace: Trace) => boolean,
    private readonly load: Load | undefined,
    private readonly changed: () => void,
  ) {}

  update(frame: Frame): void {
    if (!this.isAsked) this.ask();
    this.view?.update(frame);
  }

  dispose(): void {
    this.view?.dispose?.();
  }

  private ask(): void {
    this.isAsked = true;
    const loaded = this.load?.();
    if (loaded instanceof Promise) {
      setText(this.element, "Loading …");
      const fail = (error: unknown): void => this.fail(String(error));
      loaded.then((charts) => (this.open(charts), this.changed())).catch(fail);
    } else if (loaded === undefined) this.fail("its code is not here");
    else this.open(loaded);
  }

  private open(charts: Charts): void {
    this.view = new (charts(shared).views[this.title])();
    this.element.className = "";
    this.element.replaceChildren(this.view.element);
  }

  private fail(why: string): void {
    setText(this.element, `This view cannot be opened: ${why}.`);
  }
}
