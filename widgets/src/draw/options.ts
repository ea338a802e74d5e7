/** Elements over a canvas's boxes, for screen readers, focus and tests. */

import { TONES } from "../state/tones";
import type { CameraMan } from "./camera";
import { el, freshId } from "./dom";
import type { Frame } from "./look";
import { sizeOf, type Box, type Size } from "./scene";

const MOST_OPTIONS = 150;

export class Options {
  readonly element = el("div", "tg-nodes");
  private shown = "";
  private placed = "";

  constructor(labelledBy: string) {
    this.element.tabIndex = 0;
    this.element.setAttribute("aria-labelledby", labelledBy);
  }

  update(
    boxes: readonly Box[],
    frame: Frame,
    cameraMan: CameraMan,
    size: Size,
  ): void {
    const { element } = this;
    const few = boxes.length <= MOST_OPTIONS;
    const marked = ({ state }: Box): boolean =>
      state === "selected" || state === "linked";
    const kept = few ? boxes : boxes.filter(marked).slice(0, MOST_OPTIONS);
    const signature = kept
      .map((box) => `${box.node.key} ${box.state} ${box.caption.title} ${box.freed}`)
      .join("\n");
    if (signature !== this.shown) {
      this.shown = signature;
      element.replaceChildren(...kept.map((box) => option(box, frame)));
      if (kept.length > 0) element.setAttribute("role", "listbox");
      else element.removeAttribute("role");
      this.placed = "";
    }
    const selected = element.querySelector("[aria-selected=true]");
    element.setAttribute("aria-activedescendant", selected?.id ?? "");
    if (selected === null) element.removeAttribute("aria-activedescendant");
    this.place(kept, cameraMan, size);
  }

  private place(boxes: readonly Box[], cameraMan: CameraMan, size: Size): void {
    const { x, y, scale } = cameraMan.camera;
    const placed = `${x} ${y} ${scale} ${size.width} ${size.height}`;
    if (placed === this.placed) return;
    this.placed = placed;
    boxes.forEach((box, index) => {
      const { style } = this.element.children[index] as HTMLElement;
      const { width, height } = sizeOf(box.node);
      const corner = cameraMan.toScreen(box.x, box.y, size);
      style.left = `${corner.x}px`;
      style.top = `${corner.y}px`;
      style.width = `${width * scale}px`;
      style.height = `${height * scale}px`;
    });
  }
}

function option(box: Box, frame: Frame): HTMLElement {
  const { node, state, caption: words, tone } = box;
  const element = el("div", state === "future" ? "tg-node tg-future" : "tg-node");
  element.id = freshId("node");
  element.setAttribute("role", "option");
  element.setAttribute("aria-selected", String(state === "selected"));
  element.setAttribute("aria-disabled", String(state === "future"));
  const line = node.line > 0 ? `, line ${node.line}` : "";
  const kept = box.freed ? ", freed" : "";
  const text = `${TONES[tone].word} ${words.title} ${words.detail}${line}${kept}`;
  element.setAttribute("aria-label", text);
  Object.assign(element.dataset, {
    key: node.key,
    name: words.title || node.title,
    kind: node.shape,
    role: tone,
    side: node.side === 1 ? "backward" : "forward",
    line: String(node.line),
    cell: String(node.cell),
    seq: String(node.seq),
    freed: String(box.freed),
    current: String(frame.step?.cell === node.cell && frame.step.line === node.line),
  });
  return element;
}
