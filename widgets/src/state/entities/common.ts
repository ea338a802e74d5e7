/** What is said alike of every thing. */

import type { Entity } from "../entity";
import type { Made } from "../picture";

export function identity({ key, seq, cell, line }: Made & { key: string }) {
  return { key, seq, cell, line };
}

/** Whose engine made it, if it is not the framework's. */
export function engineFact(engine: string | undefined): [string, string][] {
  return engine === undefined || engine === "" ? [] : [["engine", `yours: ${engine}`]];
}

export function isTrue(value: boolean | string): boolean {
  return value === true || value === "True" || value === "true";
}

export function factOf(entity: Entity | undefined, what: string): string {
  return entity?.facts.find(([name]) => name === what)?.[1] ?? "";
}
