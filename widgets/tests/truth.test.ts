/** What a picture must say as it is: leaves, gradients that are read, frames, counts. */
import { describe as suite, expect, test } from "vitest";
import { FIXTURES } from "../fixtures";
import { Builder } from "../fixtures/builder";
import { smallText } from "../src/text";
import { caption } from "../src/state/caption";
import { describe } from "../src/state/entity";
import { pointOn, route, scene, sizeOf, type Backdrop, type Box } from "../src/draw/scene";
import { isData, type Mirror, type MirrorNode } from "../src/state/mirror";
import type { Picture } from "../src/state/picture";
import { Folding } from "../src/state/folding";
import type { Trace } from "../src/state/trace";
import { look } from "./look";
import { traceOf } from "./trace";

const NEAR = { x: 0, y: 0, scale: 1 };
const ALL = { width: 4000, height: 4000 };
const shapes = (mirror: Mirror, side: number): string[] =>
  mirror.nodes
    .filter((node) => node.side === side)
    .map(({ shape, tone, key }) => `${shape} ${tone} ${key}`);

function loop(rounds: number): Builder {
  const b = new Builder("a plain loop");
  const x = b.tensor("x", "D", [3]);
  let w = b.tensor("w", "T", [3], true);
  b.node("gaussian_random", [], [w], [], { taped: false });
  for (let round = 0; round < rounds; round++) {
    b.change(w, "stop_gradient", "False");
    const [product, loss] = [b.tensor("", "T", [3]), b.tensor("loss", "T", [])];
    const mul = b.node("elementwise_mul", [w, x], [product], ["X", "Y"]);
    const sum = b.node("reduce_sum", [product], [loss], []);
    b.backward("begin", [loss]);
    b.grad(loss, b.stats([]));
    b.grad(product, b.stats([3]), sum);
    b.grad(w, b.stats([3]), mul);
    b.backward("end", [loss]);
    const g = b.gradientOf(w, [3]);
    const [step, next] = [b.tensor("", "T", [3], true), b.tensor("w", "T", [3], true)];
    b.node("scale", [g], [step], [], { taped: false });
    b.node("elementwise_sub", [w, step], [next], [], { taped: false });
    w = next;
  }
  return b;
}

suite("a leaf that an op made", () => {
  const trace = traceOf(loop(3).log);
  const { mirror } = trace.tape;

  test("stands under that op, and has a gradient across", () => {
    const [leaf] = mirror.nodes.filter(({ tone }) => tone === "leaf");
    const [maker] = mirror.ops;
    expect(leaf.y).toBeGreaterThan(maker.y);
    const [gradient] = mirror.nodesOf(leaf.key.replace("t:", "gt:"));
    expect([gradient.shape, gradient.x, gradient.y]).toEqual(["leaf", -leaf.x, leaf.y]);
    const from = mirror.edges.all.filter(({ key, from }) => key === leaf.key && from === 0);
    expect(from.length).toBeGreaterThan(0);
  });

  test("what reads its gradient shows whose it is, and no unnamed data", () => {
    const pins = mirror.nodes.filter(({ shape, side }) => shape === "pin" && side < 0);
    expect(pins.map(({ tone }) => tone)).toEqual(["g", "g", "g"]);
    for (const { key } of pins) {
      const [from] = describe(trace, key, trace.length)!.producers;
      expect(mirror.nodesOf(from.key).some(({ side }) => side > 0)).toBe(true);
    }
    expect(pins[0].title).toBe("w.grad");
  });

  test("what a hook reads is the gradient as it was before the hook", () => {
    const b = new Builder("halved");
    const [w, y] = [b.tensor("w", "leaf", []), b.tensor("y", "T", [])];
    const square = b.node("square", [w], [y], []);
    b.backward("begin", [y]);
    b.grad(y, b.stats([]));
    const [before, after] = [b.stats([]), b.stats([])];
    b.grad(w, before, square);
    const read = b.gradientOf(w, []);
    const half = b.tensor("", "g", []);
    b.node("scale", [read], [half], [], { order: 2 });
    b.grad(w, after, undefined, true);
    b.backward("end", [y]);
    const traced = traceOf(b.log);
    const pin = traced.tape.mirror.nodes.find(({ shape }) => shape === "pin")!;
    const shown = caption(traced, pin, traced.length);
    expect([shown.title, shown.detail]).toEqual(["w.grad", smallText(before)]);
    expect(smallText(before)).not.toBe(smallText(after));
  });

  test("its loop's rounds run downwards", () => {
    const rows = mirror.ops.map(({ spot }) => spot.row);
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
  });
});

test("a leaf by hand is no data, and data that is closed again is", () => {
  const b = new Builder("roles");
  const x = b.tensor("x", "leaf", [1]);
  const y = b.tensor("y", "T", [1]);
  b.node("scale", [x], [y], []);
  b.change(x, "stop_gradient", "True");
  b.node("exp", [x], [b.tensor("z", "T", [1], true)], [], { taped: false });
  const { tape } = traceOf(b.log);
  expect(tape.mirror.nodesOf(`t:${x}`).map(({ tone }) => tone)).toEqual(["leaf", "D"]);
});

test("a parameter is a pin of each op that reads it, and a buffer by its letter", () => {
  const b = new Builder("pins");
  const [x, w, m] = [b.tensor("x", "D", [2]), b.tensor("w", "P", [2]), b.tensor("m", "B", [2])];
  const [y, z] = [b.tensor("", "T", [2]), b.tensor("", "T", [2])];
  b.node("batch_norm", [x, w, m], [m, y], []);
  b.node("elementwise_mul", [y, w], [z], []);
  const { mirror } = traceOf(b.log).tape;
  expect(shapes(mirror, -1)).toEqual([
    "op op n:5",
    "leaf D t:0",
    "pin P t:1",
    "pin B t:2",
    "op op n:6",
    "pin P t:1",
  ]);
  expect(mirror.widest).toBeLessThanOrEqual(2);
});

function branches(): Builder {
  const b = new Builder("branches");
  b.program(1, "main");
  b.block(1, 0, -1);
  b.variable(1, "x", "D", [1]);
  b.variable(1, "c", "T", [1]);
  b.variable(1, "n", "T", [1]);
  b.op(1, "less_than", { X: "x" }, { Out: "c" });
  ["yes", "no"].forEach((name, index) => {
    const [block, cond] = [index + 1, index === 0 ? "c" : "n"];
    if (index === 1) b.op(1, "logical_not", { X: "c" }, { Out: "n" });
    b.variable(1, name, "T", [1]);
    b.block(1, block, 0);
    b.variable(1, `${name}.t`, "T", [1], block);
    b.op(1, "scale", { X: "x" }, { Out: `${name}.t` }, { block });
    b.op(1, "assign", { X: `${name}.t` }, { Out: name }, { block });
    const attrs = { sub_block: String(block) };
    b.op(1, "conditional_block", { Cond: cond, Input: "x" }, { Out: name }, { attrs });
  });
  return b;
}

test("branches are frames with titles, their last write joined to the result", () => {
  const { mirror } = traceOf(branches().log).programs.get(1)!;
  const frames = mirror.regions.filter(({ what }) => what === "block");
  expect(frames.map(({ frame }) => frame!.title)).toEqual(["true branch", "false branch"]);
  for (const { first, last } of frames) {
    const inside = mirror.ops.filter(({ spot }) => spot.row > first && spot.row <= last);
    expect(inside.map(({ title }) => title)).toEqual(["scale", "assign"]);
  }
  const ends = mirror.edges.all.map(({ from, to }) =>
    [from, to].map((op) => mirror.ops[op]?.title ?? "data").join(" "),
  );
  expect(ends.filter((pair) => pair === "assign conditional_block")).toHaveLength(2);
});

test("from afar a frame goes around its boxes, not around pins that nobody sees there", () => {
  const b = new Builder("a block with a parameter");
  b.program(1, "main");
  for (const name of ["x", "c", "y"]) b.variable(1, name, "T", [1]);
  b.variable(1, "w", "P", [1]);
  b.op(1, "less_than", { X: "x" }, { Out: "c" });
  b.block(1, 1, 0);
  b.op(1, "mul", { X: "x", Y: "w" }, { Out: "y" }, { block: 1 });
  const attrs = { sub_block: "1" };
  b.op(1, "conditional_block", { Cond: "c", Input: "x" }, { Out: "y" }, { attrs });
  const trace = traceOf(b.log);
  const { mirror } = trace.programs.get(1)!;
  const reaches = (scale: number): [number, number] => {
    const shapes = scene(mirror, { ...NEAR, scale }, ALL, look(trace));
    const frame = shapes.find((shape) => shape.kind === "backdrop" && shape.what === "block");
    const boxes = shapes.filter((shape) => shape.kind === "box");
    return [(frame as Backdrop).x, Math.min(...boxes.map((box) => (box as Box).x))];
  };
  const [[near, pins], [far, ops]] = [reaches(1), reaches(0.4)];
  expect(pins).toBeLessThan(ops);
  for (const [frame, inside] of [[near, pins], [far, ops]]) {
    expect(inside - frame).toBeGreaterThan(0);
    expect(inside - frame).toBeLessThan(40);
  }
});

suite("a tensor that is overwritten in place", () => {
  const computed = { first: [1, 3], min: 1, max: 3 };
  const written = { first: [5, 5], min: 5, max: 5 };
  const overwritten = (b: Builder, tensor: number): void => {
    b.change(tensor, "overwritten", "");
    b.value(tensor, { ...b.stats([2]), ...written });
  };
  const signs = (trace: Trace, position?: number): string[] => {
    const shapes = scene(trace.tape.mirror, NEAR, ALL, look(trace, position));
    return shapes.flatMap((shape) =>
      shape.kind === "mark" && shape.sign === "set" && shape.state !== "future" ? shape.key : [],
    );
  };

  test("its operator shows what it computed, and a sign under it what is there now", () => {
    const b = new Builder("set_value");
    const [x, w, y] = [b.tensor("x", "D", [2]), b.tensor("w", "T", [2]), b.tensor("y", "T", [2])];
    const sub = b.node("elementwise_sub", [x], [w], []);
    b.value(w, { ...b.stats([2]), ...computed });
    const before = b.log.events.length;
    overwritten(b, w);
    b.node("scale", [w], [y], []);
    const trace = traceOf(b.log);
    const texts = (position: number): string[] => {
      const shapes = scene(trace.tape.mirror, NEAR, ALL, look(trace, position));
      return shapes.flatMap((shape) => (shape.kind === "label" ? shape.text : []));
    };
    const [node] = trace.tape.mirror.nodesOf(`n:${sub}`);
    for (const position of [before, trace.length]) {
      expect(caption(trace, node, position).detail).toBe("w = [1, 3]");
      expect(describe(trace, `n:${sub}`, position)?.value?.first).toEqual([1, 3]);
    }
    expect(describe(trace, `t:${w}`, before)?.value?.first).toEqual([1, 3]);
    expect(describe(trace, `t:${w}`, trace.length)?.value?.first).toEqual([5, 5]);
    expect([before, trace.length].map((position) => signs(trace, position))).toEqual([[], [`t:${w}`]]);
    expect(texts(trace.length)).toContain("[5, 5]");
    expect(texts(before)).not.toContain("[1, 3]");
  });

  test("a parameter has the sign where it is first read", () => {
    const b = new Builder("set_value");
    const [w, y] = [b.tensor("w", "P", [2]), b.tensor("y", "T", [2])];
    overwritten(b, w);
    overwritten(b, w);
    b.node("scale", [w], [y], []);
    expect(signs(traceOf(b.log))).toEqual([`t:${w}`]);
  });

  test("its operator is not to blame for a NaN that was written there", () => {
    const b = new Builder("set_value");
    const [x, w] = [b.tensor("x", "D", [2]), b.tensor("w", "T", [2])];
    const node = b.node("scale", [x], [w], []);
    b.change(w, "overwritten", "");
    b.value(w, { ...b.stats([2]), nan: 1 });
    const trace = traceOf(b.log);
    expect(trace.troubles.map(({ key }) => key)).toEqual([`t:${w}`]);
    expect(trace.isBad(`n:${node}`, trace.length)).toBe(false);
  });
});

suite("a reverse pass", () => {
  const signsOf = (stops: boolean): [string[], number] => {
    const b = new Builder("backward");
    const [x, y] = [b.tensor("x", stops ? "D" : "leaf", [1]), b.tensor("loss", "T", [], stops)];
    const node = b.node("reduce_sum", [x], [y], [], { taped: !stops });
    b.backward("begin", [y]);
    if (!stops) {
      b.grad(y, b.stats([]));
      b.grad(x, b.stats([1]), node);
    }
    b.backward("end", [y]);
    const trace = traceOf(b.log);
    const shapes = scene(trace.tape.mirror, NEAR, ALL, look(trace));
    const said = shapes.flatMap((shape) => (shape.kind === "mark" ? shape.sign : shape.kind === "label" ? shape.text : []));
    return [said, trace.tape.barren.length];
  };

  test("that had nothing to do says so at its root", () => {
    const [said, count] = signsOf(true);
    expect(said).toEqual(expect.arrayContaining(["none", "no gradient: nothing here requires one"]));
    expect(said).not.toContain("seed");
    expect(count).toBe(1);
  });

  test("that gave gradients does not", () => {
    const [said, count] = signsOf(false);
    expect(said).toContain("seed");
    expect(said).not.toContain("none");
    expect(count).toBe(0);
  });
});

test("what a reverse pass computes a second time is called that, and gradients are called gradients", () => {
  const b = new Builder("recompute");
  b.begin(["loss = recompute(net, x)", "loss.backward()"]);
  const [x, y, z] = [b.tensor("x", "leaf", [1]), b.tensor("y", "T", []), b.tensor("", "T", [])];
  b.at(1);
  b.node("reduce_sum", [x], [y]);
  b.at(2);
  b.backward("begin", [y]);
  for (const scope of ["forward again/net", "forward again", "fit/forward again/net/0", undefined, "again"]) {
    b.node("reduce_sum", [x], [z], [], { order: 2, ...(scope !== undefined && { scope }) });
  }
  b.backward("end", [y]);
  const { items } = traceOf(b.log).tape.mirror;
  expect(items.slice(1).map(({ scope }) => scope[0])).toEqual([
    ...Array(3).fill("forward again, line 2"),
    ...Array(2).fill("gradients, line 2"),
  ]);
});

test("from afar, where no pins are seen, what reads a parameter has its letter", () => {
  const b = new Builder("a layer");
  const [x, w, y, z] = ["x", "w", "y", "z"].map((name, i) => b.tensor(name, "DPTT"[i] as "D", [1]));
  const mul = b.node("mul", [x, w], [y], []);
  const relu = b.node("relu", [y], [z], []);
  b.backward("begin", [z]);
  b.grad(z, b.stats([1]));
  b.grad(y, b.stats([1]), relu);
  b.grad(w, b.stats([1]), mul);
  b.backward("end", [z]);
  const trace = traceOf(b.log);
  const pinned = (scale: number, position?: number): Record<string, string> => {
    const shapes = scene(trace.tape.mirror, { ...NEAR, scale }, ALL, look(trace, position));
    const boxes = shapes.flatMap((shape) => (shape.kind === "box" && shape.pinned ? [shape] : []));
    return Object.fromEntries(boxes.map(({ node, pinned }) => [node.key, pinned!]));
  };
  expect(pinned(1)).toEqual({});
  expect(pinned(0.4)).toEqual({ [`n:${mul}`]: "P", [`gn:${mul}`]: "g" });
  expect(pinned(0.4, trace.tape.nodes.get(mul)!.seq)).toEqual({});
});

test.each([["a", "b"], ["b", "a"]])("leaves stand in the order in which an operator is given %s and %s", (...given) => {
  const b = new Builder("order");
  const [one, other] = given.map((name) => b.tensor(name, "leaf", [1]));
  const [h, y, c, z] = ["h", "y", "c", "z"].map((name) => b.tensor(name, name === "c" ? "D" : "T", [1]));
  b.node("elementwise_sub", [one, other], [h]);
  b.node("elementwise_sub", [c, h], [y]);
  b.node("elementwise_mul", [c, c], [z]);
  const { mirror } = traceOf(b.log).tape;
  const xOf = (id: number): number => mirror.nodesOf(`t:${id}`)[0].x;
  expect(xOf(one)).toBeLessThan(xOf(other));
  const ends = mirror.edges.all.filter(({ to }) => to === 0).toSorted((x, y) => x.x2 - y.x2);
  expect(ends.map(({ key }) => key)).toEqual([`t:${one}`, `t:${other}`]);
  // A new leaf beside what was computed leaves that its lane.
  expect(xOf(c)).toBeLessThan(mirror.ops[1].x);
});

test("an infinity on purpose is no trouble, what it makes is", () => {
  const troubles = (attrs: Record<string, string>, nan: number): string[] => {
    const b = new Builder("mask");
    const [mask, x] = [b.tensor("mask", "T", [1], true), b.tensor("x", "D", [1])];
    const inf = { ...b.stats([1]), inf: 1 };
    b.node("fill_constant", [], [mask], [], { taped: false, attrs });
    b.value(mask, inf);
    const [sum, log] = [b.tensor("sum", "T", [1]), b.tensor("log", "T", [1])];
    b.node("elementwise_add", [x, mask], [sum], []);
    b.value(sum, { ...inf, nan });
    b.node("log", [x], [log], []);
    b.value(log, inf);
    return traceOf(b.log).troubles.map(({ key }) => key);
  };
  expect(troubles({ value: "-inf" }, 0)).toEqual(["t:4"]);
  expect(troubles({ value: "-inf" }, 1)).toEqual(["t:3", "t:4"]);
});

test("a line's count is exact, or said to be about so many", () => {
  const b = new Builder("counts");
  b.begin(["x", "y"]);
  b.at(1);
  b.at(1);
  b.starts(1, 60);
  b.ended({ "1": 75 });
  const trace = traceOf(b.log);
  const told = (at: number): string =>
    `${trace.runs(0, 1, at)}${trace.isAbout(0, 1, at) ? " about" : ""}`;
  expect([2, 3, 4, trace.length].map(told)).toEqual(["1", "2 about", "60 about", "75"]);
});

test("a return is no start; without markers a count is about so many", () => {
  const b = new Builder("counts");
  b.begin(["def f(x): return x", "y = f(x) + f(x)"], "cell", true);
  const op = (line: number): void => {
    if (line > 0) b.at(line);
    b.node("scale", [], [b.tensor("", "T", [])], []);
  };
  b.at(2);
  for (const line of [1, 0, 1]) op(line);
  b.end();
  const trace = traceOf(b.log);
  const { length } = trace;
  expect([trace.runs(0, 1, length), trace.runs(0, 2, length)]).toEqual([2, 1]);
  expect(trace.isAbout(0, 1, length)).toBe(true);
  expect(trace.steps.map(({ line }) => line)).toEqual([2, 1, 1]);
});

test("a body that a run does not enter shows no values of the run before", () => {
  const b = new Builder("runs");
  b.begin(["exe.run()"]);
  b.program(0, "main");
  b.at(1);
  b.variable(0, "i", "T", [1]);
  const begin = b.op(0, "fill_constant", {}, { Out: "i" });
  b.block(0, 1, 0);
  b.variable(0, "inside", "T", [1], 1);
  const inside = b.op(0, "scale", { X: "i" }, { Out: "inside" }, { block: 1 });
  b.op(0, "while", { X: "i" }, { Out: "i" });
  const ends = [2, 0, 1].map((rounds, run) => {
    b.run(0, run, "begin");
    b.runOp(run, begin, { i: b.stats([1], 1) });
    for (let round = 0; round < rounds; round++) b.runOp(run, inside, { inside: b.stats([1], 1) });
    b.run(0, run, "end");
    return b.log.events.length;
  });
  b.end();
  const trace = traceOf(b.log);
  const key = trace.programs.get(0)!.find(1, "inside")!.key;
  const shown = ends.map((at) => describe(trace, key, at)!);
  expect(shown.map(({ value }) => value !== undefined)).toEqual([true, false, true]);
  expect(shown.map(({ values }) => values!.length)).toEqual([2, 2, 3]);
  const outer = trace.programs.get(0)!.find(0, "i")!.key;
  expect(ends.map((at) => describe(trace, outer, at)!.value !== undefined)).toEqual([true, true, true]);
});

/** Every mirrored graph of a fixture, as it is, and with all groups closed. */
function pictures(trace: Trace): Picture[] {
  const mirrors = [trace.tape.mirror, ...[...trace.programs.values()].map((p) => p.mirror)];
  return mirrors.flatMap((mirror) => {
    const folding = new Folding("z", mirror);
    folding.closeAll();
    return [mirror, folding.picture];
  });
}

function covers(node: MirrorNode, x: number, y: number): boolean {
  const { width, height } = sizeOf(node);
  return Math.abs(x - node.x) < width / 2 - 1 && Math.abs(y - node.y) < height / 2 - 1;
}

const SMALL = Object.entries(FIXTURES).filter(([name]) => !/deep|thousand|hostile/.test(name));

test.each(SMALL)("%s: no edge runs behind a node that is not its end", (_, log) => {
  for (const picture of pictures(traceOf(log()))) {
    const nodes = picture.nodes.filter(({ shape }) => shape !== "seed" && shape !== "update");
    const behind: string[] = [];
    for (const edge of picture.edges.all) {
      if (edge.kind === "saved" || edge.chip !== "") continue;
      const points = route(edge);
      const ends = [points.slice(0, 2), points.slice(-2)];
      const isEnd = (node: MirrorNode): boolean =>
        ends.some(([x, y]) => {
          const { width, height } = sizeOf(node);
          return Math.abs(x - node.x) <= width / 2 + 1 && Math.abs(y - node.y) <= height / 2 + 13;
        });
      for (let at = 0; at + 7 < points.length; at += 6) {
        for (let step = 1; step < 12; step++) {
          const [x, y] = pointOn(points.slice(at, at + 8), step / 12);
          const met = nodes.find((node) => covers(node, x, y) && !isEnd(node));
          if (met !== undefined) behind.push(`${edge.kind} ${edge.key} behind ${met.shape} ${met.title}`);
        }
      }
    }
    expect([...new Set(behind)]).toEqual([]);
  }
});

test.each(SMALL)("%s: no two nodes overlap", (_, log) => {
  for (const { nodes } of pictures(traceOf(log()))) {
    const solid = nodes.filter(({ shape }) => shape !== "seed" && shape !== "update");
    const met = solid.flatMap((a, i) =>
      solid.slice(i + 1).flatMap((b) => {
        const [p, q] = [sizeOf(a), sizeOf(b)];
        const beside = Math.abs(a.x - b.x) >= (p.width + q.width) / 2;
        const apart = Math.abs(a.y - b.y) >= (p.height + q.height) / 2;
        return beside || apart ? [] : [`${a.title} ${b.title}`];
      }),
    );
    expect(met).toEqual([]);
  }
});

test("data is still data", () => {
  const { mirror } = traceOf(loop(1).log).tape;
  expect(mirror.nodes.filter(isData).map(({ title }) => title)).toEqual(["x"]);
});
