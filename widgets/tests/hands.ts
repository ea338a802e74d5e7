/** What hands do to a view: a pointer that clicks, drags and turns its wheel, and keys. */

import { vi } from "vitest";
import type { Log } from "../src/events";
import { mount } from "./mounted";
import { Frames } from "./frames";

const SIZE = { width: 900, height: 400 };

type Point = readonly [x: number, y: number];

/** A page in which everything has a size, as it has in no page that is only pretended. */
export function sized(): void {
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(SIZE.width);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(SIZE.height);
  vi.stubGlobal("ResizeObserver", Resized);
  const captured = new Set<Element>();
  Object.assign(Element.prototype, {
    setPointerCapture(this: Element): void {
      captured.add(this);
    },
    hasPointerCapture(this: Element): boolean {
      return captured.has(this);
    },
  });
}

/** Tells once of the size that things have. */
class Resized {
  constructor(private readonly changed: () => void) {}

  observe(): void {
    requestAnimationFrame(() => this.changed());
  }

  unobserve(): void {}

  disconnect(): void {}
}

export class Hands {
  readonly root: HTMLElement;
  private readonly frames = new Frames();

  constructor(log: Log) {
    document.body.replaceChildren();
    sized();
    this.root = mount(document.body, log).element;
    this.frames.settle();
  }

  all(selector: string): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>(selector)];
  }

  one(selector: string): HTMLElement {
    const [found] = this.all(selector);
    if (found === undefined) throw new Error(`nothing matches ${selector}`);
    return found;
  }

  /** Press keys, each as `KeyboardEvent.key` has it, on what has the focus. */
  press(focus: string, keys: string): void {
    if (focus !== "") (focus === ".tg-root" ? this.root : this.one(focus)).focus();
    for (const name of keys.split(" ")) {
      const [key, shift] = [name.replace(/^Shift\+/, ""), name.startsWith("Shift+")];
      const options = { key: key === "Space" ? " " : key, shiftKey: shift };
      const press = { ...options, bubbles: true, cancelable: true };
      const on = document.activeElement ?? document.body;
      const heeded = on.dispatchEvent(new KeyboardEvent("keydown", press));
      // What the browser does by itself.
      if (heeded && key === "Enter" && on instanceof HTMLButtonElement) on.click();
      this.frames.settle();
    }
  }

  click(selector: string): void {
    this.one(selector).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    this.frames.settle();
  }

  /** Point somewhere in an element: go down, move or up there, as `kind` says. */
  point(selector: string, kind: string, [clientX, clientY]: Point = [0, 0]): void {
    const at = { clientX, clientY, button: 0, pointerId: 1 };
    const bubbles = !/(enter|leave)$/.test(kind);
    this.one(selector).dispatchEvent(new PointerEvent(kind, { ...at, bubbles }));
    this.frames.settle();
  }

  drag(selector: string, from: Point, to: Point): void {
    this.point(selector, "pointerdown", from);
    this.point(selector, "pointermove", to);
    this.point(selector, "pointerup", to);
  }

  /** Turn the wheel; return whether the page may scroll. */
  wheel(deltaY: number, ctrlKey: boolean): boolean {
    const at = { clientX: SIZE.width / 2, clientY: SIZE.height / 2 };
    const options = { ...at, deltaY, bubbles: true, cancelable: true };
    const event = new WheelEvent("wheel", options);
    Object.defineProperties(event, {
      ctrlKey: { value: ctrlKey },
      clientX: { value: at.clientX },
      clientY: { value: at.clientY },
    });
    const free = this.one(".tg-stage").dispatchEvent(event);
    this.frames.settle();
    return free;
  }

  /** Where a node of the graph stands in the stage, `below` its middle. */
  node(selector: string, below = 0): Point {
    const { left, top, width, height } = this.one(`.tg-node${selector}`).style;
    const { transform } = this.one(".tg-nodes > div").style;
    const [[x0, y0, scale], [x, y, wide, tall]] = [
      numbers(transform),
      numbers([left, top, width, height].join(" ")),
    ];
    return [x0 + scale * (x + wide / 2), y0 + scale * (y + tall / 2 + below)];
  }

  /** All that one can see of a view which hands can change. */
  state(): Record<string, unknown> {
    const texts = (selector: string): (string | null)[] =>
      this.all(selector).map((element) => element.textContent);
    const keys = (selector: string): (string | undefined)[] =>
      this.all(selector).map(({ dataset }) => dataset.key);
    const labels = (selector: string): (string | null)[] =>
      this.all(selector).map((element) => element.getAttribute("aria-label"));
    const { position, live, step } = this.one(".tg-track").dataset;
    return {
      time: [position, live, step],
      played: [labels(".tg-play"), texts(".tg-pace")],
      selected: keys("[aria-selected=true]"),
      tab: texts(".tg-tab[aria-selected=true]"),
      inspected: this.one(".tg-inspector").dataset.key,
      rows: keys(".tg-row"),
      nodes: keys(".tg-node"),
      camera: this.all(".tg-nodes > div").flatMap(({ style }) =>
        numbers(style.transform).map((number) => Math.round(number * 100) / 100),
      ),
      lit: texts(".tg-current .tg-linetext"),
      charts: labels(".tg-chart"),
      picked: keys(".tg-picked"),
      details: texts(".tg-details"),
      aside: this.root.style.getPropertyValue("--tg-aside"),
      help: this.one(".tg-help").hidden,
      sizes: this.root.getAttribute("style"),
      found: texts(".tg-found"),
    };
  }

  /** What the inspector says, and how many arcs lead to and from it. */
  facts(): [string | null, number] {
    return [this.one(".tg-inspector").textContent, this.all(".tg-arc").length];
  }
}

function numbers(text: string): number[] {
  return (text.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
}
