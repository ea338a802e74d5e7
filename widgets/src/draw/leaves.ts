/** Tensors made by hand, from the moment they exist: the graph shows them when used. */

import { shapeText } from "../text";
import { badge } from "./badge";
import { el, reveal } from "./dom";
import type { Actions, Frame } from "./look";
import { hueClass } from "./theme";

const MOST = 200;

export class Leaves {
  readonly element = el("div", "tg-leaves");
  private readonly chips: HTMLElement[] = [];
  private readonly more = el("span", "tg-more");

  constructor(private readonly actions: Actions) {
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Tensors that no operator made");
  }

  update(frame: Frame): void {
    const { leaves } = frame.trace.tape;
    this.element.hidden = leaves.length === 0;
    const count = Math.min(MOST, leaves.length);
    for (let i = this.chips.length; i < count; i++) this.add(frame, i);
    this.chips.forEach((chip, index) => this.paint(chip, frame, index));
    if (leaves.length <= MOST) return;
    this.more.textContent = `and ${leaves.length - MOST} more`;
    this.element.append(this.more);
  }

  private add({ trace }: Frame, index: number): void {
    const leaf = trace.tape.leaves[index];
    const { shape, role } = leaf.event;
    const name = el("span", "tg-name", leaf.name);
    const parts = [badge(role), name, el("span", "tg-shape", shapeText(shape))];
    const chip = el("button", "tg-chip", ...parts);
    chip.type = "button";
    Object.assign(chip.dataset, {
      key: leaf.key,
      kind: "tensor",
      role,
      line: String(leaf.line),
      cell: String(leaf.cell),
      seq: String(leaf.seq),
    });
    chip.addEventListener("click", () => this.actions.select(leaf.key));
    chip.addEventListener("pointerenter", () => this.actions.hover(leaf.key));
    chip.addEventListener("pointerleave", () => this.actions.hover(undefined));
    this.chips.push(chip);
    this.element.append(chip);
    reveal(this.element, chip.offsetTop, chip.offsetTop + chip.offsetHeight);
  }

  private paint(chip: HTMLElement, frame: Frame, index: number): void {
    const leaf = frame.trace.tape.leaves[index];
    const name = chip.querySelector(".tg-name");
    if (name !== null && name.textContent !== leaf.name) name.textContent = leaf.name;
    chip.dataset.name = leaf.name;
    const classes = ["tg-chip", hueClass(frame.trace.rank(leaf.cell, leaf.line))];
    const future = leaf.seq >= frame.position;
    if (future) classes.push("tg-future");
    chip.setAttribute("aria-disabled", String(future));
    if (leaf.key === frame.selected) classes.push("tg-selected");
    if (frame.linked.has(leaf.key)) classes.push("tg-linked");
    const className = classes.join(" ");
    if (chip.className !== className) chip.className = className;
  }
}
