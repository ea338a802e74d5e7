/** What is under the pointer, in three lines beside it. */

import type { Stats } from "../events";
import { describe } from "../state/entity";
import { numberText, shapeText } from "../text";
import { el } from "./dom";
import type { Frame } from "./look";
import type { Size } from "./scene";
import { histogram } from "./stats";

/** The figures of a value or a gradient: how large it is, and its largest element. */
function figuresOf(stats: Stats, sign: "g" | "x"): string {
  if (stats.nan + stats.inf > 0) return `✕ ${stats.nan} NaN, ${stats.inf} Inf`;
  const { min, max, norm } = stats;
  const most = min === null || max === null ? null : Math.max(Math.abs(min), Math.abs(max));
  return `‖${sign}‖ ${numberText(norm)} · max |${sign}| ${numberText(most)}`;
}

export class Tip {
  readonly element = el("div", "tg-tip");
  private shown = "";

  constructor() {
    this.element.hidden = true;
    this.element.setAttribute("aria-hidden", "true");
  }

  /** Show it at a point of the pane, on the side where there is room. */
  update(frame: Frame, at: { x: number; y: number } | undefined, size: Size): void {
    const { trace, hovered, position } = frame;
    const wanted = at === undefined || hovered === undefined;
    const entity = wanted ? undefined : describe(trace, hovered, position);
    this.element.hidden = entity === undefined;
    if (entity === undefined || at === undefined) return;
    const signature = `${hovered} ${position} ${trace.length}`;
    if (signature !== this.shown) {
      this.shown = signature;
      const isGradient = entity.tone === "g" || entity.tone === "grad";
      const stats = isGradient ? (entity.gradient ?? entity.value) : entity.value;
      const parts: HTMLElement[] = [el("div", "tg-code tg-tipname", entity.name)];
      parts.push(el("div", "tg-role", entity.role));
      if (stats !== undefined) {
        const bad = stats.nan + stats.inf > 0 ? "tg-code tg-bad" : "tg-code";
        parts.push(el("div", bad, figuresOf(stats, isGradient ? "g" : "x")));
        parts.push(el("div", "tg-role", `${shapeText(stats.shape)} ${stats.dtype}`));
        if (stats.hist.length > 0) parts.push(histogram(stats));
      }
      this.element.replaceChildren(...parts);
    }
    const { style } = this.element;
    const { x, y } = at;
    const { width, height } = size;
    style.left = x < width / 2 ? `${x + 16}px` : "";
    style.right = x < width / 2 ? "" : `${width - x + 16}px`;
    style.top = y < height / 2 ? `${y + 12}px` : "";
    style.bottom = y < height / 2 ? "" : `${height - y + 12}px`;
  }
}
