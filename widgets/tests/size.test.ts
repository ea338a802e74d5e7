// @vitest-environment happy-dom
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { FIXTURES } from "../fixtures";
import * as page from "../src/page";
import { Frames } from "./frames";
import { note } from "./note";

const BAR = 72_000;
/** It may shrink and never grow: above the bar by what views hold that nobody opens. */
const MOST = 76_000;
const MODULE = "teachgraph_widgets/static/widget.js";
/** Two passes of minifying, on a machine that others use too. */
const PATIENCE = 60_000;

test("the module and its stylesheet are at most 76 kB, zipped", () => {
  execFileSync("node", ["build.mjs", "--if-stale"]);
  const files = ["widget.js", "widget.css"].map(
    (name) => `teachgraph_widgets/static/${name}`,
  );
  const sizes = files.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
  const total = sizes[0] + sizes[1];
  console.log(`module ${sizes[0]} B, stylesheet ${sizes[1]} B gzipped`);
  note("bundle", total / 1000, { bar: BAR / 1000, unit: "kB" });
  expect(total).toBeLessThanOrEqual(MOST);
}, PATIENCE);

test("the built module asks for nothing and evaluates nothing", () => {
  const code = readFileSync(MODULE, "utf8");
  const style = readFileSync("teachgraph_widgets/static/widget.css", "utf8");
  const forbidden =
    /\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|\bimport\s*\(/;
  expect(code).not.toMatch(forbidden);
  expect(code).not.toMatch(/\b(fetch|XMLHttpRequest|WebSocket|importScripts)\s*\(/);
  // An SVG's namespace is the one address there is, and nobody asks for it.
  const addresses = `${code}${style}`.match(/https?:\/\/[^"'`\s)]+/g) ?? [];
  expect(new Set(addresses)).toEqual(new Set(["http://www.w3.org/2000/svg"]));
  expect(style).not.toMatch(/url\(|@import/);
});

test("with its short names the built module draws what the sources draw", async () => {
  const name = "widget";
  const module: unknown = await import(`../teachgraph_widgets/static/${name}.js`);
  const built = module as typeof page;
  const frames = new Frames();
  const drawn = ({ mount }: typeof page, name: string): string => {
    const { element, dispose } = mount(document.body, FIXTURES[name]());
    frames.settle();
    for (const key of ["ArrowLeft", "ArrowDown", "]", "g", "v", "v"]) {
      const press = { key, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent("keydown", press));
      frames.settle();
    }
    const markup = element.outerHTML;
    dispose();
    return markup;
  };
  for (const name of ["four_lines_run", "mlp_nan", "passes", "rewritten", "failing_eager"]) {
    expect(drawn(built, name)).toBe(drawn(page, name));
  }
  vi.unstubAllGlobals();
}, PATIENCE);
