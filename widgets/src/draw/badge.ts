/** The small sign before a name: colour, letter and shape say its role. */

import { TONES, type Tone } from "../state/tones";
import { el } from "./dom";

export function badge(tone: Tone): HTMLElement {
  const { letter, round } = TONES[tone];
  const form = round ? "tg-round" : "tg-square";
  const element = el("span", `tg-badge ${form} tg-tone-${tone}`, letter);
  element.setAttribute("aria-hidden", "true");
  return element;
}
