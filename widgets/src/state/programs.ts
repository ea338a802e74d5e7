/** Programs as they grow: rows as they were added, who writes and who reads what. */

import type {
  BlockEvent,
  OpEvent,
  OpFailed,
  ProgramEvent,
  Role,
  Run,
  RunOp,
  Stats,
  VarEvent,
} from "../events";
import { Mirror, ownerOf, type Input, type Made } from "./mirror";
import { PassHistory } from "./passes";
import type { Frame } from "./picture";
import { Timeline } from "./timeline";
import { operatorTone } from "./tones";

export interface VarRow extends Made {
  readonly kind: "var";
  readonly key: string;
  readonly depth: number;
  readonly block: number;
  readonly event: VarEvent;
  readonly value: Timeline<Stats | undefined>;
}

export interface OpRow extends Made {
  readonly kind: "op";
  readonly key: string;
  readonly depth: number;
  readonly block: number;
  readonly event: OpEvent;
  /** The gradient ops of a forward op. */
  readonly twins: OpRow[];
  removed: number;
}

export interface BlockRow extends Made {
  readonly kind: "block";
  readonly key: string;
  readonly depth: number;
  readonly block: number;
  readonly event: BlockEvent;
  /** Which block, and whose, once the op that runs it has come. */
  title: string;
}

export interface FailedRow extends Made {
  readonly kind: "failed";
  readonly key: string;
  readonly depth: number;
  readonly block: number;
  readonly event: OpFailed;
}

export type Row = VarRow | OpRow | BlockRow | FailedRow;

/** The names in an op's slots. */
interface Slots {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

const GRADIENT = "@GRAD";

/** The forward variable a gradient variable belongs to; undefined for any other. */
export function forwardName(name: string): string | undefined {
  const end = name.lastIndexOf(GRADIENT);
  return end < 0 ? undefined : name.slice(0, end);
}

/** One run of a program, and its number among all of them. */
export interface ProgramRun {
  readonly seq: number;
  endSeq: number;
  readonly number: number;
}

export class ProgramState {
  readonly rows: Row[] = [];
  readonly runs: ProgramRun[] = [];
  /** How often it ran, with what was not recorded. */
  runCount = 0;
  readonly byKey = new Map<string, Row>();
  readonly mirror = new Mirror();
  readonly passes = new PassHistory();
  readonly ops = new Map<number, OpRow>();
  /** The ops that write, and that read, a name. */
  readonly writers = new Map<string, OpRow[]>();
  readonly readers = new Map<string, OpRow[]>();
  /** Operators that were there and could not run, by their key. */
  readonly broken = new Map<string, OpFailed>();
  private readonly vars = new Map<number, Map<string, VarRow>>();
  private variables = 0;
  private readonly blocks = new Map<number, { parent: number; depth: number }>();
  /** The op that runs a block. */
  private readonly owners = new Map<number, OpRow>();
  private readonly conditions = new Set<string>();
  private readonly frames = new Map<number, Frame>();
  private readonly inside = new Map<number, OpRow[]>();
  /** Of an op that runs a block: which of its inputs the block reads as its own. */
  private readonly given = new Map<string, Set<number>>();

  constructor(readonly event: ProgramEvent) {}

  get counts(): { variables: number; operators: number } {
    return { variables: this.variables, operators: this.ops.size };
  }

  block(event: BlockEvent): void {
    // A parent is older than its child: what claims otherwise would be walked for ever.
    const parent = event.parent < event.block ? event.parent : -1;
    const depth = (this.blocks.get(parent)?.depth ?? -1) + 1;
    this.blocks.set(event.block, { parent, depth });
    if (parent < 0) return;
    const key = `b:${event.program}:${event.block}`;
    const place = { key, depth: depth - 1, block: event.block };
    const title = this.blockTitle(event.block);
    this.add({ ...made(event), kind: "block", ...place, event, title });
  }

  /** A scope's name for the eye: of a block, whose it is. */
  titled(scope: string): string {
    const row = this.byKey.get(`b:${this.event.program}:${scope.replace("block ", "")}`);
    return row?.kind === "block" ? row.title : scope;
  }

  variable(event: VarEvent): void {
    const { seq, cell, line, block } = event;
    const row: VarRow = {
      seq,
      cell,
      line,
      kind: "var",
      key: `v:${event.program}:${block}:${event.name}`,
      depth: this.depth(block),
      block,
      event,
      value: new Timeline<Stats>(),
    };
    const own = this.vars.get(block);
    if (own === undefined) this.vars.set(block, new Map([[event.name, row]]));
    else own.set(event.name, row);
    this.variables += 1;
    this.add(row);
  }

  operator(event: OpEvent): OpRow {
    const { seq, cell, line, block } = event;
    const row: OpRow = {
      seq,
      cell,
      line,
      kind: "op",
      key: `o:${event.op}`,
      depth: this.depth(block),
      block,
      event,
      twins: [],
      removed: Infinity,
    };
    this.ops.set(event.op, row);
    if (block > 0) this.inside.set(block, [...(this.inside.get(block) ?? []), row]);
    // Passes rewrite copies: of other programs no history is kept.
    if (this.event.origin !== undefined) this.passes.inserted(event);
    this.add(row);
    const slots = { inputs: names(event.inputs), outputs: names(event.outputs) };
    for (const name of slots.inputs) append(this.readers, name, row);
    for (const name of slots.outputs) append(this.writers, name, row);
    if (event.attrs.sub_block !== undefined) this.own(row, Number(event.attrs.sub_block));
    const forward = event.twin === undefined ? undefined : this.ops.get(event.twin);
    forward?.twins.push(row);
    this.draw(row, slots, forward);
    return row;
  }

  /** An op runs a block, which came before it while the program was built. */
  private own(row: OpRow, block: number): void {
    this.owners.set(block, row);
    this.conditions.add(conditionOf(row));
    const known = this.byKey.get(`b:${this.event.program}:${block}`);
    if (known?.kind === "block") known.title = this.blockTitle(block);
    const frame = this.frames.get(block);
    if (frame !== undefined) frame.title = this.blockWord(block);
  }

  private blockTitle(block: number): string {
    const { type } = this.owners.get(block)?.event ?? {};
    return type === undefined ? `block ${block}` : `block ${block}: ${this.blockWord(block)}`;
  }

  /** A block's part in what runs it: a branch, or a body. */
  private blockWord(block: number): string {
    const { type } = this.owners.get(block)?.event ?? {};
    if (type === undefined) return `block ${block}`;
    if (type !== "conditional_block") return `body of ${type}`;
    return `${this.isElse(block) ? "false" : "true"} branch`;
  }

  private frameOf(block: number): Frame {
    const known = this.frames.get(block) ?? { title: this.blockWord(block) };
    this.frames.set(block, known);
    return known;
  }

  /** Whether a block's condition is the opposite of another block's. */
  private isElse(block: number): boolean {
    const condition = conditionOf(this.owners.get(block));
    const [negation] = this.writers.get(condition)?.slice(-1) ?? [];
    if (negation?.event.type !== "logical_not") return false;
    const [opposite] = names(negation.event.inputs);
    return this.conditions.has(opposite);
  }

  failed(event: OpFailed, key: string): void {
    const op = this.ops.get(event.op ?? -1);
    const block = op?.block ?? event.block ?? 0;
    const depth = this.depth(block);
    this.add({ ...made(event), kind: "failed", key, depth, block, event });
    if (op !== undefined) {
      this.broken.set(op.key, event);
      this.mirror.broken(event.seq, op.key);
      return;
    }
    const inputs = event.inputs.map(({ name }) => this.input(block, name));
    const what = { key, title: event.type, tone: "failed" as const, untaped: true };
    const scope = this.blocksOf(block);
    this.mirror.failed({ ...made(event), ...what, inputs, outputs: [], scope });
  }

  run({ seq, phase, count = this.runCount + 1 }: Run): void {
    if (phase === "begin") {
      this.runs.push({ seq, endSeq: Infinity, number: count });
      this.runCount = count;
      // A body that this run does not enter has no values: not those of the run before.
      for (const [block, rows] of this.vars) {
        for (const { value } of block > 0 ? rows.values() : []) {
          if (value.length > 0) value.push(seq, undefined);
        }
      }
    } else {
      const last = this.runs.at(-1);
      if (last !== undefined) last.endSeq = seq + 1;
    }
  }

  /** The loss at the end of each run; null where it was not seen. */
  losses(): (number | null)[] {
    // Its gradient is what backward begins with: no op of the forward pass has it.
    const seed = this.rows.find((row) => row.kind === "op" && row.event.role === "backward");
    const [gradient = ""] = seed?.kind === "op" ? names(seed.event.outputs) : [];
    const loss = forwardName(gradient);
    const value = loss === undefined ? undefined : this.find(0, loss)?.value;
    return this.runs.map(({ endSeq, seq }) => value?.since(seq, endSeq)?.mean ?? null);
  }

  ran(event: RunOp): void {
    const block = this.ops.get(event.op)?.block ?? 0;
    for (const [name, stats] of Object.entries(event.values)) {
      this.find(block, name)?.value.push(event.seq, stats);
    }
  }

  /** Return the variable that `name` means in `block`: its own, or one further out. */
  find(block: number, name: string): VarRow | undefined {
    for (let at = block; at >= 0; at = this.blocks.get(at)?.parent ?? -1) {
      const row = this.vars.get(at)?.get(name);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** A block and those it is inside of, outwards. */
  pathOf(block: number): number[] {
    const path: number[] = [];
    for (let at = block; at >= 0; at = this.blocks.get(at)?.parent ?? -1) path.push(at);
    return path;
  }

  private add(row: Row): void {
    this.rows.push(row);
    this.byKey.set(row.key, row);
  }

  private depth(block: number): number {
    return this.blocks.get(block)?.depth ?? 0;
  }

  private draw(row: OpRow, slots: Slots, forward: OpRow | undefined): void {
    const { event } = row;
    if (event.role === "optimize") this.drawUpdate(row);
    else if (event.role === "backward") this.drawBackward(row, slots, forward);
    else {
      const [read, join] = this.readBy(row, slots);
      const inputs = read.map((name) => this.input(event.block, name));
      const outputs = slots.outputs.map((name) => this.wire(event.block, name));
      const tone = operatorTone(event.type, event.role);
      this.mirror.forward({
        seq: event.seq,
        cell: event.cell,
        line: event.line,
        key: row.key,
        title: event.type,
        tone,
        untaped: false,
        inputs,
        outputs,
        stops: outputs.filter((key) => this.stops(key)),
        scope: this.scopeOf(event, slots),
        ...(event.block > 0 && { frames: this.framesOf(event.block) }),
      });
      join?.();
    }
  }

  private framesOf(block: number): Frame[] {
    const inner = this.pathOf(block).filter((number) => number > 0);
    return inner.reverse().map((number) => this.frameOf(number));
  }

  /**
   * What an op reads; one that runs a block reads what the block wrote last, and what it
   * hands on to the block goes there.
   */
  private readBy(row: OpRow, slots: Slots): [readonly string[], (() => void)?] {
    const { event, key } = row;
    const block = Number(event.attrs.sub_block);
    const own = this.inside.get(block);
    if (own === undefined) return [slots.inputs];
    const written = slots.outputs.filter((name) =>
      this.writers.get(name)?.some((writer) => writer.block === block),
    );
    const given = new Set<number>();
    const joins: (() => void)[] = [];
    const read: string[] = [];
    const results = event.type === "while" ? (event.outputs.Out ?? []) : [];
    for (const [slot, held] of Object.entries(event.inputs)) {
      held.forEach((name, index) => {
        const [wire, within] = [name, results[index]].map((one) => this.wire(block, one ?? ""));
        const join =
          slot === "X" && results[index] !== undefined
            ? this.mirror.argument(made(event), key, wire, within)
            : undefined;
        if (join === undefined) return names({ [slot]: [name] }).forEach((one) => read.push(one));
        given.add(index);
        joins.push(join);
      });
    }
    this.given.set(key, given);
    return [[...new Set(read), ...written], () => joins.forEach((join) => join())];
  }

  private stops(key: string): boolean {
    const row = this.byKey.get(key);
    return row?.kind === "var" && row.event.stop_gradient && !row.event.persistable;
  }

  /** Blocks, then name scopes; without those, the layer whose parameter it reads. */
  private scopeOf({ block, scope }: OpEvent, { inputs }: Slots): readonly string[] {
    const own = scope?.split("/").filter(Boolean) ?? this.layerOf(block, inputs);
    return block === 0 ? own : [...this.blocksOf(block), ...own];
  }

  private blocksOf(block: number): string[] {
    const inner = this.pathOf(block).filter((number) => number > 0);
    return inner.reverse().map((number) => `block ${number}`);
  }

  private layerOf(block: number, inputs: readonly string[]): readonly string[] {
    for (const name of inputs) {
      if (this.find(block, name)?.event.role === "P") return ownerOf(name);
    }
    return [];
  }

  private drawBackward(row: OpRow, slots: Slots, forward: OpRow | undefined): void {
    const { event, key } = row;
    const where = made(event);
    if (forward === undefined) return this.drawSeedOrSum(row, slots);
    // Zeros for an output that nothing read: they are handed to the gradient op.
    if (beginsAt(forward, slots)) return;
    this.mirror.keep(where, forward.key, kept(event));
    const tone = operatorTone(event.type, event.role);
    this.mirror.backward({ ...where, key, title: event.type, tone }, forward.key);
    const inner = this.inside.get(Number(event.attrs.sub_block)) ?? [];
    if (inner.length > 0) this.enter(row, inner);
    const told = new Set(inner.flatMap(({ event: { outputs } }) => names(outputs).map(forwardName)));
    const given = this.given.get(forward.key);
    const results = Object.values(event.outputs).flatMap((held) =>
      held.flatMap((name, index) => {
        // What a block's own ops hand out is drawn from them.
        const isTold = told.has(forwardName(name)) && !given?.has(index);
        return isTold ? [] : names({ held: [name] });
      }),
    );
    for (const name of results) {
      const base = forwardName(name);
      if (base === undefined) continue;
      const wire = this.wire(event.block, base);
      const part = this.wire(event.block, name);
      const isWhole = name.endsWith(GRADIENT);
      const whole = isWhole ? part : this.wire(event.block, base + GRADIENT);
      this.mirror.flow(where, wire, part, whole, key);
    }
  }

  /** The gradients that a block is given go to those of its ops that read them. */
  private enter({ event, key }: OpRow, inner: readonly OpRow[]): void {
    const produced = new Set(inner.flatMap((row) => names(row.event.outputs)));
    for (const row of inner) {
      const given = names(row.event.inputs).find(
        (name) => forwardName(name) !== undefined && !produced.has(name),
      );
      if (given === undefined) continue;
      const gradient = `${forwardName(given) ?? ""}${GRADIENT}`;
      this.mirror.handOn(made(event), this.wire(event.block, gradient), key, row.key);
    }
  }

  /** A gradient op that belongs to no op starts the pass, or sums what meets. */
  private drawSeedOrSum({ event, key }: OpRow, { inputs, outputs }: Slots): void {
    const [output] = outputs;
    const base = output === undefined ? undefined : forwardName(output);
    if (base === undefined) return;
    const wire = this.wire(event.block, base);
    if (inputs.length > 0) this.mirror.sum(made(event), key, wire);
    else this.mirror.seed(made(event), key, wire, this.wire(event.block, output));
  }

  private drawUpdate({ event, key }: OpRow): void {
    const [name] = event.inputs.Param ?? [];
    if (name === undefined) return;
    const what = { key, title: event.type, tone: "optimise" as const };
    const [rate] = event.inputs.LearningRate ?? [];
    const chip = rate === undefined ? undefined : this.input(event.block, rate);
    this.mirror.update({ ...made(event), ...what }, this.wire(event.block, name), chip);
  }

  private wire(block: number, name: string): string {
    return this.find(block, name)?.key ?? this.unknown(name);
  }

  private unknown(name: string): string {
    return `v:${this.event.program}:0:${name}`;
  }

  private input(block: number, name: string): Input {
    const known = this.find(block, name);
    const tone: Role = known?.event.role ?? "T";
    const { cell = -1, line = 0 } = known ?? {};
    const wire = known?.key ?? this.unknown(name);
    return { cell, line, wire, name, tone };
  }
}

/** All names in the slots, in order, empty places left out. */
export function names(slots: Record<string, string[]>): string[] {
  const found: string[] = [];
  for (const slot in slots) {
    for (const name of slots[slot]) if (name !== "" && name !== "@EMPTY@") found.push(name);
  }
  return found;
}

/** The slots of a gradient op that hold values of the forward pass. */
function kept(event: OpEvent): string[] {
  const isForward = (name: string): boolean => !name.includes(GRADIENT);
  return Object.keys(event.inputs).filter((slot) => event.inputs[slot].some(isForward));
}

/** Whether an op reads no gradient and gives one to what `forward` wrote. */
function beginsAt(forward: OpRow, { inputs, outputs }: Slots): boolean {
  const written = names(forward.event.outputs);
  return (
    inputs.every((name) => forwardName(name) === undefined) &&
    outputs.every((name) => written.includes(forwardName(name) ?? ""))
  );
}

function conditionOf(row: OpRow | undefined): string {
  return row?.event.inputs.Cond?.[0] ?? "";
}

function append(map: Map<string, OpRow[]>, name: string, row: OpRow): void {
  const rows = map.get(name);
  if (rows === undefined) map.set(name, [row]);
  else if (rows.at(-1) !== row) rows.push(row);
}

function made({ seq, cell, line }: Made): Made {
  return { seq, cell, line };
}
