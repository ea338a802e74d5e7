/** What the signs of the picture mean, and the keys, over everything, until Esc. */

import { BINDINGS } from "../keys";
import { button, el, freshId } from "./dom";

/** What is drawn besides the signs of the legend. */
const SIGNS: readonly (readonly [string, string])[] = [
  ["left, downwards", "the operators, as they ran"],
  ["right, upwards", "backward: each gradient at the height of what it is of"],
  ["grey arrow", "a value, to the operator that reads it"],
  ["dashed arrow", "detached: no gradient goes back"],
  ["orange arrow", "a gradient ‖g‖ on its way back; the larger, the thicker"],
  ["line across", "what an operator keeps for its gradient; dashed: freed"],
  ["2 | 0.5", "a value, and its gradient"],
  ["dashed box", "freed by backward, or blue: off the tape"],
  ["⊕", "gradients are added up"],
  ["1", "where backward begins"],
  ["Δ", "an optimizer's step"],
  ["h", "a hook on a gradient"],
  ["━", "no gradient goes further back"],
  ["✕", "NaN or infinity"],
  ["stack of boxes", "a layer or a repeat, folded: a double click opens it"],
  ["hatched", "an operator that failed"],
  ["pale", "what is yet to come"],
  ["[-1, 10]", "a shape; -1 is only known when the program runs"],
];

const NOTE =
  "Tab goes from part to part. On a chart, a list, the track of steps or the strip " +
  "beside the graph arrows go through it, PageUp and PageDown in larger steps. The " +
  "wheel scrolls the page; with Ctrl or Cmd it zooms the graph.";

export class Help {
  readonly element: HTMLElement;
  private readonly closeButton: HTMLButtonElement;
  private returnTo: HTMLElement | undefined;

  constructor() {
    this.closeButton = button("tg-tool", "Close the help (Esc)", "Close", () =>
      this.close(),
    );
    const heading = el("h3", "tg-heading", "What the picture says");
    heading.id = freshId("help");
    const signs = el("dl", "tg-signs");
    for (const [sign, means] of SIGNS) {
      signs.append(el("div", "", el("dt", "", sign), el("dd", "", means)));
    }
    const list = el("dl", "tg-keys");
    for (const [shown, , does] of BINDINGS) {
      list.append(
        el("div", "", el("dt", "", el("kbd", "", shown)), el("dd", "", does)),
      );
    }
    const head = el("div", "tg-panehead", heading, this.closeButton);
    const keys = el("h3", "tg-heading", "Keys");
    const note = el("p", "tg-note", NOTE);
    const sheet = el("div", "tg-sheet", head, signs, keys, list, note);
    this.element = el("div", "tg-help", sheet);
    this.element.hidden = true;
    sheet.setAttribute("role", "dialog");
    sheet.setAttribute("aria-modal", "true");
    sheet.setAttribute("aria-labelledby", heading.id);
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) this.close();
    });
    // The only thing to focus is the button: Tab stays in the dialog.
    sheet.addEventListener("keydown", (event) => {
      if (event.key === "Tab") event.preventDefault();
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(): void {
    const { activeElement } = document;
    this.returnTo = activeElement instanceof HTMLElement ? activeElement : undefined;
    this.element.hidden = false;
    this.closeButton.focus({ preventScroll: true });
  }

  close(): void {
    this.element.hidden = true;
    this.returnTo?.focus({ preventScroll: true });
  }
}
