/** A border between panes: it can be dragged, and moved by arrow keys. */

import { ownKey } from "../keys";
import { el } from "./dom";

const STEP = 24;
const LEAST = 120;

/** Which pane it sizes: how that is named, its size now, and how it gets another. */
export interface Sized {
  readonly label: string;
  readonly upright: boolean;
  /** 1 if the pane grows with the pointer's way to the right or down, else -1. */
  way(): 1 | -1;
  size(): number;
  resize(pixels: number): void;
}

export function splitter(sized: Sized): HTMLElement {
  const { upright, label } = sized;
  const element = el("div", `tg-splitter ${upright ? "tg-upright" : "tg-level"}`);
  element.tabIndex = 0;
  element.title = label;
  element.setAttribute("role", "separator");
  element.setAttribute("aria-label", label);
  element.setAttribute("aria-orientation", upright ? "vertical" : "horizontal");
  element.setAttribute("aria-valuenow", "0");
  let now = 0;
  const resize = (pixels: number): void => {
    const size = (now = Math.max(LEAST, Math.round(pixels)));
    element.setAttribute("aria-valuenow", String(size));
    sized.resize(size);
  };
  const at = (event: PointerEvent): number => (upright ? event.clientX : event.clientY);
  let grip: { at: number; size: number } | undefined;
  element.addEventListener("focus", () => {
    now = Math.round(sized.size());
    element.setAttribute("aria-valuenow", String(now));
  });
  element.addEventListener("pointerdown", (event) => {
    event.stopPropagation();
    element.setPointerCapture(event.pointerId);
    grip = { at: at(event), size: sized.size() };
  });
  element.addEventListener("pointermove", (event) => {
    if (grip !== undefined) resize(grip.size + sized.way() * (at(event) - grip.at));
  });
  element.addEventListener("pointerup", () => (grip = undefined));
  const keys = upright ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 };
  element.addEventListener("keydown", (event) => {
    const steps = ownKey(event, keys as Record<string, number>);
    if (steps !== undefined) resize(now + sized.way() * steps * STEP);
  });
  return element;
}
