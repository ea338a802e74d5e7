import { expect, test } from "vitest";
import {
  everyGroup,
  Groups,
  groupsAround,
  groupsOf,
  type Group,
  type Item,
} from "../src/layout/groups";
import { seeds } from "./effort";
import { groupedAtOnce } from "./grouped";
import { generator } from "./random";

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

type Named = Pick<Group, "id" | "title" | "times" | "first" | "end">;
type Tree = Named & { readonly children: readonly Tree[] };

function named(groups: readonly Tree[]): Tree[] {
  return groups.map(({ id, title, times, first, end, children }) => {
    return { id, title, times, first, end, children: named(children) };
  });
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

/** Sequences of the kind that networks have, and of kinds that they do not. */
function sequence(random: () => number, length: number): Item[] {
  const pick = (count: number): number => Math.floor(random() * count);
  const found: Item[] = [];
  while (found.length < length) {
    const letters = 1 + pick(3);
    const part = Array.from({ length: 1 + pick(5) }, () => `op${pick(letters)}`);
    const [scoped, nested, numbered] = [random() < 0.5, random() < 0.3, random() < 0.7];
    for (let turn = pick(6); turn >= 0; turn--) {
      const scope = scoped ? [numbered ? `layer_${turn}` : "layer"] : [];
      if (scoped && nested) scope.push(`inner_${pick(2)}`);
      found.push(...part.map((title) => ({ title, scope })));
    }
  }
  return found.slice(0, length);
}

test("found op by op, groups are those of the whole, at every length", () => {
  for (const seed of seeds(25)) {
    const random = generator(seed);
    const all = sequence(random, 90);
    const groups = new Groups();
    all.forEach((item, index) => {
      groups.append(item);
      if (random() < 0.5) return;
      expect(named(groups.all)).toEqual(named(groupedAtOnce(all.slice(0, index + 1))));
    });
  }
});

test("a long sequence has the groups of the whole too, asked for now and then", () => {
  for (let seed = 40; seed <= 43; seed++) {
    const random = generator(seed);
    const all = sequence(random, 2500);
    const groups = new Groups();
    all.forEach((item, index) => {
      groups.append(item);
      if (index % 700 === 0) void groups.all;
    });
    expect(named(groups.all)).toEqual(named(groupedAtOnce(all)));
  }
});

const BLOCKS: Record<string, (i: number) => Item> = {
  "one op": () => ({ title: "relu", scope: [] }),
  "blocks of forty": (i) => ({ title: `op${(i % 40) % 7}${(i % 40) % 3}`, scope: [] }),
  layers: (i) => ({ title: `op${i % 2}`, scope: ["net", `layer_${i >> 1}`] }),
  "no repeat": (i) => ({ title: `op${i}`, scope: [] }),
};

test.each(Object.entries(BLOCKS))("an op more costs the same: %s", (_, item) => {
  const work = (count: number): number => {
    const groups = new Groups();
    for (let i = 0; i < count; i++) {
      groups.append(item(i));
      if (i % 10 === 0) void groups.all;
    }
    return groups.compared / count;
  };
  expect(work(10_000)).toBeLessThan(1.3 * work(1_000) + 1);
});
