/** What there is to learn of an operator: its formula, its rule, with its own numbers. */

import type { AboutEvent, Stats } from "../events";
import { numberText, shapeText } from "../text";
import type { OpRow, ProgramState } from "./programs";
import { madeAt, type TapeNode } from "./tape";
import type { Trace } from "./trace";

export interface Lesson {
  /** The first sentence of its docstring, and whether that is a formula. */
  readonly summary: string;
  readonly isFormula: boolean;
  readonly words: string;
  /** The source of its gradient rule. */
  readonly rule: string;
  /** The same with the numbers of this operator, where all are known. */
  readonly filled: string;
  /** What goes into the rule and comes out of it, by its names there. */
  readonly numbers: readonly (readonly [string, string])[];
}

type Find = (name: string) => Stats | undefined;

/** The value of `x`, or for `dx` its gradient, if `x` is one of the names. */
type Named = (name: string, gradient: boolean) => Stats | undefined;

function lesson(about: AboutEvent | undefined, named: Named): Lesson | undefined {
  if (about === undefined) return undefined;
  const { text, rule, takes, inputs, outputs } = about;
  const [summary] = /^[^]*?(\.(?=\s|$)|$)/.exec(text) ?? [""];
  const known = [...inputs, ...outputs];
  const find: Find = (name) => {
    const isGradient = !known.includes(name) && name.startsWith("d");
    return named(isGradient ? name.slice(1) : name, isGradient);
  };
  const given = [...takes, ...inputs.map((name) => `d${name}`)];
  const numbers = given.flatMap((name): [string, string][] => {
    const stats = find(name);
    return stats === undefined ? [] : [[name, amountText(stats)]];
  });
  const words = text.slice(summary.length).trim().replace(/(\S)\n(?=\S)/g, "$1 ");
  const isFormula = / (=|<-) /.test(summary);
  return { summary, isFormula, words, rule, filled: filledIn(rule, takes, find), numbers };
}

/** The rule with numbers in place of names, if each of them is one number. */
function filledIn(rule: string, takes: readonly string[], find: Find): string {
  const values = new Map(takes.map((name) => [name, find(name)]));
  const all = [...values.values()].every((stats) => stats !== undefined && isScalar(stats));
  if (!all || takes.length === 0 || rule.split("\n").length > 5) return "";
  return rule.replace(/(?<![\w.])[a-z_]\w*(?![\w(]|=[^=])/g, (name) => {
    const stats = values.get(name);
    return stats === undefined ? name : numberText(stats.mean);
  });
}

function isScalar({ shape, mean }: Stats): boolean {
  return mean !== null && shape.every((size) => size === 1);
}

/** A value in a few words: the number, the few numbers, or how large they are. */
export function amountText(stats: Stats): string {
  const { shape, first, norm, mean } = stats;
  if (isScalar(stats)) return numberText(mean);
  const count = shape.reduce((product, size) => product * size, 1);
  if (shape.length === 1 && count <= 6 && first.length === count) {
    return `[${first.map((one) => numberText(one)).join(", ")}]`;
  }
  return `${shapeText(shape)} ‖·‖ ${numberText(norm)}`;
}

export function lessonOfNode(
  trace: Trace,
  { event, flows, seq }: TapeNode,
  position: number,
): Lesson | undefined {
  const about = event.engine === undefined ? trace.about.get(event.type) : undefined;
  const tensorOf = (ids: readonly number[], index: number) => trace.tape.tensors.get(ids[index]);
  return lesson(about, (name, isGradient) => {
    const { inputs, outputs } = about!;
    const input = inputs.length === event.inputs.length ? inputs.indexOf(name) : -1;
    const read = tensorOf(event.inputs, input);
    if (read !== undefined) {
      if (!isGradient) return read.value.at(seq) ?? madeAt(read, seq, position);
      const same = event.inputs.slice(0, input).filter((id) => id === event.inputs[input]);
      const given = [...flows.values()].filter(({ tensor: id }) => {
        const { returns } = trace.tape.tensors.get(id) ?? {};
        return (returns?.event.tensor ?? id) === event.inputs[input];
      });
      return given[same.length]?.value.at(position);
    }
    const made = tensorOf(event.outputs, outputs.indexOf(name));
    return isGradient ? made?.gradient.at(position) : made && madeAt(made, seq, position);
  });
}

export function lessonOfOperator(
  trace: Trace,
  program: ProgramState,
  { event, twins }: OpRow,
  position: number,
): Lesson | undefined {
  const about = trace.about.get(event.type.replace(/_grad$/, ""));
  const isRule = event.type.endsWith("_grad");
  const rule = isRule ? event : twins.at(0)?.event;
  const slots = { ...event.inputs, ...event.outputs, ...rule?.inputs, ...rule?.outputs };
  return lesson(about, (name, isGradient) => {
    const words = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    const held = slots[words.join("") + (isGradient ? "@GRAD" : "")]?.at(0);
    return held === undefined ? undefined : program.find(event.block, held)?.value.at(position);
  });
}
