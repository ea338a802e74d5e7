// @vitest-environment happy-dom
/** What a log says is text, wherever it is drawn, and no number in it is believed. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Builder } from "../fixtures/builder";
import { mlp } from "../fixtures/eager";
import type { Log, Span, Stats } from "../src/events";
import { pictureOf, statsView } from "../src/draw/stats";
import { mount } from "./mounted";
import { readLog } from "../src/validate";
import { ticks, timeText } from "../src/views/figure";
import { flameChart, extentOf, totals } from "../src/views/flame";
import { planChart } from "../src/views/plan";
import { Frames } from "./frames";
import { HOSTILE } from "./mutate";

const FAR = 2 ** 53 - 1;
const found = mlp().events.find((event) => event.kind === "value");
const stats = (found as { value: Stats }).value;

let frames: Frames;

beforeEach(() => {
  frames = new Frames();
  document.body.replaceChildren();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function show(log: Log): HTMLElement {
  const { element } = mount(document.body, log);
  frames.settle();
  return element;
}

test.each([
  ["no base64", "%%%", [2, 2]],
  ["half a picture", "AAAA", [2, 2]],
  ["more pixels than there are bytes", "AAAA", [1e9, 1e9]],
  ["no pixels", "", [0, 0]],
  ["a side too many", "AAAA", [1, 1, 3]],
])("a picture of %s is none", (_, image, size) => {
  expect(pictureOf({ ...stats, image, image_size: size })).toBeUndefined();
});

test("a heat map without columns, and a histogram of very many bins, are drawn", () => {
  expect(statsView("", { ...stats, heat: [[]] }).querySelectorAll("canvas")).toHaveLength(0);
  const hist = Array.from({ length: 200_000 }, (_, i) => i);
  expect(statsView("", { ...stats, hist }).querySelectorAll("rect").length).toBeLessThan(2000);
  const heat = Array.from({ length: 150_000 }, () => [1, 2]);
  expect(statsView("", { ...stats, heat }).querySelectorAll("canvas").length).toBeLessThan(2);
});

const span = (name: string, start: number, duration: number, depth: number): Span => ({
  name,
  start,
  duration,
  depth,
});

test("a span at no depth that there can be takes a row, and no more", () => {
  const spans = [span("a", 0, 1, 0), span("b", 0, 0.5, FAR), span("c", 1e308, 1e308, 3)];
  const chart = flameChart(spans, extentOf(spans), 800);
  expect(chart.height).toBeLessThan(200);
  expect(totals(spans).map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
  expect(chart.shapes.length).toBeLessThan(40);
});

test("an axis has a few ticks, however far it goes", () => {
  for (const most of [0, -1, 5e-324, 1e-300, FAR, 1e308, Infinity, NaN]) {
    expect(ticks(most, 6).length, String(most)).toBeLessThan(14);
  }
  expect(timeText(1e308)).toMatch(/min/);
});

test("a buffer as large as numbers go leaves the chart in its frame", () => {
  const buffer = { name: "a", offset: FAR, size: FAR, start: 0, end: FAR };
  const chart = planChart("Planned", [buffer, { ...buffer, alias_of: "a" }], 0, FAR, 800, 400);
  expect([chart.width, chart.height]).toEqual([800, 400]);
  expect(chart.shapes.length).toBeLessThan(40);
});

test("lines, blocks and steps that cannot be are drawn without counting up to them", () => {
  const b = new Builder("absurd");
  b.begin(["x = 1"]);
  b.program(0, "main");
  b.block(0, 1, 2);
  b.block(0, 2, 1);
  b.block(0, 3, 3);
  b.at(FAR);
  b.variable(0, "x", "D", [FAR, -FAR], 2);
  b.op(0, "relu", { X: "x" }, { Out: "x" }, { index: FAR, attrs: { sub_block: "1e308" } });
  b.dropped(FAR, "events", "nobody knows");
  b.end();
  const root = show(readLog(JSON.parse(JSON.stringify(b.log))));
  expect(root.querySelectorAll(".tg-row").length).toBeGreaterThan(1);
  expect(root.querySelector(".tg-notice")?.textContent).toContain("9,007,199,254,740,991");
});

test("a scope of thousands of parts is drawn", () => {
  const b = new Builder("deep");
  b.begin(["x = net(x)"]);
  b.at(1);
  const x = b.tensor("x", "D", [1]);
  for (let i = 0; i < 3; i++) {
    b.node("relu", [x], [b.tensor(`y${i}`, "T", [1])]);
  }
  b.end();
  for (const event of b.log.events) {
    if (event.kind === "node") event.scope = "a/".repeat(4000);
  }
  expect(show(b.log).dataset.state).toBe("done");
});

test.each(HOSTILE)("a name is what it is, and nothing else: %j", (name) => {
  const b = new Builder(name);
  b.begin([name], name);
  b.program(0, "main");
  b.at(1);
  b.variable(0, name, "D", [2]);
  b.op(0, name, { [name]: name }, { [name]: name }, { attrs: { [name]: name } });
  b.failed(name, [], name, 0);
  b.dropped(1, name, name);
  b.end(name);
  const root = show(JSON.parse(JSON.stringify(b.log)));
  root.querySelector<HTMLElement>('.tg-row[data-kind="op"]')?.click();
  frames.settle();
  expect(root.querySelectorAll("img, script, iframe, object, embed, a, style")).toHaveLength(0);
  for (const element of root.querySelectorAll("*")) {
    for (const { name: attribute } of element.attributes) {
      expect(attribute).not.toMatch(/^on|^href|^src/);
    }
    expect(element.getAttribute("style") ?? "").not.toContain("evil");
  }
  const row = root.querySelector<HTMLElement>('.tg-row[data-kind="var"]');
  expect(row?.dataset.name).toBe(name);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
