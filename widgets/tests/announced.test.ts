// @vitest-environment happy-dom
/** What a screen reader is told while a cell runs, and when. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Builder } from "../fixtures/builder";
import { EventLog } from "../src/log";
import { View } from "../src/view";
import { Frames } from "./frames";

let frames: Frames;
let now = 5000;

beforeEach(() => {
  frames = new Frames();
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a cell that runs 30 lines a second is spoken of once a second, and its end at once", () => {
  const b = new Builder("fast");
  b.begin(Array.from({ length: 90 }, (_, i) => `x${i} = ${i}`));
  for (let line = 1; line <= 90; line++) {
    b.at(line);
    b.tensor(`x${line}`, "D", [1]);
  }
  b.end();
  const log = new EventLog();
  const view = new View(log, { title: "fast" });
  document.body.append(view.element);
  const announcer = view.element.querySelector(".tg-sr")!;
  expect(announcer.getAttribute("role")).toBe("status");
  const said = new Set<string>();
  for (const event of b.log.events) {
    const isLast = event.kind === "cell_end";
    log.accept(event.seq, [event]);
    if (event.kind === "tensor" || isLast) {
      now += 1000 / 30;
      view.redraw();
      frames.settle();
      said.add(announcer.textContent);
    }
  }
  expect(said.size).toBeGreaterThanOrEqual(3);
  expect(said.size).toBeLessThanOrEqual(5);
  expect(announcer.textContent).toContain("90 of 90 lines run, line 90");
  view.dispose();
});
