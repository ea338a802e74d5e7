import { expect, test } from "vitest";
import { groupsOf, type Group, type Item } from "../src/layout/groups";
import { closedToFit } from "../src/layout/levels";
import { withLines } from "../src/layout/lines";

/** Ops by their scopes: `matmul model/fc`. */
function items(...texts: string[]): Item[] {
  return texts.map((text) => {
    const [title, scope = ""] = text.split(" ");
    return { title, scope: scope === "" ? [] : scope.split("/") };
  });
}

const linear = (scope: string): string[] => [`matmul ${scope}`, `add ${scope}`];
const network = (name: string): string[] => [
  ...linear(`${name}/Linear_0`),
  `relu ${name}`,
  ...linear(`${name}/Linear_2`),
];

/** The titles of the closed groups that no other hides. */
function closed(groups: readonly Group[], ops: number, most = 25, isLoop?: (group: Group) => boolean): string[] {
  const ids = new Set(closedToFit(groups, ops, 0, most, isLoop).map(({ id }) => id));
  const shown = (all: readonly Group[]): string[] =>
    all.flatMap((group) => (ids.has(group.id) ? [group.title] : shown(group.children)));
  return shown(groups);
}

test("one network opens as far as there is room, several keep their names", () => {
  const one = items(...network("model"), "sub", "square", "mean");
  expect(closed(groupsOf(one), one.length)).toEqual([]);
  expect(closed(groupsOf(one), one.length, 6)).toEqual(["Linear_0", "Linear_2"]);
  const loss = ["bce", "mean", "log"];
  const two = items("noise", ...network("generator"), ...network("critic"), ...loss, "a", "b", "c", "d");
  expect(closed(groupsOf(two), two.length)).toEqual(["generator", "critic"]);
  const few = items(...network("encoder"), ...network("decoder"), "mean");
  expect(closed(groupsOf(few), few.length), "two boxes alone would say too little").toEqual([]);
});

test("turns of a loop stay one box, layers in a row do not", () => {
  const turns = items(...Array.from({ length: 10 }, () => ["slice", ...linear("cell")]).flat());
  expect(closed(groupsOf(turns), turns.length, 25, ({ kind }) => kind === "repeat")).toEqual(["slice, cell"]);
  const layers = items(...Array.from({ length: 12 }, (_, at) => linear(`model/Layer_${at}`)).flat());
  const titles = closed(groupsOf(layers), layers.length, 20);
  expect(titles).toEqual(Array.from({ length: 12 }, (_, at) => `Layer_${at}`));
});

test("a layer of equal parts is not opened into parts without names", () => {
  const block = (name: string): string[] =>
    [0, 3].flatMap((at) => [...linear(`net/${name}/Conv_${at}`), `norm net/${name}`, `relu net/${name}`]);
  const net = items(...["down1", "down2", "middle", "up1", "up2"].flatMap(block));
  expect(closed(groupsOf(net), net.length, 12)).toEqual(["down1", "down2", "middle", "up1", "up2"]);
});

test("loose ops of a line fold, but for those of layers, of two lines or of two steps", () => {
  const made = items("exp", "mul", "sum", "a", "b", ...network("net"), "x", "y", "z", "z");
  const lines = [3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6];
  const ops = made.map(({ title }, at) => ({ title, cell: 0, line: lines[at] }));
  const found = (cuts: number[]): string[] =>
    withLines(groupsOf(made), ops, new Set(cuts)).map(({ kind, title }) => `${kind} ${title}`);
  expect(found([])).toEqual(["line exp, mul, sum", "scope net", "line x, y, z +1"]);
  expect(found([12])).toEqual(["line exp, mul, sum", "scope net"]);
  const outside = ops.map((op) => ({ ...op, line: 0 }));
  expect(withLines(groupsOf(made), outside, new Set()).map(({ title }) => title)).toEqual(["net"]);
});
