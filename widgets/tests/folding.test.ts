import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { diamond, residual } from "../fixtures/eager";
import { fourLines, longProgram } from "../fixtures/static";
import type { Log } from "../src/events";
import { ROW } from "../src/layout/geometry";
import { everyGroup } from "../src/layout/groups";
import { neighbour } from "../src/selection";
import { caption } from "../src/state/caption";
import { describe } from "../src/state/entity";
import { Folding, groupKey } from "../src/state/folding";
import type { MirrorNode, Picture } from "../src/state/picture";
import { traceOf } from "./trace";

function tape(log: Log): Folding {
  return new Folding("tape", traceOf(log).tape.mirror);
}

function main(log: Log): Folding {
  return new Folding("1", traceOf(log).programs.get(1)!.mirror);
}

const titles = (picture: Picture, side = -1): string[] =>
  picture.nodes.filter((node) => node.side === side).map(({ title }) => title);

const place = ({ key, x, y }: MirrorNode): string => `${key} ${x} ${y}`;

test("while nothing is closed the picture is the mirror itself", () => {
  const folding = tape(residual(4));
  expect(folding.picture).toBe(folding.mirror);
});

test("twelve equal blocks close into one box, and its mirror image", () => {
  const folding = tape(residual(12));
  folding.closeAll();
  const { picture } = folding;
  const groups = picture.nodes.filter(({ shape }) => shape === "group");
  expect(groups.map(({ side }) => side)).toEqual([-1, 1]);
  expect(groups[0].title).toBe("matmul_v2, relu, elementwise_add ×12");
  expect([groups[1].x, groups[1].y]).toEqual([-groups[0].x, groups[0].y]);
  expect(picture.lowest).toBeLessThan(3);
});

test("closing takes one level at a time, opening gives it back", () => {
  const folding = tape(residual(3));
  const [first] = folding.mirror.ops;
  const turn = folding.close(first.key)!;
  expect(folding.picture.nodesOf(turn)[0].title).toBe("matmul_v2, relu, elementwise_add");
  const all = folding.close(turn)!;
  expect(folding.picture.nodesOf(all)[0].title).toContain("×3");
  expect(folding.close(all)).toBeUndefined();
  folding.open(all);
  expect(titles(folding.picture).filter((title) => title === "relu")).toHaveLength(2);
  folding.openAll();
  expect(folding.picture).toBe(folding.mirror);
});

test("what is outside a closed group keeps its lane, and rows keep their order", () => {
  const folding = tape(diamond());
  const before = new Map(folding.mirror.nodes.map((node) => [node.key, node]));
  folding.closeAll();
  for (const node of folding.picture.nodes) {
    if (node.shape === "group") continue;
    expect(node.x).toBe(before.get(node.key)!.x);
    expect(node.y).toBeLessThanOrEqual(before.get(node.key)!.y);
  }
});

test("an edge into a group ends at its box, one inside it is gone", () => {
  const folding = main(longProgram(50));
  folding.closeAll();
  const { picture } = folding;
  const group = picture.nodes.find(({ shape }) => shape === "group")!;
  const edges = picture.edges.touching(-10, 1000);
  expect(edges.filter(({ kind }) => kind === "flow")).toHaveLength(1);
  const [flow] = edges.filter(({ kind }) => kind === "flow");
  expect(flow.y2).toBeLessThan(group.y);
  expect(flow.y2).toBeGreaterThan(group.y - ROW / 2);
  expect(edges.filter(({ kind }) => kind === "gradient").length).toBeLessThan(4);
});

test("to look for something inside a closed group opens what hides it", () => {
  const folding = tape(residual(5));
  folding.closeAll();
  const { key } = folding.mirror.ops[7];
  expect(folding.picture.nodesOf(key)).toEqual([]);
  folding.reveal(key);
  expect(folding.picture.nodesOf(key)).toHaveLength(1);
});

test("a layer is the ops that read its parameters", () => {
  const folding = main(fourLines());
  folding.close(folding.mirror.ops[0].key);
  expect(titles(folding.picture)).toEqual(["fc_0", "X", "reduce_mean"]);
});

test("one walks from a closed layer to what it reads and what reads it", () => {
  const log = fourLines();
  const trace = traceOf(log);
  const folding = new Folding("1", trace.programs.get(1)!.mirror);
  const layer = folding.close(folding.mirror.ops[0].key)!;
  const step = (key: string, way: "producer" | "consumer"): string =>
    folding.shownAs(neighbour(trace, key, way, Infinity)!);
  const name = (key: string): string | undefined => trace.row(key)?.row.key;
  expect(name(step(layer, "producer"))).toBe("v:1:0:X");
  const out = step(layer, "consumer");
  expect(out).toBe("v:1:0:fc_0.tmp_1");
  expect(step(out, "producer")).toBe(layer);
  expect(trace.row(step(out, "consumer"))?.row).toMatchObject({
    event: { type: "reduce_mean" },
  });
  const mirrored = `g${layer}`;
  expect(step(mirrored, "producer")).toBe("v:1:0:fc_0.tmp_1@GRAD");
});

test("more ops at the end move nothing that is folded", () => {
  const long = residual(9);
  const shorter = { ...long, events: long.events.slice(0, 60) };
  const [before, after] = [tape(shorter), tape(long)];
  for (const folding of [before, after]) folding.close(folding.mirror.ops[0].key);
  const places = new Set(after.picture.nodes.map(place));
  const kept = before.picture.nodes.map(place).filter((text) => places.has(text));
  expect(kept.length).toBeGreaterThan(8);
});

test("ten thousand ops fold", () => {
  const folding = main(longProgram(10_000));
  folding.closeAll();
  expect(folding.picture.nodes.length).toBeLessThan(8);
});

test("layers close where their boxes are then large enough for two lines, not for less", () => {
  const b = new Builder("layers");
  let x = b.tensor("x", "D", [1]);
  const run = (type: string, scope?: string): void => {
    const out = b.tensor("", "T", [1]);
    b.node(type, [x], [out], [], scope === undefined ? {} : { scope });
    x = out;
  };
  for (const scope of ["first", "second", "third", "fourth", "fifth"]) {
    for (const type of ["conv2d", "elementwise_add"]) run(type, scope);
    for (const type of ["relu", "pool2d"]) run(`${scope}_${type}`);
  }
  const opened = (rowsOfTwoLines: number): number => {
    const folding = tape(b.log);
    folding.settle(({ lowest }, _, near) => lowest <= (near === true ? rowsOfTwoLines : 30));
    return folding.picture.nodes.filter(({ shape }) => shape === "group").length;
  };
  expect(opened(30)).toBe(0);
  expect(opened(16)).toBe(5);
  expect(opened(6)).toBe(0);
});

test("a folded layer tells how many parameters it has, their shapes and their paths", () => {
  const b = new Builder("folded");
  const x = b.tensor("x", "D", [2, 3]);
  const weight = b.tensor("net.features.0.weight", "P", [3, 4]);
  const bias = b.tensor("net.features.0.bias", "P", [4]);
  const scope = "net/features/Linear_0";
  const product = b.tensor("", "T", [2, 4]);
  const out = b.tensor("out", "T", [2, 4]);
  b.node("matmul_v2", [x, weight], [product], ["X", "Y"], { scope });
  b.node("elementwise_add", [product, bias], [out], [], { scope });
  b.node("relu", [out], [b.tensor("y", "T", [2, 4])], ["Out"], { scope: "net" });
  const trace = traceOf(b.log);
  const { mirror } = trace.tape;
  const group = [...everyGroup(mirror.groups)].find(({ title }) => title === "Linear_0")!;
  const key = groupKey("tape", group);
  const node = { ...mirror.ops[0], key, shape: "group" as const };
  expect(caption(trace, node, trace.length).details).toEqual([
    "2 operators · P [3, 4] [4]",
    "2 operators · 2 parameters",
  ]);
  expect(describe(trace, key, trace.length)!.facts.slice(-2)).toEqual([
    ["net.features.0.weight", "[3, 4]"],
    ["net.features.0.bias", "[4]"],
  ]);
});
