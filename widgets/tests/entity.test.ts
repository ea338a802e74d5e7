import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { transformer } from "../fixtures/deep";
import { diamond, mlp } from "../fixtures/eager";
import { failingProgram, fourLines } from "../fixtures/static";
import { neighbour, neighbours, type Way } from "../src/selection";
import { describe, type Entity } from "../src/state/entity";
import { groupKey } from "../src/state/folding";
import type { Trace } from "../src/state/trace";
import { traceOf } from "./trace";

function keyOf(trace: Trace, name: string): string {
  for (const program of trace.programs.values()) {
    if (program.event.role !== "main") continue;
    const named = program.rows.find(
      (row) =>
        (row.kind === "var" && row.event.name === name) ||
        (row.kind === "op" && row.event.type === name),
    );
    if (named !== undefined) return named.key;
  }
  const tensor = [...trace.tape.tensors.values()].find((t) => t.name === name);
  if (tensor !== undefined) return tensor.key;
  return [...trace.tape.nodes.values()].find((n) => n.event.type === name)!.key;
}

function about(trace: Trace, name: string, position = trace.length): Entity {
  return describe(trace, keyOf(trace, name), position)!;
}

/** Walk from a name and return the names passed on the way. */
function walk(trace: Trace, from: string, ways: Way[]): string[] {
  let key = keyOf(trace, from);
  return ways.map((way) => {
    key = neighbour(trace, key, way, trace.length) ?? key;
    return describe(trace, key, trace.length)!.name;
  });
}

const labels = (links: Entity["producers"]): string[] =>
  links.map((link) => link.label);

test("a variable knows its makers, its readers and its gradient", () => {
  const weight = about(traceOf(fourLines()), "fc_0.w_0");
  expect(weight).toMatchObject({ role: "parameter", line: 2 });
  expect(labels(weight.consumers)).toEqual(["mul", "mul_grad", "sgd"]);
  expect(labels(weight.producers)).toEqual(["sgd"]);
  expect(weight.twin?.label).toBe("fc_0.w_0@GRAD");
  expect(weight.facts).toContainEqual(["shape", "[1, 10]"]);
});

test("walking goes from op to variable to op, and across the mirror and back", () => {
  const trace = traceOf(fourLines());
  const ways: Way[] = ["consumer", "consumer", "twin", "twin", "producer"];
  expect(walk(trace, "mul", ways).join(" ")).toBe(
    "fc_0.tmp_0 elementwise_add elementwise_add_grad elementwise_add fc_0.tmp_0",
  );
});

test("on the tape as well: tensor, node, gradient", () => {
  const ways: Way[] = ["consumer", "consumer", "twin", "consumer", "twin"];
  expect(walk(traceOf(mlp()), "x", ways).join(" ")).toBe(
    "matmul_v2 tmp_0 tmp_0.grad matmul_v2_grad matmul_v2",
  );
});

test("a gradient that is a sum says what it is a sum of", () => {
  const trace = traceOf(diamond());
  const a = about(trace, "a");
  const whole = describe(trace, a.twin!.key, trace.length)!;
  expect(whole).toMatchObject({ role: "gradient, a sum", line: 6 });
  expect(labels(whole.producers).sort()).toEqual(["exp_grad", "tanh_grad"]);
});

test("value and gradient are those of the position", () => {
  const trace = traceOf(mlp());
  const backward = trace.steps.find(({ line }) => line === 7)!;
  expect(about(trace, "linear_0.w_0", backward.seq).gradient).toBeUndefined();
  const after = about(trace, "linear_0.w_0");
  expect(after.value?.shape).toEqual([8, 16]);
  expect(after.gradient?.norm).toBeGreaterThan(0);
});

test("what a node kept is said, and that it was freed", () => {
  const trace = traceOf(mlp());
  const before = trace.steps.find(({ line }) => line === 7)!.seq;
  const kept = ["kept for backward", "Out"];
  expect(about(trace, "relu", before).facts).toContainEqual(kept);
  expect(about(trace, "relu").facts).toContainEqual([kept[0], "Out (freed)"]);
});

test("a failed op shows its inputs with shapes and the message", () => {
  const trace = traceOf(failingProgram());
  const failed = describe(trace, trace.failures[0].key, trace.length)!;
  expect(failed.message).toContain("must be equal");
  expect(failed.facts[1]).toEqual(["Y", "create_parameter_0.w_0 [3, 2] float32"]);
});

test("neighbours are all that made, reads or mirrors a thing", () => {
  const trace = traceOf(fourLines());
  const near = neighbours(trace, keyOf(trace, "mul"), trace.length);
  const names = [...near].map((key) => describe(trace, key, trace.length)!.name);
  expect(names.sort()).toEqual(["X", "fc_0.tmp_0", "fc_0.w_0", "mul_grad"]);
});

test("an unknown key is nothing", () => {
  expect(describe(traceOf(mlp()), "t:999999", 5)).toBeUndefined();
  expect(describe(traceOf(mlp()), "__proto__", 5)).toBeUndefined();
});

test("a closed group is the same however often it is looked at", () => {
  const trace = traceOf(transformer(12));
  const [layers] = [...trace.programs.values()].map(({ mirror }) => mirror.groups);
  const key = groupKey("1", layers[0], false);
  const first = describe(trace, key, Infinity);
  expect(first?.consumers.length).toBeGreaterThan(0);
  expect(describe(trace, key, Infinity)).toEqual(first);
});

test("a tensor without a name is called after what made it", () => {
  const b = new Builder("no names");
  b.begin(["relu(x @ w).backward()"]);
  b.at(1);
  const x = b.tensor("", "D", [64, 8]);
  const y = b.tensor("", "T", [64, 10]);
  b.node("relu", [x], [y]);
  b.end();
  const trace = traceOf(b.log);
  expect(describe(trace, `t:${y}`, trace.length)?.name).toBe("relu [64, 10]");
  expect(describe(trace, `t:${x}`, trace.length)?.name).toBe("data");
});
