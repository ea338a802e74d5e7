/** The backward graph: a canvas, and elements for whoever cannot see it. */

import { caption, carried } from "../state/caption";
import type { Mirror, MirrorNode } from "../state/mirror";
import { countBefore } from "../state/timeline";
import { TONES } from "../state/tones";
import type { Trace } from "../state/trace";
import { CameraMan } from "./camera";
import { button, el, freshId } from "./dom";
import { hit } from "./hit";
import { Leaves } from "./leaves";
import type { Actions, Frame, Pane } from "./look";
import { paint } from "./paint";
import { scene, sizeOf, type Box, type Look, type Size } from "./scene";
import type { Palette } from "./theme";

const MOST_OPTIONS = 150;

interface Graph {
  readonly id: string;
  readonly label: string;
  readonly mirror: Mirror;
}

export class GraphPane implements Pane {
  readonly element: HTMLElement;
  private readonly title = el("h3", "tg-heading");
  private readonly select = el("select", "tg-select");
  private readonly leaves: Leaves;
  private readonly stage = el("div", "tg-stage");
  private readonly canvas = el("canvas", "tg-canvas");
  private readonly list = el("div", "tg-nodes");
  private readonly cameraMan = new CameraMan();
  private readonly observer: ResizeObserver;
  private size: Size = { width: 0, height: 0 };
  private graph: Graph | undefined;
  private frame: Frame | undefined;
  private options = "";
  private shown = "";
  private placed = "";

  constructor(
    private readonly actions: Actions,
    private readonly palette: () => Palette,
  ) {
    this.title.append("Backward graph");
    this.title.id = freshId("graph");
    this.select.setAttribute("aria-label", "Which graph to show");
    this.select.addEventListener("change", () => actions.redraw());
    this.leaves = new Leaves(actions);
    this.canvas.setAttribute("aria-hidden", "true");
    this.list.tabIndex = 0;
    this.list.setAttribute("aria-labelledby", this.title.id);
    const left = el("span", "tg-side tg-forward", "Forward · read down");
    const right = el("span", "tg-side tg-backward", "Backward · read up");
    this.stage.append(this.canvas, left, right, this.list);
    const head = el("div", "tg-panehead", this.title, this.select, this.buttons());
    const parts = [head, this.leaves.element, this.stage];
    this.element = el("section", "tg-pane tg-graph", ...parts);
    this.element.hidden = true;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.stage);
    this.listen();
  }

  dispose(): void {
    this.observer.disconnect();
  }

  focus(): void {
    this.list.focus({ preventScroll: true });
  }

  has(key: string | undefined): boolean {
    return key !== undefined && (this.graph?.mirror.nodesOf(key).length ?? 0) > 0;
  }

  /** The key of the node `by` places further down (or up) its side. */
  step(key: string | undefined, by: number): string | undefined {
    const mirror = this.graph?.mirror;
    if (mirror === undefined) return undefined;
    const from = key === undefined ? undefined : mirror.nodesOf(key).at(-1);
    if (from === undefined) return mirror.byRow.find((row) => row)?.[0]?.key;
    const place = (node: MirrorNode): number => node.y * 1000 + Math.abs(node.x);
    for (let row = from.spot.row; row >= 0 && row < mirror.byRow.length; row += by) {
      const side = (mirror.byRow[row] ?? []).filter((node) => node.side === from.side);
      const ordered = side.sort((a, b) => (place(a) - place(b)) * by);
      const next = ordered.find((node) => (place(node) - place(from)) * by > 0);
      if (next !== undefined) return next.key;
    }
    return key;
  }

  /** Bring a thing into view. */
  show(key: string): void {
    const node = this.graph?.mirror.nodesOf(key).at(-1);
    if (node !== undefined) this.cameraMan.show(node, this.size);
  }

  fit(): void {
    const { cameraMan } = this;
    cameraMan.mode = cameraMan.mode === "whole" ? "follow" : "whole";
    this.actions.redraw();
  }

  zoom(factor: number): void {
    const { width, height } = this.size;
    this.cameraMan.zoom(factor, width / 2, height / 2, this.size);
    this.actions.redraw();
  }

  update(frame: Frame): void {
    this.frame = frame;
    this.offer(graphs(frame.trace));
    this.element.hidden = this.graph === undefined;
    if (this.graph === undefined) return;
    this.leaves.update(frame);
    this.draw(frame, this.graph.mirror);
  }

  private draw(frame: Frame, mirror: Mirror): void {
    const { cameraMan } = this;
    const newest = mirror.nodes[countBefore(mirror.nodes, frame.position) - 1];
    cameraMan.aim(mirror, newest, this.size);
    const smooth = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (cameraMan.move(smooth)) this.actions.redraw();
    const { camera } = cameraMan;
    const shapes = scene(mirror, camera, this.size, lookOf(frame));
    const context = this.canvas.getContext("2d");
    const ratio = this.canvas.width / Math.max(1, this.size.width);
    if (context !== null) {
      paint(context, shapes, camera, this.size, ratio, this.palette());
    }
    this.element.dataset.nodes = String(mirror.nodes.length);
    this.element.dataset.edges = String(mirror.edgeCount);
    const boxes = shapes.filter((shape): shape is Box => shape.kind === "box");
    this.describeBoxes(boxes, frame);
  }

  /** Options over the boxes, for screen readers, focus and tests. */
  private describeBoxes(boxes: readonly Box[], frame: Frame): void {
    const few = boxes.length <= MOST_OPTIONS;
    const marked = ({ state }: Box): boolean =>
      state === "selected" || state === "linked";
    const kept = few ? boxes : boxes.filter(marked).slice(0, MOST_OPTIONS);
    const signature = kept
      .map((box) => `${box.node.key} ${box.state} ${box.caption.title} ${box.freed}`)
      .join("\n");
    if (signature !== this.shown) {
      this.shown = signature;
      this.list.replaceChildren(...kept.map((box) => option(box, frame)));
      if (kept.length > 0) this.list.setAttribute("role", "listbox");
      else this.list.removeAttribute("role");
      this.placed = "";
    }
    const selected = this.list.querySelector("[aria-selected=true]");
    this.list.setAttribute("aria-activedescendant", selected?.id ?? "");
    if (selected === null) this.list.removeAttribute("aria-activedescendant");
    this.placeOptions(kept);
  }

  private placeOptions(boxes: readonly Box[]): void {
    const { x, y, scale } = this.cameraMan.camera;
    const placed = `${x} ${y} ${scale} ${this.size.width} ${this.size.height}`;
    if (placed === this.placed) return;
    this.placed = placed;
    boxes.forEach((box, index) => {
      const { style } = this.list.children[index] as HTMLElement;
      const { width, height } = sizeOf(box.node);
      const corner = this.cameraMan.toScreen(box.x, box.y, this.size);
      style.left = `${corner.x}px`;
      style.top = `${corner.y}px`;
      style.width = `${width * scale}px`;
      style.height = `${height * scale}px`;
    });
  }

  private offer(all: readonly Graph[]): void {
    const options = all.map(({ id }) => id).join(" ");
    if (options !== this.options) {
      const { value } = this.select;
      this.options = options;
      this.select.replaceChildren(...all.map(graphOption));
      if (all.some(({ id }) => id === value)) this.select.value = value;
    }
    this.select.hidden = all.length < 2;
    this.graph = all.find(({ id }) => id === this.select.value) ?? all[0];
  }

  private buttons(): HTMLElement {
    return el(
      "span",
      "tg-tools",
      button("tg-tool", "Zoom out", "−", () => this.zoom(1 / 1.4)),
      button("tg-tool", "Zoom in", "+", () => this.zoom(1.4)),
      button("tg-tool", "Fit the whole graph, or follow again (f)", "Fit", () =>
        this.fit(),
      ),
    );
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const ratio = globalThis.devicePixelRatio || 1;
    this.size = { width, height };
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.actions.redraw();
  }

  private listen(): void {
    const { stage, cameraMan } = this;
    let drag: { x: number; y: number; moved: boolean } | undefined;
    stage.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      drag = { x: event.clientX, y: event.clientY, moved: false };
      stage.setPointerCapture(event.pointerId);
    });
    stage.addEventListener("pointermove", (event) => {
      if (drag === undefined) return this.actions.hover(this.under(event));
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      cameraMan.pan(dx, dy);
      drag = { x: event.clientX, y: event.clientY, moved: true };
      stage.classList.add("tg-dragging");
      this.actions.redraw();
    });
    stage.addEventListener("pointerup", (event) => {
      if (drag?.moved === false) this.actions.select(this.under(event));
      drag = undefined;
      stage.classList.remove("tg-dragging");
    });
    stage.addEventListener("pointerleave", () => this.actions.hover(undefined));
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** The wheel is the page's; with Ctrl or Cmd it zooms. */
  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.stage.getBoundingClientRect();
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002));
    const [x, y] = [event.clientX - left, event.clientY - top];
    this.cameraMan.zoom(factor, x, y, this.size);
    this.actions.redraw();
  }

  private under(event: PointerEvent): string | undefined {
    const { graph, frame, cameraMan } = this;
    if (graph === undefined || frame === undefined) return undefined;
    const { left, top } = this.stage.getBoundingClientRect();
    const [sx, sy] = [event.clientX - left, event.clientY - top];
    const { x, y } = cameraMan.toWorld(sx, sy, this.size);
    return hit(graph.mirror, x, y, 7 / cameraMan.camera.scale);
  }
}

/** The eager tape and every program that has gradients. */
function graphs(trace: Trace): Graph[] {
  const found: Graph[] = [];
  const { tape } = trace;
  if (tape.tensors.size + tape.mirror.nodes.length > 0) {
    found.push({ id: "tape", label: "Tape", mirror: tape.mirror });
  }
  for (const program of trace.programs.values()) {
    const { mirror, event } = program;
    if (!mirror.hasGradients) continue;
    const label = event.title || `${event.role} program`;
    found.push({ id: String(event.program), label, mirror });
  }
  return found;
}

function graphOption({ id, label }: Graph): HTMLOptionElement {
  const element = el("option", "", label);
  element.value = id;
  return element;
}

function lookOf(frame: Frame): Look {
  const { trace, position, step, selected, hovered, linked } = frame;
  return {
    position,
    selected: selected ?? hovered,
    linked: hovered === undefined ? linked : new Set([...linked, hovered]),
    hue: (cell, line) => trace.rank(cell, line),
    isCurrent: (cell, line) => step?.cell === cell && step.line === line,
    caption: (node) => caption(trace, node, position),
    stats: (key) => carried(trace, key, position),
  };
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
