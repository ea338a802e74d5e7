// @vitest-environment happy-dom
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { FIXTURES } from "../fixtures";
import * as charts from "../src/charts";
import * as page from "../src/page";
import type { Charts, Load } from "../src/views/opened";
import { Frames } from "./frames";
import { sized } from "./hands";
import { note } from "./note";

const BAR = 72_000;
/** The views behind tabs, which are loaded when one of them is opened. */
const CHARTS_MOST = 15_000;
const STATIC = "teachgraph_widgets/static/";
/** Two passes of minifying, on a machine that others use too. */
const PATIENCE = 60_000;

test("the module and its stylesheet are at most 72 kB, zipped", () => {
  execFileSync("node", ["build.mjs", "--if-stale"]);
  const sizes = ["widget.js", "widget.css", "charts.js"].map(
    (name) => gzipSync(readFileSync(STATIC + name), { level: 9 }).length,
  );
  const [module, sheet, charts] = sizes;
  const total = module + sheet;
  console.log(`module ${module} B, stylesheet ${sheet} B, charts ${charts} B gzipped`);
  note("bundle", total / 1000, { bar: BAR / 1000, unit: "kB" });
  expect(total).toBeLessThanOrEqual(BAR);
  expect(charts).toBeLessThanOrEqual(CHARTS_MOST);
}, PATIENCE);

test("the built module asks for nothing and evaluates nothing", () => {
  const [widget, style, charts] = ["widget.js", "widget.css", "charts.js"].map((name) =>
    readFileSync(STATIC + name, "utf8"),
  );
  const code = widget + charts;
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

test("what is loaded on opening draws what the sources draw, or says that it cannot", async () => {
  sized();
  const frames = new Frames();
  const code = readFileSync(`${STATIC}charts.js`, "utf8");
  const name = "widget";
  const built = (await import(`../teachgraph_widgets/static/${name}.js`)) as typeof page;
  const text = encodeURIComponent(`${code}export{teachgraph_charts}`);
  const module = (await import(/* @vite-ignore */ `data:text/javascript,${text}`)) as {
    teachgraph_charts: Charts;
  };
  const drawn = async ({ mount }: typeof page, load: Load): Promise<string[]> => {
    const found: string[] = [];
    for (const name of ["plan", "training", "profile"]) {
      const { element, dispose } = mount(document.body, FIXTURES[name](), { charts: load });
      frames.settle();
      while (element.querySelector(".tg-chapters > :not([hidden])") === null) {
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "v", bubbles: true }));
        frames.settle();
      }
      await new Promise((done) => setTimeout(done));
      frames.settle();
      element.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
      await new Promise((done) => setTimeout(done));
      for (const part of [".tg-chapters", ".tg-help"]) {
        found.push(element.querySelector(part)!.innerHTML.replaceAll(/"tg-\w+-\d+"/g, ""));
      }
      dispose();
    }
    return found;
  };
  const sources = await drawn(page, () => () => charts);
  for (const markup of sources) expect(markup).toMatch(/<svg|>hatched</);
  expect(await drawn(built, async () => module.teachgraph_charts)).toEqual(sources);
  const refused = await drawn(built, () => Promise.reject(new Error("a policy")));
  for (const markup of refused) expect(markup).toContain("cannot be opened: Error: a policy");
  vi.unstubAllGlobals();
}, PATIENCE);
