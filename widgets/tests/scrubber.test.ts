// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { ScrubberPane } from "../src/draw/scrubber";
import { readPalette } from "../src/draw/theme";
import { Trace } from "../src/state/trace";
import { Time } from "../src/time";

test("before its first frame the slider has a value, and the pace its number", () => {
  const time = new Time(new Trace(), () => {});
  const scrubber = new ScrubberPane(time, () => readPalette(document.body));
  const track = scrubber.element.querySelector(".tg-track");
  for (const name of ["valuemin", "valuenow", "valuemax"]) {
    expect(track?.getAttribute(`aria-${name}`)).toBe("0");
  }
  const pace = scrubber.element.querySelector(".tg-pace");
  expect([pace?.textContent, pace?.getAttribute("aria-label")]).toEqual(["1×", "Pace, 1 times"]);
  scrubber.dispose();
});
