/** What a cell that waits at each line is told: Step, Continue, Stop. */

import { button, el, setText } from "./dom";

export type Answer = "step" | "continue" | "stop";

export class StepBar {
  readonly element = el("div", "tg-stepbar");
  private readonly text = el("span", "tg-steptext");
  private readonly code = el("code", "tg-code tg-stepcode");
  private readonly buttons: HTMLButtonElement[];
  private line: number | undefined;
  private told = true;
  private lost = false;

  /** `source` is the text of a line; `tell` brings the kernel an answer. */
  constructor(
    private readonly source: (line: number) => string,
    private readonly tell: (answer: Answer) => void,
  ) {
    this.buttons = [
      this.button("step", "Step: run this line (n)", "Step"),
      this.button("continue", "Continue: run to the end (r)", "Continue"),
      this.button("stop", "Stop: do not run this line (x)", "Stop"),
    ];
    const words = el("span", "tg-stepwords", this.text, this.code);
    words.setAttribute("role", "status");
    this.element.append(words, el("span", "tg-tools", ...this.buttons));
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "The cell runs line by line");
    this.element.hidden = true;
  }

  /** The kernel waits before a line; or, without a line, it does not wait any more. */
  wait(line: number | undefined): void {
    this.line = line;
    this.told = line === undefined;
    this.lost = false;
    this.element.hidden = this.told;
    this.update();
  }

  /** The kernel that waited is gone: there is nobody to be told anything. */
  lose(): void {
    this.told = true;
    this.lost = true;
    this.update();
  }

  /** Whether nothing runs until somebody presses a button. */
  get waits(): boolean {
    return !this.told;
  }

  answer(answer: Answer): void {
    if (this.told) return;
    this.told = true;
    this.tell(answer);
    this.update();
  }

  /** Say what comes next: the line's text may come after the question. */
  update(): void {
    if (this.line === undefined) return;
    const gone = `Line ${this.line} waits no more: the kernel is gone. What ran before stays.`;
    const words = this.told ? "Running" : "Next:";
    setText(this.text, this.lost ? gone : `${words} line ${this.line}`);
    setText(this.code, this.lost ? "" : this.source(this.line));
    for (const each of this.buttons) {
      // Not `disabled`: a button that has the focus must keep it for the next line.
      each.ariaDisabled = String(this.told);
      each.hidden = this.lost;
    }
  }

  private button(answer: Answer, label: string, text: string): HTMLButtonElement {
    const made = button(`tg-stepbutton tg-${answer}`, label, text, () =>
      this.answer(answer),
    );
    made.dataset.do = answer;
    return made;
  }
}
