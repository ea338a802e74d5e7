/** Colours: the stylesheet has them all; the canvas reads them from it. */

import { TONES, type Tone } from "../state/tones";

export type ThemeChoice = "auto" | "light" | "dark";

export const HUES = 8;

export interface Palette {
  readonly ink: string;
  readonly dim: string;
  readonly rule: string;
  readonly panel: string;
  readonly accent: string;
  readonly bad: string;
  readonly flow: string;
  readonly gradient: string;
  readonly saved: string;
  readonly current: string;
  readonly hues: readonly string[];
  readonly tones: Record<Tone, { readonly fill: string; readonly letter: string }>;
  /** The host's fonts, for names and for words. */
  readonly mono: string;
  readonly sans: string;
}

export function readPalette(root: Element): Palette {
  const style = getComputedStyle(root);
  const read = (name: string): string => style.getPropertyValue(`--tg-${name}`).trim();
  const tones = Object.keys(TONES).map((tone) => [
    tone,
    { fill: read(`tone-${tone}`), letter: read(`letter-${tone}`) },
  ]);
  return {
    ink: read("ink"),
    dim: read("dim"),
    rule: read("rule"),
    panel: read("panel"),
    accent: read("accent"),
    bad: read("bad"),
    flow: read("flow"),
    gradient: read("gradient"),
    saved: read("saved"),
    current: read("current"),
    hues: Array.from({ length: HUES }, (_, hue) => read(`hue-${hue}`)),
    tones: Object.fromEntries(tones),
    mono: read("mono") || "monospace",
    sans: read("sans") || "sans-serif",
  };
}

/** The class that gives an element one of the colours. */
export function hueClass(rank: number): string {
  return rank < 0 ? "tg-hue-none" : `tg-hue-${rank % HUES}`;
}

/** How often colours come again for other lines: their stripes are in so many pieces more. */
const ROUNDS = 3;

/** Into how many pieces more than one the stripe of a line is cut. */
export function cutsOf(rank: number): number {
  return Math.max(0, Math.floor(rank / HUES)) % ROUNDS;
}

/** The classes that give an element the stripe of a source line. */
export function lineClass(rank: number): string {
  const cuts = cutsOf(rank);
  return cuts > 0 ? `${hueClass(rank)} tg-cut-${cuts}` : hueClass(rank);
}

/** Ask the host: JupyterLab and VS Code say it on the body, else the system decides. */
export function hostTheme(): "light" | "dark" {
  const { body, documentElement } = document;
  const lab = body.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  const code = body.dataset.vscodeThemeKind ?? body.className;
  if (/vscode-(dark|high-contrast(?!-light))/.test(code)) return "dark";
  if (/vscode-(light|high-contrast-light)/.test(code)) return "light";
  const page = documentElement.dataset.theme ?? documentElement.getAttribute("theme");
  if (page === "dark" || page === "light") return page;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Call `changed` when the host may have changed its theme; return how to stop. */
export function watchHostTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  const attributes = { attributes: true };
  observer.observe(document.body, attributes);
  observer.observe(document.documentElement, attributes);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
