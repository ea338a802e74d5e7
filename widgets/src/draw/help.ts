/** What the signs of the picture mean, and the keys, over everything, until Esc. */

import { BINDINGS } from "../keys";
import type { Panel } from "../views/chapter";
import { button, el, freshId } from "./dom";
import type { Frame } from "./look";

const NOTE =
  "Tab goes from part to part. On a chart, a list, the track of steps or the strip " +
  "beside the graph arrows go through it, PageUp and PageDown in larger steps. The " +
  "wheel scrolls the page; with Ctrl or Cmd it zooms the graph.";

export class Help {
  readonly element: HTMLElement;
  private readonly closeButton: HTMLButtonElement;
  private returnTo: HTMLElement | undefined;

  constructor(private readonly signs: Panel) {
    this.closeButton = button("tg-tool", "Close the help (Esc)", "Close", () =>
      this.close(),
    );
    const heading = el("h3", "tg-heading", "What the picture says");
    heading.id = freshId("help");
    const list = el("dl", "tg-keys");
    for (const [shown, , does] of BINDINGS) {
      list.append(
        el("div", "", el("dt", "", el("kbd", "", shown)), el("dd", "", does)),
      );
    }
    const head = el("div", "tg-panehead", heading, this.closeButton);
    const keys = el("h3", "tg-heading", "Keys");
    const note = el("p", "tg-note", NOTE);
    const sheet = el("div", "tg-sheet", head, signs.element, keys, list, note);
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

  open(frame: Frame): void {
    const { activeElement } = document;
    this.returnTo = activeElement instanceof HTMLElement ? activeElement : undefined;
    this.element.hidden = false;
    this.signs.update(frame);
    this.closeButton.focus({ preventScroll: true });
  }

  close(): void {
    this.element.hidden = true;
    this.returnTo?.focus({ preventScroll: true });
  }
}
