import { expect, test } from "vitest";
import { Paced } from "../src/state/paced";

test("what grows all the time is made anew in a tenth of the time", () => {
  let [now, spent] = [0, 0];
  const paced = new Paced<number>(() => now);
  for (let version = 0; version < 1000; version++) {
    now += 16;
    paced.at(version, () => {
      now += 50;
      spent += 50;
      return version;
    });
  }
  expect(spent / now).toBeLessThanOrEqual(0.1);
  expect(spent).toBeGreaterThan(0);
});

test("it says when it is behind, and catches up", () => {
  let now = 0;
  const paced = new Paced<string>(() => now);
  const make = (text: string) => (): string => {
    now += 10;
    return text;
  };
  expect(paced.at(1, make("one"))).toBe("one");
  expect(paced.at(2, make("two"))).toBe("one");
  expect(paced.isBehind).toBe(true);
  now += 100;
  expect(paced.at(2, make("two"))).toBe("two");
  expect(paced.isBehind).toBe(false);
  paced.forget();
  expect(paced.at(2, make("new"))).toBe("new");
});
