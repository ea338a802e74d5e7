import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { longProgram } from "../fixtures/static";
import { bars } from "../src/draw/minimap";
import { scene, type Shape } from "../src/draw/scene";
import type { Log } from "../src/events";
import { ROW } from "../src/layout/geometry";
import { describe as told } from "../src/state/entity";
import { Folding } from "../src/state/folding";
import type { Picture } from "../src/state/picture";
import type { Trace } from "../src/state/trace";
import { look } from "./look";
import { traceOf } from "./trace";

const SIZE = { width: 1200, height: 800 };
const MANY = 10_000;
/** How long a dash of a border is, with the gap after it. */
const DASH = 7;

function drawn(trace: Trace, picture: Picture, scale = 1, y = 200): Shape[] {
  return scene(picture, { x: 0, y, scale }, SIZE, look(trace));
}

const boxes = (shapes: Shape[]): Shape[] => shapes.filter(({ kind }) => kind === "box");

/** Every op reads the same tensor, and gives it a part of its gradient. */
function fanOut(count: number): Log {
  const b = new Builder("fan-out");
  b.program(1, "main");
  b.variable(1, "x", "P", [1]);
  const role = "backward";
  const ops: number[] = [];
  for (let i = 0; i < count; i++) {
    b.variable(1, `y${i}`, "T", [1]);
    ops.push(b.op(1, i % 2 === 0 ? "exp" : "tanh", { X: "x" }, { Out: `y${i}` }));
  }
  b.variable(1, "x@GRAD", "g", [1]);
  for (const twin of ops) b.op(1, "exp_grad", {}, { "X@GRAD": "x@GRAD" }, { role, twin });
  return b.log;
}

test("a chain of ten thousand is drawn from near and from far, whole and folded", () => {
  const trace = traceOf(longProgram(MANY));
  const { mirror } = trace.programs.get(1)!;
  const folding = new Folding("1", mirror);
  expect(boxes(drawn(trace, mirror)).length).toBeLessThan(60);
  expect(boxes(drawn(trace, mirror, 0.001, 400_000)).length).toBeLessThan(2_500);
  folding.closeAll();
  expect(boxes(drawn(trace, folding.picture)).length).toBeGreaterThan(2);
  expect(bars(mirror, 64, 500).length).toBeLessThan(1_100);
});

test("of ten thousand ops off the tape only the border one sees is drawn", () => {
  const b = new Builder("untaped");
  let x = b.tensor("x", "D", [1], true);
  for (let i = 0; i < MANY; i++) {
    const y = b.tensor("", "T", [1], true);
    b.node("scale", [x], [y], [], { taped: false });
    x = y;
  }
  const trace = traceOf(b.log);
  const { mirror } = trace.tape;
  const [whole] = mirror.regions;
  expect(whole.last - whole.first).toBe(MANY - 1);
  for (const y of [0, 5_000 * ROW, 5_001 * ROW, 9_875 * ROW]) {
    const [border] = drawn(trace, mirror, 0.5, y);
    if (border.kind !== "backdrop") throw new Error("there is no border");
    expect(border.height).toBeLessThan(SIZE.height / 0.5 + 2 * 8 * ROW);
    expect((border.y - (whole.first - 0.5) * ROW) % DASH).toBe(0);
  }
});

test("what ten thousand ops read is not asked for its readers by each of them", () => {
  const trace = traceOf(fanOut(MANY));
  const program = trace.programs.get(1)!;
  const readers = program.readers.get("x")!;
  expect(readers).toHaveLength(MANY);
  let asked = 0;
  const { map } = readers;
  readers.map = function <U>(...how: Parameters<typeof map<U>>): U[] {
    asked += 1;
    return map.apply(this, how) as U[];
  };
  const shapes = drawn(trace, program.mirror);
  expect(boxes(shapes).length).toBeGreaterThan(20);
  expect(asked).toBe(0);
  expect(told(trace, "v:1:0:x", trace.length)?.consumers).toHaveLength(MANY);
});

test("a fan-out costs each op the same, and has them under one another", () => {
  const probes = (count: number): number => {
    const { layout } = traceOf(fanOut(count)).programs.get(1)!.mirror;
    expect(layout.lowest).toBe(count);
    expect(layout.widest).toBeLessThanOrEqual(4);
    return layout.probes / count;
  };
  expect(probes(MANY)).toBeLessThan(1.2 * probes(1_000) + 1);
});

test("two hundred nested scopes fold, each as far as a reader can follow", () => {
  const b = new Builder("nested");
  b.program(1, "main");
  b.variable(1, "x0", "D", [1]);
  for (let i = 0; i < 200; i++) {
    const scope = Array.from({ length: i + 1 }, (_, depth) => `scope_${depth}`).join("/");
    b.variable(1, `x${i + 1}`, "T", [1]);
    b.op(1, `op${i}`, { X: `x${i}` }, { Out: `x${i + 1}` }, { scope });
  }
  const trace = traceOf(b.log);
  const folding = new Folding("1", trace.programs.get(1)!.mirror);
  folding.closeAll();
  expect(folding.picture.nodes.map(({ title }) => title)).toEqual(["scope_0", "x0"]);
  expect(boxes(drawn(trace, folding.picture))).toHaveLength(2);
});

test.each(["side by side", "inside one another"])("a thousand sub-blocks %s", (how) => {
  const b = new Builder("blocks");
  b.program(1, "main");
  b.variable(1, "x", "D", [1]);
  for (let block = 1; block <= 1_000; block++) {
    b.block(1, block, how === "side by side" ? 0 : block - 1);
    b.variable(1, `y${block}`, "T", [1], block);
    b.op(1, "exp", { X: "x" }, { Out: `y${block}` }, { block });
  }
  const trace = traceOf(b.log);
  const program = trace.programs.get(1)!;
  const last = program.rows.at(-1)!;
  expect(last.depth).toBe(how === "side by side" ? 1 : 1_000);
  expect(program.find(1_000, "x")?.key).toBe("v:1:0:x");
  const folding = new Folding("1", program.mirror);
  folding.closeAll();
  expect(boxes(drawn(trace, folding.picture)).length).toBeGreaterThan(0);
});

test("a log of nothing, and one of an op that failed alone", () => {
  const empty = traceOf({ version: 1, title: "", events: [] });
  expect(drawn(empty, new Folding("tape", empty.tape.mirror).picture)).toEqual([]);
  const b = new Builder("failed");
  b.failed("matmul_v2", [], "it has no X", 1, { block: 0 });
  const trace = traceOf(b.log);
  const folding = new Folding("tape", trace.tape.mirror);
  folding.closeAll();
  const [shape] = boxes(drawn(trace, folding.picture));
  expect(shape).toMatchObject({ failed: true, caption: { title: "matmul_v2" } });
});
