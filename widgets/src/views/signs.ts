/** The signs of the picture in words, as the help lists them. */

import { el } from "../draw/dom";
import type { Panel } from "./chapter";

/** What is drawn besides the signs of the legend. */
const SIGNS: readonly (readonly [string, string])[] = [
  ["left, downwards", "the operators, as they ran"],
  ["right, upwards", "backward: each gradient at the height of what it is of"],
  ["grey arrow", "a value, to the operator that reads it"],
  ["dashed arrow", "detached: no gradient goes back"],
  ["orange arrow", "a gradient ‖g‖ on its way back; the larger, the thicker"],
  ["line across", "what an operator keeps for its gradient; dashed: freed"],
  ["2 | 0.5", "a value, and its gradient"],
  ["dashed box", "freed by backward, or blue: off the tape"],
  ["⊕", "gradients are added up"],
  ["1", "where backward begins"],
  ["Δ", "an optimizer's step"],
  ["h", "a hook on a gradient"],
  ["=", "other values were written there, in place, by no operator"],
  ["━", "no gradient goes further back; red: backward had nothing to do"],
  ["✕", "NaN or infinity"],
  ["stripe", "the line that made it; cut, where there are more lines than colours"],
  ["stack of boxes", "a layer or a repeat, folded: a double click opens it"],
  ["hatched", "an operator that failed"],
  ["pale", "what is yet to come"],
  ["[-1, 10]", "a shape; -1 is only known when the program runs"],
];

export class SignsView implements Panel {
  readonly element = el("dl", "tg-signs");

  constructor() {
    for (const [sign, means] of SIGNS) {
      this.element.append(el("div", "", el("dt", "", sign), el("dd", "", means)));
    }
  }

  /** Signs mean the same at any time. */
  update(): void {}
}
