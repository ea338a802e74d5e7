/** Keys are the view's while it has the focus, and never reach the notebook. */

import { commandOf, isPlain, type Command } from "./keys";

const SUPPRESS = "data-lm-suppress-shortcuts";
/** Where up and down scroll: there is nothing in there to go through. */
const SCROLLED = ".tg-chapter, .tg-inspector, .tg-cards";

export class Keyboard {
  /** `run` says whether it did the command; what it did not is the browser's. */
  constructor(
    private readonly element: HTMLElement,
    private readonly run: (command: Command, key: string) => boolean,
  ) {
    globalThis.addEventListener("keydown", this.lend, true);
    element.addEventListener("keydown", (event) => this.hear(event));
  }

  dispose(): void {
    globalThis.removeEventListener("keydown", this.lend, true);
  }

  /**
   * JupyterLab hears of keys before any element does, unless this attribute is there:
   * the plain ones are the view's, those with Ctrl or Cmd stay the notebook's.
   */
  private readonly lend = ({ ctrlKey, metaKey }: KeyboardEvent): void => {
    this.element.toggleAttribute(SUPPRESS, !ctrlKey && !metaKey);
  };

  private hear(event: KeyboardEvent): void {
    if (isPlain(event) && event.key !== "Tab") event.stopPropagation();
    if (isOfElement(event)) return;
    const command = commandOf(event);
    if (command !== undefined && this.run(command, event.key)) event.preventDefault();
  }
}

/** Whether the element that has the focus does something with a key by itself. */
function isOfElement({ key, target }: KeyboardEvent): boolean {
  if (target instanceof HTMLButtonElement) return /^( |Enter)$/.test(key);
  if (target instanceof HTMLSelectElement) return key !== "Escape";
  if (target instanceof HTMLInputElement) return /^(Arrow|Home|End)/.test(key);
  const scrolls = target instanceof Element && target.closest(SCROLLED) !== null;
  return scrolls && /^Arrow(Up|Down)/.test(key);
}
