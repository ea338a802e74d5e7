import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { mlp } from "../fixtures/eager";
import { failingProgram, fourLines, loopProgram } from "../fixtures/static";
import { forwardName, type Row } from "../src/state/programs";
import { countBelow, Timeline } from "../src/state/timeline";
import { groupBy, traceOf } from "./trace";

const nameOf = (row: Row): string =>
  row.kind === "var" ? row.event.name : row.kind === "op" ? row.event.type : row.kind;

function rowsOf(log = fourLines(), program = 1): Row[] {
  return traceOf(log).programs.get(program)!.rows;
}

test("the four lines fill main in Paddle's order, line by line", () => {
  const byLine = groupBy(rowsOf(), ({ line }) => line);
  const rows = [...byLine].map(([line, made]) => [line, made.map(nameOf).join(" ")]);
  expect(rows).toEqual([
    [1, "X"],
    [2, "fc_0.w_0 fc_0.tmp_0 mul fc_0.b_0 fc_0.tmp_1 elementwise_add"],
    [3, "mean_0.tmp_0 reduce_mean"],
    [
      4,
      "mean_0.tmp_0@GRAD fill_constant fc_0.tmp_1@GRAD reduce_mean_grad " +
        "fc_0.tmp_0@GRAD fc_0.b_0@GRAD elementwise_add_grad fc_0.w_0@GRAD mul_grad " +
        "learning_rate_0 sgd sgd",
    ],
  ]);
});

test("and startup with the first values", () => {
  const types = rowsOf(fourLines(), 0).filter((row) => row.kind === "op");
  expect(types.map(nameOf)).toEqual([
    "uniform_random",
    "fill_constant",
    "fill_constant",
  ]);
});

test("a step is a line; positions between them are events", () => {
  const trace = traceOf(fourLines());
  expect(trace.steps.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
  expect(trace.stepsAt(0)).toBe(0);
  expect(trace.positionAfter(4)).toBe(trace.length);
  const afterTwo = trace.positionAfter(2);
  expect(trace.stepAt(afterTwo)?.line).toBe(2);
  expect(trace.stepAt(afterTwo + 1)?.line).toBe(3);
  const past = rowsOf().filter((row) => row.seq < afterTwo);
  expect(past.map(nameOf).at(-1)).toBe("elementwise_add");
});

test("without line events, a change of line is a step", () => {
  const b = new Builder("unmarked");
  b.begin(["a", "b"]);
  const log = b.log;
  const place = { t: 0, cell: 0, kind: "dropped" as const, what: "", why: "" };
  [1, 1, 2, 0, 2, 1].forEach((line, i) => {
    log.events.push({ ...place, seq: i + 1, line, count: 1 });
  });
  expect(traceOf(log).steps.map(({ line }) => line)).toEqual([1, 2, 1]);
});

test("a line's colour is its rank among those met; its runs are counted", () => {
  const trace = traceOf(mlp({ steps: 3 }));
  expect(trace.rank(0, 1)).toBe(0);
  expect(trace.rank(0, 8)).toBe(7);
  expect(trace.rank(0, 8, trace.positionAfter(2))).toBe(-1);
  expect(trace.runs(0, 4, trace.length)).toBe(3);
  expect(trace.runs(0, 4, trace.positionAfter(4))).toBe(1);
});

test("a timeline answers for any position", () => {
  const timeline = new Timeline<string>();
  expect(timeline.at(9)).toBeUndefined();
  timeline.push(3, "a");
  timeline.push(7, "b");
  const at = [0, 3, 4, 7, 8, 100].map((position) => timeline.at(position));
  expect(at).toEqual([undefined, undefined, "a", "a", "b", "b"]);
  expect(countBelow([1, 1, 2, 5], 2)).toBe(2);
});

test("who writes and who reads a name is known; gradient ops know their op", () => {
  const main = traceOf(fourLines()).programs.get(1)!;
  const types = (map: typeof main.readers, name: string): string[] =>
    (map.get(name) ?? []).map((op) => op.event.type);
  expect(types(main.writers, "fc_0.tmp_1")).toEqual(["elementwise_add"]);
  expect(types(main.readers, "fc_0.w_0")).toEqual(["mul", "mul_grad", "sgd"]);
  const mul = [...main.ops.values()].find((op) => op.event.type === "mul")!;
  expect(mul.twins.map((op) => op.event.type)).toEqual(["mul_grad"]);
});

test("the ops of a run light up one after another, with values", () => {
  const trace = traceOf(fourLines({ run: true }));
  const [start, end] = [trace.positionAfter(4), trace.positionAfter(5)];
  const seen = new Set<string>();
  for (let position = start; position <= end; position++) {
    const op = trace.ops.get(trace.running.at(position) ?? -1);
    if (op !== undefined) seen.add(op.event.type);
  }
  expect([...seen].slice(0, 3)).toEqual(["mul", "elementwise_add", "reduce_mean"]);
  expect(trace.running.at(end)).toBe(-1);
  const gradient = trace.programs.get(1)!.find(0, "fc_0.w_0@GRAD")!;
  expect(gradient.value.at(start)).toBeUndefined();
  expect(gradient.value.at(end)?.norm).toBeGreaterThan(0);
});

test("rows of a sub-block are deeper; a block that is its own parent hangs nothing", () => {
  const depths = rowsOf(loopProgram()).map((row) => [nameOf(row), row.depth]);
  expect(depths).toContainEqual(["increment", 1]);
  expect(depths).toContainEqual(["scale", 2]);
  expect(depths).toContainEqual(["while", 0]);
  const b = new Builder("loop of blocks");
  b.program(1, "main");
  b.block(1, 3, 3);
  b.variable(1, "x", "T", [], 3);
  const program = traceOf(b.log).programs.get(1)!;
  expect(program.find(3, "nowhere")).toBeUndefined();
});

test("an op that failed is a row, and the cell does not say it twice", () => {
  const trace = traceOf(failingProgram());
  expect(trace.programs.get(1)!.rows.at(-1)?.kind).toBe("failed");
  expect(trace.failures.map(({ line, title }) => [line, title])).toEqual([
    [3, "matmul_v2 failed"],
  ]);
});

test("an error that no op made stands on the last line that ran", () => {
  const b = new Builder("raises");
  b.begin(["a = 1", "1 / 0"]);
  b.at(1);
  b.at(2);
  b.end("ZeroDivisionError: division by zero");
  const [failure] = traceOf(b.log).failures;
  expect(failure).toMatchObject({ line: 2, message: /division/ });
});

test("the name of a gradient leads to its variable", () => {
  expect(forwardName("w@GRAD")).toBe("w");
  expect(forwardName("w@GRAD@RENAME@block0@1")).toBe("w");
  expect(forwardName("w@GRAD@GRAD")).toBe("w@GRAD");
  expect(forwardName("w")).toBeUndefined();
});

test("a block says whose it is as soon as the operator that runs it has come", () => {
  const b = new Builder("cond");
  b.begin(["cond(less, yes, no)"]);
  b.program(1, "main");
  for (const name of ["less", "not"]) b.variable(1, name, "T", [1]);
  const branch = (block: number, condition: string): void => {
    b.block(1, block, 0);
    b.op(1, "assign", {}, {}, { block });
    const attrs = { sub_block: String(block) };
    b.op(1, "conditional_block", { Cond: condition }, {}, { attrs });
  };
  branch(1, "less");
  b.op(1, "logical_not", { X: "less" }, { Out: "not" });
  branch(2, "not");
  b.block(1, 3, 0);
  const before = traceOf(b.log).programs.get(1)!;
  b.op(1, "while", {}, {}, { attrs: { sub_block: "3" } });
  b.end();
  const titles = ({ rows }: typeof before): string[] =>
    rows.flatMap((row) => (row.kind === "block" ? [row.title] : []));
  const branches = ["block 1: true branch", "block 2: false branch"];
  expect(titles(before)).toEqual([...branches, "block 3"]);
  expect(titles(traceOf(b.log).programs.get(1)!)).toEqual([
    ...branches,
    "block 3: body of while",
  ]);
});
