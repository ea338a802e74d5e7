/** The keys, over everything, until Esc. */

import { BINDINGS } from "../keys";
import { button, el, freshId } from "./dom";

export class Help {
  readonly element: HTMLElement;
  private readonly closeButton: HTMLButtonElement;
  private returnTo: HTMLElement | undefined;

  constructor() {
    this.closeButton = button("tg-tool", "Close the help (Esc)", "Close", () =>
      this.close(),
    );
    const heading = el("h3", "tg-heading", "Keys");
    heading.id = freshId("help");
    const list = el("dl", "tg-keys");
    for (const { shown, does } of BINDINGS) {
      list.append(
        el("div", "", el("dt", "", el("kbd", "", shown)), el("dd", "", does)),
      );
    }
    const wheel = "The wheel scrolls the page; with Ctrl or Cmd it zooms the graph.";
    const head = el("div", "tg-panehead", heading, this.closeButton);
    const sheet = el("div", "tg-sheet", head, list, el("p", "tg-note", wheel));
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
