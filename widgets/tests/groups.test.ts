import { expect, test } from "vitest";
import { everyGroup, groupsAround, groupsOf, type Group, type Item } from "../src/layout/groups";

function items(text: string): Item[] {
  return text.split(" ").map((word) => {
    const scope = word.split("/");
    return { title: scope.pop() ?? "", scope };
  });
}

function told(groups: readonly Group[]): string {
  const one = ({ title, times, first, end, children }: Group): string =>
    `${title}${times > 1 ? ` x${times}` : ""} ${first}-${end}` +
    (children.length > 0 ? ` (${told(children)})` : "");
  return groups.map(one).join("; ");
}

test("equal ops in a row are one group, without parts", () => {
  expect(told(groupsOf(items("mul relu relu relu relu mean")))).toBe("relu x4 1-5");
});

test("two in a row are left alone, and so is what never repeats", () => {
  expect(groupsOf(items("relu relu mean mul add"))).toEqual([]);
  expect(groupsOf([])).toEqual([]);
});

test("equal blocks fold into one, and open into each turn", () => {
  const chain = Array.from({ length: 3 }, () => "mul add relu").join(" ");
  expect(told(groupsOf(items(`data ${chain} mean`)))).toBe(
    "mul, add, relu x3 1-10 (mul, add, relu 1-4; mul, add, relu 4-7; mul, add, relu 7-10)",
  );
});

test("the period whose parts reach furthest wins over a shorter one inside it", () => {
  const block = "conv relu conv relu pool";
  const [group] = groupsOf(items(`${block} ${block} ${block}`));
  expect([group.times, group.end]).toEqual([3, 15]);
});

test("scopes are groups, nested as their names are", () => {
  expect(told(groupsOf(items("net/fc/mul net/fc/add net/relu mean")))).toBe(
    "net 0-3 (fc 0-2)",
  );
});

test("scopes that differ by their number alone are turns of one repeat", () => {
  const layers = [0, 1, 2].map((n) => `layer_${n}/mul layer_${n}/add`).join(" ");
  expect(told(groupsOf(items(layers)))).toBe(
    "layer x3 0-6 (layer_0 0-2; layer_1 2-4; layer_2 4-6)",
  );
});

test("scopes of the same name that do something else are no repeat", () => {
  const groups = groupsOf(items("layer_0/mul layer_0/add layer_1/mul layer_1/exp"));
  expect(groups.map(({ times }) => times)).toEqual([1, 1]);
});

test("the groups around an op come outermost first", () => {
  const groups = groupsOf(items("a/b/mul a/b/add a/relu mean"));
  expect(groupsAround(groups, 1).map(({ title }) => title)).toEqual(["a", "b"]);
  expect(groupsAround(groups, 3)).toEqual([]);
});

test("more ops at the end change no group's name", () => {
  const short = items("mul relu relu relu");
  const ids = (all: Item[]): string[] => [...everyGroup(groupsOf(all))].map((g) => g.id);
  expect(ids([...short, ...short.slice(1)])).toEqual(ids(short));
});

test("ten thousand ops in blocks of forty are one repeat", () => {
  const block = Array.from({ length: 40 }, (_, i) => `op${i % 2}${i % 3}${i % 7}`);
  const all = Array.from({ length: 250 }, () => block).flat();
  const groups = groupsOf(all.map((title) => ({ title, scope: [] })));
  expect(groups.map(({ times, end }) => [times, end])).toEqual([[250, 10_000]]);
});
