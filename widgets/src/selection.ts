/** Walking from thing to thing: producers, consumers, across the mirror. */

import { describe } from "./state/entity";
import type { Trace } from "./state/trace";

export type Way = "producer" | "consumer" | "twin";

/** The key one step away from `key`, if there is one: rather not one to `avoid`. */
export function neighbour(
  trace: Trace,
  key: string,
  way: Way,
  position: number,
  avoid: (key: string) => boolean = () => false,
): string | undefined {
  const entity = describe(trace, key, position);
  if (way === "twin") return entity?.twin?.key;
  const links = way === "producer" ? entity?.producers : entity?.consumers;
  return (links?.find((link) => !avoid(link.key)) ?? links?.at(0))?.key;
}

/** Everything that made, or reads, `key`, and its mirror image. */
export function neighbours(
  trace: Trace,
  key: string | undefined,
  position: number,
): Set<string> {
  const entity = key === undefined ? undefined : describe(trace, key, position);
  if (entity === undefined) return new Set();
  const links = [...entity.producers, ...entity.consumers];
  const keys = links.map((link) => link.key);
  if (entity.twin !== undefined) keys.push(entity.twin.key);
  return new Set(keys);
}
