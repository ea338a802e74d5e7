/** Logs of another engine: drawn like ours, and harmless where it lied. */

import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import type { AnyEvent, Log } from "../src/events";
import { Pairs } from "../src/draw/beside";
import { neighbour, neighbours } from "../src/selection";
import { describe } from "../src/state/entity";
import { traceOf } from "./trace";

/** As another engine's class would have announced it. */
function announcedBy(engine: string, log: Log): Log {
  const events = log.events.map((event): AnyEvent =>
    event.kind === "tensor" || event.kind === "node" ? { ...event, engine } : event,
  );
  return { ...log, events };
}

function square(): Log {
  const log = new Builder("yours");
  log.begin(["y = x * x"]);
  log.at(1);
  const [x, y] = [log.tensor("x", "D", []), log.tensor("y", "T", [])];
  log.node("mul", [x, x], [y]);
  log.end();
  return log.log;
}

test("whose engine it was is known of the tape, its values and its operators", () => {
  const trace = traceOf(announcedBy("Value", square()));
  expect(trace.tape.engine).toBe("Value");
  const keys = [...trace.tape.tensors.values(), ...trace.tape.nodes.values()];
  for (const { key } of keys) {
    const fact = ["engine", "yours: Value"];
    expect(describe(trace, key, trace.length)?.facts).toContainEqual(fact);
  }
  expect(traceOf(square()).tape.engine).toBeUndefined();
});

test("values that are computed from each other are drawn, and can be walked", () => {
  const log = new Builder("a circle");
  log.begin(["a, b = ..."]);
  log.at(1);
  const [a, b] = [log.tensor("a", "T", []), log.tensor("b", "T", [])];
  const [first, second] = [log.node("f", [b], [a]), log.node("g", [a], [b])];
  log.node("h", [a], [a]);
  log.backward("begin", [a]);
  log.grad(b, log.stats([]), first);
  log.grad(a, log.stats([]), second);
  log.grad(a, log.stats([]), first);
  log.backward("end", [a]);
  log.end();
  const trace = traceOf(log.log);
  let key: string | undefined = `t:${a}`;
  for (let i = 0; i < 20 && key !== undefined; i++) {
    expect(describe(trace, key, trace.length)).toBeDefined();
    neighbours(trace, key, trace.length);
    key = neighbour(trace, key, i % 3 ? "producer" : "twin", trace.length) ?? key;
  }
  expect(trace.tape.mirror.ops.length).toBe(3);
});

test("the second trace is where the first is, and the other way", () => {
  const pairs = new Pairs([
    [0, 0],
    [3, 5],
    [7, 6],
    [9, 12],
  ]);
  expect([0, 2, 3, 6, 7, 9].map((at) => pairs.across(at))).toEqual([0, 0, 5, 5, 6, 12]);
  expect([0, 5, 6, 12].map((at) => pairs.across(at, 1))).toEqual([0, 3, 7, 9]);
  expect([4, 7].map((at) => pairs.across(at, 1))).toEqual([0, 7]);
  expect(new Pairs([]).across(4)).toBe(0);
});
