/**
 * Tensors made by hand, from the moment they exist: the graph shows them when used. An
 * optimizer's own are only counted: Adam has four for every parameter.
 */

import type { TapeTensor } from "../state/tape";
import { shapeText, thousands } from "../text";
import { badge } from "./badge";
import { el, reveal } from "./dom";
import type { Actions, Frame } from "./look";
import { lineClass } from "./theme";

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
    const leaves = shownOf(frame);
    const own = frame.trace.tape.leaves.filter(({ role }) => role === "L").length;
    this.element.hidden = leaves.length === 0;
    const count = Math.min(MOST, leaves.length);
    if (count < this.chips.length) this.chips.splice(0).forEach((chip) => chip.remove());
    for (let i = this.chips.length; i < count; i++) this.add(leaves[i]);
    this.chips.forEach((chip, index) => this.paint(chip, frame, leaves[index]));
    const rest = leaves.length > MOST ? `and ${thousands(leaves.length - MOST)} more` : "";
    const state = own > 0 ? `${own} of optimizer state` : "";
    const words = [rest, state].filter((text) => text !== "").join(" · ");
    if (words === this.more.textContent) return;
    this.more.textContent = words;
    this.element.append(this.more);
  }

  private add(leaf: TapeTensor): void {
    const { role } = leaf;
    const { shape } = leaf.event;
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

  private paint(chip: HTMLElement, frame: Frame, leaf: TapeTensor): void {
    const name = chip.querySelector(".tg-name");
    if (name !== null && name.textContent !== leaf.name) name.textContent = leaf.name;
    chip.dataset.name = leaf.name;
    if (chip.dataset.role !== leaf.role) {
      chip.dataset.role = leaf.role;
      chip.firstElementChild?.replaceWith(badge(leaf.role));
    }
    const classes = ["tg-chip", lineClass(frame.trace.rank(leaf.cell, leaf.line))];
    const future = leaf.seq >= frame.position;
    if (future) classes.push("tg-future");
    chip.setAttribute("aria-disabled", String(future));
    if (leaf.key === frame.selected) classes.push("tg-selected");
    if (frame.linked.has(leaf.key)) classes.push("tg-linked");
    const className = classes.join(" ");
    if (chip.className !== className) chip.className = className;
  }
}

/**
 * In the end those alone that no operator has read: the others stand in the graph. A batch
 * of a step that is not told was read there: one of its name stands for it.
 */
function shownOf({ trace }: Frame): readonly TapeTensor[] {
  const { leaves, nodes } = trace.tape;
  const own = leaves.filter(({ role }) => role !== "L");
  if (!trace.ended || nodes.size === 0) return own;
  const read = new Set(own.flatMap((leaf) => (leaf.consumers.length > 0 ? leaf.name : [])));
  return own.filter(({ consumers, name }) => consumers.length === 0 && !read.has(name));
}
