/** The words and figures that a mirrored graph shows at its nodes and edges. */

import type { Stats } from "../events";
import { numberText, shapeText, valueText } from "../text";
import { describe, type Link } from "./entity";
import { graphOfGroup, groupDetail, groupOf } from "./folding";
import type { MirrorNode } from "./mirror";
import { names } from "./programs";
import type { Trace } from "./trace";

export interface Caption {
  readonly title: string;
  readonly detail: string;
}

export function caption(trace: Trace, node: MirrorNode, position: number): Caption {
  if (node.shape === "seed" || node.shape === "update") {
    return { title: node.title, detail: "" };
  }
  if (node.shape === "failed") {
    const failure = trace.failures.find(({ key }) => key === node.key);
    return { title: node.title, detail: failure?.shapes || "failed" };
  }
  if (node.shape === "group") return groupCaption(trace, node);
  if (node.side === 1) return gradientCaption(trace, node, position);
  return { title: leafTitle(trace, node), detail: madeText(trace, node) };
}

/** Return what travels along an edge, or rests in a leaf, as it was at `position`. */
export function carried(
  trace: Trace,
  key: string,
  position: number,
): Stats | undefined {
  const entity = describe(trace, key, position);
  const isGradient = entity?.tone === "g" && !key.startsWith("v:");
  return isGradient ? entity.gradient : entity?.value;
}

function groupCaption(trace: Trace, node: MirrorNode): Caption {
  const graph = graphOfGroup(node.key) ?? "";
  const mirror = trace.mirrorOf(graph);
  const group = mirror && groupOf(mirror, node.key);
  if (group === undefined) return { title: node.title, detail: "" };
  const detail = node.side === 1 ? "their gradients" : groupDetail(group);
  return { title: trace.titleOf(graph, group), detail };
}

function gradientCaption(trace: Trace, node: MirrorNode, position: number): Caption {
  const entity = describe(trace, node.key, position);
  const title = entity?.name ?? node.title;
  const stats = node.shape === "leaf" ? carried(trace, node.key, position) : undefined;
  if (node.shape === "leaf") return { title, detail: stats ? normText(stats) : "" };
  const made = new Set(entity?.consumers.map(nameOf));
  return { title, detail: [...made].join(", ") };
}

/** The norm of a gradient, unless a part of it has none. */
export function normText(stats: Stats): string {
  if (stats.nan + stats.inf > 0) return valueText(stats);
  return `‖g‖ ${numberText(stats.norm)}`;
}

/** The norm of a gradient before and after hooks that changed it. */
export function hookText(
  trace: Trace,
  key: string,
  position: number,
  digits: number,
): string {
  const tensor = tensorOf(trace, key.slice(1));
  const pair = tensor?.hooked?.at(position) ?? [];
  return pair.map(({ norm }) => numberText(norm, digits)).join(" → ");
}

/** A gradient's name, or, where its tensor has none, its shape. */
function nameOf({ label }: Link): string {
  return label.replace(/^\S+\.grad (?=\[)/, "");
}

function leafTitle(trace: Trace, node: MirrorNode): string {
  const tensor = tensorOf(trace, node.key);
  return node.shape === "leaf" && tensor !== undefined ? tensor.name : node.title;
}

function madeText(trace: Trace, node: MirrorNode): string {
  const found = trace.row(node.key);
  if (found?.row.kind === "var") return shapeText(found.row.event.shape);
  if (found?.row.kind === "op") {
    const { row, program } = found;
    const [name] = names(row.event.outputs);
    const output = name === undefined ? undefined : program.find(row.block, name);
    if (output === undefined) return name ?? "";
    return `${name} ${shapeText(output.event.shape)}`;
  }
  const tensor = tensorOf(trace, node.key);
  if (tensor === undefined) return "";
  const shape = shapeText(tensor.event.shape);
  return node.shape !== "leaf" && tensor.named ? `${tensor.name} ${shape}` : shape;
}

/** The tensor a leaf shows, or the first output of a node. */
function tensorOf(trace: Trace, key: string) {
  const [prefix, id] = key.split(":");
  const { tensors, nodes } = trace.tape;
  if (prefix === "t") return tensors.get(Number(id));
  if (prefix !== "n") return undefined;
  return tensors.get(nodes.get(Number(id))?.event.outputs[0] ?? -1);
}
