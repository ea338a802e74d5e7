/** Figures for the table of bars, as `tests/bars.py` reads them. */

import { mkdirSync, writeFileSync } from "node:fs";

interface Bar {
  readonly bar: number;
  readonly unit?: string;
  readonly atLeast?: boolean;
}

const FOLDER = "../tests/artefacts/bars";

/** Keep a figure for the table, and print it beside its bar. */
export function note(name: string, figure: number, what: Bar): void {
  const { bar, unit = "", atLeast = false } = what;
  mkdirSync(FOLDER, { recursive: true });
  const values = { figure, bar, unit, at_least: atLeast };
  writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(values)}\n`);
  const met = atLeast ? figure >= bar : figure <= bar;
  const least = atLeast ? "at least " : "";
  console.log(`${name}: ${figure} of ${least}${bar} ${unit}, ${met ? "met" : "MISSED"}`);
}
