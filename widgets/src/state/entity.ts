/** What is known of one thing, whichever pane it was pointed at in. */

import type { Stats } from "../events";
import type { Group } from "../layout/groups";
import { numberText, shapeText } from "../text";
import { graphOfGroup, groupDetail, groupKey, groupOf } from "./folding";
import type { Made, Mirror } from "./mirror";
import {
  forwardName,
  names,
  type OpRow,
  type ProgramState,
  type Row,
  type VarRow,
} from "./programs";
import {
  gradientName,
  nodeGradientKey,
  nodeKey,
  nodeTone,
  tensorGradientKey,
  tensorKey,
  type TapeNode,
  type TapeTensor,
} from "./tape";
import { operatorTone, TONES, type Tone } from "./tones";
import type { Trace } from "./trace";

export interface Link {
  readonly key: string;
  readonly label: string;
  readonly tone: Tone;
}

export interface Entity extends Made {
  readonly key: string;
  readonly tone: Tone;
  readonly name: string;
  /** What it is, in words. */
  readonly role: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly producers: readonly Link[];
  readonly consumers: readonly Link[];
  readonly twin?: Link | undefined;
  readonly value?: Stats | undefined;
  readonly gradient?: Stats | undefined;
  /** What value and gradient were before, oldest first, the present one included. */
  readonly values?: readonly Stats[];
  readonly gradients?: readonly Stats[];
  readonly message?: string;
}

/** Describe what `key` names as it was at `position`. */
export function describe(
  trace: Trace,
  key: string,
  position: number,
): Entity | undefined {
  if (graphOfGroup(key) !== undefined) return describeGroup(trace, key);
  const found = trace.row(key);
  if (found !== undefined)
    return describeRow(trace, found.program, found.row, position);
  const [prefix, first] = key.split(":");
  const { tape } = trace;
  const tensor = tape.tensors.get(Number(first));
  const node = tape.nodes.get(Number(first));
  if (prefix === "t" && tensor !== undefined) {
    return describeTensor(trace, tensor, position);
  }
  if (prefix === "gt" && tensor !== undefined) return tensorGradient(tensor, position);
  if (prefix === "n" && node !== undefined) return describeNode(trace, node, position);
  if (prefix === "gn" && node !== undefined) return nodeGradient(trace, node, position);
  const flow = node?.flows.get(key);
  const target = tape.tensors.get(flow?.tensor ?? -1);
  if (node !== undefined && flow !== undefined && target !== undefined) {
    return describeFlow(node, target, key, flow.value.at(position));
  }
  const failure = trace.failures.find((known) => known.key === key);
  if (failure === undefined) return undefined;
  return { ...failure, ...failedWords(failure.title, failure.message), facts: [] };
}

function describeGroup(trace: Trace, key: string): Entity | undefined {
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
    ...crossing(trace, mirror, group, isGradient),
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
  trace: Trace,
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
  const found = { producers: links(trace, into), consumers: links(trace, out) };
  crossings.set(group, { found, edges: mirror.edgeCount, gradient });
  return found;
}

/** More of what enters or leaves a group is not listed. */
const MOST_LINKS = 40;

function links(trace: Trace, keys: ReadonlySet<string>): Link[] {
  return [...keys].slice(0, MOST_LINKS).flatMap((key) => {
    const entity = describe(trace, key, trace.length);
    return entity === undefined ? [] : [{ key, label: entity.name, tone: entity.tone }];
  });
}

function describeRow(
  trace: Trace,
  program: ProgramState,
  row: Row,
  position: number,
): Entity {
  if (row.kind === "var") return describeVariable(trace, program, row, position);
  if (row.kind === "op") {
    const operator = describeOperator(program, row, position);
    const failure = program.broken.get(row.key);
    if (failure === undefined || failure.seq >= position) return operator;
    return { ...operator, message: failure.message };
  }
  const { key, seq, cell, line } = row;
  if (row.kind === "failed") {
    const { type, message, inputs } = row.event;
    const facts = inputs.map((input): [string, string] => [
      input.slot,
      `${input.name} ${shapeText(input.shape)} ${input.dtype}`,
    ]);
    const op = program.ops.get(row.event.op ?? -1);
    const words = failedWords(type, message);
    const producers = op === undefined ? [] : [opLink(op)];
    return { key, seq, cell, line, ...words, facts, producers };
  }
  const name = `block ${row.event.block}`;
  const facts: [string, string][] = [["inside", `block ${row.event.parent}`]];
  const links = { producers: [], consumers: [] };
  return { key, seq, cell, line, tone: "op", name, role: "sub-block", facts, ...links };
}

function failedWords(name: string, message: string) {
  const words = { tone: "failed" as const, role: "operator that failed" };
  return { name, message, ...words, producers: [], consumers: [] };
}

function describeVariable(
  trace: Trace,
  program: ProgramState,
  row: VarRow,
  position: number,
): Entity {
  const { event, block } = row;
  const { name, role, dtype } = event;
  const shape = trace.changed(row.key, "shape", position) ?? shapeText(event.shape);
  const stops =
    trace.changed(row.key, "stop_gradient", position) ?? event.stop_gradient;
  const facts: [string, string][] = [
    ["shape", shape],
    ["dtype", dtype],
  ];
  if (event.persistable) facts.push(["persistable", "kept from run to run"]);
  if (isTrue(stops)) facts.push(["stop_gradient", "no gradient flows through it"]);
  const forward = forwardName(name);
  const twin = program.find(block, forward ?? `${name}@GRAD`);
  return {
    ...identity(row),
    tone: role,
    name,
    role: TONES[role].word,
    facts,
    // Of a value that all read these are many, and seldom asked for.
    get producers() {
      return (program.writers.get(name) ?? []).map(opLink);
    },
    get consumers() {
      return (program.readers.get(name) ?? []).map(opLink);
    },
    twin: twin && variableLink(twin),
    value: row.value.at(position),
    gradient: forward === undefined ? twin?.value.at(position) : undefined,
    values: row.value.until(position),
    gradients: forward === undefined ? (twin?.value.until(position) ?? []) : [],
  };
}

function describeOperator(program: ProgramState, row: OpRow, position: number): Entity {
  const { event } = row;
  const tone = operatorTone(event.type, event.role);
  const variables = (slots: Record<string, string[]>): VarRow[] =>
    names(slots).flatMap((name) => program.find(event.block, name) ?? []);
  const outputs = variables(event.outputs);
  const forward = event.twin === undefined ? undefined : program.ops.get(event.twin);
  const twin = forward ?? row.twins.at(0);
  return {
    ...identity(row),
    tone,
    name: event.type,
    role: TONES[tone].word,
    facts: [...slotFacts(event.inputs), ...Object.entries(event.attrs)],
    producers: variables(event.inputs).map(variableLink),
    consumers: outputs.map(variableLink),
    twin: twin && opLink(twin),
    value: outputs.at(0)?.value.at(position),
  };
}

/** Say which variable stands in which slot, where the order alone would not tell. */
function slotFacts(slots: Record<string, string[]>): [string, string][] {
  return Object.entries(slots).map(([slot, held]) => [slot, held.join(", ") || "none"]);
}

function describeTensor(trace: Trace, tensor: TapeTensor, position: number): Entity {
  const { event, producer, consumers, key } = tensor;
  const stops = trace.changed(key, "stop_gradient", position) ?? event.stop_gradient;
  const facts: [string, string][] = [
    ["shape", shapeText(event.shape)],
    ["dtype", event.dtype],
  ];
  if (isTrue(stops)) facts.push(["stop_gradient", "no gradient flows through it"]);
  return {
    ...identity(tensor),
    tone: event.role,
    name: tensor.name,
    role: TONES[event.role].word,
    facts,
    producers: producer === undefined ? [] : [nodeLink(producer)],
    get consumers() {
      return consumers.map(nodeLink);
    },
    twin: hasGradient(tensor) ? gradientLink(tensor) : undefined,
    value: tensor.value.at(position),
    gradient: tensor.gradient.at(position),
    values: tensor.value.until(position),
    gradients: tensor.gradient.until(position),
  };
}

function tensorGradient(tensor: TapeTensor, position: number): Entity {
  const gives = (node: TapeNode): boolean => givesTo(node, tensor);
  const { producer, consumers } = tensor;
  const returns = producer?.graded !== undefined;
  return {
    ...identity(tensor),
    ...tensor.graded,
    key: tensorGradientKey(tensor.event.tensor),
    tone: "g",
    name: gradientName(tensor),
    role: isSum(tensor) ? "gradient, a sum" : "gradient",
    facts: [["shape", shapeText(tensor.event.shape)], ...hookFacts(tensor, position)],
    get producers() {
      return consumers.filter(gives).map(nodeGradientLink);
    },
    consumers: returns ? [nodeGradientLink(producer)] : [],
    twin: tensorLink(tensor),
    value: tensor.value.at(position),
    gradient: tensor.gradient.at(position),
    gradients: tensor.gradient.until(position),
  };
}

function hookFacts({ found }: TapeTensor, position: number): [string, string][] {
  const before = found?.at(position);
  return before ? [["‖g‖ before its hooks", numberText(before.norm)]] : [];
}

function describeNode(trace: Trace, node: TapeNode, position: number): Entity {
  const { event } = node;
  const find = (ids: readonly number[]): TapeTensor[] =>
    ids.flatMap((id) => trace.tape.tensors.get(id) ?? []);
  const outputs = find(event.outputs);
  const facts: [string, string][] = Object.entries(event.attrs);
  if (event.saved.length > 0)
    facts.push(["kept for backward", keptText(node, position)]);
  if (!event.taped) facts.push(["tape", "not recorded"]);
  const tone = nodeTone(event);
  return {
    ...identity(node),
    tone,
    name: event.type,
    role: TONES[tone].word,
    facts,
    producers: find(event.inputs).map(tensorLink),
    consumers: outputs.map(tensorLink),
    twin: node.graded === undefined ? undefined : nodeGradientLink(node),
    value: outputs.at(0)?.value.at(position),
    gradient: outputs.at(0)?.gradient.at(position),
  };
}

function nodeGradient(trace: Trace, node: TapeNode, position: number): Entity {
  const { event } = node;
  const find = (id: number): TapeTensor[] => {
    const tensor = trace.tape.tensors.get(id);
    return tensor === undefined ? [] : [tensor];
  };
  // Where several nodes give to one gradient, one walks to it by this one's part.
  const parts = new Map(
    [...node.flows].flatMap(([part, { tensor }]) =>
      find(tensor).map((target): [string, Link] => {
        const link = gradientLink(target);
        return isSum(target) ? [part, { ...link, key: part }] : [link.key, link];
      }),
    ),
  );
  return {
    ...identity(node),
    ...node.graded,
    key: nodeGradientKey(event.node),
    tone: "grad",
    name: `${event.type}_grad`,
    role: TONES.grad.word,
    facts: event.saved.length > 0 ? [["keeps", keptText(node, position)]] : [],
    producers: event.outputs.flatMap(find).filter(hasGradient).map(gradientLink),
    consumers: [...parts.values()],
    twin: nodeLink(node),
    gradient: [...node.flows.values()].at(0)?.value.at(position),
  };
}

function describeFlow(
  node: TapeNode,
  tensor: TapeTensor,
  key: string,
  gradient: Stats | undefined,
): Entity {
  return {
    ...identity(node),
    ...node.graded,
    key,
    tone: "g",
    name: gradientName(tensor),
    role: "a part of the gradient",
    facts: [["shape", shapeText(tensor.event.shape)]],
    producers: [nodeGradientLink(node)],
    consumers: [gradientLink(tensor)],
    twin: tensorLink(tensor),
    gradient,
  };
}

function hasGradient(tensor: TapeTensor): boolean {
  return tensor.graded !== undefined;
}

/** Whether its gradient has several parts, be they of one operator: `x * x` has two. */
function isSum({ event, consumers }: TapeTensor): boolean {
  const parts = [...new Set(consumers)].flatMap((node) => [...node.flows.values()]);
  return parts.filter(({ tensor }) => tensor === event.tensor).length > 1;
}

function givesTo(node: TapeNode, { event }: TapeTensor): boolean {
  return [...node.flows.values()].some((flow) => flow.tensor === event.tensor);
}

function keptText(node: TapeNode, position: number): string {
  const slots = node.event.saved.join(", ");
  return node.freed < position ? `${slots} (freed)` : slots;
}

function isTrue(value: boolean | string): boolean {
  return value === true || value === "True" || value === "true";
}

function identity({ key, seq, cell, line }: Made & { key: string }) {
  return { key, seq, cell, line };
}

function opLink(row: OpRow): Link {
  const { type, role } = row.event;
  return { key: row.key, label: type, tone: operatorTone(type, role) };
}

function variableLink(row: VarRow): Link {
  return { key: row.key, label: row.event.name, tone: row.event.role };
}

function tensorLink(tensor: TapeTensor): Link {
  const key = tensorKey(tensor.event.tensor);
  return { key, label: tensor.name, tone: tensor.event.role };
}

function gradientLink(tensor: TapeTensor): Link {
  const key = tensorGradientKey(tensor.event.tensor);
  return { key, label: gradientName(tensor), tone: "g" };
}

function nodeLink(node: TapeNode): Link {
  const { type, node: id } = node.event;
  return { key: nodeKey(id), label: type, tone: nodeTone(node.event) };
}

function nodeGradientLink(node: TapeNode): Link {
  const key = nodeGradientKey(node.event.node);
  return { key, label: `${node.event.type}_grad`, tone: "grad" };
}
