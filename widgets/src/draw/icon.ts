/** The signs on the scrubber's buttons, drawn so that they match in every font. */

import { svg } from "./dom";

const PATHS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M10.5 3 12 4.5 8.5 8l3.5 3.5-1.5 1.5-5-5z",
  play: "M4.5 2.5v11L13.5 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  on: "M5.5 3 4 4.5 7.5 8 4 11.5 5.5 13l5-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGElement {
  const drawing = svg("svg", { class: "tg-icon", viewBox: "0 0 16 16" });
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(svg("path", { d: PATHS[name] }));
  return drawing;
}
