import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { mlp } from "../fixtures/eager";
import { fourLines, longProgram } from "../fixtures/static";
import { heatPixels } from "../src/draw/stats";
import { edgeWidth, route, scene, type Box } from "../src/draw/scene";
import { describe } from "../src/state/entity";
import { BOX, LANE, laneX, PORT, ROW } from "../src/layout/geometry";
import type { MirrorEdge } from "../src/state/mirror";
import { look } from "./look";
import { traceOf } from "./trace";

const ALL = { width: 4000, height: 4000 };
const CAMERA = { x: 0, y: 0, scale: 1 };

function boxes(shapes: ReturnType<typeof scene>): Box[] {
  return shapes.filter((shape): shape is Box => shape.kind === "box");
}

test("a hook's sign goes when the hook is taken off, and is back in its past", () => {
  const b = new Builder("hooks");
  const x = b.tensor("x", "P", [1]);
  const y = b.tensor("y", "T", [1]);
  b.node("square", [x], [y], []);
  b.hook(y, "print");
  b.hook(y, "clip");
  const two = b.log.events.length;
  b.hook(y, "");
  b.hook(y, "");
  const trace = traceOf(b.log);
  const signs = (position: number): number => {
    const shapes = scene(trace.tape.mirror, CAMERA, ALL, look(trace, position));
    return shapes.filter((s) => s.kind === "mark" && s.sign === "hook").length;
  };
  expect([two, two + 1, two + 2].map(signs)).toEqual([1, 1, 0]);
});

test("a parameter's hook has its sign, though it is put on before any op reads it", () => {
  const b = new Builder("hooks");
  const [w, y] = [b.tensor("w", "P", [1]), b.tensor("y", "T", [1])];
  b.hook(w, "halve");
  b.node("square", [w], [y], []);
  const trace = traceOf(b.log);
  const shapes = scene(trace.tape.mirror, CAMERA, ALL, look(trace));
  const signs = shapes.filter((s) => s.kind === "mark" && s.sign === "hook");
  expect(signs).toHaveLength(1);
});

test("beside a hook stands what the gradient was before it, and what it is after", () => {
  const b = new Builder("hooks");
  const [w, y] = [b.tensor("w", "P", [1]), b.tensor("y", "T", [1])];
  b.hook(w, "halve");
  const node = b.node("square", [w], [y], []);
  for (const norm of [8, 6]) {
    b.backward("begin", [y]);
    b.grad(y, { ...b.stats([1]), norm: 1 });
    b.grad(w, { ...b.stats([1]), norm }, node);
    b.grad(w, { ...b.stats([1]), norm: norm / 2 }, undefined, true);
    b.backward("end", [y]);
  }
  // What the second pass was added to stands at the leaf, not at its hook.
  b.grad(w, { ...b.stats([1]), norm: 7 }, undefined, true);
  const trace = traceOf(b.log);
  const labels = (position: number): string[] => {
    const shapes = scene(trace.tape.mirror, CAMERA, ALL, look(trace, position));
    return shapes.flatMap((s) => (s.kind === "label" && s.x > 0 ? s.text : []));
  };
  const totals = b.log.events.flatMap((e) => (e.kind === "grad" && e.total ? e.seq : []));
  expect(totals.map((seq) => labels(seq))).toEqual([[], [], ["6 → 3"]]);
  expect(totals.map((seq) => labels(seq + 1))).toEqual([["8 → 4"], ["6 → 3"], ["6 → 3"]]);
  const entity = describe(trace, `gt:${w}`, Infinity)!;
  expect(entity.gradient?.norm).toBe(7);
  expect(entity.facts).toContainEqual(["‖g‖ before its hooks", "6"]);
});

test("a box says its op, and what it makes with its shape", () => {
  const trace = traceOf(fourLines());
  const shapes = scene(trace.programs.get(1)!.mirror, CAMERA, ALL, look(trace));
  const words = boxes(shapes).map(({ caption: c }) => `${c.title} | ${c.detail}`);
  expect(words).toContain("mul | [-1, 10]");
  expect(words).toContain("fc_0.b_0 | [10]");
  expect(words).toContain("mul_grad | fc_0.w_0@GRAD");
});

test("what comes later than the position is there, and greyed", () => {
  const trace = traceOf(fourLines());
  const { mirror } = trace.programs.get(1)!;
  const whole = boxes(scene(mirror, CAMERA, ALL, look(trace)));
  const early = boxes(scene(mirror, CAMERA, ALL, look(trace, trace.positionAfter(3))));
  const place = (box: Box): number[] => [box.x, box.y, box.width, box.height];
  expect(early.map(place)).toEqual(whole.map(place));
  const future = early.filter((box) => box.state === "future");
  expect(future.every((box) => box.node.side === 1)).toBe(true);
  expect(future).toHaveLength(5);
});

test("NaN on a gradient is a cross without a click, once", () => {
  const bad = (nan: boolean): number => {
    const trace = traceOf(mlp({ nan }));
    const shapes = scene(trace.tape.mirror, CAMERA, ALL, look(trace));
    return shapes.filter((s) => s.kind === "mark" && s.sign === "bad").length;
  };
  expect(bad(false)).toBe(0);
  expect(bad(true)).toBe(1);
});

test("only what the window shows is drawn", () => {
  const trace = traceOf(longProgram(3000));
  const { mirror } = trace.programs.get(1)!;
  const camera = { x: 0, y: 1500 * ROW, scale: 1 };
  const shapes = scene(mirror, camera, { width: 800, height: 10 * ROW }, look(trace));
  expect(boxes(shapes).length).toBeGreaterThanOrEqual(20);
  expect(shapes.length).toBeLessThan(120);
});

test("the whole of ten thousand nodes is some thousand rectangles, no words", () => {
  const trace = traceOf(longProgram(5000));
  const { mirror } = trace.programs.get(1)!;
  const camera = { x: 0, y: 2500 * ROW, scale: 600 / (5001 * ROW) };
  const all = boxes(scene(mirror, camera, { width: 800, height: 620 }, look(trace)));
  expect(all.length).toBeLessThan(1200);
  expect(all.every((box) => box.detail === "dot" && box.caption.title === "")).toBe(
    true,
  );
  const rows = all.map((box) => box.y);
  expect(Math.max(...rows)).toBeGreaterThan(4900 * ROW);
});

test("a gradient's edge is wider the larger its norm, within bounds", () => {
  const widths = [0, 1e-9, 1e-6, 1e-3, 1, 100, 1e9].map(edgeWidth);
  expect(widths).toEqual([...widths].sort((a, b) => a - b));
  expect([widths[0], widths.at(-1)]).toEqual([1, 5]);
});

test.each([0, 31, -31])("a long edge from %i beside the middle passes beside nodes", (from) => {
  const lane = laneX(-1, 2);
  const ys = { y1: BOX.height / 2, y2: 5 * ROW - BOX.height / 2 };
  const ends = { x1: lane + from, x2: lane + from, ...ys };
  const edge = { ...ends, kind: "flow", tail: { row: 0, slot: 2 } } as MirrorEdge;
  const points = route(edge);
  expect(points.slice(0, 2)).toEqual([ends.x1, ends.y1]);
  expect(points.slice(-2)).toEqual([ends.x2, ends.y2]);
  // Between the first gap and the last it keeps to the channel.
  const channel = points.slice(8, 14).filter((_, i) => i % 2 === 0);
  for (const x of channel) {
    expect(Math.abs(x - lane)).toBeGreaterThan(BOX.width / 2);
    expect(Math.abs(x - lane)).toBeLessThan(LANE - BOX.width / 2);
  }
  expect(points[7]).toBeLessThanOrEqual(ROW - BOX.height / 2);
  expect(PORT).toBeLessThan(ROW - BOX.height);
});

test("a heat map is blue below zero, orange above, red where not finite", () => {
  const pixels = heatPixels([[-2, 0, 2, null]], 4);
  const at = (x: number): number[] => Array.from(pixels.slice(x * 4, x * 4 + 3));
  const [below, zero, above, bad] = [0, 1, 2, 3].map(at);
  expect(below[2]).toBeGreaterThan(below[0]);
  expect(Math.min(...zero)).toBeGreaterThan(240);
  expect(above[0]).toBeGreaterThan(above[2]);
  expect(bad[0] - Math.max(bad[1], bad[2])).toBeGreaterThan(100);
});

test("a gradient op says each gradient it makes once, and a shape where there is no name", () => {
  const b = new Builder("twice");
  const [x, y] = [b.tensor("x", "P", [1]), b.tensor("", "T", [2, 3])];
  const square = b.node("elementwise_mul", [x, x], [y], []);
  const sum = b.node("reduce_sum", [y], [b.tensor("z", "T", [])], []);
  b.grad(y, b.stats([2, 3]), sum);
  b.grad(x, b.stats([1]), square);
  b.grad(x, b.stats([1]), square);
  const trace = traceOf(b.log);
  const shapes = boxes(scene(trace.tape.mirror, CAMERA, ALL, look(trace)));
  const details = shapes.filter(({ tone }) => tone === "grad").map((box) => box.caption.detail);
  expect(details).toEqual(["x.grad", "[2, 3]"]);
});
