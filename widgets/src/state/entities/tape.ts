/** A tensor, an operator or a gradient of the tape, as it is known. */

import type { Stats } from "../../events";
import { numberText, shapeText } from "../../text";
import type { Entity, Link } from "../entity";
import { lessonOfNode } from "../lesson";
import {
  gradientKey,
  gradientName,
  madeAt,
  mainOutput,
  nodeGradientKey,
  nodeKey,
  nodeTone,
  tensorGradientKey,
  tensorKey,
  type TapeNode,
  type TapeTensor,
} from "../tape";
import { TONES } from "../tones";
import type { Trace } from "../trace";
import { engineFact, identity, isTrue } from "./common";

export function describeTensor(trace: Trace, tensor: TapeTensor, position: number): Entity {
  const { event, producer, consumers, key, detached, overwritten = [] } = tensor;
  const stops = trace.changed(key, "stop_gradient", position) ?? event.stop_gradient;
  const facts: [string, string][] = [
    ["shape", shapeText(event.shape)],
    ["dtype", event.dtype],
    ...engineFact(event.engine),
  ];
  if (detached !== undefined) facts.push(["detached from", detached.name]);
  if (overwritten.some((seq) => seq < position)) facts.push(["overwritten", "in place, by no operator"]);
  if (isTrue(stops)) facts.push(["stop_gradient", "no gradient flows through it"]);
  return {
    ...identity(tensor),
    tone: tensor.role,
    name: tensor.name,
    role: TONES[tensor.role].word,
    facts,
    producers: producer === undefined ? returnedBy(tensor) : [nodeLink(producer)],
    get consumers() {
      return consumers.map(nodeLink);
    },
    twin: twinOf(tensor),
    // A gradient that is read was what its owner had then: hooks may change it after that.
    value: tensor.value.at(position) ?? tensor.of?.gradient.at(event.seq),
    gradient: tensor.gradient.at(position),
    values: tensor.value.until(position),
    gradients: tensor.gradient.until(position),
  };
}

function twinOf(tensor: TapeTensor): Link | undefined {
  if (tensor.returns !== undefined) return tensorLink(tensor.returns);
  return hasGradient(tensor) ? gradientLink(tensor) : undefined;
}

/** The gradient ops that gave what `grad` returns, the gradient that is read, or what shares its values. */
function returnedBy(tensor: TapeTensor): Link[] {
  if (tensor.detached !== undefined) return [tensorLink(tensor.detached)];
  if (tensor.returns === undefined && tensor.of !== undefined) return [gradientLink(tensor.of)];
  const nodes = tensor.returns?.consumers ?? [];
  return [...new Set(nodes)].filter((node) => givesTo(node, tensor)).map(nodeGradientLink);
}

export function tensorGradient(tensor: TapeTensor, position: number): Entity {
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

function hookFacts({ hooked }: TapeTensor, position: number): [string, string][] {
  const [before] = hooked?.at(position) ?? [];
  return before ? [["‖g‖ before its hooks", numberText(before.norm)]] : [];
}

export function describeNode(trace: Trace, node: TapeNode, position: number): Entity {
  const { event } = node;
  const find = (ids: readonly number[]): TapeTensor[] =>
    ids.flatMap((id) => trace.tape.tensors.get(id) ?? []);
  const outputs = find(event.outputs);
  const main = mainOutput(event, trace.tape.tensors);
  const facts: [string, string][] = [
    ...shapeFacts("in", find(event.inputs)),
    ...shapeFacts("out", outputs),
    ...Object.entries(event.attrs),
  ];
  if (event.saved.length > 0)
    facts.push(["kept for backward", keptText(node, position)]);
  if (!event.taped) facts.push(["tape", "not recorded"]);
  facts.push(...engineFact(event.engine));
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
    value: main && madeAt(main, node.seq, position),
    gradient: main?.gradient.at(position),
    lesson: lessonOfNode(trace, node, position),
  };
}

function shapeFacts(side: string, tensors: readonly TapeTensor[]): [string, string][] {
  const shapes = tensors.map(({ event }) => shapeText(event.shape));
  return tensors.length === 0 ? [] : [[side, shapes.join(" · ")]];
}

export function nodeGradient(trace: Trace, node: TapeNode, position: number): Entity {
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
    lesson: lessonOfNode(trace, node, position),
  };
}

export function describeFlow(
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
    twin: tensorLink(tensor.returns ?? tensor),
    gradient,
  };
}

function hasGradient(tensor: TapeTensor): boolean {
  return tensor.graded !== undefined;
}

/** Whether its gradient has several parts, be they of one operator: `x * x` has two. */
function isSum({ event, consumers, returns }: TapeTensor): boolean {
  const parts = [...new Set(returns?.consumers ?? consumers)].flatMap((node) => [...node.flows.values()]);
  return parts.filter(({ tensor }) => tensor === event.tensor).length > 1;
}

function givesTo(node: TapeNode, { event }: TapeTensor): boolean {
  return [...node.flows.values()].some((flow) => flow.tensor === event.tensor);
}

function keptText(node: TapeNode, position: number): string {
  const slots = node.event.saved.join(", ");
  return node.freed < position ? `${slots} (freed)` : slots;
}

function tensorLink(tensor: TapeTensor): Link {
  const key = tensorKey(tensor.event.tensor);
  return { key, label: tensor.name, tone: tensor.role };
}

function gradientLink(tensor: TapeTensor): Link {
  return { key: gradientKey(tensor), label: gradientName(tensor), tone: "g" };
}

function nodeLink(node: TapeNode): Link {
  const { type, node: id } = node.event;
  return { key: nodeKey(id), label: type, tone: nodeTone(node.event) };
}

function nodeGradientLink(node: TapeNode): Link {
  const key = nodeGradientKey(node.event.node);
  return { key, label: `${node.event.type}_grad`, tone: "grad" };
}
