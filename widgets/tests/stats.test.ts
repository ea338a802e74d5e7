// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { pictures } from "../fixtures/eager";
import { pictureOf, sparkPath, statsView } from "../src/draw/stats";
import { describe } from "../src/state/entity";
import { smallText, valueText } from "../src/text";
import { Builder } from "../fixtures/builder";
import { traceOf } from "./trace";

test("a picture's bytes are its pixels: grey from one channel, colours from three", () => {
  const b = new Builder("");
  const base = b.stats([1, 1, 1, 2]);
  const grey = pictureOf({ ...base, image: btoa("\x00\xff"), image_size: [1, 2] });
  expect([...grey!.pixels]).toEqual([0, 0, 0, 255, 255, 255, 255, 255]);
  const red = pictureOf({ ...base, image: btoa("\xff\x01\x02"), image_size: [1, 1] });
  expect([...red!.pixels]).toEqual([255, 1, 2, 255]);
  const wrong = pictureOf({ ...base, image: btoa("ab"), image_size: [5, 5] });
  expect(wrong).toBeUndefined();
});

test("a line through the past is broken where a value is not finite", () => {
  expect(sparkPath([0, null, 1, 2], 0, 2)).toBe("M0.0 26.0M146.7 14.0L220.0 2.0");
});

test("a parameter's past ends where one looks back to", () => {
  const trace = traceOf(pictures());
  const w = [...trace.tape.tensors.values()].find((t) => t.name === "conv2d_0.w_0")!;
  const count = (at: number): number => describe(trace, w.key, at)!.values!.length;
  expect(count(trace.length)).toBe(21);
  expect(count(trace.positionAfter(4))).toBe(2);
});

test("a value in a word: its few elements, or the mean of many, or that it is none", () => {
  const b = new Builder("");
  const one = { ...b.stats([]), mean: 0.25 };
  expect(valueText(one)).toBe("= 0.25");
  expect(valueText({ ...b.stats([2, 4]), mean: 1 })).toBe("mean 1");
  expect(valueText({ ...b.stats([2]), first: [1.5, -2] })).toBe("= [1.5, -2]");
  expect(valueText({ ...one, nan: 2 })).toBe("✕ NaN");
});

test("figures of a sample say so where no histogram does", () => {
  const few = { ...new Builder("").stats([70, 70]), hist: [], heat: [], first: [] };
  expect(statsView("", { ...few, stride: 3 }).textContent).toContain("of a sample, 1 in 3");
  expect(statsView("", few).textContent).not.toContain("sample");
});

test("where NaN and infinities are among the elements, none is taken for the other", () => {
  const stats = { ...new Builder("").stats([3]), first: [-0.5, null, null] };
  expect(smallText({ ...stats, nan: 1, inf: 1 })).toBe("[-0.5, nan/±inf, nan/±inf]");
  expect(smallText({ ...stats, nan: 2 })).toBe("[-0.5, nan, nan]");
  expect(smallText({ ...stats, inf: 2 })).toBe("[-0.5, ±inf, ±inf]");
});
