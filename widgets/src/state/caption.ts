/** The words and figures that a mirrored graph shows at its nodes and edges. */

import type { Stats } from "../events";
import { countText, numberText, shapeText, smallText, valueText } from "../text";
import { describe, type Link } from "./entity";
import { factOf } from "./entities/common";
import { doneOf, graphOfGroup, groupDetail, groupOf, parameterKeys } from "./folding";
import type { Join, MirrorNode } from "./mirror";
import { names } from "./programs";
import { mainOutput } from "./tape";
import type { Trace } from "./trace";

/** A folded layer tells the shapes of so many parameters; of more it says how many there are. */
const MOST_SHAPES = 3;

export interface Caption {
  readonly title: string;
  readonly detail: string;
  /** The same in ever fewer words, the first that fit are shown. */
  readonly details?: readonly string[];
  /** What stands there where only one line does: of a loss its value. */
  readonly far?: string;
  /** What a mini heat map is drawn of. */
  readonly heat?: Stats | undefined;
}


export function caption(trace: Trace, node: MirrorNode, position: number): Caption {
  if (node.shape === "seed" || node.shape === "update") {
    return { title: node.title, detail: "" };
  }
  if (node.shape === "failed") {
    const failure = trace.failures.find(({ key }) => key === node.key);
    return { title: node.title, detail: failure?.shapes || "failed" };
  }
  if (node.shape === "group") return groupCaption(trace, node, position);
  if (node.side === 1) return gradientCaption(trace, node, position);
  const title = ownTitle(trace, node);
  if (node.shape === "pin" && node.tone === "g") return gradientCaption(trace, node, position);
  return { title, ...valueCaption(trace, node, position) };
}

/** A node's result as it is at `position`: small ones in figures, others by their shape. */
function valueCaption(trace: Trace, node: MirrorNode, position: number) {
  const { name, shape } = madeText(trace, node);
  const entity = node.seq < position ? describe(trace, node.key, position) : undefined;
  const value = entity?.value;
  const small = value && smallText(value);
  const plain = [name, shape].filter((text) => text !== "").join(" ");
  const short = [plain, name === "" ? shape : name];
  if (value === undefined || small === undefined) return { detail: plain, details: short, heat: value };
  const { gradient } = entity ?? {};
  const back = gradient && smallText(gradient);
  const start = name === "" ? "" : `${name} = `;
  const pairs = [4, 2].flatMap((digits) => {
    const text = start + (smallText(value, digits) ?? "");
    const other = gradient && smallText(gradient, digits);
    return other === undefined ? [text] : [`${text} | ${other}`, text];
  });
  const details = [...pairs, ...short];
  const isLoss = back !== undefined && name !== "" && value.shape.length === 0;
  return { detail: details[0], details, ...(isLoss && { far: `${name} = ${small}` }) };
}

/** Return what travels along an edge, or rests in a leaf, as it was at `position`. */
export function carried(
  trace: Trace,
  key: string,
  position: number,
): Stats | undefined {
  const entity = describe(trace, key, position);
  const isGradient = entity?.tone === "g" && !/^[vt]:/.test(key);
  return isGradient ? entity.gradient : entity?.value;
}

function groupCaption(trace: Trace, node: MirrorNode, position: number): Caption {
  const graph = graphOfGroup(node.key) ?? "";
  const mirror = trace.mirrorOf(graph);
  const group = mirror && groupOf(mirror, node.key);
  if (mirror === undefined || group === undefined) return { title: node.title, detail: "" };
  const done = doneOf(mirror, group, position);
  const detail = node.side === 1 ? "their gradients" : groupDetail(group, done);
  const title = trace.titleOf(graph, group);
  const read = node.side === 1 ? [] : parameterKeys(mirror, group);
  if (read.length > 0) {
    const shapes = read.slice(0, MOST_SHAPES).map((key) => factOf(describe(trace, key, position), "shape"));
    const count = `${detail} · ${countText(read.length, "parameter")}`;
    const all = read.length > MOST_SHAPES ? count : `${detail} · P ${shapes.join(" ")}`;
    return { title, detail, details: [all, count] };
  }
  if (title === group.title || group.kind !== "line" || node.side === 1) return { title, detail };
  const last = mirror.ops[group.end - 1];
  const value = last.seq < position ? describe(trace, last.key, position)?.value : undefined;
  const isNumber = value?.shape.length === 0;
  return { title: isNumber ? `${title} = ${smallText(value) ?? ""}` : title, detail };
}

function gradientCaption(trace: Trace, node: MirrorNode, position: number): Caption {
  const entity = describe(trace, node.key, position);
  const title = entity?.name ?? node.title;
  if (node.shape === "leaf" || node.shape === "pin") {
    const stats = carried(trace, node.key, position);
    const small = stats && stats.nan + stats.inf === 0 ? smallText(stats) : undefined;
    const norm = stats ? normText(stats) : "";
    return { title, detail: small && small.length <= 12 ? small : norm };
  }
  const made = new Set(entity?.consumers.map((link) => nameOf(trace, link)));
  return { title, detail: [...made].join(", ") };
}

/** The norm of a gradient, unless a part of it has none. */
export function normText(stats: Stats): string {
  if (stats.nan + stats.inf > 0) return valueText(stats);
  return `‖g‖ ${numberText(stats.norm)}`;
}

/** What a sign says besides what it is: of hooks, what they changed; of a result, to what. */
export function signText(trace: Trace, { sign, key, seq }: Join, position: number, digits: number): string {
  if (sign === "hook") return hookText(trace, key, position, digits);
  if (seq >= position) return "";
  if (sign === "none") return "no gradient: nothing here requires one";
  const tensor = sign === "set" ? tensorOf(trace, key) : undefined;
  // A leaf, which no op made, shows its value itself.
  const value = tensor?.producer && tensor.value.at(position);
  const text = value && smallText(value, digits);
  return text ?? "";
}

/** The norm of a gradient before and after hooks that changed it. */
function hookText(trace: Trace, key: string, position: number, digits: number): string {
  const tensor = tensorOf(trace, key.slice(1));
  const pair = tensor?.hooked?.at(position) ?? [];
  return pair.map(({ norm }) => numberText(norm, digits)).join(" → ");
}

/** A gradient's name, or, where its tensor has none, its shape. */
function nameOf(trace: Trace, { label, key }: Link): string {
  const row = trace.row(key)?.row;
  if (row?.kind === "var") return trace.bindings.said(label) || shapeText(row.event.shape);
  return label.replace(/^\S+\.grad (?=\[)/, "");
}

function ownTitle(trace: Trace, node: MirrorNode): string {
  const tensor = tensorOf(trace, node.key);
  const isTensor = node.shape === "leaf" || node.shape === "pin";
  return isTensor && tensor !== undefined ? tensor.name : node.title;
}

/** What an op made, or a leaf is: its name, where that is not the title, and shape. */
function madeText(trace: Trace, node: MirrorNode): { name: string; shape: string } {
  const found = trace.row(node.key);
  if (found?.row.kind === "var") return { name: "", shape: shapeText(found.row.event.shape) };
  if (found?.row.kind === "op") {
    const { row, program } = found;
    const { outputs } = row.event;
    const [name = ""] = outputs.Y ?? outputs.Out ?? outputs.Loss ?? names(outputs);
    const output = program.find(row.block, name);
    const said = trace.bindings.said(name);
    return { name: said, shape: output === undefined ? "" : shapeText(output.event.shape) };
  }
  const tensor = tensorOf(trace, node.key);
  if (tensor === undefined) return { name: "", shape: "" };
  const isOp = node.shape !== "leaf" && node.shape !== "pin";
  const shape = shapeText(tensor.event.shape);
  return { name: isOp && tensor.named ? tensor.name : "", shape };
}

/** The tensor a leaf shows, or the first output of a node. */
function tensorOf(trace: Trace, key: string) {
  const [prefix, id] = key.split(":");
  const { tensors, nodes } = trace.tape;
  if (prefix === "t") return tensors.get(Number(id));
  if (prefix !== "n") return undefined;
  const node = nodes.get(Number(id));
  return node && mainOutput(node.event, tensors);
}
