import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { passes, plan, profile, rewritten, training } from "../fixtures/views";
import type { OpEvent, PlanEvent, TrainEvent } from "../src/events";
import { compare, paired } from "../src/state/passes";
import { bytesText, ticks, timeText, type Chart, type Rect } from "../src/views/figure";
import { extentOf, flameChart, totals } from "../src/views/flame";
import { bufferText, naive, peakText, planChart, planText } from "../src/views/plan";
import { huesOf, linksOf } from "../src/views/rewritten";
import {
  lossChart,
  normChart,
  normLevel,
  rateChart,
  smoothed,
  trainFigures,
} from "../src/views/training";
import { traceOf } from "./trace";

const types = (ops: readonly OpEvent[]): string => ops.map(({ type }) => type).join(" ");
const rects = (chart: Chart): Rect[] =>
  chart.shapes.filter((shape): shape is Rect => shape.kind === "rect");
const inside = (chart: Chart): boolean =>
  rects(chart).every(({ x, y, width, height }) => {
    return x >= 0 && y >= 0 && x + width <= chart.width && y + height <= chart.height;
  });

test("each pass has the program before and after it", () => {
  const { stages } = traceOf(passes(1)).programs.get(3)!.passes;
  expect(stages.map(({ event, ops }) => `${event?.name ?? "before"}: ${types(ops)}`)).toEqual([
    "before: mul elementwise_add relu exp fill_constant scale elementwise_mul",
    "constant_folding: mul elementwise_add relu exp fill_constant elementwise_mul",
    "dead_code: mul elementwise_add relu fill_constant elementwise_mul",
    "fc_fuse: fc fill_constant elementwise_mul",
  ]);
});

test("a pass that rewrites a sub-block shows it there", () => {
  const b = new Builder("A loop's body");
  b.begin(["while x < 1:", "    x = x + 0 + 1"]);
  b.program(1, "main");
  b.program(2, "other", 1);
  b.op(2, "while", {}, {}, { index: 0 });
  b.block(2, 1, 0);
  const dead = b.op(2, "scale", { X: "x" }, { Out: "y" }, { block: 1, index: 0 });
  b.op(2, "increment", { X: "x" }, { Out: "x" }, { block: 1, index: 1 });
  b.removed(dead);
  b.pass(2, "dead_code", 1, 1, []);
  const { stages } = traceOf(b.log).programs.get(2)!.passes;
  const bodies = stages.map(({ blocks }) => types(blocks.get(1) ?? []));
  expect(bodies).toEqual(["scale increment", "increment"]);
  expect(stages.map(({ ops }) => types(ops))).toEqual(["while", "while"]);
});

test("operators that stayed stand side by side, the others opposite their successors", () => {
  const { stages } = traceOf(passes(1)).programs.get(3)!.passes;
  const hunks = compare(stages[0].ops, stages[1].ops);
  const told = hunks.map(({ kind, before, after }) => `${kind} ${types(before)} | ${types(after)}`);
  expect(told).toEqual([
    "same mul elementwise_add relu exp | mul elementwise_add relu exp",
    "changed fill_constant scale | fill_constant",
    "same elementwise_mul | elementwise_mul",
  ]);
});

test("what came stands beside the operator whose output it writes now", () => {
  const { stages } = traceOf(passes(2)).programs.get(3)!.passes;
  const [hunk] = compare(stages[2].ops, stages[3].ops);
  const told = paired(hunk.before, hunk.after).map(([old, fresh]) => {
    return `${old?.type ?? ""} | ${fresh?.type ?? ""}`;
  });
  const block = ["mul | ", "elementwise_add | ", "relu | fc"];
  expect(told).toEqual([...block, ...block]);
});

test("an operator that a pass has moved goes and comes; nothing is lost", () => {
  const { stages } = traceOf(passes(2)).programs.get(3)!.passes;
  const { ops } = stages[0];
  const moved = [...ops.slice(1), ops[0]];
  const hunks = compare(ops, moved);
  expect(hunks.flatMap(({ before }) => before)).toEqual(ops);
  expect(hunks.flatMap(({ after }) => after)).toEqual(moved);
});

test("without a plan every value has bytes of its own, up to the peak told", () => {
  const [event] = traceOf(plan(3)).plans;
  const apart = naive(event.buffers);
  const { naive_peak: peak } = event;
  expect(Math.max(...apart.map(({ offset, size }) => offset + size))).toBe(peak);
  expect(new Set(apart.map(({ offset }) => offset)).size).toBe(apart.length);
  const looks = rects(planChart("", apart, peak, peak, 600, 300)).map((r) => r.look);
  expect(looks.filter((look) => look.includes("alias"))).toEqual([]);
});

test("a plan's picture has a rectangle a buffer, as wide as it lives", () => {
  const [event] = traceOf(plan(4)).plans;
  const { buffers, planned_peak: peak, arena } = event;
  const chart = planChart("Planned", buffers, peak, arena, 600, 300);
  expect(rects(chart)).toHaveLength(buffers.length);
  expect(inside(chart)).toBe(true);
  const widths = rects(chart).map(({ width }) => width);
  expect(Math.max(...widths) - Math.min(...widths)).toBeLessThan(2);
  const own = buffers.filter(({ alias_of: over }) => over === undefined).length;
  expect(own).toBeLessThan(buffers.length);
  expect(chart.label).toBe(`Planned: ${own} buffers, peak 1.5 MB`);
  expect(planText(event)).toContain(
    `8 values in ${own} buffers, 1.5 MB instead of 5.5 MB: 73 % less.`,
  );
  expect(bufferText(event, 1)).toBe(
    "relu_0.tmp_0: 256 kB from byte 0, alive from relu (1) to mul (2). " +
      "It takes over fc_0.tmp_0 in place.",
  );
});

test("a plan of many operators shows each buffer as high as it is, and none above the peak", () => {
  const buffers = Array.from({ length: 480 }, (_, i) => {
    const place = { offset: 64 * (i % 240), size: i % 9 === 0 ? 64 * 40 : 64, start: i, end: i + 1 };
    return { name: `t${i}`, ...place, offset: i % 9 === 0 ? 0 : place.offset };
  });
  const peak = 64 * 240;
  const chart = planChart("Planned", buffers, peak, peak * 4, 600, 300, [], 240);
  const top = (300 - 26 - 34) * 0.75 + 26;
  const scale = (300 - 26 - 34) / (peak * 4);
  for (const [i, { y, height, look }] of rects(chart).entries()) {
    const border = look.includes("tg-sliver") ? 0 : 1;
    expect(y - border / 2).toBeGreaterThanOrEqual(top - 0.6);
    expect(height + border).toBeLessThanOrEqual(Math.max(0.5, buffers[i].size * scale) + 0.15);
  }
  const strokes = chart.shapes.flatMap((shape) => (shape.kind === "stroke" ? [shape] : []));
  for (const { d } of strokes.filter(({ look }) => look === "tg-chain")) {
    expect(Number(/M\S+ (\S+)H/.exec(d)![1])).toBeGreaterThanOrEqual(top);
  }
});

test("a plan marks the operator at which most is alive", () => {
  const [{ buffers, ops = [], arena }] = traceOf(plan(8)).plans;
  const marked = (width: number, height: number, fullest?: number): string[] => {
    const { shapes } = planChart("", buffers, arena, arena, width, height, ops, fullest);
    const lines = shapes.flatMap((one) => (one.kind === "stroke" && one.look === "tg-peak" ? [one.d] : []));
    const said = shapes.flatMap((one) => (one.kind === "words" && one.look === "tg-peakword" ? [one.text] : []));
    return [...lines.filter((d) => d.includes("V")).map((d) => d.split(" ")[0]), ...said];
  };
  expect(marked(600, 500)).toEqual(["peak 1.5 MB"]);
  // The middle of the column of operator 3 of 17, whose type stands below it.
  expect(marked(62 + 8 + 170, 120, 3)).toEqual(["M97", "most at 3", "peak 1.5 MB"]);
  expect(marked(62 + 8 + 17 * 20, 500, 3)).toEqual(["M132", "relu", "peak 1.5 MB"]);
});

test("under each column of a plan stands the type of its operator, if there is room", () => {
  const [{ buffers, ops = [], arena }] = traceOf(plan(3)).plans;
  const drawn = (width: number, height: number): Chart =>
    planChart("", buffers, arena, arena, width, height, ops);
  const turned = (chart: Chart): string[] =>
    chart.shapes.flatMap((one) => (one.kind === "words" && one.turned ? [one.text] : []));
  const wide = drawn(600, 500);
  const end = Math.max(...buffers.map((buffer) => buffer.end + 1));
  expect(turned(wide)).toEqual(ops.slice(0, end));
  expect(inside(wide)).toBe(true);
  expect(turned(drawn(120, 500))).toEqual([]);
  expect(turned(drawn(600, 70))).toEqual([]);
});

test("buffers that live at once and are no aliases never overlap in the drawing", () => {
  const [event] = traceOf(plan(6)).plans;
  const chart = planChart("", event.buffers, 1, event.arena, 800, 400);
  const own = rects(chart).filter(({ look }) => !look.includes("alias"));
  for (const [i, a] of own.entries()) {
    for (const b of own.slice(i + 1)) {
      const apart = a.x + a.width <= b.x || b.x + b.width <= a.x;
      const above = a.y + a.height <= b.y || b.y + b.height <= a.y;
      expect(apart || above).toBe(true);
    }
  }
});

test("a line, what it became, and its operators share a colour", () => {
  const [event] = traceOf(rewritten()).rewritten;
  const links = linksOf(event);
  const hues = huesOf(links);
  const loop = event.source.split("\n").findIndex((line) => line.includes("while")) + 1;
  const made = links.ops.flatMap((line, i) => (line === loop ? [event.ops[i].text] : []));
  expect(made.map((text) => text.split(" ")[0])).toEqual(["reduce_sum", "less_than", "while"]);
  expect(new Set(hues).size).toBe(hues.length);
});

test("a loss that is not finite breaks the line and is a cross", () => {
  const steps = traceOf(training(200)).training;
  const chart = lossChart(steps, 500, 240);
  const thin = chart.shapes.find(({ look }) => look === "tg-thin");
  expect(thin?.kind === "stroke" && thin.d.match(/M/g)).toHaveLength(2);
  expect(chart.shapes.filter(({ look }) => look === "tg-cross")).toHaveLength(1);
});

test("a loss that falls far is drawn by powers of ten, with round steps below", () => {
  const [step] = traceOf(training(1)).training;
  const fall = (from: number): TrainEvent[] =>
    Array.from({ length: 4 }, (_, i) => ({ ...step, step: i + 1, loss: from / 100 ** i }));
  const texts = ({ shapes }: Chart): string[] =>
    shapes.flatMap((shape) => (shape.kind === "words" ? [shape.text] : []));
  const far = texts(lossChart(fall(10), 500, 240));
  const levels = ["1e-5", "1e-3", "1e-1", "1e1"];
  expect(far).toEqual(["Loss, by powers of ten", "step", "1", "2", "3", "4", ...levels]);
  const near = fall(10).map((event) => ({ ...event, loss: 1 + event.step }));
  expect(texts(lossChart(near, 500, 240))[0]).toBe("Loss");
});

test("the learning rate has a chart of its own", () => {
  const steps = traceOf(training(6)).training;
  const chart = rateChart(steps, 300, 150);
  expect(inside(chart)).toBe(true);
  expect(chart.label).toBe("Learning rate over 6 steps");
});

test("what is smoothed lies between what it is the mean of, and lags behind nothing", () => {
  const values = Array.from({ length: 400 }, (_, i) => (i % 50 === 0 ? null : i % 7));
  for (const mean of smoothed(values)) {
    expect(mean ?? 0).toBeGreaterThanOrEqual(0);
    expect(mean ?? 0).toBeLessThanOrEqual(6);
  }
  const line = Array.from({ length: 400 }, (_, i) => 3 * i);
  expect(smoothed(line)).toEqual(line);
  expect(smoothed([null, null])).toEqual([null, null]);
});

test("however many steps share a column, what is not finite shows", () => {
  const steps = traceOf(training(499)).training;
  const chart = normChart(steps, 400, 300);
  expect(inside(chart)).toBe(true);
  const bad = rects(chart).filter(({ look }) => look.includes("bad"));
  expect(bad.map(({ key }) => key)).toEqual(["linear_1@140", "linear_2@140"]);
  expect([null, 0, 1e-9, 1, 1e9].map(normLevel)).toEqual([0, 0, 0, 6, 8]);
});

test("in a low pane the rows of the norms stay tall enough to be seen", () => {
  const chart = normChart(traceOf(training(40)).training, 400, 30);
  expect(inside(chart)).toBe(true);
  expect(Math.min(...rects(chart).map(({ height }) => height))).toBeGreaterThan(4);
});

test("throughput and time left come from the latest steps", () => {
  const figures = new Map(trainFigures(traceOf(training(300, 500)).training));
  expect(figures.get("step")).toBe("300 of 500");
  expect(figures.get("examples a second")).toBe("3,048");
  expect(figures.get("time left")).toBe("4.2 s");
  expect(trainFigures([])).toEqual([]);
});

test("times by name: what ran inside is not the span's own", () => {
  const spans = [
    { name: "step", start: 0, duration: 10, depth: 0 },
    { name: "mul", start: 1, duration: 4, depth: 1, bytes: 8 },
    { name: "mul", start: 6, duration: 3, depth: 1, bytes: 8 },
  ];
  expect(totals(spans)).toEqual([
    { name: "mul", calls: 2, total: 7, self: 7, bytes: 16 },
    { name: "step", calls: 1, total: 10, self: 3, bytes: 0 },
  ]);
});

test("a flame of a hundred thousand spans draws no more than fit", () => {
  const [{ spans }] = traceOf(profile(500, 50)).profiles;
  expect(spans.length).toBeGreaterThan(100_000);
  const chart = flameChart(spans, extentOf(spans), 900);
  expect(rects(chart).length).toBeLessThan(3 * 900);
  expect(inside(chart)).toBe(true);
});

test("sizes, times and ticks are round", () => {
  expect([512, 2048, 1.5 * 2 ** 20].map(bytesText)).toEqual(["512 B", "2 kB", "1.5 MB"]);
  expect([2e-6, 0.0215, 4.2, 75].map(timeText)).toEqual(["2 µs", "21.5 ms", "4.2 s", "1 min 15 s"]);
  expect(ticks(97, 5)).toEqual([0, 20, 40, 60, 80]);
  expect(ticks(0, 5)).toEqual([0]);
});

test("a small plan, shape by shape", () => {
  const buffers = [
    { name: "a", offset: 0, size: 512, start: 0, end: 1 },
    { name: "b", offset: 0, size: 512, start: 2, end: 3 },
  ];
  expect(planChart("Plan", buffers, 512, 1024, 270, 160)).toMatchInlineSnapshot(`
    {
      "height": 160,
      "label": "Plan: 2 buffers, peak 512 B",
      "shapes": [
        {
          "d": "M62 126H262",
          "kind": "stroke",
          "look": "tg-gridline",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "0 B",
          "x": 56,
          "y": 130,
        },
        {
          "d": "M62 106H262",
          "kind": "stroke",
          "look": "tg-gridline",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "205 B",
          "x": 56,
          "y": 110,
        },
        {
          "d": "M62 86H262",
          "kind": "stroke",
          "look": "tg-gridline",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "410 B",
          "x": 56,
          "y": 90,
        },
        {
          "d": "M62 66H262",
          "kind": "stroke",
          "look": "tg-gridline",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "614 B",
          "x": 56,
          "y": 70,
        },
        {
          "d": "M62 46H262",
          "kind": "stroke",
          "look": "tg-gridline",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "819 B",
          "x": 56,
          "y": 50,
        },
        {
          "d": "M62 26H262",
          "kind": "stroke",
          "look": "tg-gridline",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "1 kB",
          "x": 56,
          "y": 30,
        },
        {
          "anchor": "middle",
          "kind": "words",
          "look": "tg-axis",
          "text": "0",
          "x": 62,
          "y": 142,
        },
        {
          "anchor": "middle",
          "kind": "words",
          "look": "tg-axis",
          "text": "1",
          "x": 112,
          "y": 142,
        },
        {
          "anchor": "middle",
          "kind": "words",
          "look": "tg-axis",
          "text": "2",
          "x": 162,
          "y": 142,
        },
        {
          "anchor": "middle",
          "kind": "words",
          "look": "tg-axis",
          "text": "3",
          "x": 212,
          "y": 142,
        },
        {
          "anchor": "middle",
          "kind": "words",
          "look": "tg-axis",
          "text": "4",
          "x": 262,
          "y": 142,
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-axis",
          "text": "operator, in program order",
          "x": 260,
          "y": 155,
        },
        {
          "height": 49,
          "key": "0",
          "kind": "rect",
          "look": "tg-buffer tg-hue-0",
          "width": 99,
          "x": 62,
          "y": 76,
        },
        {
          "anchor": "start",
          "kind": "words",
          "look": "tg-buffername",
          "text": "a",
          "x": 67,
          "y": 89,
        },
        {
          "height": 49,
          "key": "1",
          "kind": "rect",
          "look": "tg-buffer tg-hue-1",
          "width": 99,
          "x": 162,
          "y": 76,
        },
        {
          "anchor": "start",
          "kind": "words",
          "look": "tg-buffername",
          "text": "b",
          "x": 167,
          "y": 89,
        },
        {
          "d": "M162 122H162",
          "kind": "stroke",
          "look": "tg-chain",
        },
        {
          "d": "M62 76H262",
          "kind": "stroke",
          "look": "tg-peak",
        },
        {
          "anchor": "end",
          "kind": "words",
          "look": "tg-peakword",
          "text": "peak 512 B",
          "x": 260,
          "y": 71,
        },
        {
          "anchor": "start",
          "kind": "words",
          "look": "tg-charttitle",
          "text": "Plan",
          "x": 62,
          "y": 14,
        },
      ],
      "width": 270,
    }
  `);
});

test("a plan says at which operator the most bytes are alive, and whose they are", () => {
  const ops = ["mul", "relu", "mul", "mean"];
  const b = new Builder("peak");
  b.plan({
    arena: 96,
    naive_peak: 112,
    planned_peak: 96,
    ops,
    buffers: [
      { name: "a", offset: 0, size: 16, start: 0, end: 1 },
      { name: "b", offset: 32, size: 64, start: 1, end: 2 },
      { name: "over", offset: 32, size: 64, start: 2, end: 3, alias_of: "b" },
      { name: "c", offset: 0, size: 32, start: 3, end: 3 },
    ],
  });
  const event = b.log.events.find(({ kind }) => kind === "plan") as PlanEvent;
  expect(peakText(event)).toBe("Most are alive at mean (3): over, c.");
  const many = Array.from({ length: 300 }, (_, i) => ({ name: `t${i}`, offset: 0, size: 8, start: i, end: 299 }));
  expect(peakText({ ...event, buffers: many })).toBe(
    "Most are alive at operator (299): t0, t1, t2, t3, t4, t5 and 294 more.",
  );
});
