/** What is said alike of every thing. */

import type { Made } from "../picture";

export function identity({ key, seq, cell, line }: Made & { key: string }) {
  return { key, seq, cell, line };
}

export function isTrue(value: boolean | string): boolean {
  return value === true || value === "True" || value === "true";
}
