import type { Log } from "../src/events";
import { Trace } from "../src/state/trace";

/** Fold a whole log. */
export function traceOf(log: Log): Trace {
  const trace = new Trace();
  for (const event of log.events) trace.fold(event);
  return trace;
}

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
