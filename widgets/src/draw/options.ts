/** Elements over a canvas's boxes, for screen readers, focus and tests. */

import { TONES } from "../state/tones";
import type { CameraMan } from "./camera";
import { el, freshId } from "./dom";
import type { Frame } from "./look";
import type { Box, Size } from "./scene";

const MOST_OPTIONS = 150;

export class Options {
  readonly element = el("div", "tg-nodes");
  private readonly world = el("div", "");
  /** The elements there are, in the order in which they stand, by what they say. */
  private shown = new Map<string, HTMLElement>();

  constructor(labelledBy: string) {
    this.element.tabIndex = 0;
    this.element.setAttribute("aria-labelledby", labelledBy);
    this.world.setAttribute("role", "presentation");
    Object.assign(this.world.style, { position: "absolute", transformOrigin: "0 0" });
    this.element.append(this.world);
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
    this.show(kept, frame);
    if (kept.length > 0) element.setAttribute("role", "listbox");
    else element.removeAttribute("role");
    const selected = element.querySelector("[aria-selected=true]");
    element.setAttribute("aria-activedescendant", selected?.id ?? "");
    if (selected === null) element.removeAttribute("aria-activedescendant");
    this.place(cameraMan, size);
  }

  /** Keep the elements that say what is to be said; make the others. */
  private show(boxes: readonly Box[], frame: Frame): void {
    const before = this.shown;
    this.shown = new Map();
    for (const box of boxes) {
      const { node, state, caption: words, freed, current } = box;
      const said = [node.key, state, words.title, words.detail, freed, current, box.x, box.y, box.width, box.height].join(" ");
      const element = before.get(said) ?? this.shown.get(said) ?? option(box, frame);
      before.delete(said);
      this.shown.set(said, element);
    }
    for (const element of before.values()) element.remove();
    let next = this.world.firstElementChild;
    for (const element of this.shown.values()) {
      if (element === next) next = next.nextElementSibling;
      else this.world.insertBefore(element, next);
    }
  }

  /** Elements stand where their boxes do in the world: the camera moves all at once. */
  private place(cameraMan: CameraMan, size: Size): void {
    const { x, y } = cameraMan.toScreen(0, 0, size);
    const { scale } = cameraMan.camera;
    const transform = `translate(${x}px, ${y}px) scale(${scale})`;
    if (this.world.style.transform !== transform) this.world.style.transform = transform;
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
  const { width, height } = box;
  Object.assign(element.style, {
    left: `${box.x}px`,
    top: `${box.y}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
  return element;
}
