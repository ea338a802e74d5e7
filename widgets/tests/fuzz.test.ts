// @vitest-environment happy-dom
/** Whatever a log says: it is refused with a reason, or drawn. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FIXTURES } from "../fixtures";
import { mount } from "./mounted";
import { readLog } from "../src/validate";
import { rounds } from "./effort";
import { Frames } from "./frames";
import { mutated } from "./mutate";
import { generator } from "./random";

const NAMES = Object.keys(FIXTURES).filter((name) => !/thousand|transformer/.test(name));
const ROUNDS = Number(process.env.FUZZ ?? rounds(3));
/** Nothing here takes long; a log that makes the page count for ever does. */
const PATIENCE = 60_000 + 10_000 * ROUNDS;
const KEYS = ["Home", "ArrowRight", "ArrowDown", "]", "g", "[", "Enter", "e", "c", "v", "End"];

let frames: Frames;

beforeEach(() => {
  frames = new Frames();
  document.body.replaceChildren();
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation(strictContext);
  for (const side of ["clientWidth", "clientHeight"] as const) {
    vi.spyOn(HTMLElement.prototype, side, "get").mockReturnValue(900);
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A canvas that draws nothing, but refuses what a browser's would refuse. */
function strictContext(): never {
  const known: Record<string, unknown> = {
    createImageData(width: number, height: number) {
      if (!(width >= 1 && height >= 1)) throw new Error(`IndexSizeError: ${width} x ${height}`);
      return { data: new Uint8ClampedArray(width * height * 4) };
    },
    measureText: (text: string) => ({ width: 7 * text.length }),
    arc(_x: number, _y: number, radius: number) {
      if (radius < 0) throw new Error(`IndexSizeError: radius ${radius}`);
    },
  };
  const get = (target: object, name: string): unknown =>
    name in known ? known[name] : (Reflect.get(target, name) ?? (() => undefined));
  return new Proxy({}, { get }) as never;
}

/** What is said of a log that is refused; undefined of one that can be drawn. */
function refusal(log: unknown): string | undefined {
  try {
    readLog(log);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

/** Draw a log and walk through it. */
function walk(log: unknown): void {
  const mounted = mount(document.body, log as never);
  frames.settle();
  const press = (key: string): void => {
    const options = { key, bubbles: true, cancelable: true };
    mounted.element.dispatchEvent(new KeyboardEvent("keydown", options));
    frames.settle();
  };
  mounted.seek(5);
  for (const row of [...mounted.element.querySelectorAll("[data-key]")].slice(0, 4)) {
    row.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    frames.settle();
  }
  for (const key of KEYS) press(key);
  for (let view = 0; view < 7; view++) press("v");
  mounted.dispose();
}

test.each(NAMES)("a %s that somebody meddled with is refused in words, or drawn", (name) => {
  const whole = FIXTURES[name]();
  let drawn = 0;
  for (let seed = 1; drawn < ROUNDS && seed < 20 * ROUNDS; seed++) {
    const log = mutated(whole, generator(seed * 7919 + name.length * 104_729));
    const why = refusal(log);
    if (why === undefined) {
      drawn += 1;
      try {
        walk(log);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).stack}`, { cause: error });
      }
    } else expect(why).toMatch(/^events\[\d+\][ .]|version|is not what a log has there/);
    expect(Object.prototype).not.toHaveProperty("polluted");
  }
  expect(drawn).toBe(ROUNDS);
}, PATIENCE);
