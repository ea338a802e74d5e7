/** What is known of one thing, whichever pane it was pointed at in. */

import type { Stats } from "../events";
import { describeGroup } from "./entities/group";
import { describeRow, failedWords } from "./entities/row";
import {
  describeFlow,
  describeNode,
  describeTensor,
  nodeGradient,
  tensorGradient,
} from "./entities/tape";
import { graphOfGroup } from "./folding";
import type { Lesson } from "./lesson";
import type { Made } from "./picture";
import type { Tone } from "./tones";
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
  readonly lesson?: Lesson | undefined;
}

/** Describe what `key` names as it was at `position`. */
export function describe(
  trace: Trace,
  key: string,
  position: number,
): Entity | undefined {
  const atEnd = (one: string): Entity | undefined => describe(trace, one, trace.length);
  if (graphOfGroup(key) !== undefined) return describeGroup(trace, key, atEnd);
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
