/**
 * All that a log says, folded event by event into things that only ever grow. What can
 * change carries its history, so any earlier position can be shown without a replay.
 */

import type {
  AboutEvent,
  AnyEvent,
  AstEvent,
  AttrEvent,
  BesideEvent,
  CellBegin,
  CellEnd,
  Dropped,
  MessageEvent,
  PlanEvent,
  ProcessEvent,
  ProfileEvent,
  RunOp,
  Stats,
  TrainEvent,
} from "../events";
import type { Group } from "../layout/groups";
import { shapeText } from "../text";
import { Bindings } from "./bindings";
import { callOf, calledIn, statementAt } from "./calls";
import type { Made, Mirror } from "./mirror";
import { groupTitle } from "./folding";
import { ProgramState, type OpRow, type Row } from "./programs";
import { mainOutput, nodeGradientKey, Tape, tensorKey } from "./tape";
import { countBelow, Timeline } from "./timeline";

export interface Cell {
  readonly seq: number;
  readonly cell: number;
  readonly title: string;
  readonly lines: readonly string[];
  end?: CellEnd;
}

/** One statement's run: from its `line` event until the next. */
export type Step = Made;

/** A call is looked for in so many statements that ran before. */
const CALLERS = 40;

/** What is said of a line that somebody stopped, by the kernel or by a button. */
export const INTERRUPTED = "Interrupted";

export interface Failure extends Made {
  readonly key: string;
  readonly title: string;
  readonly message: string;
  /** The inputs' shapes, when an op failed. */
  readonly shapes: string;
}

/** A tensor or variable whose value, or gradient, was seen not to be finite. */
export interface Trouble extends Made {
  readonly key: string;
}

export class Trace {
  length = 0;
  readonly cells: Cell[] = [];
  readonly steps: Step[] = [];
  readonly programs = new Map<number, ProgramState>();
  readonly ops = new Map<number, OpRow>();
  readonly tape = new Tape();
  readonly failures: Failure[] = [];
  readonly dropped: Dropped[] = [];
  readonly plans: PlanEvent[] = [];
  readonly rewritten: AstEvent[] = [];
  readonly training: TrainEvent[] = [];
  readonly profiles: ProfileEvent[] = [];
  readonly processes: ProcessEvent[] = [];
  readonly messages: MessageEvent[] = [];
  /** Names and output. */
  readonly bindings = new Bindings();
  /** What is known of each type of operator. */
  readonly about = new Map<string, AboutEvent>();
  /** Another trace to be shown beside this one. */
  beside: BesideEvent | undefined;
  /** Where NaN or infinity was seen, in the order it came. */
  readonly troubles: Trouble[] = [];
  /** Which op runs, by id; -1 when no program does. */
  readonly running = new Timeline<number>();
  private readonly stepSeqs: number[] = [];
  private readonly changes = new Map<string, Timeline<string>>();
  private readonly ranks = new Map<string, { rank: number; seq: number }>();
  private readonly turns = new Map<string, number[]>();
  /** Where not all starts of a line are told: how many there were. */
  private readonly starts = new Map<string, Timeline<number>>();
  private readonly marked = new Set<number>();
  private readonly sampled = new Set<number>();
  private readonly bad = new Map<string, number>();
  private last = { cell: -1, line: -1 };
  /** The calls that groups of the tape are, by their first ops. */
  private readonly written = new Map<number, string>();

  fold(event: AnyEvent): void {
    this.length = event.seq + 1;
    if (event.kind === "line") this.marked.add(event.cell);
    if (event.line > 0) this.meet(event);
    if (event.kind === "line" || this.changesLine(event)) this.step(event);
    this.apply(event);
    this.look(event);
  }

  /** Whether what `key` names was seen before `position` not to be finite. */
  isBad(key: string, position: number): boolean {
    return (this.bad.get(key) ?? Infinity) < position;
  }

  get ended(): boolean {
    return this.cells.length > 0 && this.cells.every((cell) => cell.end !== undefined);
  }

  /** How many steps are over, or under way, at a position. */
  stepsAt(position: number): number {
    return countBelow(this.stepSeqs, position);
  }

  stepAt(position: number): Step | undefined {
    return this.steps[this.stepsAt(position) - 1];
  }

  /** The position after `count` steps, where 0 is before the first. */
  positionAfter(count: number): number {
    return this.stepSeqs[count] ?? this.length;
  }

  /** The colour of a line: its rank among those met; -1 if not met at `position`. */
  rank(cell: number, line: number, position = Infinity): number {
    const known = this.ranks.get(`${cell}:${line}`);
    return known === undefined || known.seq >= position ? -1 : known.rank;
  }

  /** How often a line has run at a position. */
  runs(cell: number, line: number, position: number): number {
    const key = `${cell}:${line}`;
    const told = countBelow(this.turns.get(key) ?? [], position);
    return Math.max(told, this.starts.get(key)?.at(position) ?? 0);
  }

  /** Whether a line may have run more often than is told so far. */
  isAbout(cell: number, line: number, position: number): boolean {
    const now = this.runs(cell, line, position);
    const turns = this.turns.get(`${cell}:${line}`) ?? [];
    const next = turns[countBelow(turns, position)];
    const later = next === undefined ? this.runs(cell, line, this.length) : this.runs(cell, line, next + 1) - 1;
    return !this.marked.has(cell) || this.sampled.has(cell) || later > now;
  }

  /** The row of a Program that `key` names. */
  row(key: string): { program: ProgramState; row: Row } | undefined {
    for (const program of this.programs.values()) {
      const row = program.byKey.get(key);
      if (row !== undefined) return { program, row };
    }
    return undefined;
  }

  /** The tape's mirrored graph, or that of the program with this number. */
  mirrorOf(graph: string): Mirror | undefined {
    if (graph === "tape") return this.tape.mirror;
    return this.programs.get(Number(graph))?.mirror;
  }

  /** A group's name for the eye, in the graph of this number. */
  titleOf(graph: string, group: Group): string {
    const name = group.kind === "line" ? this.madeBy(graph, group.end - 1) : "";
    const text = name || (graph === "tape" ? this.writtenAs(group) : "");
    if (text !== "") return text;
    const program = this.programs.get(Number(graph));
    const title = program?.titled(group.title) ?? group.title;
    // Of `layer1` and `layer2` each has a first block.
    const scope = this.mirrorOf(graph)?.items[group.first]?.scope ?? [];
    const outer = group.kind === "scope" ? (scope[group.depth - 1] ?? "") : "";
    const isOneOfMany = /\d$/.test(outer) && /_\d+$/.test(title);
    return groupTitle({ ...group, title: isOneOfMany ? `${outer} ${title}` : title });
  }

  /** What the source says of a group: the call of a network, or what a line calls. */
  private writtenAs({ kind, depth, title, first, times }: Group): string {
    if (kind !== "line" && (kind !== "scope" || depth > 0 || times > 1)) return "";
    const known = kind === "line" ? undefined : this.written.get(first);
    if (known !== undefined) return known;
    const { ops, items } = this.tape.mirror;
    const { seq, cell, line } = ops[first];
    const textOf = (at: Step): string =>
      statementAt(this.cells.find((each) => each.cell === at.cell)?.lines ?? [], at.line);
    if (kind === "line") return calledIn(textOf({ seq, cell, line }));
    // The line may be of the network's own `forward`: the call is further back.
    for (let at = this.stepsAt(seq + 1) - 1, back = 0; at >= 0 && back < CALLERS; at--, back++) {
      const step = this.steps[at];
      let turn = 0;
      for (let op = first - 1; op >= 0 && ops[op].seq >= step.seq; op--) {
        if (items[op].scope[0] === title && items[op + 1].scope[0] !== title) turn += 1;
      }
      const call = callOf(textOf(step), title, turn);
      if (call === undefined) continue;
      this.written.set(first, call);
      return call;
    }
    this.written.set(first, "");
    return "";
  }

  /** The name of what an op of the tape made, if it has one. */
  private madeBy(graph: string, op: number): string {
    const key = this.mirrorOf(graph)?.ops[op].key ?? "";
    const { nodes, tensors } = this.tape;
    const node = key.startsWith("n:") ? nodes.get(Number(key.slice(2))) : undefined;
    const made = node && mainOutput(node.event, tensors);
    return made?.named === true ? made.name : "";
  }

  /** What was last written to an attribute after its owner's creation. */
  changed(key: string, attr: string, position: number): string | undefined {
    return this.changes.get(`${key} ${attr}`)?.at(position);
  }

  /** Look for what is not finite: it must be seen from however far away. */
  private look(event: AnyEvent): void {
    if (event.kind === "value" && isGiven(event.value, this.sourceOf(event.tensor))) return;
    if (event.kind === "grad" && isWild(event.value)) {
      this.worry(event, this.tape.wholeKey(event.tensor));
      if (event.node !== undefined) this.mark(nodeGradientKey(event.node), event.seq);
    } else if (event.kind === "value" && isWild(event.value)) {
      this.worry(event, tensorKey(event.tensor));
      const { producer: maker, overwritten } = this.tape.tensors.get(event.tensor) ?? {};
      if (maker !== undefined && overwritten === undefined) this.mark(maker.key, event.seq);
    } else if (event.kind === "run_op") this.lookAtRun(event);
  }

  private lookAtRun(event: RunOp): void {
    const program = this.programOf(event.op);
    const row = this.ops.get(event.op);
    const block = row?.block ?? 0;
    const read = Object.values(row?.event.inputs ?? {}).flat();
    const inputs = read.map((name) => program?.find(block, name)?.value.at(event.seq));
    for (const [name, stats] of Object.entries(event.values)) {
      if (!isWild(stats) || isGiven(stats, { inputs, attrs: row?.event.attrs ?? {} })) continue;
      const key = program?.find(block, name)?.key;
      if (key !== undefined) this.worry(event, key);
      this.mark(`o:${event.op}`, event.seq);
    }
  }

  /** What the op had that made a tensor, without an op nothing. */
  private sourceOf(id: number): Source {
    const { tensors } = this.tape;
    const event = tensors.get(id)?.producer?.event;
    const inputs = event?.inputs.filter((read) => read !== id) ?? [];
    const values = inputs.map((read) => tensors.get(read)?.value.at(this.length));
    return { inputs: values, attrs: event?.attrs ?? {} };
  }

  private worry({ seq, cell, line }: AnyEvent, key: string): void {
    if (this.mark(key, seq)) this.troubles.push({ seq, cell, line, key });
  }

  private mark(key: string, seq: number): boolean {
    if (this.bad.has(key)) return false;
    this.bad.set(key, seq);
    return true;
  }

  private changesLine({ cell, line }: AnyEvent): boolean {
    if (line <= 0 || this.marked.has(cell)) return false;
    const last = this.steps.at(-1);
    return last?.cell !== cell || last.line !== line;
  }

  private step(event: AnyEvent): void {
    const { seq, cell, line } = event;
    this.tape.steps.line({ seq, cell, line });
    const key = `${cell}:${line}`;
    if (event.kind === "line" && event.starts !== undefined) {
      this.startsOf(key).push(seq, event.starts);
    }
    const turns = this.turns.get(key);
    if (turns === undefined) this.turns.set(key, [seq]);
    else turns.push(seq);
    this.steps.push({ seq, cell, line });
    this.stepSeqs.push(seq);
  }

  private startsOf(key: string): Timeline<number> {
    const known = this.starts.get(key) ?? new Timeline<number>();
    this.starts.set(key, known);
    return known;
  }

  private meet({ seq, cell, line }: AnyEvent): void {
    // Most events come from the line of the one before: its name need not be made.
    if (this.last.cell === cell && this.last.line === line) return;
    this.last = { cell, line };
    const key = `${cell}:${line}`;
    if (!this.ranks.has(key)) this.ranks.set(key, { rank: this.ranks.size, seq });
  }

  private apply(event: AnyEvent): void {
    switch (event.kind) {
      case "cell_begin":
        return this.begin(event);
      case "cell_end":
        return this.end(event);
      case "tensor":
        return this.tape.tensor(event);
      case "node":
        return this.tape.node(event);
      case "backward":
        return this.tape.backward(event);
      case "grad":
        return this.tape.gradient(event);
      case "free":
        return this.tape.free(event);
      case "value":
        return this.tape.value(event);
      case "attr":
        return this.change(event);
      case "dropped":
        this.dropped.push(event);
        if (event.what === "training steps") this.tape.steps.skip(event.count, event);
        return;
      default:
        return this.applyStatic(event);
    }
  }

  private applyStatic(event: AnyEvent): void {
    switch (event.kind) {
      case "program":
        this.programs.set(event.program, new ProgramState(event));
        return;
      case "block":
        return this.programs.get(event.program)?.block(event);
      case "var":
        return this.programs.get(event.program)?.variable(event);
      case "op": {
        const row = this.programs.get(event.program)?.operator(event);
        if (row !== undefined) this.ops.set(event.op, row);
        return;
      }
      case "op_removed": {
        const row = this.ops.get(event.op);
        if (row === undefined) return;
        row.removed = event.seq;
        this.programOf(event.op)?.passes.removed(row.event);
        return;
      }
      case "pass":
        return this.programs.get(event.program)?.passes.passed(event);
      case "plan":
        this.plans.push(event);
        return;
      case "ast":
        this.rewritten.push(event);
        return;
      case "train":
        this.training.push(event);
        return;
      case "profile":
        this.profiles.push(event);
        return;
      case "process":
        this.processes.push(event);
        return;
      case "message":
        this.messages.push(event);
        return;
      case "about":
        this.about.set(event.type, event);
        return;
      case "names":
        return this.bindings.names(event);
      case "output":
        return this.bindings.output(event);
      case "beside":
        this.beside = event;
        return;
      case "run":
        this.running.push(event.seq, -1);
        this.programs.get(event.program)?.run(event);
        return;
      case "run_op":
        this.running.push(event.seq, event.op);
        this.programOf(event.op)?.ran(event);
        return;
      case "op_failed": {
        const { seq, cell, line, type, message } = event;
        const key = `f:${seq}`;
        const title = `${type} failed`;
        const shapes = event.inputs.map(({ shape }) => shapeText(shape)).join(" ");
        this.failures.push({ key, seq, cell, line, title, message, shapes });
        const program = this.programs.get(event.program ?? -1);
        if (program !== undefined) program.failed(event, key);
        else this.tape.failed(event, key);
      }
    }
  }

  private programOf(op: number): ProgramState | undefined {
    const row = this.ops.get(op);
    return row === undefined ? undefined : this.programs.get(row.event.program);
  }

  private begin(event: CellBegin): void {
    const { seq, cell, title } = event;
    const lines = event.source.replace(/\n$/, "").split("\n");
    this.cells.push({ seq, cell, title, lines });
    if (event.sampled === true) this.sampled.add(cell);
    this.tape.steps.cell(cell, lines);
  }

  private end(event: CellEnd): void {
    const { seq, cell, ok, error: message, starts = {} } = event;
    for (const [line, count] of Object.entries(starts)) {
      this.startsOf(`${cell}:${line}`).push(seq, count);
    }
    const ended = this.cells.find((known) => known.cell === cell);
    if (ended !== undefined) ended.end = event;
    if (ok || message === undefined) return;
    // An op that failed has said so itself; anything else has only the cell to say it.
    if (this.failures.some((failure) => failure.cell === cell)) return;
    const last = this.steps.findLast((step) => step.cell === cell);
    const line = event.line || (last?.line ?? 0);
    const title = /^(KeyboardInterrupt|Stopped)\b/.test(message) ? INTERRUPTED : "Error";
    const what = { title, message, shapes: "" };
    this.failures.push({ key: `f:${seq}`, seq, cell, line, ...what });
  }

  private change(event: AttrEvent): void {
    const { tensor, op, program, name, attr, value, seq } = event;
    const ran = attr === "runs" ? this.programs.get(program ?? -1) : undefined;
    if (ran !== undefined) ran.runCount = Number(value) || ran.runCount;
    if (tensor !== undefined) this.tape.change(event, tensor);
    if (tensor !== undefined && attr === "name") this.tape.rename(tensor, value);
    if (tensor !== undefined && attr === "hook") this.tape.hook(event, tensor);
    const key =
      tensor !== undefined
        ? `t:${tensor}`
        : op !== undefined
          ? `o:${op}`
          : this.programs.get(program ?? -1)?.find(0, name ?? "")?.key;
    if (key === undefined) return;
    const slot = `${key} ${attr}`;
    let timeline = this.changes.get(slot);
    if (timeline === undefined) {
      timeline = new Timeline<string>();
      this.changes.set(slot, timeline);
    }
    timeline.push(seq, value);
  }
}

/** What an op was given that made a value. */
interface Source {
  readonly inputs: readonly (Stats | undefined)[];
  readonly attrs: Readonly<Record<string, string>>;
}

/** Whether a value is infinite on purpose: by hand, an attribute, or what was read. */
function isGiven({ nan }: Stats, { inputs, attrs }: Source): boolean {
  if (nan > 0) return false;
  const isTold = Object.values(attrs).some((text) => text.includes("inf"));
  return isTold || inputs.length === 0 || inputs.some((stats) => (stats?.inf ?? 0) > 0);
}

function isWild({ nan, inf }: Stats): boolean {
  return nan + inf > 0;
}
