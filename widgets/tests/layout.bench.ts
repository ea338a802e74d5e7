/**
 * How long layout and folding take; printed, never asserted. The figures of the bars are
 * processor time, the least of a few rounds: others use the machine too.
 */

import { bench, describe } from "vitest";
import { transformer } from "../fixtures/deep";
import { longProgram } from "../fixtures/static";
import { bars } from "../src/draw/minimap";
import { scene } from "../src/draw/scene";
import { ROW } from "../src/layout/geometry";
import { groupsOf } from "../src/layout/groups";
import { MirrorLayout, type Spot } from "../src/layout/mirror";
import { Folding } from "../src/state/folding";
import { Mirror } from "../src/state/mirror";
import { look } from "./look";
import { note } from "./note";
import { traceOf } from "./trace";

const MADE = { seq: 0, cell: 0, line: 1 };

/** A chain with a parameter an op, then the gradient of each: forward and backward. */
function mirrored(count: number): Mirror {
  const mirror = new Mirror();
  const tone = "op" as const;
  for (let i = 0; i < count; i++) {
    const input = { cell: 0, line: 1, wire: `x${i}`, name: "x", tone: "T" as const };
    const inputs = [input, { ...input, wire: `w${i}`, tone: "P" as const }];
    const what = { key: `o${i}`, title: "mul", tone, untaped: false };
    mirror.forward({ ...MADE, ...what, inputs, outputs: [`x${i + 1}`] });
    mirror.keep(MADE, `o${i}`, ["X", "Y"]);
  }
  for (let i = count - 1; i >= 0; i--) {
    const key = `g${i}`;
    mirror.backward({ ...MADE, key, title: "mul_grad", tone: "grad" }, `o${i}`);
    mirror.flow(MADE, `x${i}`, `x${i}@GRAD`, `x${i}@GRAD`, key);
    mirror.flow(MADE, `w${i}`, `w${i}@GRAD`, `w${i}@GRAD`, key);
  }
  return mirror;
}

function processorTime(rounds: number, act: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.round(Math.min(...times) * 10) / 10;
}

for (const [count, bar] of [[1_000, 30], [10_000, 300]]) {
  note(`layout-${count}`, processorTime(8, () => mirrored(count)), { bar, unit: "ms" });
}

describe("layout, forward and backward", () => {
  for (const count of [1_000, 10_000]) {
    bench(`${count} ops`, () => void mirrored(count));
  }
});

describe("10,000 ops, forward and backward, in repeated blocks", () => {
  const { mirror } = traceOf(transformer(330)).programs.get(1)!;
  const items = mirror.ops.map(({ title }) => ({ title, scope: [] }));
  bench("repeats found", () => void groupsOf(items));
  bench("folded into one box", () => {
    const folding = new Folding("1", mirror);
    folding.closeAll();
    return void folding.picture;
  });
  bench("minimap", () => void bars(mirror, 64, 500));
});

describe("places alone", () => {
  for (const count of [1_000, 10_000, 100_000]) {
    bench(`${count} ops`, () => {
      const layout = new MirrorLayout();
      let last: Spot | undefined;
      for (let i = 0; i < count; i++)
        last = layout.op(last === undefined ? [] : [last]);
    });
  }
});

const log = longProgram(5_000);
const trace = traceOf(log);

describe("a log of 10,000 operators", () => {
  bench("folded", () => void traceOf(log));
});

describe("a scene of 10,000 operators", () => {
  const { mirror } = trace.programs.get(1)!;
  const size = { width: 800, height: 600 };
  const middle = { x: 0, y: 2500 * ROW };
  for (const scale of [1, 0.3, 0.05, 0.002]) {
    bench(`scale ${scale}`, () => void scene(mirror, { ...middle, scale }, size, look(trace)));
  }
});
