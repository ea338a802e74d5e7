import { expect, test } from "vitest";
import type { Group } from "../src/layout/groups";
import { FoldedPicture } from "../src/state/folded";
import { Mirror, type Input } from "../src/state/mirror";
import type { MirrorEdge, Picture } from "../src/state/picture";
import { seeds } from "./effort";
import { note } from "./note";
import { generator } from "./random";

const EVERYWHERE = [-100, 1e6] as const;
const NAMES = {
  wire: () => "",
  key: ({ id }: Group, gradient: boolean): string => `${gradient ? "g" : ""}fold:${id}`,
  title: ({ title, times }: Group): string => `${title} ×${times}`,
};

type Happening = (mirror: Mirror) => void;

/** What happens to a graph with repeated blocks, layers, shared values and passes back. */
function happenings(random: () => number, length: number): Happening[] {
  const found: Happening[] = [];
  const pick = (count: number): number => Math.floor(random() * count);
  const wire = (name: string, tone: Input["tone"]): Input => {
    return { cell: 0, line: 1, wire: name, name, tone };
  };
  let op = 0;
  let firstOfPass = 0;
  const forward = (title: string, scope: readonly string[]): void => {
    const i = op++;
    const inputs = [wire(`x${i === firstOfPass ? "" : i - 1}`, i === firstOfPass ? "D" : "T")];
    if (random() < 0.4) inputs.push(wire(`w${pick(i + 1)}`, "P"));
    if (random() < 0.2) inputs.push(wire(`x${firstOfPass + pick(i - firstOfPass + 1) - 1}`, "T"));
    if (random() < 0.1) inputs.push(wire("data", "D"));
    const untaped = random() < 0.05;
    const where = { seq: found.length, cell: 0, line: 1, key: `o${i}` };
    const made = { ...where, title, tone: "op" as const, untaped };
    found.push((mirror) => mirror.forward({ ...made, inputs, outputs: [`x${i}`], scope }));
    if (!untaped) found.push((mirror) => mirror.keep(where, `o${i}`, ["X"]));
  };
  const back = (): void => {
    for (let i = op - 1; i >= firstOfPass; i--) {
      const where = { seq: found.length, cell: 0, line: 1, key: `g${i}` };
      found.push((mirror) => {
        const title = "grad";
        mirror.backward({ ...where, title, tone: "grad" }, `o${i}`);
        const to = i === firstOfPass ? "x" : `x${i - 1}`;
        mirror.flow(where, to, `${to}@GRAD@${i}`, `${to}@GRAD`, `g${i}`);
      });
      found.push((mirror) => mirror.free(where.seq, `o${i}`));
    }
    found.push((mirror) => mirror.startBelow());
    firstOfPass = op;
  };
  while (found.length < length) {
    const block = Array.from({ length: 1 + pick(4) }, () => `op${pick(3)}`);
    const layer = random() < 0.4;
    for (let turn = pick(6); turn >= 0; turn--) {
      for (const title of block) forward(title, layer ? [`layer_${turn}`] : []);
    }
    if (random() < 0.2) back();
  }
  return found;
}

function told(picture: Picture): unknown {
  const edge = ({ key, kind, x1, y1, x2, y2, label, arrow, chip, freed }: MirrorEdge) =>
    `${kind} ${key} ${x1} ${y1} ${x2} ${y2} ${label} ${arrow} ${chip} ${freed}`;
  return {
    nodes: picture.nodes.map(placed),
    edges: picture.edges.touching(...EVERYWHERE).map(edge).sort(),
    joins: picture.joins.touching(...EVERYWHERE).map(({ key, x, y }) => `${key} ${x} ${y}`),
    regions: picture.regions,
    size: [picture.lowest, picture.widest, picture.edgeCount],
  };
}

function placed({ key, title, x, y, spot, freed }: Picture["nodes"][number]): string {
  return `${key} ${title} ${x} ${y} ${spot.row} ${spot.slot} ${freed}`;
}

/** Some of the groups, none inside another. */
function some(random: () => number, groups: readonly Group[]): Group[] {
  return groups.flatMap((group) =>
    random() < 0.6 ? [group] : some(random, group.children),
  );
}

test("what follows a graph as it grows is what is made of the whole at once", () => {
  for (const seed of seeds(40)) {
    const random = generator(seed);
    const all = happenings(random, 160);
    const closedAt = Math.floor(random() * all.length);
    const [live, late] = [new Mirror(), new Mirror()];
    for (const happen of all.slice(0, closedAt)) [live, late].forEach(happen);
    const groups = some(random, live.groups);
    const following = new FoldedPicture(live, groups, NAMES).follow();
    const atOnce = new FoldedPicture(late, groups, NAMES);
    for (const happen of all.slice(closedAt)) {
      happen(live);
      happen(late);
      if (random() < 0.3) following.follow();
    }
    expect(told(following.follow())).toEqual(told(atOnce.follow()));
  }
});

test("closed early or late, whole groups look the same", () => {
  for (const seed of seeds(40)) {
    const random = generator(seed);
    const mirror = new Mirror();
    const all = happenings(random, 120);
    // Something that no group goes on with, and then more of the same.
    for (const happen of all) happen(mirror);
    const alone = { key: "end", title: "end", tone: "op" as const, untaped: false };
    mirror.forward({ seq: all.length, cell: 0, line: 1, ...alone, inputs: [], outputs: [] });
    const groups = some(random, mirror.groups);
    const early = new FoldedPicture(mirror, groups, NAMES).follow();
    for (let i = 0; i < 20; i++) {
      const next = { ...alone, key: `more${i}`, title: `more${i % 2}` };
      const inputs = [{ cell: 0, line: 1, wire: "x3", name: "x3", tone: "T" as const }];
      const where = { seq: all.length + 1 + i, cell: 0, line: 1 };
      mirror.forward({ ...where, ...next, inputs, outputs: [] });
    }
    const late = new FoldedPicture(mirror, groups, NAMES).follow();
    expect(told(early.follow())).toEqual(told(late));
  }
});

test("more at the end moves nothing that is there, folded or not", () => {
  let moved = 0;
  const place = ({ key, x, y }: Picture["nodes"][number]): string => `${key} ${x} ${y}`;
  for (const seed of seeds(25)) {
    const random = generator(seed);
    const mirror = new Mirror();
    const all = happenings(random, 200);
    for (const happen of all.slice(0, 60)) happen(mirror);
    const following = new FoldedPicture(mirror, some(random, mirror.groups), NAMES);
    let before: string[] = [];
    for (const happen of all.slice(60)) {
      happen(mirror);
      if (random() < 0.8) continue;
      const now = following.follow().nodes.map(place);
      moved += before.filter((known, index) => known !== now[index]).length;
      before = now;
    }
  }
  note("folded-moved", moved, { bar: 0 });
  expect(moved).toBe(0);
});

test("nothing overlaps, whatever is closed", () => {
  for (const seed of seeds(40)) {
    const random = generator(seed);
    const mirror = new Mirror();
    for (const happen of happenings(random, 150)) happen(mirror);
    const picture = new FoldedPicture(mirror, some(random, mirror.groups), NAMES).follow();
    for (const row of picture.byRow) {
      const nodes = (row ?? []).filter(({ side, shape }) => side < 0 && shape !== "pin");
      const left = nodes.map(({ spot }) => spot.slot);
      left.sort((a, b) => a - b);
      const close = left.filter((slot, i) => i > 0 && slot - left[i - 1] < 2);
      expect(close).toEqual([]);
    }
  }
});

/** A loop of `count` ops, closed after its first turns, followed a few ops at a time. */
function loop(count: number): { mirror: Mirror; picture: FoldedPicture; work: number } {
  const mirror = new Mirror();
  let picture: FoldedPicture | undefined;
  for (let i = 0; i < count; i++) {
    const input = { cell: 0, line: 1, wire: `x${i}`, name: "x", tone: "T" as const };
    const what = { key: `o${i}`, title: `op${i % 5}`, tone: "op" as const };
    const where = { seq: i, cell: 0, line: 1 };
    mirror.forward({ ...where, ...what, untaped: false, inputs: [input], outputs: [`x${i + 1}`] });
    mirror.keep(where, `o${i}`, ["X"]);
    if (i === 20) picture = new FoldedPicture(mirror, mirror.groups, NAMES);
    if (i % 7 === 0) picture?.follow();
  }
  const work = mirror.layout.probes + picture!.follow().looks;
  return { mirror, picture: picture!, work };
}

test("a closed loop counts its turns, and a turn more costs what the first did", () => {
  const { picture, work } = loop(10_000);
  expect(picture.nodes.map(({ title }) => title)).toEqual(["op0, op1, op2 +2 ×2000"]);
  expect(work / 10_000).toBeLessThan(1.1 * (loop(1_000).work / 1_000));
});

test("what does not go on with a closed group stands under it", () => {
  const { mirror, picture } = loop(32);
  const input = { cell: 0, line: 1, wire: "x32", name: "x", tone: "T" as const };
  const what = { key: "mean", title: "mean", tone: "op" as const, untaped: false };
  mirror.forward({ seq: 40, cell: 0, line: 1, ...what, inputs: [input], outputs: ["y"] });
  const [box, mean] = picture.follow().nodes;
  expect([mean.title, mean.spot.row]).toEqual(["mean", box.spot.row + 1]);
});

test("a frame goes around a group inside its block, on both sides", () => {
  const mirror = new Mirror();
  const frame = { title: "body of while" };
  const input = (wire: string): Input => ({ cell: 0, line: 1, wire, name: wire, tone: "T" });
  const where = { seq: 0, cell: 0, line: 1 };
  for (let i = 0; i < 4; i++) {
    const title = i === 0 ? "tanh" : "assign";
    const made = { ...where, key: `o${i}`, title, tone: "op" as const, untaped: false };
    const ends = { inputs: [input(`x${i}`)], outputs: [`x${i + 1}`] };
    mirror.forward({ ...made, ...ends, scope: ["block 1"], frames: [frame] });
  }
  mirror.backward({ ...where, key: "g3", title: "assign", tone: "grad" }, "o3");
  const turns = { id: "1.1", kind: "repeat" as const, title: "assign", times: 3, children: [] };
  const group: Group = { ...turns, depth: 1, first: 1, end: 4 };
  const folded = new FoldedPicture(mirror, [group], NAMES).follow();
  const box = folded.nodes.find(({ shape }) => shape === "group");
  for (const { last } of folded.regions) expect(last).toBe(box?.spot.row);
  expect(folded.regions).toHaveLength(2);
});
