/** What the inspector teaches of an operator. */

import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import type { AboutEvent, Log } from "../src/events";
import { describe, type Entity } from "../src/state/entity";
import { traceOf } from "./trace";

const MUL: Omit<AboutEvent, "seq" | "t" | "cell" | "line"> = {
  kind: "about",
  type: "mul",
  text: "out = x y.\n\nElement by\nelement.",
  inputs: ["x", "y"],
  outputs: ["out"],
  rule: "return dout * y, reduce_to(dout * x, axis=axis, x=x)",
  takes: ["dout", "x", "y"],
};

function log(shape: number[], about: object = MUL): Log {
  const b = new Builder("a product");
  b.begin(["z = x * y"]);
  b.at(1);
  const [x, y, z] = ["x", "y", "z"].map((name) => b.tensor(name, "T", shape));
  const stats = (mean: number) => ({ ...b.stats(shape), mean, norm: mean, first: [mean] });
  b.value(x, stats(2));
  b.value(y, stats(3));
  const node = b.node("mul", [x, y], [z], ["X", "Y"]);
  b.value(z, stats(6));
  b.backward("begin", [z]);
  b.grad(z, stats(5));
  b.grad(x, stats(15), node);
  b.grad(y, stats(10), node);
  b.end();
  const events = [...b.log.events];
  events.push({ seq: events.length, t: 0, cell: 0, line: 0, ...about } as AboutEvent);
  return { ...b.log, events };
}

function about(one: Log, prefix: string): Entity {
  const trace = traceOf(one);
  const [{ key }] = trace.tape.nodes.values();
  return describe(trace, key.replace("n", prefix), trace.length)!;
}

test("formula, sentence and rule of an operator, on either side of the mirror", () => {
  for (const prefix of ["n", "gn"]) {
    expect(about(log([]), prefix).lesson).toMatchObject({
      summary: "out = x y.",
      isFormula: true,
      words: "Element by element.",
      rule: MUL.rule,
    });
  }
  expect(about(log([]), "n").facts.slice(0, 2)).toEqual([
    ["in", "[] · []"],
    ["out", "[]"],
  ]);
});

test("the rule with the numbers of this operator", () => {
  const { numbers, filled } = about(log([]), "n").lesson!;
  expect(Object.fromEntries(numbers)).toEqual({
    dout: "5",
    x: "2",
    y: "3",
    dx: "15",
    dy: "10",
  });
  expect(filled).toBe("return 5 * 3, reduce_to(5 * 2, axis=axis, x=2)");
});

test("of large tensors shape and norm, and no arithmetic", () => {
  const { numbers, filled } = about(log([4, 3]), "gn").lesson!;
  expect(numbers).toContainEqual(["x", "[4, 3] ‖·‖ 2"]);
  expect(filled).toBe("");
});

test("what does not fit the operator is left out", () => {
  const odd = { ...MUL, inputs: ["a"], outputs: [], takes: ["dq", "d", "constructor"] };
  expect(about(log([], odd), "n").lesson).toMatchObject({ numbers: [], filled: "" });
  const empty = { ...MUL, text: "", rule: "", inputs: [], outputs: [], takes: [] };
  expect(about(log([], empty), "gn").lesson).toMatchObject({ summary: "", filled: "" });
});
