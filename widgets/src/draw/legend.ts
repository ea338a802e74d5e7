/** What the signs mean, in one quiet line. */

import { TONES, type Tone } from "../state/tones";
import { badge } from "./badge";
import { el } from "./dom";

const GROUPS: readonly (readonly [string, readonly Tone[]])[] = [
  ["Variables", ["P", "B", "leaf", "D", "T", "g", "L"]],
  ["Operators", ["op", "grad", "optimise", "pyfunc"]],
];

const SIGNS = [
  "⇢ detached: no gradient",
  "2 | 0.5: a value, its gradient",
  "┄ box: freed; blue: off the tape",
  "┄ frame: no gradients",
];

export function legend(): HTMLElement {
  const groups = GROUPS.map(([title, tones]) => {
    const items = tones.map((tone) =>
      el("span", "tg-legenditem", badge(tone), TONES[tone].word),
    );
    return el("span", "tg-legendgroup", el("span", "tg-legendtitle", title), ...items);
  });
  const stripe = el("span", "tg-legendstripe");
  stripe.setAttribute("aria-hidden", "true");
  const lines = el("span", "tg-legenditem", stripe, "colour of the line that made it");
  const signs = SIGNS.map((sign) => el("span", "tg-legenditem", sign));
  return el("div", "tg-legend", ...groups, el("span", "tg-legendgroup", lines, ...signs));
}
