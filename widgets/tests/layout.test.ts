import { expect, test } from "vitest";
import { MirrorLayout, type Spot } from "../src/layout/mirror";
import { arcPath, ROW_HEIGHT, windowOf } from "../src/layout/program";
import { Spans } from "../src/layout/spans";
import { seeds } from "./effort";
import { note } from "./note";
import { generator } from "./random";
import { groupBy } from "./trace";

/** Grow a graph whose ops read one to three earlier ones, as `pick` chooses. */
function grow(
  layout: MirrorLayout,
  count: number,
  pick: (placed: number) => number[],
): Spot[] {
  const spots: Spot[] = [];
  for (let i = 0; i < count; i++) {
    const parents = i === 0 ? [] : pick(i).map((index) => spots[index]);
    const spot = layout.op(parents);
    for (const parent of parents) expect(spot.row).toBeGreaterThan(parent.row);
    spots.push(spot);
  }
  return spots;
}

test("a chain is a column", () => {
  const spots = grow(new MirrorLayout(), 5, (i) => [i - 1]);
  expect(spots).toEqual([1, 2, 3, 4, 5].map((row) => ({ row, slot: 0 })));
});

test("a diamond's second branch stands under the first, in the lane outside", () => {
  const layout = new MirrorLayout();
  const top = layout.op([]);
  const left = layout.op([top]);
  const right = layout.op([top]);
  const bottom = layout.op([left, right]);
  expect([left, right, bottom]).toEqual([
    { row: 2, slot: 0 },
    { row: 3, slot: 2 },
    { row: 4, slot: 0 },
  ]);
});

test("a parameter stands one row over its first reader, outwards", () => {
  const layout = new MirrorLayout();
  const first = layout.op([]);
  const second = layout.op([first]);
  expect(layout.leaf(second, 1)).toEqual({ row: first.row, slot: 2 });
});

test("no two nodes overlap, whatever the graph", () => {
  for (const seed of seeds(30)) {
    const random = generator(seed);
    const layout = new MirrorLayout();
    const spots: Spot[] = grow(layout, 150, (i) =>
      [random(), random()].map((share) => Math.floor(share * i)),
    );
    for (let i = 0; i < 60; i++) {
      spots.push(layout.leaf(spots[Math.floor(random() * 150)], 1));
    }
    const rows = groupBy(spots, ({ row }) => row);
    for (const row of rows.values()) {
      const slots = row.map(({ slot }) => slot).sort((a, b) => a - b);
      slots.forEach((slot, i) => {
        if (i > 0) expect(slot - slots[i - 1]).toBeGreaterThanOrEqual(2);
      });
    }
  }
});

test("appending moves nothing", () => {
  const random = generator(3);
  const pick = (i: number): number[] => [Math.floor(random() * i)];
  const layout = new MirrorLayout();
  const spots = grow(layout, 400, pick);
  const before = structuredClone(spots);
  grow(layout, 400, (i) => [Math.floor(random() * i)]);
  layout.startBelow();
  layout.op([]);
  const moved = spots.filter(({ row, slot }, index) => {
    return row !== before[index].row || slot !== before[index].slot;
  });
  note("rows-moved", moved.length, { bar: 0 });
  expect(moved).toEqual([]);
});

const SHAPES: Record<string, (i: number) => number[]> = {
  "a chain": (i) => [i - 1],
  "a star": () => [0],
  "skips to the start": (i) => [i - 1, 0],
  "long skips": (i) => [i - 1, Math.floor(i / 2)],
  "a wide tree": (i) => [Math.floor((i - 1) / 3)],
};

test.each(Object.entries(SHAPES))("cost is linear: %s", (_, pick) => {
  const probes = (count: number): number => {
    const layout = new MirrorLayout();
    grow(layout, count, pick);
    return layout.probes / count;
  };
  // The same work for each op, however many there are, and little of it.
  expect(probes(10_000)).toBeLessThan(1.5 * probes(1_000) + 1);
  expect(probes(10_000)).toBeLessThan(40);
});

test("a new generation begins under all that is there", () => {
  const layout = new MirrorLayout();
  const last = grow(layout, 7, (i) => [i - 1]).at(-1)!;
  layout.startBelow();
  const next = layout.op([]);
  expect(next.row).toBeGreaterThan(last.row + 1);
  expect(layout.leaf(next, 0).row).toBeGreaterThan(last.row);
});

test("an interval index finds exactly what touches", () => {
  const random = generator(11);
  const spans = new Spans<number>();
  const all: [number, number][] = [];
  for (let i = 0; i < 2000; i++) {
    const first = Math.floor(random() * 5000) - 20;
    const length = Math.floor(random() ** 6 * 4000);
    all.push([first, first + length]);
    spans.add(first, first + length, i);
  }
  for (let i = 0; i < 200; i++) {
    const low = Math.floor(random() * 5000);
    const high = low + Math.floor(random() * 60);
    const touching = ([a, b]: [number, number]): boolean => a <= high && b >= low;
    const expected = all.flatMap((span, index) => (touching(span) ? [index] : []));
    const found = spans.touching(low, high).sort((a, b) => a - b);
    expect(found).toEqual(expected);
  }
});

test("an arc begins and ends at its rows' middles", () => {
  const numbers = arcPath(2, 10, 30)
    .match(/-?[\d.]+/g)!
    .map(Number);
  expect(numbers.slice(0, 2)).toEqual([30, 2.5 * ROW_HEIGHT]);
  expect(numbers.slice(-2)).toEqual([30, 10.5 * ROW_HEIGHT]);
  expect(Math.min(...numbers.filter((_, i) => i % 2 === 0))).toBeGreaterThan(0);
});

test("a short list is all in the document, a long one only where it shows", () => {
  expect(windowOf(120, 0, 300)).toEqual({ first: 0, end: 120 });
  const { first, end } = windowOf(10_000, 5000 * ROW_HEIGHT, 20 * ROW_HEIGHT);
  expect(first).toBeLessThanOrEqual(5000);
  expect(end).toBeGreaterThanOrEqual(5020);
  expect(end - first).toBeLessThan(60);
});
