/** A row of a Program, as it is known: a variable, an operator, a block, what failed. */

import type { OpEvent } from "../../events";
import { shapeText } from "../../text";
import type { Entity, Link } from "../entity";
import { lessonOfOperator } from "../lesson";
import {
  forwardName,
  names,
  type OpRow,
  type ProgramState,
  type Row,
  type VarRow,
} from "../programs";
import { operatorTone, TONES } from "../tones";
import type { Trace } from "../trace";
import { identity, isTrue } from "./common";

export function describeRow(
  trace: Trace,
  program: ProgramState,
  row: Row,
  position: number,
): Entity {
  if (row.kind === "var") return describeVariable(trace, program, row, position);
  if (row.kind === "op") {
    const operator = describeOperator(trace, program, row, position);
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

export function failedWords(name: string, message: string) {
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
    values: row.value.until(position).filter((stats) => stats !== undefined),
    gradients: (forward === undefined ? twin : undefined)?.value.until(position).filter((stats) => stats !== undefined) ?? [],
  };
}

function describeOperator(
  trace: Trace,
  program: ProgramState,
  row: OpRow,
  position: number,
): Entity {
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
    gradient: gradientOf(program, event, outputs.at(0))?.value.at(position),
    lesson: lessonOfOperator(trace, program, row, position),
  };
}

/** The variable that holds the gradient of what a forward op made. */
function gradientOf(
  program: ProgramState,
  { block, role }: OpEvent,
  output: VarRow | undefined,
): VarRow | undefined {
  const isForward = role === "forward" || role === "loss";
  return isForward && output ? program.find(block, `${output.event.name}@GRAD`) : undefined;
}

/** Say which variable stands in which slot, where the order alone would not tell. */
function slotFacts(slots: Record<string, string[]>): [string, string][] {
  return Object.entries(slots).map(([slot, held]) => [slot, held.join(", ") || "none"]);
}

function opLink(row: OpRow): Link {
  const { type, role } = row.event;
  return { key: row.key, label: type, tone: operatorTone(type, role) };
}

function variableLink(row: VarRow): Link {
  return { key: row.key, label: row.event.name, tone: row.event.role };
}
