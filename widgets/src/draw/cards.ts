/** What a layer that is only shown holds: a card for each of its tensors. */

import { carried } from "../state/caption";
import type { TapeTensor } from "../state/tape";
import { countText, shapeText } from "../text";
import { badge } from "./badge";
import { el } from "./dom";
import type { Actions, Frame } from "./look";
import { statsView } from "./stats";

const MOST = 60;

export class Cards {
  readonly element = el("div", "tg-scroll tg-cards");
  private shown = -1;

  constructor(private readonly actions: Actions) {
    this.element.hidden = true;
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "What each tensor holds");
  }

  update({ trace, position }: Frame): void {
    const { leaves } = trace.tape;
    if (this.element.hidden || this.shown === trace.length) return;
    this.shown = trace.length;
    const cards = leaves.slice(0, MOST).map((leaf) => {
      const stats = carried(trace, leaf.key, position);
      const parts = stats === undefined ? [] : [statsView("", stats)];
      return this.card(leaf, parts);
    });
    const left = leaves.length - MOST;
    const more = left > 0 ? [el("p", "tg-note", `and ${countText(left, "tensor")} more`)] : [];
    this.element.replaceChildren(...cards, ...more);
  }

  private card(leaf: TapeTensor, parts: readonly HTMLElement[]): HTMLElement {
    const { shape, role } = leaf.event;
    const name = el("span", "tg-name tg-entityname", leaf.name);
    const words = [badge(role), name, el("span", "tg-shape", shapeText(shape))];
    const head = el("button", "tg-cardhead", ...words);
    head.type = "button";
    head.addEventListener("click", () => this.actions.select(leaf.key));
    return el("div", "tg-card tg-code", head, ...parts);
  }
}
