import { expect, test } from "vitest";
import { fourLines } from "../fixtures/static";
import type { AnyEvent } from "../src/events";
import { EventLog } from "../src/log";
import { faultOf, readLog } from "../src/validate";

const { events } = fourLines();
const seqs = (log: EventLog): number[] => log.events.map(({ seq }) => seq);
const isEvent = (value: unknown): boolean =>
  faultOf(value, (value as AnyEvent | null)?.seq ?? 0) === undefined;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test("pieces that overlap are taken once", () => {
  const log = new EventLog();
  log.accept(0, events.slice(0, 10));
  log.accept(4, events.slice(4, 15));
  log.accept(0, events.slice(0, 15));
  expect(seqs(log)).toEqual(upTo(15));
});

test("what comes after a gap waits, is named, and follows once it is filled", () => {
  const log = new EventLog();
  log.accept(0, events.slice(0, 3));
  log.accept(8, events.slice(8, 10));
  log.accept(5, events.slice(5, 6));
  expect(log.next).toBe(3);
  expect(log.gaps()).toEqual([
    { first: 3, last: 4 },
    { first: 6, last: 7 },
  ]);
  log.accept(3, events.slice(3, 8));
  expect(seqs(log)).toEqual(upTo(10));
  expect(log.gaps()).toEqual([]);
});

test("an event that cannot be read says so and stops nothing", () => {
  const log = new EventLog();
  const broken = { ...events[1], program: "not a number" };
  log.accept(0, [events[0], broken, events[2]]);
  expect(log.events.map(({ kind }) => kind)).toEqual([
    events[0].kind,
    "dropped",
    events[2].kind,
  ]);
});

test("an event under another's number is not believed", () => {
  const log = new EventLog();
  log.accept(0, [events[5]]);
  expect(log.events[0].kind).toBe("dropped");
});

test("every event of the fixtures is in the schema", () => {
  expect(events.every(isEvent)).toBe(true);
});

test.each([
  ["a kind that is none", { seq: 0, t: 0, cell: 0, line: 0, kind: "constructor" }],
  ["a structure that is no event", { seq: 0, t: 0, cell: 0, line: 0, kind: "Stats" }],
  ["a missing field", { seq: 0, t: 0, cell: 0, line: 0, kind: "free" }],
  ["a number that is none", { seq: 0, t: NaN, cell: 0, line: 0, kind: "line" }],
  ["a fraction for an id", { seq: 0, t: 0, cell: 0, line: 0, kind: "free", node: 0.5 }],
  ["no object", "line"],
  ["nothing", null],
])("refused: %s", (_, value) => {
  expect(isEvent(value)).toBe(false);
});

test("slots must hold lists of names", () => {
  const op = events.find((event) => event.kind === "op");
  expect(isEvent({ ...op, inputs: { X: ["a", "b"] } })).toBe(true);
  expect(isEvent({ ...op, inputs: { X: "a" } })).toBe(false);
  expect(isEvent({ ...op, role: "sideways" })).toBe(false);
});

test("a log of another version is refused in words", () => {
  expect(() => readLog({ version: 2, title: "", events: [] })).toThrow(
    "The log's version is 2; this page reads 1.",
  );
  expect(() => readLog([])).toThrow("version is missing");
  expect(() => readLog({ version: 1, title: "" })).toThrow("events is not what a log has");
  expect(() => readLog({ version: 1, events: [] })).toThrow("title is not what a log has");
  expect(() => readLog({ ...fourLines(), colour: "red" })).toThrow("colour is not what");
});

test.each([
  ["a field of another type", { program: "1" }, "events[2].program is not"],
  ["a field that no event has", { colour: "red" }, "events[2].colour is not"],
  ["a field without a name", { "": 1 }, "events[2]. is not"],
  ["a number that is not its own", { seq: 3 }, "events[2].seq is not"],
  ["a line before the first", { line: -1 }, "events[2].line is not"],
  ["a number that no page can hold", { block: 2 ** 53 }, "events[2].block is not"],
  ["a kind that is none", { kind: "toString" }, "events[2].kind is not"],
  ["a prototype", JSON.parse('{"__proto__":{}}'), "events[2].__proto__ is not"],
])("a log is refused for %s, which is named", (_, wrong, told) => {
  const log = fourLines();
  const edited = Object.defineProperties({ ...log.events[2] }, Object.getOwnPropertyDescriptors(wrong));
  expect(() => readLog({ ...log, events: log.events.with(2, edited) })).toThrow(told);
});
