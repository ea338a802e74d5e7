/** Which step of a training, or which run of a program, is looked at: a stepper, a curve. */

import { WHOLE, sectionBetween, sectionOf, withEvaluations, type Section } from "../state/section";
import type { ProgramState } from "../state/programs";
import type { Step } from "../state/steps";
import { countBefore } from "../state/timeline";
import type { Trace } from "../state/trace";
import { numberText, shorten, thousands } from "../text";
import { button, el, setText, svg } from "./dom";
import type { Actions, Frame } from "./look";

/** A step or a run, as this file sees it. */
interface Turn {
  readonly seq: number;
  readonly endSeq: number;
  readonly number: number;
}

/** The loss, by turn: null where it is not known. */
type Losses = readonly (number | null)[];

const CURVE = { width: 96, height: 22 };
const MOST_CURVES = 3;
/** What a loop counts by: a number or a text. */
const PLAIN = /^['"\d-]/;
const MOST_LETTERS = 28;

/** The process of a cluster that made a step: the outermost layer of its ops. */
export function processOf({ processes, tape }: Trace, step: Step): string | undefined {
  if (processes.length === 0) return undefined;
  const first = tape.mirror.ops[step.mark.op]?.key;
  const node = [...tape.nodes.values()].find(({ key }) => key === first);
  const outer = node?.event.scope?.split("/")[0];
  return processes.find(({ title }) => title === outer)?.title;
}

export class Stepper {
  readonly element = el("span", "tg-stepper");
  private readonly text = el("span", "tg-turn");
  private readonly loops = el("span", "tg-loss");
  private readonly loss = el("span", "tg-loss");
  private readonly curve = svg("svg", { class: "tg-losses", ...sizeOf(CURVE) });
  private turns: readonly Turn[] = [];
  private at = 0;
  /** What follows the last step is looked at. */
  private after = false;
  /** Few lines come at a time: what is under way can be followed. */
  private slow = false;
  private hasAfter = false;
  private drawn = "";

  constructor(private readonly actions: Actions) {
    const back = button("tg-tool tg-earlier", "The step before (,)", "‹", () => this.step(-1));
    const on = button("tg-tool tg-later", "The step after (.)", "›", () => this.step(1));
    this.curve.setAttribute("role", "img");
    const turn = el("span", "tg-stepping", back, this.text, on);
    this.element.append(turn, this.loops, this.curve, this.loss);
    this.element.hidden = true;
  }

  /** Go to the end of another step, or run. */
  step(by: number): void {
    const { turns } = this;
    const last = turns.length - (this.hasAfter ? 0 : 1);
    const to = Math.max(-1, Math.min((this.after ? turns.length : this.at) + by, last));
    this.after = to === turns.length;
    if (turns.length === 0) return;
    this.actions.seek(to < 0 ? turns[0].seq : (turns[to]?.endSeq ?? Infinity));
  }

  /** Say where one looks; return what of the graph that is. */
  update(frame: Frame, program: ProgramState | undefined): Section {
    if (!frame.live) this.after = false;
    const { trace, position } = frame;
    const { steps } = trace.tape;
    if (program !== undefined) {
      const { runs } = program;
      setText(this.loops, "");
      this.hasAfter = false;
      this.show(frame, runs, runs, "run", program.runCount, () => [program.losses()]);
      return WHOLE;
    }
    const all = steps.all;
    const step = steps.at(position) ?? all.at(0);
    const training = step === undefined ? [] : steps.besides(step);
    const count = step === undefined ? 0 : steps.countOf(step);
    this.show(frame, all, training, "step", count, () => lossesOf(trace, training));
    if (step === undefined) return WHOLE;
    this.sayLoops(trace, step);
    return this.section(frame, all, step);
  }

  /** Which turn of the loops around it, and which process, a step belongs to. */
  private sayLoops(trace: Trace, step: Step): void {
    const { bindings, tape } = trace;
    const words = tape.steps.countersOf(step).flatMap((name) => {
      // As the gradients flow back: at its end the next turn may have begun.
      const meaning = bindings.meaning(name, step.passes[0].seq);
      return typeof meaning === "string" && PLAIN.test(meaning) ? `${name} ${meaning}` : [];
    });
    const process = processOf(trace, step);
    const said = [...(process === undefined ? [] : [process]), ...words].join(", ");
    setText(this.loops, said === "" ? "" : shorten(`in ${said}`, MOST_LETTERS));
    this.loops.title = said;
  }

  private section(frame: Frame, all: readonly Step[], step: Step): Section {
    const { trace, position, live } = frame;
    const { tape } = trace;
    const { steps } = tape;
    const name = (id: number): string => tape.tensors.get(id)?.name ?? "";
    if (!trace.ended) {
      if (frame.animate) this.slow = true;
      const next = steps.underWay;
      const shown = live && this.slow && next !== undefined ? next : step;
      return sectionOf(all, shown, steps.phases(shown, name), next ?? true);
    }
    const after = sectionBetween(all, Infinity);
    this.hasAfter = after !== undefined && after.section.ranges[0].from.op < tape.mirror.ops.length;
    this.after &&= this.hasAfter;
    const around = this.after ? after : live ? undefined : sectionBetween(all, position);
    if (around !== undefined) {
      setText(this.text, around.isBefore ? "before the loop" : "after the loop");
      setText(this.loops, "");
    }
    const section = around?.section ?? sectionOf(all, step, steps.phases(step, name), false);
    return withEvaluations(section, tape.mirror);
  }

  private show(
    { trace, position }: Frame,
    turns: readonly Turn[],
    training: readonly Turn[],
    word: string,
    count: number,
    losses: () => readonly Losses[],
  ): void {
    this.turns = turns;
    this.element.hidden = turns.length < 2;
    if (this.element.hidden) return;
    this.at = countBefore(turns, position) - 1;
    const turn = turns[Math.max(0, this.at)];
    const { number } = turn;
    setText(this.text, `${word} ${thousands(number)} of ${thousands(Math.max(count, number))}`);
    const drawn = `${word} ${turns.length} ${this.at} ${trace.ended}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.drawCurve(training, training.indexOf(turn), losses());
  }

  private drawCurve(turns: readonly Turn[], at: number, all: readonly Losses[]): void {
    const known = all.flat().filter((loss): loss is number => loss !== null);
    this.curve.replaceChildren();
    this.curve.toggleAttribute("hidden", known.length < 2);
    const now = all.map((losses) => losses[at]).filter((loss) => loss !== undefined);
    const said = now.map((loss) => (loss === null ? "?" : numberText(loss, 3))).join(", ");
    setText(this.loss, known.length === 0 ? "" : `loss ${said}`);
    if (known.length < 2) return;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const [first, last] = [turns[0].number, turns[turns.length - 1].number];
    const x = (index: number): number =>
      3 + ((turns[index].number - first) / Math.max(1, last - first)) * (CURVE.width - 6);
    const y = (loss: number): number =>
      CURVE.height - 4 - ((loss - low) / (high - low || 1)) * (CURVE.height - 8);
    for (const [index, losses] of all.slice(0, MOST_CURVES).entries()) {
      const places = losses.flatMap((loss, turn) =>
        loss === null || turns[turn] === undefined ? [] : [`${x(turn).toFixed(1)},${y(loss).toFixed(1)}`],
      );
      this.curve.append(svg("polyline", { points: places.join(" "), class: `tg-loss-${index}` }));
      const loss = losses[at] ?? null;
      const here = { cx: x(at).toFixed(1), cy: loss === null ? "0" : y(loss).toFixed(1), r: "3" };
      if (loss !== null) this.curve.append(svg("circle", here));
    }
    const ends = `loss ${numberText(known[0], 3)} at first, ${said} here`;
    this.curve.setAttribute("aria-label", ends);
  }
}

function sizeOf({ width, height }: typeof CURVE): Record<string, string> {
  return { width: String(width), height: String(height), viewBox: `0 0 ${width} ${height}` };
}

/** The losses of each pass of the steps: where two optimizers take turns there are two. */
function lossesOf({ tape }: Trace, steps: readonly Step[]): Losses[] {
  const most = Math.max(0, ...steps.map(({ passes }) => passes.length));
  return Array.from({ length: Math.min(most, MOST_CURVES) }, (_, pass) =>
    steps.map(({ passes, endSeq }) => {
      const loss = tape.tensors.get(passes[pass]?.root ?? -1);
      return loss?.value.at(endSeq)?.mean ?? null;
    }),
  );
}
