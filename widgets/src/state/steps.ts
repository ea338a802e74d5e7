/**
 * Training steps, as the log shows them: a loop in whose turns gradients flow back. Each
 * turn is a step; where several optimizers take turns in it, each has a phase of its own.
 */

import { countBefore } from "./timeline";

/** How far a graph had come: everything later has higher numbers. */
export interface Mark {
  readonly op: number;
  readonly node: number;
  readonly edge: number;
  readonly join: number;
}

/** A reverse pass, and the update that followed it. */
interface Pass {
  readonly seq: number;
  readonly root: number;
  /** Where the pass began, by line. */
  readonly line: number;
  readonly first: number;
  /** The line that updated parameters; 0 if none did by an optimizer. */
  update: number;
}

/** What an optimizer does in a step: its ops, from one up to and without another. */
export interface Phase {
  readonly title: string;
  /** Whether there is a row for its title above it. */
  readonly apart?: boolean;
  readonly first: number;
  end: number;
}

export interface Step {
  readonly seq: number;
  /** Its number in the training; steps that were not recorded are counted too. */
  number: number;
  readonly mark: Mark;
  /** Where the next thing begins; undefined while it goes on. */
  end: Mark | undefined;
  endSeq: number;
  readonly passes: Pass[];
  /** The loops that it is inside of, outermost first. */
  readonly within: readonly Loop[];
}

/** A loop of the source, or a call of the library that loops by itself. */
export class Loop {
  readonly turns: Step[] = [];
  /** Where the first statement of its body is; it runs in every turn. */
  entry = 0;
  atHeader = false;
  /** The mark at the header, where what is read for the first turn begins. */
  before: { seq: number; mark: Mark } | undefined;
  trains = false;
  /** A loop around it is the training's. */
  inner = false;
  skipped = 0;
  count = 0;

  constructor(
    readonly cell: number,
    readonly first: number,
    readonly last: number,
    readonly scope: string,
  ) {}

  get turn(): Step | undefined {
    return this.turns.at(-1);
  }

  has(cell: number, line: number): boolean {
    return cell === this.cell && line > this.first && line <= this.last;
  }
}

interface Text {
  readonly lines: readonly string[];
  readonly loops: readonly Loop[];
  /** Of each line the functions that it is in: their lines, `/3/7/`. */
  readonly scopes: readonly string[];
}

interface Place {
  readonly seq: number;
  readonly cell: number;
  readonly line: number;
}

const NONE: readonly number[] = [];
const LONGEST = 32;

export class Steps {
  private readonly texts = new Map<number, Text>();
  private readonly active: Loop[] = [];
  private readonly loops = new Set<Loop>();
  /** Where each line last began. */
  private readonly begun = new Map<string, { seq: number; mark: Mark; pass: number }>();
  private last: { loop: Loop; pass: Pass } | undefined;
  /** The library's own loop: the line it was called on. */
  private own: Loop | undefined;
  /** After a pass: the first op that reads nothing of the step. */
  private rest: { seq: number; mark: Mark } | undefined;
  private passed = false;
  private known: readonly Step[] | undefined;
  private between: readonly number[] = [];

  /** `mark` says how far the graph has come; `began` hears of each step of a training. */
  constructor(
    private readonly mark: () => Mark,
    private readonly began: () => void,
  ) {}

  /** The steps of the loop that trains, by time; a later loop's come after. */
  get all(): readonly Step[] {
    if (this.known === undefined) {
      this.known = this.found();
      this.between = this.known.flatMap(({ mark, end }) => [mark.op, ...(end ? [end.op] : [])]);
      this.between = [...new Set(this.between)].sort((a, b) => a - b);
    }
    return this.known;
  }

  /** The ops before which a step begins, or something else. */
  get cuts(): readonly number[] {
    return this.all.length === 0 ? NONE : this.between;
  }

  /** The step at a position: that under way, or the last one before. */
  at(position: number): Step | undefined {
    return this.all[countBefore(this.all, position) - 1];
  }

  /** The step under way, as long as no gradient has flown back in it. */
  get underWay(): Step | undefined {
    const loop = this.active.findLast(({ trains, inner }) => trains && !inner);
    return loop?.turn?.passes.length === 0 && this.all.length > 0 ? loop.turn : undefined;
  }

  /** How many steps the training had that a step belongs to. */
  countOf(step: Step): number {
    const loop = this.loopOf(step);
    return loop === undefined ? 0 : loop.count + loop.skipped;
  }

  /** The steps of that training. */
  besides(step: Step): Step[] {
    const loop = this.loopOf(step);
    return this.all.filter((other) => loop?.turns.includes(other));
  }

  cell(cell: number, lines: readonly string[]): void {
    this.texts.set(cell, read(cell, lines));
  }

  /** A line begins. */
  line({ seq, cell, line }: Place): void {
    const text = this.texts.get(cell);
    const scope = text?.scopes[line] ?? "/";
    const here = { seq, mark: this.mark() };
    this.begun.set(`${cell}:${line}`, { ...here, pass: -1 });
    for (let at = this.active.length - 1; at >= 0; at--) {
      const loop = this.active[at];
      if (loop.cell !== cell || loop.has(cell, line)) continue;
      // A line of a function that the loop calls is no way out of it.
      if (loop.scope.startsWith(scope)) this.leave(at, here);
    }
    for (const loop of text?.loops ?? []) {
      if (loop.scope !== scope) continue;
      if (loop.first === line) loop.before = here;
      if (!loop.has(cell, line)) continue;
      const at = this.active.indexOf(loop);
      if (at < 0) {
        loop.entry = line;
        this.active.push(loop);
        this.turn(loop, loop.before ?? here);
      } else if (loop.entry === line) {
        this.active.length = at + 1;
        if (!loop.atHeader) this.turn(loop, here);
      } else continue;
      loop.atHeader = false;
      loop.before = undefined;
    }
  }

  /** An op runs that is no update; `isOwn` is whether it reads what this step made. */
  op({ seq, cell, line }: Place, isOwn: (seq: number) => boolean): void {
    const at = this.active.findLastIndex((loop) => loop.cell === cell && loop.first === line);
    const loop = this.active[at];
    if (loop !== undefined && loop !== this.own && !loop.atHeader) {
      this.active.length = at + 1;
      this.turn(loop, { seq, mark: this.mark() });
      loop.atHeader = true;
    }
    if (!this.passed) return;
    const started = this.own?.turn?.seq ?? this.begun.get(`${cell}:${line}`)?.seq ?? 0;
    if (isOwn(started)) return;
    this.passed = false;
    this.rest = { seq, mark: this.mark() };
    if (this.own !== undefined && this.active.includes(this.own)) this.turn(this.own, this.rest);
  }

  /** A reverse pass begins at a tensor. */
  pass({ seq, cell, line }: Place, root: number): void {
    const begun = this.begun.get(`${cell}:${line}`);
    // The line ran once, and a second pass began on it: the library loops.
    if (begun !== undefined && begun.pass >= 0 && this.own === undefined && this.rest) {
      this.loopInside(cell, line, begun, this.rest);
    }
    const loop = this.active.at(-1) ?? this.single(cell, line, begun ?? { seq, mark: this.mark() });
    if (begun !== undefined) begun.pass = seq;
    const pass = { seq, root, line, first: this.mark().op, update: 0 };
    loop.turn?.passes.push(pass);
    if (loop.turn?.passes.length === 1) loop.turn.number = ++loop.count + loop.skipped;
    this.last = { loop, pass };
    this.train(loop);
  }

  passEnded(): void {
    this.passed = true;
  }

  /** An optimizer updates a parameter. */
  update({ line }: Place): void {
    if (this.last === undefined || this.last.pass.update > 0) return;
    this.last.pass.update = line;
    const loop = this.active.at(-1);
    // Gradients of several passes, one update: the outer loop's turn is the step.
    if (loop !== undefined && loop !== this.last.loop && loop.turn) {
      loop.turn.passes.push(this.last.pass);
      if (loop.turn.passes.length === 1) loop.turn.number = ++loop.count + loop.skipped;
      this.train(loop);
    }
  }

  /** A line's text, to name what it does; its number, if that is long. */
  textOf(cell: number, line: number): string {
    const text = this.texts.get(cell)?.lines[line - 1]?.trim() ?? "";
    return text.length > LONGEST ? `line ${line}` : text;
  }

  /** So many steps went by unrecorded. */
  skip(count: number, here: { seq: number }): void {
    const loop = this.last?.loop;
    if (loop === undefined) return;
    loop.skipped += count;
    if (this.active.includes(loop) && (loop.turn?.passes.length ?? 0) > 0) {
      this.turn(loop, { seq: here.seq, mark: this.mark() });
    }
    this.known = undefined;
  }

  /** The names that the loops around a step count by, outermost first. */
  countersOf({ within }: Step): string[] {
    return within.flatMap(({ cell, first }) => {
      const [, names = ""] = /^\s*for\s+(.*?)\s+in\b/.exec(this.texts.get(cell)?.lines[first - 1] ?? "") ?? [];
      return names.match(/[A-Za-z]\w*/g) ?? [];
    });
  }

  /** What the optimizers do in a step; none where there is but one. */
  phases(step: Step, names: (tensor: number) => string): Phase[] {
    const lines = this.texts.get(this.loopOf(step)?.cell ?? -1)?.lines ?? [];
    const found: Phase[] = [];
    let first = step.mark.op;
    for (const [index, pass] of step.passes.entries()) {
      const next = step.passes[index + 1];
      if (pass.update === 0 && next !== undefined) continue;
      const title = phaseTitle(lines[pass.update - 1] ?? "", names(pass.root), found.length);
      // What is read for the next phase comes after this one's pass.
      const end = next === undefined ? Infinity : pass.first;
      found.push({ title, first, end });
      first = end;
    }
    return found.length > 1 ? found : [];
  }

  /** The library goes round by itself: its first turn was taken for a part of another's. */
  private loopInside(
    cell: number,
    line: number,
    begun: { seq: number; mark: Mark },
    rest: { seq: number; mark: Mark },
  ): void {
    const scope = this.texts.get(cell)?.scopes[line] ?? "/";
    this.own = new Loop(cell, line - 1, line, scope);
    this.active.push(this.own);
    this.turn(this.own, begun);
    const { last, own } = this;
    if (last !== undefined) {
      last.loop.turn?.passes.pop();
      last.loop.trains = last.loop.turns.some(({ passes }) => passes.length > 0);
      if (last.loop.turn?.passes.length === 0) last.loop.count -= 1;
      own.turn?.passes.push(last.pass);
      if (own.turn !== undefined) own.turn.number = ++own.count;
    }
    this.turn(own, rest);
  }

  private loopOf(step: Step): Loop | undefined {
    for (const loop of this.loops) if (loop.turns.includes(step)) return loop;
    return undefined;
  }

  /** A pass outside of all loops: what the line does is a turn of its own. */
  private single(cell: number, line: number, from: { seq: number; mark: Mark }): Loop {
    const loop = new Loop(cell, line - 1, line, "/");
    loop.turns.push(stepFrom(from));
    return loop;
  }

  private train(loop: Loop): void {
    this.loops.add(loop);
    const at = this.active.indexOf(loop);
    loop.trains = true;
    for (const inside of this.active.slice(at + 1)) inside.inner = true;
    for (const other of this.loops) {
      if (other !== loop && loop.has(other.cell, other.first) && other.cell === loop.cell) {
        other.inner = true;
      }
    }
    this.known = undefined;
  }

  private turn(loop: Loop, from: { seq: number; mark: Mark }): void {
    const { turn } = loop;
    if (turn !== undefined && turn.end === undefined) this.close(turn, from);
    if (turn?.passes.length === 0) loop.turns.pop();
    loop.turns.push(stepFrom(from, this.active.slice(0, this.active.indexOf(loop))));
    if (loop.trains && !loop.inner) this.began();
    this.known = undefined;
  }

  private leave(at: number, here: { seq: number; mark: Mark }): void {
    for (const loop of this.active.splice(at)) {
      const { turn } = loop;
      if (turn !== undefined) this.close(turn, here);
      if (turn?.passes.length === 0) loop.turns.pop();
      if (loop === this.own) this.own = undefined;
    }
    this.known = undefined;
  }

  private close(turn: Step, { seq, mark }: { seq: number; mark: Mark }): void {
    turn.end = mark;
    turn.endSeq = seq;
  }

  private found(): Step[] {
    const steps: Step[] = [];
    for (const loop of this.loops) {
      const turns = loop.turns.filter(({ passes }) => passes.length > 0);
      const repeats = turns.length > 1 || loop.skipped > 0;
      if (loop.trains && !loop.inner && repeats) steps.push(...turns);
    }
    return steps.sort((a, b) => a.seq - b.seq);
  }
}

function stepFrom({ seq, mark }: { seq: number; mark: Mark }, within: readonly Loop[] = []): Step {
  return { seq, number: 0, mark, end: undefined, endSeq: Infinity, passes: [], within };
}

/** `d_opt.step()` is the D step; without a name of its own the loss gives it. */
function phaseTitle(line: string, loss: string, index: number): string {
  const [, owner = ""] = /([\w.]+)\s*\.\s*(?:step|minimize)\s*\(/.exec(line) ?? [];
  const told = bare(owner.split(".").at(-1) ?? "", /opti(mizer|m)?|opt|solver|trainer/gi);
  const name = told || bare(loss, /loss/gi) || String(index + 1);
  return `${name.length < 3 ? name.toUpperCase() : name} step`;
}

function bare(name: string, word: RegExp): string {
  return name.replace(word, "").replace(/^_+|_+$/g, "");
}

/** Loops and functions of a source, by how far its lines are indented. */
function read(cell: number, lines: readonly string[]): Text {
  const loops: Loop[] = [];
  const scopes: string[] = ["/"];
  const open: { indent: number; scope: string }[] = [];
  lines.forEach((text, index) => {
    const line = index + 1;
    const indent = text.search(/[^\s]/);
    const isCode = indent >= 0 && text[indent] !== "#";
    while (isCode && open.length > 0 && indent <= open[open.length - 1].indent) open.pop();
    const scope = open.at(-1)?.scope ?? "/";
    scopes[line] = scope;
    if (/^\s*(async\s+)?def\b/.test(text)) open.push({ indent, scope: `${scope}${line}/` });
    if (/^\s*(async\s+)?(for|while)\b/.test(text)) {
      loops.push(new Loop(cell, line, lastOf(lines, index, indent), scope));
    }
  });
  return { lines, loops, scopes };
}

/** The last line of a block: those that are indented further, and empty ones. */
function lastOf(lines: readonly string[], index: number, indent: number): number {
  let last = index + 1;
  for (let at = index + 1; at < lines.length; at++) {
    const own = lines[at].search(/[^\s]/);
    if (own < 0 || lines[at][own] === "#") continue;
    if (own <= indent) break;
    last = at + 1;
  }
  return last;
}
