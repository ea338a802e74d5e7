/** A border between panes: it can be dragged, and moved by arrow keys. */

import { ownKey } from "../keys";
import { el } from "./dom";

const STEP = 24;
const LEAST = 120;

/** Which pane it sizes: how that is named, its size now, and how it gets another. */
export interface Sized {
  readonly look: string;
  readonly label: string;
  readonly upright: boolean;
  /** 1 if the pane grows with the pointer's way to the right or down, else -1. */
  way(): 1 | -1;
  size(): number;
  /** How large it may be; where that is said, Home and End go to the ends. */
  most?(): number;
  resize(pixels: number): void;
}

export function splitter(sized: Sized): HTMLElement {
  const { upright, label, look } = sized;
  const element = el("div", look);
  element.tabIndex = 0;
  element.title = label;
  const attributes = {
    role: "separator",
    "aria-label": label,
    "aria-orientation": upright ? "vertical" : "horizontal",
    "aria-valuenow": "0",
    "aria-valuemin": String(LEAST),
  };
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  let now: number | undefined;
  const say = (size: number): number => {
    element.setAttribute("aria-valuenow", String(size));
    return (now = size);
  };
  const resize = (pixels: number): void => {
    const most = sized.most?.() ?? Infinity;
    sized.resize(say(Math.max(LEAST, Math.round(Math.min(most, pixels)))));
  };
  const at = (event: PointerEvent): number => (upright ? event.clientX : event.clientY);
  let grip: { at: number; size: number } | undefined;
  element.addEventListener("focus", () => say(Math.round(sized.size())));
  element.addEventListener("pointerdown", (event) => {
    event.stopPropagation();
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    grip = { at: at(event), size: sized.size() };
  });
  element.addEventListener("pointermove", (event) => {
    if (grip !== undefined) resize(grip.size + sized.way() * (at(event) - grip.at));
  });
  element.addEventListener("pointerup", () => (grip = undefined));
  const ends = sized.most && { Home: -1e4, End: 1e4 };
  const keys: Record<string, number> = upright
    ? { ArrowLeft: -1, ArrowRight: 1, ...ends }
    : { ArrowUp: -1, ArrowDown: 1, ...ends };
  element.addEventListener("keydown", (event) => {
    const steps = ownKey(event, keys);
    if (steps !== undefined) resize((now ?? sized.size()) + sized.way() * steps * STEP);
  });
  return element;
}
