// @vitest-environment happy-dom
// Things that `tg.show` shows, of which no line of code is traced.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mlp } from "../fixtures/eager";
import { plan, profile, training } from "../fixtures/views";
import type { AnyEvent, Log } from "../src/events";
import { mount } from "./mounted";
import { normText } from "../src/state/caption";
import { Frames } from "./frames";
import { traceOf } from "./trace";

let frames: Frames;

beforeEach(() => {
  frames = new Frames();
  document.body.replaceChildren();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const PLACE = { t: 0, cell: 0, line: 0 };

/** A log as Python writes one that shows something: a cell without any source. */
function shown(events: readonly AnyEvent[]): Log {
  const begin = { ...PLACE, seq: 0, kind: "cell_begin", title: "", source: "" } as const;
  const end = { ...PLACE, seq: 0, kind: "cell_end", ok: true } as const;
  const numbered = [begin, ...events, end].map((event, seq) => ({ ...event, ...PLACE, seq }));
  return { version: 1, title: "Shown", events: numbered };
}

function show(events: readonly AnyEvent[]): HTMLElement {
  const { element } = mount(document.body, shown(events));
  frames.settle();
  return element;
}

const ofKind = (log: Log, ...kinds: string[]): AnyEvent[] =>
  log.events.filter(({ kind }) => kinds.includes(kind));
const isSeen = (root: Element, selector: string): boolean =>
  root.querySelector(selector)?.closest("[hidden]") === null;

test.each([
  ["Memory plan", ofKind(plan(), "plan")],
  ["Training", ofKind(training(), "train")],
  ["Profile", ofKind(profile(), "profile")],
])("%s opens on itself: there is no trace to look at first", (name, events) => {
  const root = show(events);
  const tabs = [...root.querySelectorAll(".tg-tab:not([hidden])")];
  expect(tabs.map((tab) => tab.textContent)).toEqual([name]);
  expect(isSeen(root, ".tg-chapters")).toBe(true);
  expect(isSeen(root, ".tg-body")).toBe(false);
  expect(isSeen(root, ".tg-scrubber")).toBe(false);
});

test("a report of passes has its own counts, and all of its changes", () => {
  const change = { old: ["scale"], new: [], what: "a is b", where: "a.py:3" };
  const changes = Array.from({ length: 40 }, () => change);
  const program = { kind: "program", program: 0, role: "other", title: "p" } as const;
  const pass = { kind: "pass", program: 0, name: "identities", before: 63, after: 23 } as const;
  const root = show([
    { ...PLACE, seq: 0, ...program },
    { ...PLACE, seq: 0, ...pass, changes },
  ]);
  const words = root.querySelector(".tg-passwords")?.textContent;
  expect(words).toBe("Pass 1 of 1: identities · 63 → 23 operators");
  expect(root.querySelectorAll(".tg-changes > li")).toHaveLength(40);
  expect(isSeen(root, ".tg-diff")).toBe(false);
});

test("a layer's tensors come as cards with what they hold, and no empty graph", () => {
  const moments = { min: -1, max: 3, mean: 1, std: 2, norm: 3.162, nan: 0, inf: 0 };
  const parts = { hist: [1, 1], heat: [[-1], [3]], first: [-1, 3] };
  const value = { shape: [2, 1], dtype: "float32", ...moments, ...parts };
  const tensor = { kind: "tensor", tensor: 1, role: "P" } as const;
  const facts = { name: "0.weight", shape: [2, 1], dtype: "float32", stop_gradient: false };
  const root = show([
    { ...PLACE, seq: 0, ...tensor, ...facts },
    { ...PLACE, seq: 0, kind: "value", tensor: 1, value },
  ]);
  const [card] = root.querySelectorAll(".tg-card");
  expect(card.textContent).toContain("0.weight[2, 1]");
  expect(card.textContent).toContain("3.162");
  expect(isSeen(root, ".tg-stages")).toBe(false);
  expect(isSeen(root, ".tg-source")).toBe(false);
});

test("a gradient that is not finite has no norm to tell", () => {
  const log = mlp({ nan: true });
  const { events } = log;
  const bad = events.find((e) => e.kind === "grad" && e.value.nan + e.value.inf > 0);
  if (bad?.kind !== "grad") throw new Error("nothing is wrong in it");
  expect(normText(bad.value)).toMatch(/^✕ (NaN|Inf)$/);
  expect(traceOf(log).troubles.length).toBeGreaterThan(0);
});

test("a batch that no operator was seen to read is a chip, unless its name stands in the graph", () => {
  const tensor = (number: number, name: string, role: "D" | "T"): AnyEvent => {
    const facts = { name, role, shape: [2], dtype: "float32", stop_gradient: true };
    return { ...PLACE, seq: 0, kind: "tensor", tensor: number, ...facts };
  };
  const [inputs, outputs] = [[1], [2]];
  const op = { node: 1, type: "scale", inputs, outputs, attrs: {}, saved: [], taped: true };
  const element = show([
    tensor(1, "x", "D"),
    tensor(2, "y", "T"),
    { ...PLACE, seq: 0, kind: "node", ...op, order: 1 },
    tensor(3, "x", "D"),
    tensor(4, "unread", "D"),
  ]);
  const chips = [...element.querySelectorAll(".tg-leaves .tg-chip .tg-name")];
  expect(chips.map(({ textContent }) => textContent)).toEqual(["unread"]);
});
