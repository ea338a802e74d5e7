/** The roles things play: each has a colour, a letter, a shape and a word. */

import type { OpRole } from "../events";

export type Tone =
  "P" | "B" | "leaf" | "D" | "T" | "g" | "L" | "op" | "grad" | "optimise" | "pyfunc" | "failed";

export interface ToneWords {
  /** The letter that repeats the colour. */
  readonly letter: string;
  readonly word: string;
  /** Variables are round, operators square. */
  readonly round: boolean;
}

export const TONES: Record<Tone, ToneWords> = {
  P: { letter: "P", word: "parameter", round: true },
  B: { letter: "B", word: "buffer", round: true },
  leaf: { letter: "∇", word: "leaf with gradient", round: true },
  D: { letter: "D", word: "data", round: true },
  T: { letter: "T", word: "temporary", round: true },
  g: { letter: "g", word: "gradient", round: true },
  L: { letter: "L", word: "optimizer state", round: true },
  op: { letter: "ƒ", word: "operator", round: false },
  grad: { letter: "∂", word: "gradient operator", round: false },
  optimise: { letter: "Δ", word: "optimizer operator", round: false },
  pyfunc: { letter: "py", word: "Python function", round: false },
  failed: { letter: "!", word: "failed operator", round: false },
};

export function operatorTone(type: string, role: OpRole): Tone {
  if (type === "py_func") return "pyfunc";
  if (role === "optimize") return "optimise";
  return role === "backward" ? "grad" : "op";
}
