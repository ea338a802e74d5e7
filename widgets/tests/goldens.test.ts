// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { diamond } from "../fixtures/eager";
import { fourLines } from "../fixtures/static";
import { plan, profile, training } from "../fixtures/views";
import { scene, type Shape } from "../src/draw/scene";
import { Folding } from "../src/state/folding";
import type { Picture } from "../src/state/picture";
import type { Trace } from "../src/state/trace";
import { chartElement, type Chart } from "../src/views/figure";
import { extentOf, flameChart } from "../src/views/flame";
import { planChart } from "../src/views/plan";
import { lossChart, normChart } from "../src/views/training";
import { look } from "./look";
import { traceOf } from "./trace";

const WINDOW = { width: 2000, height: 2000 };

function drawn(trace: Trace, picture: Picture): string {
  const shapes = scene(picture, { x: 0, y: 400, scale: 1 }, WINDOW, look(trace));
  const line = (shape: Shape): string => JSON.stringify(told(shape), rounded);
  return `${shapes.map(line).join("\n")}\n`;
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 100) / 100 : value;
}

/** A shape without what the graph's own tests look at. */
function told(shape: Shape): unknown {
  if (shape.kind !== "box") return shape;
  const { node, ...rest } = shape;
  return { key: node.key, shape: node.shape, side: node.side, ...rest };
}

function pictured(chart: Chart): string {
  return `${chartElement(chart).outerHTML.replaceAll("><", ">\n<")}\n`;
}

test("the four lines' graph, shape by shape", async () => {
  const trace = traceOf(fourLines());
  const { mirror } = trace.programs.get(1)!;
  await expect(drawn(trace, mirror)).toMatchFileSnapshot("goldens/four_lines.jsonl");
  const folding = new Folding("1", mirror);
  folding.closeAll();
  const folded = drawn(trace, folding.picture);
  await expect(folded).toMatchFileSnapshot("goldens/four_lines_folded.jsonl");
});

test("a diamond's tape, shape by shape", async () => {
  const trace = traceOf(diamond());
  const shapes = drawn(trace, trace.tape.mirror);
  await expect(shapes).toMatchFileSnapshot("goldens/diamond.jsonl");
});

test("the charts, as SVG", async () => {
  const [{ buffers, planned_peak: peak, arena }] = traceOf(plan(4)).plans;
  const steps = traceOf(training(30, 50)).training;
  const [{ spans }] = traceOf(profile(1, 2)).profiles;
  const charts: Record<string, Chart> = {
    plan: planChart("Planned", buffers, peak, arena, 500, 260),
    loss: lossChart(steps, 500, 260),
    norms: normChart(steps, 500, 260),
    flame: flameChart(spans, extentOf(spans), 500),
  };
  for (const [name, chart] of Object.entries(charts)) {
    await expect(pictured(chart)).toMatchFileSnapshot(`goldens/${name}.svg`);
  }
});
