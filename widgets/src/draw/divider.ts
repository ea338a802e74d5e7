/** The rule between source and graph: dragged, or by arrow keys, it shares the room. */

import { ownKey } from "../keys";
import { el } from "./dom";

const USUAL = 280;
const LEAST = 180;
const STEP = 40;
/** The share of the view that the left column may take. */
const MOST = 0.7;

export class Divider {
  readonly element = el("div", "tg-divider");
  private width = USUAL;

  constructor(private readonly root: HTMLElement) {
    const { element } = this;
    element.tabIndex = 0;
    element.setAttribute("role", "separator");
    element.setAttribute("aria-orientation", "vertical");
    element.setAttribute("aria-label", "Width of source and inspector");
    element.title = "Drag, or arrow keys; i: wide";
    element.addEventListener("keydown", (event) => {
      const by = ownKey(event, { ArrowLeft: -STEP, ArrowRight: STEP, Home: -1e4, End: 1e4 });
      const isSet = root.style.getPropertyValue("--tg-aside") !== "";
      const from = isSet ? this.width : element.offsetLeft || USUAL;
      if (by !== undefined) this.set(from + by);
    });
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    element.addEventListener("pointermove", (event) => {
      if (!element.hasPointerCapture(event.pointerId)) return;
      this.set(event.clientX - root.getBoundingClientRect().left);
    });
    element.addEventListener("dblclick", () => this.toggle());
    this.say();
  }

  /** Wide enough to read in, or as before. */
  toggle(): void {
    const { root } = this;
    if (this.width <= USUAL) return this.set(Math.max(460, root.clientWidth * 0.45));
    this.width = USUAL;
    root.style.removeProperty("--tg-aside");
    this.say();
  }

  private set(width: number): void {
    const most = Math.max(USUAL, this.root.clientWidth * MOST);
    this.width = Math.round(Math.min(most, Math.max(LEAST, width)));
    this.root.style.setProperty("--tg-aside", `${this.width}px`);
    this.say(most);
  }

  private say(most = USUAL): void {
    const facts = { now: this.width, min: LEAST, max: Math.round(most) };
    for (const [name, value] of Object.entries(facts)) {
      this.element.setAttribute(`aria-value${name}`, String(value));
    }
  }
}
