/**
 * Logs that somebody meddled with, and what the page says of each, a line of JSON each:
 * Python's validator is held to the same verdicts. Logs given on stdin come first.
 */

import { readFileSync } from "node:fs";
import { FIXTURES } from "../fixtures";
import { readLog } from "../src/validate";
import { mutated } from "./mutate";
import { generator } from "./random";

const SMALL = ["hostile", "hostile_views", "diamond", "failing_program", "plan", "passes", "loop"];
const SEEDS = 30;

function why(text: string): string | null {
  try {
    readLog(JSON.parse(text));
  } catch (error) {
    return (error as Error).message;
  }
  return null;
}

const given = readFileSync(0, "utf8").split("\n").filter((line) => line !== "");
const made = SMALL.flatMap((name) => {
  const whole = FIXTURES[name]();
  const seeds = Array.from({ length: SEEDS }, (_, i) => (i + 1) * 7919);
  return seeds.map((seed) => JSON.stringify(mutated(whole, generator(seed))));
});
for (const text of [...given, ...made]) {
  process.stdout.write(`${JSON.stringify({ text, why: why(text) })}\n`);
}
