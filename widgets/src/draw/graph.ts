/** The backward graph: a canvas, and elements for whoever cannot see it. */

import { groupsAround } from "../layout/groups";
import { caption, carried, signText } from "../state/caption";
import { describe } from "../state/entity";
import { Folding, graphOfGroup, groupOf } from "../state/folding";
import { Mirror, type Rate } from "../state/mirror";
import type { MirrorNode, Picture } from "../state/picture";
import { countBefore } from "../state/timeline";
import type { Trace } from "../state/trace";
import { smallText } from "../text";
import { badge } from "./badge";
import { CameraMan, fits, wholeView } from "./camera";
import { Cards } from "./cards";
import { button, el, freshId, setText } from "./dom";
import { hit } from "./hit";
import { Leaves } from "./leaves";
import { isTraced, type Actions, type Frame, type Pane } from "./look";
import { Minimap } from "./minimap";
import { Options } from "./options";
import { Stepper } from "./stepper";
import { paint } from "./paint";
import { scene, type Box, type Look, type Shape, type Size } from "./scene";
import type { Palette } from "./theme";
import { Tip } from "./tip";

const NOTHING = "No operator has run yet: each will stand here, with its gradient across.";

/** So many optimizers have a rate of their own; more rates are those of a schedule. */
const MOST_RATES = 3;

const EMPTY: Picture = new Mirror();

interface Graph {
  readonly id: string;
  readonly label: string;
  readonly mirror: Mirror;
}

export class GraphPane implements Pane {
  readonly element: HTMLElement;
  private readonly title = el("h3", "tg-heading");
  private readonly yours = el("span", "tg-yours", "yours");
  private readonly select = el("select", "tg-select");
  private readonly leaves: Leaves;
  private readonly cards: Cards;
  private readonly stages: HTMLElement;
  private readonly nothing = el("p", "tg-empty tg-nothing", NOTHING);
  private readonly stage = el("div", "tg-stage");
  private readonly canvas = el("canvas", "tg-canvas");
  private readonly options: Options;
  private readonly minimap: Minimap;
  private readonly stepper: Stepper;
  private readonly tip = new Tip();
  /** The learning rates: one sign for all that share one. */
  private readonly rates = el("span", "tg-rates");
  private readonly foldButton: HTMLButtonElement;
  private readonly tools: HTMLElement;
  private readonly foldings = new Map<string, Folding>();
  private pointer: { x: number; y: number } | undefined;
  private readonly cameraMan = new CameraMan();
  private readonly observer: ResizeObserver;
  private size: Size = { width: 0, height: 0 };
  private graph: Graph | undefined;
  private frame: Frame | undefined;
  private offered = "";
  /** When somebody last asked to see something else. */
  private acted = -Infinity;
  /** What was drawn last. */
  shapes: readonly Shape[] = [];

  constructor(
    private readonly actions: Actions,
    private readonly palette: () => Palette,
  ) {
    this.title.id = freshId("graph");
    this.select.setAttribute("aria-label", "Which graph to show");
    this.select.addEventListener("change", () => actions.redraw());
    this.leaves = new Leaves(actions);
    this.cards = new Cards(actions);
    this.canvas.setAttribute("aria-hidden", "true");
    this.options = new Options(this.title.id);
    this.stepper = new Stepper(actions);
    this.stage.id = freshId("stage");
    const look = (y: number): void => {
      this.cameraMan.look(y);
      actions.redraw();
    };
    this.minimap = new Minimap(look, palette, this.stage.id);
    this.foldButton = button("tg-tool tg-foldall", "", "", () => this.toggleFolds());
    this.tools = this.buttons();
    const way = (text: string): HTMLElement => el("span", "tg-way", ` · read ${text}`);
    const left = el("span", "tg-side tg-forward", "Forward", way("down"));
    const right = el("span", "tg-side tg-backward", this.rates, "Backward", way("up"));
    const { element: nodes } = this.options;
    this.stage.append(this.canvas, left, right, nodes, this.nothing, this.tip.element);
    this.stages = el("div", "tg-stages", this.stage, this.minimap.element);
    const { title, yours, select, tools } = this;
    const { element: stepper } = this.stepper;
    const head = el("div", "tg-panehead", title, yours, select, stepper, tools);
    const parts = [head, this.leaves.element, this.cards.element, this.stages];
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
    this.options.element.focus({ preventScroll: true });
  }

  /** The key of the node `by` places further down (or up) its side. */
  step(key: string | undefined, by: number): string | undefined {
    if (this.graph === undefined) return undefined;
    const picture = this.picture();
    const { byRow } = picture;
    const from = key === undefined ? undefined : picture.nodesOf(key).at(-1);
    if (from === undefined) return byRow.find((row) => row)?.[0]?.key;
    const place = (node: MirrorNode): number => node.y * 1000 + Math.abs(node.x);
    for (let row = from.spot.row; row >= 0 && row < byRow.length; row += by) {
      const side = (byRow[row] ?? []).filter((node) => node.side === from.side);
      const ordered = side.sort((a, b) => (place(a) - place(b)) * by);
      const next = ordered.find((node) => (place(node) - place(from)) * by > 0);
      if (next !== undefined) return next.key;
    }
    return key;
  }

  /** Bring a thing into view, out of the groups that hide it. */
  show(key: string): void {
    this.acted = performance.now();
    this.folding()?.reveal(key);
    const node = this.picture().nodesOf(key).at(-1);
    if (node !== undefined) this.cameraMan.show(node, this.size);
  }

  /** What shows `key` in the graph as it is folded now. */
  shownAs(key: string): string {
    return this.folding()?.shownAs(key) ?? key;
  }

  /** Close the group around `key`, or open it; return what to select then. */
  fold(key: string | undefined, closed: boolean): string | undefined {
    const folding = this.folding();
    if (folding === undefined) return undefined;
    return this.changed(key, () => {
      if (key !== undefined) return closed ? folding.close(key) : folding.open(key);
      if (closed) folding.closeAll();
      else folding.openAll();
      return undefined;
    });
  }

  /** Open or close something: the eye keeps its place. */
  private changed(key: string | undefined, change: () => string | undefined): string | undefined {
    const before = key === undefined ? undefined : this.picture().nodesOf(key).at(-1);
    this.acted = performance.now();
    const shown = change();
    const picture = this.picture();
    const after = shown === undefined ? undefined : picture.nodesOf(shown).at(-1);
    // What still fits is shown whole.
    if (before && after && !fits(picture, this.size)) this.cameraMan.hold(before, after);
    this.actions.redraw();
    return shown;
  }

  /** Open so many levels of layers, scopes and blocks, from the outermost. */
  openTo(level: number): void {
    this.acted = performance.now();
    this.folding()?.openTo(level);
    this.actions.redraw();
  }

  /** Go to the step of the training, or the run, `by` further on. */
  turn(by: number): void {
    this.stepper.step(by);
  }

  /** Whether `key` is something that this graph could fold. */
  canFold(key: string | undefined): boolean {
    const mirror = this.graph?.mirror;
    if (mirror === undefined || mirror.groups.length === 0) return false;
    if (key === undefined) return true;
    if (graphOfGroup(key) !== undefined) return groupOf(mirror, key) !== undefined;
    const op = mirror.nodesOf(key).at(-1)?.op ?? -1;
    return groupsAround(mirror.groups, op).length > 0;
  }

  fit(): void {
    const { cameraMan } = this;
    this.acted = performance.now();
    cameraMan.mode = cameraMan.mode === "whole" ? "follow" : "whole";
    this.actions.redraw();
  }

  zoom(factor: number): void {
    const { width, height } = this.size;
    this.cameraMan.zoom(factor, width / 2, height / 2, this.size);
    this.actions.redraw();
  }

  pan(dx: number, dy: number): void {
    this.cameraMan.pan(dx, dy);
    this.actions.redraw();
  }

  update(frame: Frame): void {
    this.frame = frame;
    this.offer(graphs(frame.trace));
    this.element.hidden = this.graph === undefined;
    if (this.graph === undefined) return;
    const { engine } = frame.trace.tape;
    this.yours.hidden = this.graph.id !== "tape" || engine === undefined;
    this.yours.title = `Announced by the class ${engine}, not by teachgraph`;
    const program = frame.trace.programs.get(Number(this.graph.id));
    const folding = this.folding();
    folding?.look(this.stepper.update(frame, program));
    if (frame.trace.ended && this.size.height > 0) {
      folding?.settle((picture, ...asked) => fits(picture, this.size, ...asked));
    }
    this.leaves.update(frame);
    this.showTensorsAlone(frame);
    this.sayFolds();
    this.draw(frame, this.picture());
    this.tip.update(frame, this.pointer, this.size);
  }

  /** Tensors that are shown without any op, as those of a layer, come as cards. */
  private showTensorsAlone(frame: Frame): void {
    const empty = this.graph?.mirror.nodes.length === 0;
    const alone = empty && !isTraced(frame.trace);
    setText(this.title, alone ? "Tensors" : "Backward graph");
    this.nothing.hidden = !empty;
    this.cards.element.hidden = !alone;
    this.stages.hidden = this.tools.hidden = alone;
    this.leaves.element.hidden ||= alone;
    this.cards.update(frame);
  }

  private folding(): Folding | undefined {
    const { graph } = this;
    if (graph === undefined) return undefined;
    const { id, mirror } = graph;
    let folding = this.foldings.get(id);
    if (folding === undefined) {
      // What a layer keeps for itself from step to step is nobody's data.
      const name = (key: string): string => {
        const entity = this.frame && describe(this.frame.trace, key, this.frame.position);
        return entity === undefined || entity.tone === "B" ? "" : entity.name;
      };
      folding = new Folding(id, mirror, name);
      this.foldings.set(id, folding);
    }
    return folding;
  }

  private picture(): Picture {
    return this.folding()?.picture ?? EMPTY;
  }

  private toggleFolds(): void {
    this.fold(undefined, this.folding()?.isFolded !== true);
    this.actions.select(undefined);
  }

  private sayFolds(): void {
    const folding = this.folding();
    const isFolded = folding?.isFolded === true;
    this.foldButton.hidden = folding === undefined || folding.mirror.groups.length === 0;
    const text = isFolded ? "Unfold" : "Fold";
    if (this.foldButton.textContent === text) return;
    this.foldButton.textContent = text;
    const label = isFolded ? "Unfold all groups (e)" : "Fold layers and repeats (c)";
    this.foldButton.title = label;
    this.foldButton.setAttribute("aria-label", label);
  }

  private draw(frame: Frame, mirror: Picture): void {
    const { cameraMan } = this;
    const newest = mirror.nodes[countBefore(mirror.nodes, frame.position) - 1];
    const grows = !frame.trace.ended;
    const first = frame.live && !grows ? mirror.nodes[0] : newest;
    cameraMan.aim(mirror, first, this.size, grows);
    // A pane that only changes its size is drawn as it then is.
    const moves = grows || performance.now() - this.acted < LONGEST;
    if (cameraMan.move(moves && isSmooth())) this.actions.redraw();
    const { camera } = cameraMan;
    const shapes = (this.shapes = scene(mirror, camera, this.size, lookOf(frame)));
    const context = this.canvas.getContext("2d");
    const ratio = this.canvas.width / Math.max(1, this.size.width);
    if (context !== null) {
      paint(context, shapes, camera, this.size, ratio, this.palette());
    }
    this.element.dataset.nodes = String(mirror.nodes.length);
    this.element.dataset.edges = String(mirror.edgeCount);
    this.sayRates(frame);
    const boxes = shapes.filter((shape): shape is Box => shape.kind === "box");
    this.options.update(boxes, frame, cameraMan, this.size);
    this.minimap.update(mirror, frame, camera, this.size);
  }

  private sayRates({ position, trace }: Frame): void {
    const told = this.graph?.mirror.ratesAt(position).slice(-MOST_RATES) ?? [];
    // A program's is a variable, to which the startup program gives a value.
    const text = ({ name }: Rate): string => {
      const found = [...trace.programs.values()].flatMap((one) => one.find(0, name)?.value.at(position) ?? []);
      const small = found.map((value) => smallText(value) ?? "").at(-1);
      return small === undefined ? name : `${name.replace(/_\d+$/, "")} = ${small}`;
    };
    const names = told.map(text).join("\n");
    if (this.rates.dataset.names === names) return;
    this.rates.dataset.names = names;
    const chips = told.map((rate) => {
      const [key, name] = [rate.key, text(rate)];
      const chip = button("tg-chip tg-rate", name, "", () => this.actions.select(key));
      chip.removeAttribute("aria-label");
      chip.append(badge("optimise"), name);
      return chip;
    });
    this.rates.replaceChildren(...chips);
  }

  private offer(all: readonly Graph[]): void {
    const options = all.map(({ id }) => id).join(" ");
    if (options !== this.offered) {
      const { value } = this.select;
      this.offered = options;
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
      this.foldButton,
      button("tg-tool", "SVG: save the whole graph as a picture", "SVG", () =>
        this.save("svg"),
      ),
      button("tg-tool", "PNG: save the whole graph as a picture", "PNG", () =>
        this.save("png"),
      ),
      button("tg-tool", "Zoom out", "−", () => this.zoom(1 / 1.4)),
      button("tg-tool", "Zoom in", "+", () => this.zoom(1.4)),
      button("tg-tool", "Fit the whole graph, or follow again (f)", "Fit", () =>
        this.fit(),
      ),
    );
  }

  /** Save all of the graph as it is now, where names are large enough to read. */
  private save(ending: string): void {
    const { frame } = this;
    if (frame === undefined) return;
    const { size, camera } = wholeView(this.picture());
    const shapes = scene(this.picture(), camera, size, lookOf(frame));
    const palette = this.palette();
    this.actions.save(`graph.${ending}`, size, palette.panel, (context, ratio) =>
      paint(context, shapes, camera, size, ratio, palette),
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
    stage.addEventListener("dblclick", (event) => this.openAt(this.under(event)));
    stage.addEventListener("pointerleave", () => {
      this.pointer = undefined;
      this.actions.hover(undefined);
    });
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** A double click opens a folded group. */
  private openAt(key: string | undefined): void {
    if (key === undefined || graphOfGroup(key) === undefined) return;
    const opened = this.fold(key, false);
    if (opened !== undefined) this.actions.select(opened);
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

  private under(event: MouseEvent): string | undefined {
    const { cameraMan } = this;
    if (this.graph === undefined) return undefined;
    const { left, top } = this.stage.getBoundingClientRect();
    const [sx, sy] = [event.clientX - left, event.clientY - top];
    this.pointer = { x: sx, y: sy };
    const { x, y } = cameraMan.toWorld(sx, sy, this.size);
    const { scale, stretch } = cameraMan.camera;
    return hit(this.picture(), x / stretch, y, 7 / scale);
  }
}

function isSmooth(): boolean {
  return !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** How long the camera is on its way at most, in milliseconds. */
const LONGEST = 1000;
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
  const running = trace.running.at(position) ?? -1;
  return {
    position,
    running: running < 0 ? undefined : `o:${running}`,
    selected: selected ?? hovered,
    linked: hovered === undefined ? linked : new Set([...linked, hovered]),
    hue: (cell, line) => trace.rank(cell, line),
    isCurrent: (cell, line) => step?.cell === cell && step.line === line,
    caption: (node) => caption(trace, node, position),
    stats: (key) => carried(trace, key, position),
    signed: (join, digits) => signText(trace, join, position, digits),
    isBad: (node) => isBadNode(trace, node, position),
    isTrouble: (key) => trace.isBad(key, position),
  };
}

function isBadNode(trace: Trace, node: MirrorNode, position: number): boolean {
  if (trace.troubles.length === 0) return false;
  const graph = graphOfGroup(node.key);
  if (graph === undefined) return trace.isBad(node.key, position);
  const mirror = trace.mirrorOf(graph);
  const group = mirror && groupOf(mirror, node.key);
  if (mirror === undefined || group === undefined) return false;
  const inside = ({ op }: MirrorNode): boolean => op >= group.first && op < group.end;
  return trace.troubles.some(({ key, seq }) => {
    return seq < position && mirror.nodesOf(key).some((known) => {
      return known.side === node.side && inside(known);
    });
  });
}
