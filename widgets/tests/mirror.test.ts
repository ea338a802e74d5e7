import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { transformer, twiceDifferentiated } from "../fixtures/deep";
import { diamond, failingEager, mlp, residual } from "../fixtures/eager";
import { fourLines, longProgram } from "../fixtures/static";
import type { Log } from "../src/events";
import { scene } from "../src/draw/scene";
import { ROW } from "../src/layout/geometry";
import { Folding } from "../src/state/folding";
import { FoldedPicture } from "../src/state/folded";
import type { Join, Mirror, MirrorEdge, MirrorNode } from "../src/state/mirror";
import { describe } from "../src/state/entity";
import { look } from "./look";
import { note } from "./note";
import { traceOf } from "./trace";

const EVERYWHERE = [-100, 1e6] as const;

function edges(mirror: Mirror, kind: MirrorEdge["kind"]): MirrorEdge[] {
  return mirror.edges.touching(...EVERYWHERE).filter((edge) => edge.kind === kind);
}

function joins(mirror: Mirror): Join[] {
  return mirror.joins.touching(...EVERYWHERE);
}

function titles(mirror: Mirror, side: -1 | 1): string[] {
  const nodes = mirror.nodes.filter((node) => node.side === side);
  return nodes.map((node) => `${node.shape} ${node.title}`);
}

const tape = (log: Log): Mirror => traceOf(log).tape.mirror;
const main = (log: Log): Mirror => traceOf(log).programs.get(1)!.mirror;

test("every gradient op stands at its forward's height, reflected", () => {
  for (const log of [mlp(), diamond(), residual(4)]) {
    const mirror = tape(log);
    const gradients = mirror.nodes.filter((n) => n.side === 1 && n.shape === "op");
    expect(gradients.length).toBeGreaterThan(3);
    for (const node of gradients) {
      const [forward] = mirror.nodesOf(node.key.replace("gn", "n"));
      expect([node.x, node.y]).toEqual([-forward.x, forward.y]);
      expect(forward.x).toBeLessThan(0);
    }
  }
});

test("a static program has the same mirror, from its ops alone", () => {
  const mirror = main(fourLines());
  expect(titles(mirror, -1).join(", ")).toBe(
    "op mul, leaf X, pin fc_0.w_0, op elementwise_add, pin fc_0.b_0, op reduce_mean",
  );
  expect(titles(mirror, 1).join(", ")).toBe(
    "seed 1, op reduce_mean_grad, op elementwise_add_grad, pin fc_0.b_0, " +
      "op mul_grad, pin fc_0.w_0, update sgd, update sgd",
  );
  const kept = edges(mirror, "saved").map(({ label }) => label);
  expect(kept.sort()).toEqual(["X", "X, Y", "X, Y"]);
});

test("data gets no gradient, parameters do", () => {
  const gradients = titles(main(fourLines()), 1);
  expect(gradients).not.toContain("leaf X");
  expect(gradients).toContain("pin fc_0.w_0");
});

test("gradients that meet are summed, at the producer's gradient", () => {
  const mirror = tape(diamond());
  const sums = joins(mirror);
  expect(sums).toHaveLength(1);
  const multiply = mirror.nodes.find((node) => node.title === "elementwise_mul")!;
  expect(sums[0].x).toBe(-multiply.x);
  expect(sums[0].y).toBeGreaterThan(multiply.y);
});

test("an op that reads one value twice gives it two gradients, side by side", () => {
  const trace = traceOf(mlp());
  const { mirror, nodes } = trace.tape;
  expect(joins(mirror)).toHaveLength(1);
  const square = [...nodes.values()].find((n) => n.event.type === "elementwise_mul")!;
  expect(square.flows.size).toBe(2);
  const starts = edges(mirror, "gradient").filter(({ key }) => square.flows.has(key));
  const reads = edges(mirror, "flow").filter(({ seq }) => seq === square.seq);
  const xs = (list: number[]): number[] => list.sort((a, b) => a - b);
  expect(xs(starts.map(({ x1 }) => x1))).toEqual(xs(reads.map(({ x2 }) => -x2)));
});

test("an operator that cannot run fails where it stands, one never made in its block", () => {
  const b = new Builder("a loop that fails");
  b.program(1, "main");
  b.variable(1, "x", "D", [1]);
  const op = b.op(1, "relu", { X: "x" }, { Out: "y" });
  b.block(1, 1, 0);
  const x = { slot: "X", name: "x", shape: [1], dtype: "float32" };
  b.failed("relu", [x], "it is too large", 1, { op, block: 0 });
  b.failed("mul", [x], "it has no Y", 1, { block: 1 });
  const trace = traceOf(b.log);
  const { mirror, rows } = trace.programs.get(1)!;
  expect(mirror.nodesOf(`o:${op}`).map(({ failed }) => failed)).toEqual([
    b.log.events.findIndex(({ kind }) => kind === "op_failed"),
  ]);
  const shapes = mirror.nodes.map(({ shape, title }) => `${shape} ${title}`);
  expect(shapes).toEqual(["op relu", "leaf x", "failed mul"]);
  const failed = rows.filter(({ kind }) => kind === "failed");
  expect(failed.map(({ block, depth }) => [block, depth])).toEqual([[0, 0], [1, 1]]);
  expect(describe(trace, `o:${op}`, Infinity)?.message).toBe("it is too large");
  expect(describe(trace, `o:${op}`, 2)?.message).toBeUndefined();
});

test("updates that share a learning rate have one sign of it", () => {
  const mirror = main(fourLines());
  const updates = mirror.nodes.filter(({ shape }) => shape === "update");
  expect(updates).toHaveLength(2);
  expect(mirror.ratesAt(Infinity).map(({ name }) => name)).toEqual(["learning_rate_0"]);
  expect(edges(mirror, "flow").filter(({ chip }) => chip !== "")).toEqual([]);
});

test("an update off the tape shows that a learning rate has told it how far", () => {
  const shown = (attrs: Record<string, string>): string[] => {
    const b = new Builder("eager");
    const p = b.tensor("p", "P", [1]);
    const y = b.tensor("y", "T", [1]);
    const g = b.tensor("p.grad", "g", [1]);
    const node = b.node("square", [p], [y], []);
    b.backward("begin", [y]);
    b.grad(p, b.stats([1]), node);
    b.grad(p, b.stats([1]), undefined, true);
    b.node("sgd", [p, g], [p], [], { taped: false, attrs });
    return tape(b.log).ratesAt(Infinity).map(({ name }) => name);
  };
  expect(shown({ LearningRate: "0.1" })).toEqual(["learning_rate = 0.1"]);
  expect(shown({})).toEqual([]);
});

test("each residual block but the first sums two gradients", () => {
  expect(joins(tape(residual(6)))).toHaveLength(5);
});

test("a static sum op is the ⊕ it stands for", () => {
  const b = new Builder("fan-out");
  b.program(1, "main");
  for (const name of ["a", "x", "y", "z"]) b.variable(1, name, "T", [1]);
  const f = b.op(1, "tanh", { X: "a" }, { Out: "x" });
  const g = b.op(1, "relu", { X: "x" }, { Out: "y" });
  const h = b.op(1, "exp", { X: "x" }, { Out: "z" });
  const role = "backward";
  const parts = ["x@GRAD@RENAME@block0@0", "x@GRAD@RENAME@block0@1"];
  for (const name of [...parts, "x@GRAD", "a@GRAD"]) b.variable(1, name, "g", [1]);
  b.op(1, "exp_grad", {}, { "X@GRAD": parts[0] }, { role, twin: h });
  b.op(1, "relu_grad", {}, { "X@GRAD": parts[1] }, { role, twin: g });
  const sum = b.op(1, "sum", { X: parts }, { Out: "x@GRAD" }, { role });
  b.op(1, "tanh_grad", {}, { "X@GRAD": "a@GRAD" }, { role, twin: f });
  const mirror = main(b.log);
  expect(joins(mirror).map(({ key }) => key)).toEqual([`o:${sum}`]);
  const [tanh] = mirror.nodesOf(`o:${f}`);
  expect(joins(mirror)[0].x).toBe(-tanh.x);
});

test("what an op kept is a stub until its gradient comes, and ends when freed", () => {
  const log = mlp();
  const trace = traceOf(log);
  const [edge] = edges(trace.tape.mirror, "saved");
  const grad = log.events.find((e) => e.kind === "backward" && e.phase === "begin")!;
  expect(edge.reached).toBeGreaterThan(grad.seq);
  expect(edge.freed).toBeGreaterThan(edge.reached);
  expect(edge.freed).toBeLessThan(log.events.length);
});

test("after a pass, the next forward begins under it and reads its leaves anew", () => {
  const mirror = tape(mlp({ steps: 3 }));
  const inputs = mirror.nodes.filter((node) => node.title === "x");
  expect(inputs).toHaveLength(3);
  const tops = inputs.map(({ y }) => y);
  const lowest = mirror.nodes.filter((node) => node.title === "reduce_mean");
  expect(tops[1]).toBeGreaterThan(lowest[0].y);
  expect(tops[2]).toBeGreaterThan(lowest[1].y);
});

test("folding further moves nothing that is there", () => {
  const log = mlp({ steps: 4 });
  const half = { ...log, events: log.events.slice(0, 150) };
  const place = ({ x, y, key }: MirrorNode): [string, number, number] => [key, x, y];
  const before = tape(half).nodes.map(place);
  expect(tape(log).nodes.slice(0, before.length).map(place)).toEqual(before);
});

test("an eager op that failed stands under what it read", () => {
  const mirror = tape(failingEager());
  const failed = mirror.nodes.find((node) => node.shape === "failed")!;
  const read = mirror.nodes.find((node) => node.title === "scale")!;
  expect(failed.y).toBeGreaterThan(read.y);
});

test("ten thousand ops in a row fold without recursion", () => {
  const mirror = main(longProgram(10_000));
  expect(mirror.nodes.filter((node) => node.shape === "op")).toHaveLength(20_000);
  note("chain-rows", mirror.layout.lowest, { bar: 10_000, atLeast: true });
  expect(mirror.layout.lowest).toBe(10_000);
});

test("a mask that every block reads is an edge once, then a pin", () => {
  const mirror = main(transformer(6));
  const nodes = mirror.nodes.filter(({ key }) => key.endsWith(":mask"));
  expect(nodes.map(({ shape }) => shape)).toEqual(["leaf", ...Array(5).fill("pin")]);
  for (const { shape, y, op } of nodes) {
    if (shape === "pin") expect(Math.abs(y - mirror.ops[op].y)).toBeLessThan(ROW);
  }
});

test("gradient ops of one forward op share a box, and zeros have none", () => {
  const b = new Builder("an array");
  b.program(1, "main");
  b.variable(1, "x", "T", [1]);
  b.variable(1, "array", "T", [1]);
  const made = b.op(1, "create_array", {}, { Out: "array" });
  const op = b.op(1, "write_to_array", { X: "x", Array: "array" }, { Out: "written" });
  const role = "backward";
  const given = { Out: "written@GRAD" };
  b.op(1, "array_zeros_like", { X: "written" }, given, { role, twin: op });
  const reads = { X: "written@GRAD" };
  b.op(1, "read_from_array", reads, { Out: "x@GRAD" }, { role, twin: op });
  const away = b.op(1, "write_away", reads, { Out: "array@GRAD" }, { role, twin: op });
  const mirror = main(b.log);
  expect(titles(mirror, 1)).toEqual(["op read_from_array", "leaf x", "leaf create_array"]);
  const [box] = mirror.nodesOf(`o:${away}`);
  expect(box.title).toBe("read_from_array");
  // What nothing made is given its gradient where it was created.
  const [creator] = mirror.nodesOf(`o:${made}`);
  expect(mirror.nodes.at(-1)).toMatchObject({ x: -creator.x, y: creator.y });
});

test("a pin's gradient is a pin at the mirror image", () => {
  const b = new Builder("shared");
  b.program(1, "main");
  b.variable(1, "w", "P", [1]);
  b.variable(1, "x0", "D", [1]);
  const ops: number[] = [];
  for (let i = 0; i < 12; i++) {
    b.variable(1, `x${i + 1}`, "T", [1]);
    const inputs = i === 0 || i === 11 ? { X: `x${i}`, Y: "w" } : { X: `x${i}` };
    ops.push(b.op(1, i === 0 || i === 11 ? "mul" : "exp", inputs, { Out: `x${i + 1}` }));
  }
  const role = "backward";
  b.variable(1, "w@GRAD", "g", [1]);
  const outputs = { "Y@GRAD": "w@GRAD" };
  b.op(1, "mul_grad", {}, outputs, { role, twin: ops[11] });
  const mirror = main(b.log);
  const pins = mirror.nodes.filter(({ shape }) => shape === "pin");
  const read = pins.filter(({ side }) => side < 0);
  const given = pins.filter(({ side }) => side > 0);
  expect(read.map(({ op }) => op)).toEqual([0, 11]);
  // The whole is beside its first reader, the part that came from the last one there.
  const places = given.map(({ key, x, y }) => [key, -x, y]);
  expect(places).toEqual([
    ["v:1:0:w@GRAD", read[0].x, read[0].y],
    ["v:1:0:w@GRAD", read[1].x, read[1].y],
  ]);
});

test("ops recorded by a reverse pass stand in a lane of their own, under the user's", () => {
  const mirror = tape(twiceDifferentiated());
  const second = mirror.regions.find(({ what }) => what === "second")!;
  const isSecond = ({ spot }: MirrorNode): boolean => spot.row >= second.first;
  const forward = mirror.ops.filter(({ tone }) => tone === "op");
  const recorded = mirror.ops.filter(({ tone }) => tone === "grad");
  expect(recorded).toHaveLength(6);
  expect(recorded.every(isSecond)).toBe(true);
  expect(forward.slice(0, 5).some(isSecond)).toBe(false);
  const widest = Math.max(...forward.map(({ spot }) => spot.slot));
  expect(mirror.widest).toBeLessThanOrEqual(widest + 2);
});

test("a gradient that comes to what ran off the tape has a leaf to end in", () => {
  const b = new Builder("made");
  const [x, y] = [b.tensor("x", "T", [1]), b.tensor("y", "T", [1])];
  b.node("gaussian_random", [], [x], [], { taped: false });
  const square = b.node("square", [x], [y], []);
  b.grad(x, b.stats([1]), square);
  const trace = traceOf(b.log);
  const [end] = trace.tape.mirror.nodesOf(`gt:${x}`);
  const [made] = trace.tape.mirror.nodesOf(trace.tape.tensors.get(x)!.producer!.key);
  expect([end.shape, end.x, end.y]).toEqual(["leaf", -made.x, made.y]);
});

test("gradients that two passes bring are no sum, but for a leaf's", () => {
  const b = new Builder("twice");
  const [x, y] = [b.tensor("x", "P", [1]), b.tensor("y", "T", [1])];
  const first = b.node("square", [x], [y], []);
  const ends = ["exp", "tanh"].map((type) => {
    const end = b.tensor(type, "T", [1]);
    return [end, b.node(type, [y, x], [end], [])];
  });
  for (const [end, node] of ends) {
    b.backward("begin", [end]);
    for (const tensor of [x, y]) b.grad(tensor, b.stats([1]), node);
    b.grad(x, b.stats([1]), first);
    b.backward("end", [end]);
  }
  const mirror = tape(b.log);
  const sums = joins(mirror).filter(({ sign }) => sign === "sum");
  expect(sums.map(({ key }) => key)).toEqual([`gt:${x}`]);
});

test("what `grad` returns is a tensor of its own, in no sum with `.grad`", () => {
  const b = new Builder("asked");
  const [x, y] = [b.tensor("x", "leaf", [1]), b.tensor("y", "T", [1])];
  const square = b.node("square", [x], [y], ["X"]);
  b.backward("begin", [y]);
  const result = b.asked(x, [1]);
  b.grad(y, b.stats([1]));
  b.grad(x, b.stats([1], 5), square);
  b.backward("end", [y]);
  const asked = traceOf(b.log);
  expect(asked.tape.tensors.get(x)!.gradient.length).toBe(0);
  expect(describe(asked, `gn:${square}`, b.log.events.length)!.consumers).toEqual([
    { key: `t:${result}`, label: "grad of x", tone: "g" },
  ]);
  b.rename(result, "dx");
  b.backward("begin", [y]);
  b.grad(y, b.stats([1]));
  b.grad(x, b.stats([1], 7), square);
  b.backward("end", [y]);
  const trace = traceOf(b.log);
  const { mirror } = trace.tape;
  expect(joins(mirror)).toEqual([]);
  const [[own], [kept]] = [mirror.nodesOf(`t:${result}`), mirror.nodesOf(`gt:${x}`)];
  const [leaf] = mirror.nodesOf(`t:${x}`);
  expect([own.side, own.x, own.y]).toEqual([1, -leaf.x, leaf.y]);
  expect([kept.side, kept.y]).toEqual([1, leaf.y]);
  expect(kept.x).toBeGreaterThan(own.x);
  const { length } = b.log.events;
  const entity = describe(trace, `t:${result}`, length)!;
  expect([entity.name, entity.role, entity.twin?.key]).toEqual(["dx", "gradient", `t:${x}`]);
  expect(entity.producers.map(({ key }) => key)).toEqual([`gn:${square}`]);
  expect(entity.value).toBeDefined();
  expect(describe(trace, `gt:${x}`, length)!.name).toBe("x.grad");
});

test("what `grad` returns of a tensor on the way stands beside its gradient op", () => {
  const b = new Builder("asked");
  const [x, h, y] = ["x", "h", "y"].map((name) => b.tensor(name, name === "x" ? "leaf" : "T", [1]));
  const [first, second] = [b.node("square", [x], [h], []), b.node("exp", [h], [y], [])];
  b.backward("begin", [y]);
  const [dh, dx] = [b.asked(h, [1]), b.asked(x, [1])];
  b.grad(y, b.stats([1]));
  b.grad(h, b.stats([1]), second);
  b.grad(x, b.stats([1]), first);
  b.backward("end", [y]);
  const names = { key: () => "", title: () => "", wire: () => "" };
  for (const mirror of [tape(b.log), new FoldedPicture(tape(b.log), [], names).follow()]) {
    const [[before], [after], [op]] = [`t:${dx}`, `t:${dh}`, `gn:${first}`].map((key) =>
      mirror.nodesOf(key).filter(({ side }) => side > 0),
    );
    expect(after.y).toBe(op.y);
    expect(after.x).toBeGreaterThan(op.x);
    expect([before.x, before.y < op.y]).toEqual([op.x, true]);
  }
});

test("what a pass adds to a gradient from before is a sum, at its pin too", () => {
  for (const accumulates of [false, true]) {
    const b = new Builder("accumulated");
    const [w, y] = [b.tensor("w", "P", [1]), b.tensor("y", "T", [1])];
    const square = b.node("square", [w], [y], []);
    b.backward("begin", [y]);
    b.grad(y, b.stats([1]));
    b.grad(w, b.stats([1]), square);
    b.backward("end", [y]);
    if (accumulates) b.grad(w, b.stats([1]), undefined, true);
    const sums = joins(tape(b.log)).map(({ sign, key }) => `${sign} ${key}`);
    expect(sums).toEqual(accumulates ? [`sum gt:${w}`] : []);
  }
});

test("what runs off the tape is one region, and a hook is at its gradient", () => {
  const mirror = tape(twiceDifferentiated());
  const [off] = mirror.regions.filter(({ what }) => what === "untaped");
  expect(off.last - off.first).toBe(1);
  const [hook] = joins(mirror).filter(({ sign }) => sign === "hook");
  const y = mirror.ops.find(({ title, untaped }) => title === "reduce_sum" && !untaped)!;
  expect(hook.x).toBeGreaterThan(0);
  expect(hook.y).toBeLessThan(y.y);
});

test("a value that stops the gradient has a bar under its op, once it is read", () => {
  const b = new Builder("detached");
  const x = b.tensor("x", "P", [1]);
  const out = b.tensor("y", "T", [1], true);
  b.node("assign", [x], [out], []);
  expect(joins(tape(b.log))).toEqual([]);
  b.node("scale", [out], [b.tensor("z", "T", [1])], []);
  b.node("relu", [out], [b.tensor("r", "T", [1])], []);
  expect(joins(tape(b.log)).map(({ sign }) => sign)).toEqual(["stop"]);
});

test("what is detached stands beside its source's lane, at the end of a dashed line", () => {
  const b = new Builder("detached");
  const x = b.tensor("x", "leaf", [1]);
  const h = b.tensor("h", "T", [1]);
  b.node("scale", [x], [h], []);
  const y = b.tensor("y", "D", [1]);
  b.change(y, "detached", String(h));
  const out = b.tensor("out", "T", [1]);
  b.node("elementwise_mul", [h, y], [out], ["X", "Y"]);
  const trace = traceOf(b.log);
  const { mirror } = trace.tape;
  const cut = edges(mirror, "flow").filter(({ label }) => label === "detached");
  const node = (title: string): MirrorNode => mirror.nodes.find((one) => one.title === title)!;
  const [scale, leaf, multiply] = [node("scale"), node("y"), node("elementwise_mul")];
  expect(cut.map(({ x1, x2 }) => [x1, x2])).toEqual([[scale.x, leaf.x]]);
  expect([scale.y < leaf.y, leaf.y < multiply.y]).toEqual([true, true]);
  expect(multiply.x).toBe(scale.x);
  expect(leaf.x).not.toBe(scale.x);
  const shapes = scene(mirror, { x: 0, y: leaf.y, scale: 1 }, { width: 900, height: 900 }, look(trace));
  const curves = shapes.filter((shape) => shape.kind === "curve");
  expect(curves.filter(({ dashed }) => dashed).map(({ key }) => key)).toEqual([`t:${y}`]);
  const entity = describe(trace, `t:${y}`, Infinity)!;
  expect(entity.producers.map(({ label }) => label)).toEqual(["h"]);
  expect(entity.facts).toContainEqual(["detached from", "h"]);
});

test("a schedule has one learning rate at a time, two optimizers have two", () => {
  const b = new Builder("rates");
  const [v, w] = [b.tensor("v", "P", [1], false), b.tensor("w", "P", [1], false)];
  const marks: number[] = [];
  const step = (rate: string, parameter: number): void => {
    const loss = b.tensor("", "T", []);
    const gradient = b.tensor("", "g", [1]);
    const node = b.node("square", [parameter], [loss], ["X"]);
    b.backward("begin", [loss]);
    b.grad(parameter, b.stats([1], 1), node);
    b.grad(parameter, b.stats([1], 1), undefined, true);
    b.backward("end", [loss]);
    b.node("sgd", [parameter, gradient], [parameter], [], { taped: false, attrs: { LearningRate: rate } });
    marks.push(b.log.events.length);
  };
  for (const rate of ["0.1", "0.05", "0.1", "0.2"]) step(rate, v);
  step("0.05", w);
  step("0.2", w);
  const mirror = tape(b.log);
  const told = marks.map((at) => mirror.ratesAt(at).map(({ name }) => name.replace(/.* = /, "")));
  expect(told).toEqual([["0.1"], ["0.05"], ["0.1"], ["0.2"], ["0.2", "0.05"], ["0.2"]]);
});

test("what is detached inside of a box leaves it by a dashed line", () => {
  const b = new Builder("detached");
  const x = b.tensor("x", "leaf", [1]);
  const [h, fake] = [b.tensor("", "T", [1]), b.tensor("fake", "T", [1])];
  b.node("scale", [x], [h], [], { scope: "G" });
  b.node("relu", [h], [fake], [], { scope: "G" });
  const y = b.tensor("", "D", [1]);
  b.change(y, "detached", String(fake));
  for (const read of [y, fake]) {
    const [inside, out] = [b.tensor("", "T", [1]), b.tensor("", "T", [1])];
    b.node("matmul", [read], [inside], ["X"], { scope: "D" });
    b.node("tanh", [inside], [out], ["X"], { scope: "D" });
    b.node("mean", [out], [b.tensor("", "T", [])], ["X"]);
  }
  const trace = traceOf(b.log);
  const folding = new Folding("tape", trace.tape.mirror);
  folding.closeAll();
  const { picture } = folding;
  const shapes = scene(picture, { x: 0, y: 0, scale: 1 }, { width: 900, height: 2000 }, look(trace));
  const curves = shapes.filter((shape) => shape.kind === "curve");
  const leaving = curves.filter(({ key }) => [`t:${y}`, `t:${fake}`].includes(key));
  const looks = leaving.map(({ key, dashed }) => [key, dashed]);
  expect(looks).toEqual([[`t:${y}`, true], [`t:${fake}`, false]]);
});

test("a tensor detached before anybody reads its source is data, without a line", () => {
  const b = new Builder("detached first");
  const x = b.tensor("x", "leaf", [1]);
  const y = b.tensor("y", "D", [1]);
  b.change(y, "detached", String(x));
  b.node("relu", [y], [b.tensor("out", "T", [1])], []);
  const { mirror } = traceOf(b.log).tape;
  expect(edges(mirror, "flow").map(({ label }) => label)).toEqual(["y"]);
});
