/** Which part of a graph is looked at: one step of a training, or all there is. */

import { SHUT } from "../layout/levels";
import type { Mirror } from "./mirror";
import type { Mark, Phase, Step } from "./steps";

export type { Mark, Phase } from "./steps";

/** From one mark up to another; without one, to whatever comes. */
export interface Range {
  readonly from: Mark;
  readonly to: Mark | undefined;
}

export interface Section {
  /** The same for as long as the same part is looked at. */
  readonly id: string;
  readonly ranges: readonly Range[];
  readonly phases: readonly Phase[];
}

const START: Mark = { op: 0, node: 0, edge: 0, join: 0 };
export const WHOLE: Section = { id: "", ranges: [{ from: START, to: undefined }], phases: [] };

/**
 * The part that shows a step. While ops still come (`grows`: the step under way, if its
 * gradients have not begun), what was made before the steps stays
 * above, and what follows comes below: nothing that is there moves.
 */
export function sectionOf(
  steps: readonly Step[],
  step: Step,
  phases: readonly Phase[],
  grows: boolean | Step,
): Section {
  const own = { from: step.mark, to: step.end };
  if (grows === false) return { id: String(step.mark.op), ranges: [own], phases };
  const before = { from: START, to: steps[0].mark };
  const isLast = grows === true && step === steps.at(-1);
  const last = isLast ? { from: step.mark, to: undefined } : own;
  return { id: `${step.mark.op}…`, ranges: [before, last], phases };
}

/** The part between steps that a position is in, if anything ran there. */
export function sectionBetween(
  steps: readonly Step[],
  position: number,
): { section: Section; isBefore: boolean } | undefined {
  const index = steps.findLastIndex(({ seq }) => seq < position);
  const from = index < 0 ? START : steps[index].end;
  const to = steps[index + 1]?.mark;
  const isInside = index >= 0 && position <= steps[index].endSeq;
  if (isInside || from === undefined || (to !== undefined && from.op >= to.op)) return undefined;
  const section = { id: `${from.op}-`, ranges: [{ from, to }], phases: [] };
  return { section, isBefore: index < 0 };
}

/** A section in which what networks do without a gradient has a frame: an evaluation. */
export function withEvaluations(section: Section, { ops, items, parts }: Mirror): Section {
  const { from, to } = section.ranges[section.ranges.length - 1];
  const end = to?.op ?? ops.length;
  const found: Phase[] = [];
  const isOneCall = (op: number, next: number): boolean => {
    const scope = items[op]?.scope[0];
    return scope !== undefined && scope === items[next]?.scope[0] && parts[op] === parts[next];
  };
  for (let op = from.op; op < end; ) {
    const first = op;
    let isNetwork = false;
    for (; op < end && ops[op].untaped; op++) {
      const [scope = ""] = items[op].scope;
      isNetwork ||= /^\w+$/.test(scope) && !SHUT.test(scope);
    }
    // What a network with gradients does on the way without them is no evaluation.
    const goesOn = [first, op].some((at) => isOneCall(at - 1, at));
    if (isNetwork && !goesOn) found.push({ title: "evaluation, no gradients", apart: true, first, end: op });
    if (op === first) op += 1;
  }
  return found.length === 0 ? section : { ...section, phases: [...found, ...section.phases] };
}
