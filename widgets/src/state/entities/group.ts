/** A folded group of operators, as it is known: what it holds, takes in and gives out. */

import type { Group } from "../../layout/groups";
import type { Entity, Link } from "../entity";
import { graphOfGroup, groupDetail, groupKey, groupOf, parameterKeys } from "../folding";
import { factOf } from "./common";
import type { Mirror } from "../mirror";
import type { Trace } from "../trace";

/** What is known of another thing. */
type Describe = (key: string) => Entity | undefined;

export function describeGroup(
  trace: Trace,
  key: string,
  describe: Describe,
): Entity | undefined {
  const graph = graphOfGroup(key) ?? "";
  const mirror = trace.mirrorOf(graph);
  const group = mirror && groupOf(mirror, key);
  if (mirror === undefined || group === undefined) return undefined;
  const isGradient = key.startsWith("g");
  const other = groupKey(graph, group, !isGradient);
  const held = new Map<string, number>();
  for (const { title } of mirror.ops.slice(group.first, group.end)) {
    held.set(title, (held.get(title) ?? 0) + 1);
  }
  const facts = [...held].map(([title, count]): [string, string] => [title, `×${count}`]);
  // Their names begin with the path of the layer.
  for (const parameter of parameterKeys(mirror, group).slice(0, MOST_LINKS)) {
    const entity = describe(parameter);
    if (entity !== undefined) facts.push([entity.name, factOf(entity, "shape")]);
  }
  const twin: Link = {
    key: other,
    label: trace.titleOf(graph, group),
    tone: isGradient ? "op" : "grad",
  };
  const { seq, cell, line } = mirror.ops[group.first];
  return {
    key,
    seq,
    cell,
    line,
    tone: isGradient ? "grad" : "op",
    name: trace.titleOf(graph, group),
    role: isGradient
      ? "the gradients of a folded group"
      : `${groupDetail(group)}, folded; e opens`,
    facts,
    ...crossing(describe, mirror, group, isGradient),
    ...(mirror.hasGradients ? { twin } : {}),
  };
}

type Crossing = Pick<Entity, "producers" | "consumers">;

/** What was found for a group, and how large the graph was then. */
const crossings = new WeakMap<
  Group,
  { found: Crossing; edges: number; gradient: boolean }
>();

/** What a group gets from outside, and what of it is read there. */
function crossing(
  describe: Describe,
  mirror: Mirror,
  group: Group,
  gradient: boolean,
): Crossing {
  const known = crossings.get(group);
  if (known?.edges === mirror.edgeCount && known.gradient === gradient) {
    return known.found;
  }
  const isInside = (op: number): boolean => op >= group.first && op < group.end;
  const [into, out] = [new Set<string>(), new Set<string>()];
  const rows = mirror.ops.slice(group.first, group.end).map(({ spot }) => spot.row);
  const [first, last] = rows.reduce(
    ([low, high], row) => [Math.min(low, row), Math.max(high, row)],
    [Infinity, -1],
  );
  for (const edge of mirror.edges.touching(first - 1, last + 1)) {
    if (edge.kind !== (gradient ? "gradient" : "flow")) continue;
    const [from, to] = [isInside(edge.from), isInside(edge.to)];
    if (to && !from) into.add(edge.key);
    else if (from && !to) out.add(edge.key);
  }
  const found = { producers: links(describe, into), consumers: links(describe, out) };
  crossings.set(group, { found, edges: mirror.edgeCount, gradient });
  return found;
}

/** More of what enters or leaves a group is not listed. */
const MOST_LINKS = 40;

function links(describe: Describe, keys: ReadonlySet<string>): Link[] {
  return [...keys].slice(0, MOST_LINKS).flatMap((key) => {
    const entity = describe(key);
    return entity === undefined ? [] : [{ key, label: entity.name, tone: entity.tone }];
  });
}
