// @vitest-environment happy-dom
/** Names now, and output: at any position what was so then. */

import { afterEach, expect, test, vi } from "vitest";
import { Builder } from "../fixtures/builder";
import type { AnyEvent, Log } from "../src/events";
import { Hands } from "./hands";
import { traceOf } from "./trace";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const HOSTILE = "<img src=x onerror=alert(1)>";

/** Events between those that a builder makes, each in its place. */
function log(): Log {
  const b = new Builder("names");
  b.begin(["x = f()", "print(x)"]);
  b.at(1);
  const x = b.tensor("", "D", []);
  b.value(x, { ...b.stats([]), mean: 7, first: [7] });
  b.at(2);
  b.end();
  const at = { t: 0, cell: 0 };
  const more: [number, object][] = [
    [2, { kind: "names", scope: "f", tensors: {}, texts: { a: "1" }, gone: [], line: 1 }],
    [4, { kind: "names", scope: "", tensors: { x }, texts: { [HOSTILE]: HOSTILE }, gone: [], line: 1 }],
    [5, { kind: "output", text: `7\n${HOSTILE}`, line: 2 }],
    [5, { kind: "names", scope: "", tensors: {}, texts: { x: "gone" }, gone: [HOSTILE], line: 2 }],
  ];
  const events = b.log.events.flatMap((event, index) => [
    ...more.filter(([before]) => before === index).map(([, made]) => ({ ...at, ...made })),
    event,
  ]);
  return { ...b.log, events: events.map((event, seq) => ({ ...event, seq }) as AnyEvent) };
}

test("names mean what they meant then, those of the running function first", () => {
  const trace = traceOf(log());
  const seqs = log().events.filter(({ kind }) => kind === "names").map(({ seq }) => seq);
  expect(trace.bindings.at(0)).toEqual([{ scope: "", names: [] }]);
  expect(trace.bindings.at(seqs[0] + 1)).toEqual([
    { scope: "f", names: [["a", "1"]] },
    { scope: "", names: [] },
  ]);
  const tensor = [...trace.tape.tensors.keys()][0];
  expect(trace.bindings.at(seqs[1] + 1)[0].names).toEqual([
    [HOSTILE, HOSTILE],
    ["x", tensor],
  ]);
  expect(trace.bindings.at(Infinity)[0].names).toEqual([["x", "gone"]]);
  expect(trace.bindings.outputAt(0)).toBe("");
  expect(trace.bindings.outputAt(Infinity)).toBe(`7\n${HOSTILE}`);
});

test("the pane follows the steps, and a name leads to its tensor", () => {
  const hands = new Hands(log());
  const pane = hands.one(".tg-now");
  expect(pane.querySelector(".tg-output")?.textContent).toBe(`7\n${HOSTILE}`);
  hands.press(".tg-root", "ArrowLeft");
  const items = [...pane.querySelectorAll<HTMLElement>(".tg-name")];
  expect(items.map(({ textContent }) => textContent)).toEqual([HOSTILE + HOSTILE, "Dx7"]);
  expect(pane.querySelector("img")).toBeNull();
  items[1].click();
  hands.press("", "Shift+ArrowLeft");
  expect(hands.one(".tg-inspector").dataset.key).toBe(items[1].dataset.key);
  hands.press(".tg-root", "Home");
  expect(pane.hidden).toBe(true);
});
