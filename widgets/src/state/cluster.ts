/** What a cluster did in one step: who sent what to whom, and who waited for whom. */

import type { MessageEvent as Message, OpEvent, ProcessEvent } from "../events";
import type { ProgramState } from "./programs";
import type { Trace } from "./trace";

/** Operators that talk to other processes. */
const TALKS = new Set(
  ("send recv send_barrier fetch_barrier listen_and_serv distributed_lookup_table " +
    "c_allreduce_sum c_broadcast").split(" "),
);

/** One row of a process: an operator that talks, or several that do not. */
export interface Row {
  readonly text: string;
  readonly look: "send" | "recv" | "wait" | "update" | "quiet";
  readonly ops: readonly OpEvent[];
}

export interface Process {
  readonly id: number;
  readonly title: string;
  readonly isServer: boolean;
  readonly rows: readonly Row[];
}

/** A message from a row of one process to a row of another, or what may be one. */
export interface Arc {
  readonly look: "send" | "recv";
  readonly name: string;
  readonly from: readonly [process: number, row: number];
  readonly to: readonly [process: number, row: number];
}

/** Each process once, trainers first, in the order of their numbers. */
export function processesOf(trace: Trace): Process[] {
  const known = new Map<number, ProcessEvent>();
  for (const event of trace.processes) known.set(event.process, event);
  const inOrder = [...known.values()].sort((a, b) => a.process - b.process);
  return inOrder.map(({ process, title, role }) => {
    const isServer = role === "server";
    const program = programOf(trace, process, isServer);
    const rows = program === undefined ? [] : rowsOf(program, isServer);
    return { id: process, title, isServer, rows };
  });
}

/** Of its programs the one that serves, or trains: not the one that initialises. */
function programOf(trace: Trace, process: number, isServer: boolean): ProgramState | undefined {
  const words = isServer ? ["listen_and_serv"] : ["send", "c_allreduce_sum"];
  const own = [...trace.programs.values()].filter(({ event }) => event.process === process);
  const talks = ({ ops }: ProgramState): boolean =>
    [...ops.values()].some(({ removed, event }) => removed === Infinity && words.includes(event.type));
  return own.findLast(talks);
}

function rowsOf(program: ProgramState, isServer: boolean): Row[] {
  const blocks = new Map<number, OpEvent[]>();
  const come = [...program.ops.values()].map((row) => ({ seq: row.seq, row, isGone: false }));
  const gone = come.map(({ row }) => ({ seq: row.removed, row, isGone: true }));
  const edits = [...come, ...gone.filter(({ seq }) => seq < Infinity)];
  for (const { row, isGone } of edits.sort((a, b) => a.seq - b.seq)) {
    const ops = blocks.get(row.block) ?? [];
    blocks.set(row.block, ops);
    if (isGone) ops.splice(ops.indexOf(row.event), 1);
    else ops.splice(row.event.index, 0, row.event);
  }
  return isServer ? serverRows(blocks) : trainerRows(blocks.get(0) ?? []);
}

/** What does not talk is a row for each part of the program: "forward ×12". */
function trainerRows(ops: readonly OpEvent[]): Row[] {
  const rows: { text: string; look: Row["look"]; ops: OpEvent[]; part: string }[] = [];
  for (const op of ops) {
    const isTalk = TALKS.has(op.type);
    const part = isTalk ? "" : op.role === "loss" ? "forward" : op.role;
    const last = rows.at(-1);
    if (!isTalk && last?.part === part) last.ops.push(op);
    else rows.push({ text: "", look: isTalk ? lookOf(op) : "quiet", ops: [op], part });
  }
  return rows.map(({ look, ops: own, part }) => {
    const text = part === "" ? talkText(own[0]) : `${part} ×${own.length}`;
    return { text: own.length === 1 && part !== "" ? own[0].type : text, look, ops: own };
  });
}

function lookOf({ type }: OpEvent): Row["look"] {
  if (type === "send" || type === "c_allreduce_sum") return "send";
  return type.endsWith("_barrier") ? "wait" : "recv";
}

function talkText({ type, inputs, outputs }: OpEvent): string {
  const side = type === "recv" || type === "c_broadcast" ? outputs : inputs;
  const names = type.endsWith("_barrier") ? [] : Object.values(side).flat();
  return [type, names.map(bare).join(", ")].join(" ").trim();
}

/** A row for each operator: first the one that waits, then those of each slice. */
function serverRows(blocks: ReadonlyMap<number, readonly OpEvent[]>): Row[] {
  const inOrder = [...blocks].sort(([a], [b]) => a - b);
  return inOrder.flatMap(([block, own]): Row[] => {
    if (block === 0) return own.map((op) => ({ text: op.type, look: "wait", ops: [op] }));
    return own.map((op) => {
      const text = `${op.type} ${Object.values(op.outputs).flat().map(bare)[0] ?? ""}`;
      return { text: text.trim(), look: op.role === "optimize" ? "update" : "quiet", ops: [op] };
    });
  });
}

/** A gradient's name without the trainer that sends it. */
export function bare(name: string): string {
  return name.replace(/\.trainer_\d+$/, "");
}

/** From each gradient that is sent to what reads it, and from what is written back. */
export function arcsOf(processes: readonly Process[]): Arc[] {
  const servers = processes.filter(({ isServer }) => isServer);
  const trainers = processes.filter(({ isServer }) => !isServer);
  const arcs: Arc[] = [];
  for (const trainer of trainers) {
    trainer.rows.forEach(({ ops: [op], look }, row) => {
      if (op === undefined || (look !== "send" && look !== "recv")) return;
      const names = Object.values(look === "send" ? op.inputs : op.outputs).flat().map(bare);
      for (const server of servers) {
        for (const name of names) {
          const there = look === "send" ? reader(server, name) : writer(server, name);
          if (there < 0) continue;
          const [mine, other] = [[trainer.id, row], [server.id, there]] as const;
          const ends = look === "send" ? { from: mine, to: other } : { from: other, to: mine };
          arcs.push({ look, name, ...ends });
        }
      }
    });
  }
  return [...arcs, ...rings(trainers)];
}

function reader({ rows }: Process, name: string): number {
  return rows.findIndex(({ ops: [op] }) => op.block > 0 && has(op.inputs, name));
}

function writer({ rows }: Process, name: string): number {
  return rows.findLastIndex(({ ops: [op] }) => op.block > 0 && has(op.outputs, name));
}

function has(slots: Readonly<Record<string, readonly string[]>>, name: string): boolean {
  return Object.values(slots).flat().some((other) => bare(other) === name);
}

/** Without servers a sum goes from each trainer to the next. */
function rings(trainers: readonly Process[]): Arc[] {
  const sums = ({ rows }: Process): number[] =>
    rows.flatMap(({ ops: [op] }, row) => (op?.type === "c_allreduce_sum" ? [row] : []));
  return trainers.slice(1).flatMap((next, i) =>
    sums(trainers[i]).flatMap((row, at): Arc[] => {
      const there = sums(next)[at];
      if (there === undefined) return [];
      const name = Object.values(trainers[i].rows[row].ops[0].inputs).flat()[0] ?? "";
      const from = [trainers[i].id, row] as const;
      return [{ look: "send", name, from, to: [next.id, there] }];
    }),
  );
}

/** The steps of which there are messages, startup apart. */
export function stepsOf(messages: readonly Message[], processes: readonly Process[]): number[] {
  const servers = new Set(processes.filter((p) => p.isServer).map(({ id }) => id));
  const steps = messages.filter(({ process }) => !servers.has(process)).map(({ step }) => step);
  return [...new Set(steps)].sort((a, b) => a - b);
}

/** What happened in the time of one step of the trainers, servers included. */
export function messagesOf(
  messages: readonly Message[],
  processes: readonly Process[],
  step: number,
): Message[] {
  const servers = new Set(processes.filter((p) => p.isServer).map(({ id }) => id));
  const own = messages.filter((m) => m.step === step && !servers.has(m.process));
  const from = Math.min(...own.map(({ start }) => start));
  const to = Math.max(...own.map(({ start, duration }) => start + duration));
  const isThen = ({ start, duration }: Message): boolean => start + duration >= from && start <= to;
  const served = messages.filter((m) => isServing(m) && isThen(m));
  return [...own, ...served].sort((a, b) => a.start - b.start);
}

/** The time of a step: a checkpoint is written beside it, and may take longer. */
export function spanOf(messages: readonly Message[]): [from: number, to: number] {
  const within = messages.filter(({ what }) => what !== "save");
  const ends = within.map(({ start, duration }) => start + duration);
  return [Math.min(...within.map(({ start }) => start)), Math.max(...ends)];
}

function isServing({ what }: Message): boolean {
  return what === "update" || what === "save" || what === "restart";
}

/** Whether a process does nothing in a message but wait. */
export function isWait(message: Message): boolean {
  const { what, name } = message;
  const isOver = what === "barrier" && (name === "send" || name === "fetch");
  return !isOver && !isServing(message) && what !== "send" && what !== "serve";
}

/**
 * Whom a message waited for: the last other process that sent all its gradients, or
 * came to the same meeting, before the wait was over.
 */
export function awaited(message: Message, among: readonly Message[]): Message | undefined {
  if (!isWait(message)) return undefined;
  const end = message.start + message.duration;
  const isMeeting = message.what !== "recv";
  const theirs = among.filter((other) => {
    if (other.process === message.process) return false;
    const came = isMeeting ? other.start : other.start + other.duration;
    if (came <= message.start || came > end) return false;
    if (isMeeting) return other.what === message.what && other.name === message.name;
    return other.what === "barrier" && other.name === "send" && other.step === message.step;
  });
  return theirs.toSorted((a, b) => a.start + a.duration - b.start - b.duration).at(-1);
}
