import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { cluster } from "../fixtures/views";
import { processOf } from "../src/draw/stepper";
import { arcsOf, awaited, messagesOf, processesOf, spanOf, stepsOf } from "../src/state/cluster";
import { type Chart, LETTER, type Rect, type Words } from "../src/views/figure";
import {
  columns,
  messageText,
  programsChart,
  restartsText,
  stepText,
  timelineChart,
  waitsText,
} from "../src/views/cluster";
import { traceOf } from "./trace";

const trace = traceOf(cluster());
const processes = processesOf(trace);
const second = messagesOf(trace.messages, processes, 2);
const rects = (chart: Chart): Rect[] =>
  chart.shapes.filter((shape): shape is Rect => shape.kind === "rect");

test("a program's rows stand in its own order, what does not talk together", () => {
  const rows = processes.map(({ title, rows: own }) => [title, ...own.map(({ text }) => text)]);
  const trainer = ["forward ×2", "mul_grad", "send w@GRAD", "send_barrier", "recv w"];
  expect(rows).toEqual([
    ["trainer 0", ...trainer],
    ["trainer 1", ...trainer],
    ["server a:1", "listen_and_serv", "sum w@GRAD", "sgd w"],
  ]);
});

test("an arc leads from each gradient to what adds it, and from the update back", () => {
  const arcs = arcsOf(processes).map(({ look, name, from, to }) => [look, name, ...from, ...to]);
  expect(arcs).toEqual([
    ["send", "w@GRAD", 0, 2, 2, 1],
    ["recv", "w", 2, 2, 0, 4],
    ["send", "w@GRAD", 1, 2, 2, 1],
    ["recv", "w", 2, 2, 1, 4],
  ]);
});

test("a step has the calls of its trainers, and the update made in its time", () => {
  expect(stepsOf(trace.messages, processes)).toEqual([1, 2, 3]);
  const calls = second.map(({ process, what }) => `${process} ${what}`);
  expect(calls).toEqual([
    "0 send", "0 barrier", "0 recv", "1 send", "1 barrier", "1 recv", "2 update",
  ]);
});

test("who waits waits for whom sent last", () => {
  const whom = second.map((message) => awaited(message, second)?.process);
  expect(whom).toEqual([undefined, undefined, 1, undefined, undefined, undefined, undefined]);
  expect(waitsText(second, processes)).toBe(
    "70 ms: trainer 0 waits 68 ms for trainer 1, trainer 1 waits 8 ms for the server",
  );
  expect(messageText(second[2], second, processes)).toBe(
    "trainer 0: recv w from a:1, 400 B, 68 ms, waiting for trainer 1",
  );
});

test("servers stand between the trainers, and nothing is outside of the charts", () => {
  expect(columns(processes).map(({ id }) => id)).toEqual([0, 2, 1]);
  const now = trace.length;
  for (const width of [420, 900, 1600]) {
    const charts = [
      programsChart(processes, arcsOf(processes), () => true, width),
      timelineChart(second, processes, now, width),
    ];
    for (const chart of charts) {
      for (const { x, y, width: wide, height } of rects(chart)) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x + wide).toBeLessThanOrEqual(chart.width);
        expect(y + height).toBeLessThanOrEqual(chart.height);
      }
    }
  }
});

test("the labels of the time's axis are apart, however narrow it is", () => {
  const begin = second[0]!;
  for (const duration of [0.0108, 0.07, 3]) {
    const messages = [{ ...begin, start: 0, duration }];
    for (const width of [300, 354, 420, 900]) {
      const { shapes } = timelineChart(messages, processes, trace.length, width);
      const axis = shapes.filter((shape): shape is Words => shape.kind === "words" && shape.y === 12);
      axis.slice(1).forEach(({ x }, i) => expect(x).toBeGreaterThan(axis[i]!.x + LETTER * axis[i]!.text.length));
    }
  }
});

test("a checkpoint is drawn as far as it lies in the step", () => {
  const [from, to] = spanOf(second);
  const update = second.find(({ what }) => what === "update") ?? second[0];
  const save = { ...update, what: "save", start: to - 0.01, duration: 5 } as typeof update;
  const chart = timelineChart([...second, save], processes, trace.length, 900);
  expect(spanOf([...second, save])).toEqual([from, to]);
  const ends = rects(chart).map(({ x, width }) => x + width);
  expect(Math.max(...ends)).toBeLessThanOrEqual(900);
  expect(waitsText([...second, save], processes)).toContain("70 ms: ");
});

test("who died is told at every step, and drawn in red in the step where it came back", () => {
  const update = second.find(({ what }) => what === "update") ?? second[0];
  const back = { ...update, what: "restart", step: 1, duration: 0.05 } as typeof update;
  expect(restartsText([...trace.messages, back], processes)).toBe("server a:1 died and was restarted from step 1");
  expect(restartsText(trace.messages, processes)).toBe("");
  const chart = timelineChart(messagesOf([...trace.messages, back], processes, 2), processes, trace.length, 900);
  const red = rects(chart).filter(({ style }) => style?.includes("--tg-tone-failed"));
  expect(red).toHaveLength(1);
  expect(chart.shapes.some((shape) => shape.kind === "words" && shape.text === "died")).toBe(true);
});

test("of a long training the place of a step among those recorded is told", () => {
  expect(stepText(0, [0, 1, 2])).toBe("Startup");
  expect(stepText(0, [0])).toBe("Whole run");
  expect(stepText(2, [0, 1, 2, 3])).toBe("Step 2 of 3");
  expect(stepText(32, [0, 1, 16, 32])).toBe("Step 32, 3 of 3 recorded");
});

test("a step of eager code says which process made it", () => {
  const b = new Builder("two trainers");
  b.begin(["work()"]);
  b.at(1);
  for (const process of [0, 1]) b.process({ process, role: "trainer", title: `trainer ${process}` });
  for (const process of [0, 1]) {
    const x = b.tensor("x", "leaf", [1], false);
    const y = b.tensor("y", "T", [1], false);
    b.node("relu", [x], [y], [], { scope: `trainer ${process}/net` });
    b.backward("begin", [y]);
    b.backward("end", [y]);
  }
  const both = traceOf(b.log);
  const { all } = both.tape.steps;
  expect(all.map((step) => processOf(both, step))).toEqual(["trainer 0", "trainer 1"]);
});

test("what is to come has less of its colour", () => {
  const faint = (position: number): number =>
    rects(timelineChart(second, processes, position, 900)).filter(({ style }) => style?.includes("opacity")).length;
  expect([faint(0), faint(second[3].seq), faint(trace.length)]).toEqual([7, 4, 0]);
});
