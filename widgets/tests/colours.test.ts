import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TONES } from "../src/state/tones";
import { note } from "./note";
import { contrast, difference, lab, parseHex, VISIONS, type Rgb } from "./colour";

type Theme = "light" | "dark";

const style = readFileSync("src/style.css", "utf8");

/** The stylesheet's own colours of a theme, by name. */
function colours(theme: Theme): Map<string, Rgb> {
  const blocks = [/\.tg-root \{([^}]*)\}/.exec(style)?.[1] ?? ""];
  const dark = /\.tg-root\[data-theme="dark"\] \{([^}]*)\}/.exec(style)?.[1] ?? "";
  if (theme === "dark") blocks.push(dark);
  const found = new Map<string, Rgb>();
  for (const block of blocks) {
    for (const [, name, hex] of block.matchAll(/--tg-([\w-]+): (#[0-9a-f]{6});/g)) {
      found.set(name, parseHex(hex));
    }
  }
  return found;
}

test("the measure gives the figures of its paper", () => {
  const pairs: [Rgb, Rgb, number][] = [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[90.8027, -2.0831, 1.441], [91.1528, -1.6435, 0.0447], 1.4441],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ];
  for (const [a, b, known] of pairs) expect(difference(a, b)).toBeCloseTo(known, 4);
});

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  const known = colours(theme);
  const of = (name: string): Rgb => {
    const found = known.get(name);
    if (found === undefined) throw new Error(`the stylesheet has no ${name}`);
    return found;
  };

  test.each(Object.entries(VISIONS))("%s tells every role from every other", (name, seen) => {
    const tones = Object.keys(TONES).filter((tone) => tone !== "failed");
    let least = { pair: "", difference: Infinity };
    for (const [i, a] of tones.entries()) {
      for (const b of tones.slice(i + 1)) {
        const pair = `${a} ${b}`;
        const [x, y] = [a, b].map((tone) => lab(of(`tone-${tone}`), seen));
        const found = difference(x, y);
        if (found < least.difference) least = { pair, difference: found };
      }
    }
    console.log(`${theme}, ${name}: ${least.pair} ${least.difference.toFixed(1)}`);
    const figure = Number(least.difference.toFixed(2));
    const { atLeast, bar } = { atLeast: true, bar: 10 };
    note(`colours-${theme}-${name.replaceAll(" ", "-")}`, figure, { bar, atLeast });
    expect(least.difference, least.pair).toBeGreaterThanOrEqual(10);
  });

  test("all words have a contrast of 4.5 to what is behind them", () => {
    const behind = ["bg", "panel", "soft", "current", "accent-soft"];
    const words = ["ink", "dim"];
    const pairs = behind.flatMap((under) => words.map((word) => [word, under]));
    const code = ["keyword", "string", "number"];
    pairs.push(...code.flatMap((word) => ["panel", "current"].map((under) => [word, under])));
    pairs.push(["bad", "panel"], ["bad", "bad-soft"], ["bad", "soft"], ["ink", "bad-soft"]);
    pairs.push(...Object.keys(TONES).map((tone) => [`letter-${tone}`, `tone-${tone}`]));
    const ratios = pairs.map(([word, under]) => {
      return { pair: `${word} on ${under}`, ratio: contrast(of(word), of(under)) };
    });
    const least = Math.min(...ratios.map(({ ratio }) => ratio));
    note(`contrast-${theme}`, Number(least.toFixed(2)), { bar: 4.5, atLeast: true });
    expect(ratios.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
  });
});
