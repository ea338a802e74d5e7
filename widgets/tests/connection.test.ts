// @vitest-environment happy-dom
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fourLines } from "../fixtures/static";
import type { AnyEvent } from "../src/events";
import widget from "../src/widget";
import { Frames } from "./frames";

const log = fourLines();
const { events } = log;

type Callback = (...values: unknown[]) => void;
interface Message {
  type: string;
  next?: number;
  first?: number;
  last?: number;
}

/** The kernel's side of a widget: state, messages, and who listens. */
class Kernel {
  readonly heard: Message[] = [];
  private readonly listeners = new Map<string, Set<Callback>>();
  private readonly state: Record<string, unknown> = {
    title: "Four lines",
    theme: "dark",
    height: 300,
    snapshot: new DataView(new ArrayBuffer(0)),
  };

  get = (name: string): unknown => this.state[name];

  on = (event: string, callback: Callback): void => {
    const known = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, known.add(callback));
  };

  off = (event: string, callback: Callback): void => {
    this.listeners.get(event)?.delete(callback);
  };

  send = (message: Message): void => void this.heard.push(message);

  set(name: string, value: unknown): void {
    this.state[name] = value;
    for (const callback of this.listeners.get(`change:${name}`) ?? []) callback();
  }

  say(first: number, items: readonly AnyEvent[]): void {
    const message = { type: "events", first, events: items };
    for (const callback of this.listeners.get("msg:custom") ?? []) callback(message);
  }

  get listening(): number {
    return [...this.listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }
}

let frames: Frames;
let kernel: Kernel;
let close: () => void;

function open(): HTMLElement {
  const el = document.createElement("div");
  document.body.append(el);
  close = widget.render({ model: kernel, el });
  frames.settle();
  return el;
}

const rows = (el: HTMLElement): number => el.querySelectorAll(".tg-row").length;
const ALL_ROWS = 27;

beforeEach(() => {
  frames = new Frames();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  kernel = new Kernel();
});
afterEach(() => {
  close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

test("it says that it is ready, and draws what comes", () => {
  const el = open();
  expect(kernel.heard).toEqual([{ type: "ready", next: 0 }]);
  kernel.say(0, events);
  frames.settle();
  expect(rows(el)).toBe(ALL_ROWS);
  expect(el.querySelector(".tg-title")?.textContent).toBe("Four lines");
  expect(el.querySelector<HTMLElement>(".tg-root")?.dataset.theme).toBe("dark");
});

test("a gap is asked for once, again when time has passed, and then filled", () => {
  const el = open();
  kernel.heard.length = 0;
  kernel.say(0, events.slice(0, 5));
  kernel.say(9, events.slice(9, 20));
  kernel.say(20, events.slice(20));
  expect(kernel.heard).toEqual([{ type: "gap", first: 5, last: 8 }]);
  frames.settle();
  expect(el.querySelector(".tg-notice")?.textContent).toContain("Waiting for 4 events");
  vi.advanceTimersByTime(1100);
  expect(kernel.heard).toHaveLength(2);
  kernel.say(5, events.slice(5, 9));
  frames.settle();
  expect(rows(el)).toBe(ALL_ROWS);
  vi.advanceTimersByTime(60_000);
  expect(kernel.heard).toHaveLength(2);
});

test("a dead kernel is not asked for ever", () => {
  open();
  kernel.say(3, events.slice(3, 5));
  vi.advanceTimersByTime(3_600_000);
  expect(kernel.heard.length).toBeLessThan(12);
});

test("two views of one model each show all, whenever they came", () => {
  const first = open();
  const closeFirst = close;
  kernel.say(0, events.slice(0, 12));
  const second = open();
  expect(kernel.heard.at(-1)).toEqual({ type: "ready", next: 0 });
  // The kernel answers the second; both hear it.
  kernel.say(0, events.slice(0, 12));
  kernel.say(12, events.slice(12));
  frames.settle();
  expect([rows(first), rows(second)]).toEqual([ALL_ROWS, ALL_ROWS]);
  closeFirst();
  expect(first.children).toHaveLength(0);
  expect(rows(second)).toBe(ALL_ROWS);
});

/** Bytes as a notebook's page holds them: a view on a larger buffer. */
function zipped(text: string): DataView {
  const bytes = gzipSync(text);
  const buffer = new ArrayBuffer(bytes.length + 8);
  new Uint8Array(buffer).set(bytes, 8);
  return new DataView(buffer, 8);
}

test("with no kernel at all, the snapshot fills the page", async () => {
  kernel.set("snapshot", zipped(JSON.stringify(log)));
  const el = open();
  await vi.waitFor(() => {
    frames.settle();
    expect(rows(el)).toBe(ALL_ROWS);
  });
});

test("a snapshot that arrives at the cell's end completes what was lost", async () => {
  const el = open();
  kernel.say(0, events.slice(0, 7));
  kernel.set("snapshot", zipped(JSON.stringify(log)));
  await vi.waitFor(() => {
    frames.settle();
    expect(rows(el)).toBe(ALL_ROWS);
  });
});

test("a snapshot that cannot be read says so", async () => {
  kernel.set("snapshot", zipped('{"version": 5}'));
  const el = open();
  await vi.waitFor(() => {
    frames.settle();
    expect(el.querySelector(".tg-notice")?.textContent).toContain("version is 5");
  });
});

test("the first events may come as state, from before the page could listen", () => {
  kernel.set("head", { first: 0, events: events.slice(0, 10) });
  const el = open();
  expect(kernel.heard).toEqual([{ type: "ready", next: 10 }]);
  kernel.say(10, events.slice(10));
  frames.settle();
  expect(rows(el)).toBe(ALL_ROWS);
});

test("messages that are none of ours are ignored", () => {
  const el = open();
  for (const message of [null, 7, {}, { first: -1, events: [] }, { first: 0 }]) {
    kernel.say(message as never, undefined as never);
  }
  frames.settle();
  expect(rows(el)).toBe(0);
});

test("a closed view listens no more", () => {
  open();
  expect(kernel.listening).toBeGreaterThan(0);
  close();
  expect(kernel.listening).toBe(0);
});
