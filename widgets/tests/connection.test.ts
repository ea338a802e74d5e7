// @vitest-environment happy-dom
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { failingProgram, fourLines } from "../fixtures/static";
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
  do?: string;
  turn?: number;
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
    this.fire(`change:${name}`);
  }

  fire(event: string): void {
    for (const callback of this.listeners.get(event) ?? []) callback();
  }

  say(first: number, items: readonly AnyEvent[]): void {
    this.tell({ type: "events", first, events: items });
  }

  tell(message: unknown): void {
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

test("that a cell stopped by an error has ended may come with the snapshot alone", async () => {
  const failing = failingProgram();
  const end = failing.events.findIndex(({ kind }) => kind === "cell_end");
  const el = open();
  const view = el.querySelector<HTMLElement>(".tg-root");
  kernel.say(0, failing.events.slice(0, end));
  frames.settle();
  expect(view?.dataset.state).toBe("running");
  kernel.set("snapshot", zipped(JSON.stringify(failing)));
  await vi.waitFor(() => {
    frames.settle();
    expect(view?.dataset.state).toBe("failed");
  });
});

/** The step bar as it is seen: what it says, and which of its buttons can be pressed. */
function stepBar(el: HTMLElement): { text: string; buttons: string[] } | undefined {
  const bar = el.querySelector<HTMLElement>(".tg-stepbar");
  if (bar === null || bar.hidden) return undefined;
  const buttons = [...bar.querySelectorAll<HTMLElement>("button")];
  const usable = buttons.filter((each) => each.ariaDisabled !== "true");
  return {
    text: bar.querySelector(".tg-stepwords")?.textContent ?? "",
    buttons: usable.map((each) => each.textContent ?? ""),
  };
}

const waiting = (line: number, turn = line): unknown => ({
  type: "step",
  state: "waiting",
  line,
  turn,
});
const ALL_BUTTONS = ["Step", "Continue", "Stop"];

test("a page says that it is here when a cell that is to wait asks", () => {
  const el = open();
  kernel.heard.length = 0;
  kernel.tell({ type: "step", state: "probe" });
  expect(kernel.heard).toEqual([{ type: "step", do: "here" }]);
  expect(stepBar(el)).toBeUndefined();
});

test("a cell that waits is told of each line; while it runs nothing can be pressed", () => {
  const el = open();
  kernel.say(0, events.slice(0, 10));
  kernel.tell(waiting(2));
  frames.settle();
  const [line] = events.flatMap((e) => (e.kind === "cell_begin" ? [e.source] : []));
  const text = `Next: line 2${line.split("\n")[1]}`;
  expect(stepBar(el)).toEqual({ text, buttons: ALL_BUTTONS });
  kernel.heard.length = 0;
  const step = el.querySelector<HTMLElement>("[data-do=step]");
  step?.click();
  step?.click();
  expect(kernel.heard).toEqual([{ type: "step", do: "step", turn: 2 }]);
  expect(stepBar(el)?.buttons).toEqual([]);
  kernel.tell(waiting(3));
  expect(stepBar(el)?.buttons).toEqual(ALL_BUTTONS);
  kernel.tell({ type: "step", state: "running" });
  expect(stepBar(el)).toBeUndefined();
});

test.each([
  ["n", "step"],
  ["r", "continue"],
  ["x", "stop"],
])("the key %s says %s to a cell that waits, and to no other", (key, word) => {
  const el = open();
  const press = (): void => {
    const options = { key, bubbles: true, cancelable: true };
    el.querySelector(".tg-root")?.dispatchEvent(new KeyboardEvent("keydown", options));
  };
  kernel.heard.length = 0;
  press();
  expect(kernel.heard).toEqual([]);
  kernel.tell(waiting(1));
  press();
  expect(kernel.heard).toEqual([{ type: "step", do: word, turn: 1 }]);
});

const state = (el: HTMLElement): string | undefined =>
  el.querySelector<HTMLElement>(".tg-root")?.dataset.state;

test("a kernel that waits and falls silent is gone: nothing can be pressed", () => {
  const el = open();
  kernel.say(0, events.slice(0, 10));
  kernel.tell(waiting(2));
  for (let second = 0; second < 20; second++) {
    vi.advanceTimersByTime(1000);
    kernel.tell(waiting(2));
  }
  expect(stepBar(el)?.buttons).toEqual(ALL_BUTTONS);
  const step = el.querySelector<HTMLElement>("[data-do=step]");
  step?.focus();
  vi.advanceTimersByTime(10_000);
  frames.settle();
  expect(stepBar(el)?.text).toContain("the kernel is gone");
  expect(stepBar(el)?.buttons).toEqual([]);
  expect(state(el)).toBe("lost");
  expect(el.querySelector(".tg-status")?.textContent).toMatch(/lost at line \d/);
  expect(document.activeElement?.className).toBe("tg-root");
  kernel.heard.length = 0;
  step?.click();
  const press = { key: "n", bubbles: true };
  el.querySelector(".tg-root")?.dispatchEvent(new KeyboardEvent("keydown", press));
  expect(kernel.heard).toEqual([]);
  kernel.tell(waiting(2));
  frames.settle();
  expect([state(el), stepBar(el)?.buttons]).toEqual(["running", ALL_BUTTONS]);
});

test("a host that restarts its kernel says so; a trace that has ended does not care", () => {
  const el = open();
  kernel.say(0, events.slice(0, 10));
  kernel.fire("comm_live_update");
  frames.settle();
  expect(state(el)).toBe("lost");
  kernel.say(10, events.slice(10));
  frames.settle();
  expect(state(el)).toBe("done");
  kernel.fire("comm_live_update");
  frames.settle();
  expect([state(el), stepBar(el)]).toEqual(["done", undefined]);
});

test("one may look back while the cell waits; a step goes to what it does", () => {
  const el = open();
  kernel.say(0, events);
  kernel.tell(waiting(4));
  frames.settle();
  const track = el.querySelector<HTMLElement>(".tg-track");
  const left = { key: "ArrowLeft", bubbles: true };
  track?.dispatchEvent(new KeyboardEvent("keydown", left));
  frames.settle();
  expect(track?.dataset.live).toBe("false");
  expect(stepBar(el)?.buttons).toEqual(ALL_BUTTONS);
  el.querySelector<HTMLElement>("[data-do=step]")?.click();
  frames.settle();
  expect(track?.dataset.live).toBe("true");
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
