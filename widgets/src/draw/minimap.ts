/** The whole graph in a strip, with the window on it; pressing or keys go there. */

import { ROW } from "../layout/geometry";
import { ownKey } from "../keys";
import type { MirrorNode, Picture } from "../state/picture";
import { el } from "./dom";
import type { Frame } from "./look";
import type { Camera, Size } from "./scene";
import type { Palette } from "./theme";

const WIDTH = 64;
const MARGIN = 6;
/** Of use when the window shows less than the first share of the graph; the strip takes
 * room itself, so it goes only when the second one is seen. */
const SHARES = [0.75, 0.95] as const;

/** How many windows further each key goes. */
const KEYS = {
  ArrowUp: -0.25,
  ArrowDown: 0.25,
  PageUp: -1,
  PageDown: 1,
  Home: -Infinity,
  End: Infinity,
};

/** What of a row is drawn: how far out it goes to either side, and in which tones. */
export interface Bar {
  readonly y: number;
  readonly height: number;
  readonly node: MirrorNode;
  readonly x: number;
  readonly width: number;
}

/** A node a lane and row, or one for as many rows as share a pixel. */
export function bars(picture: Picture, width: number, height: number): Bar[] {
  const rows = picture.lowest + 1;
  const lanes = Math.max(2, picture.widest / 2 + 1);
  const lane = (width / 2 - 1) / lanes;
  const tall = height / Math.max(1, rows);
  const stride = Math.max(1, Math.ceil(1 / tall));
  const found: Bar[] = [];
  for (let row = 0; row < rows; row += stride) {
    for (const node of picture.byRow[row] ?? []) {
      if (/seed|update|pin/.test(node.shape)) continue;
      const out = (node.spot.slot / 2) * lane + 1;
      const x = node.side < 0 ? width / 2 - out - lane : width / 2 + out;
      const bar = Math.max(1, Math.min(5, tall * stride * 0.7));
      found.push({ y: row * tall, height: bar, node, x, width: lane - 0.5 });
    }
  }
  return found;
}

export class Minimap {
  readonly element = el("div", "tg-minimap");
  private readonly canvas = el("canvas", "tg-minicanvas");
  private readonly window = el("div", "tg-miniwindow");
  private drawn = "";
  private scale = 1;
  /** How tall the graph is, what of it the window shows, and about which height. */
  private rows = 0;
  private seen = 0;
  private middle = 0;

  /** `go` is called with the height in the graph that was pressed. */
  constructor(
    private readonly go: (y: number) => void,
    private readonly palette: () => Palette,
    controls: string,
  ) {
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "scrollbar");
    this.element.setAttribute("aria-label", "Where in the graph one looks");
    this.element.setAttribute("aria-controls", controls);
    this.element.append(this.canvas, this.window);
    this.element.hidden = true;
    this.listen();
  }

  update(picture: Picture, frame: Frame, camera: Camera, size: Size): void {
    const rows = (picture.lowest + 1) * ROW;
    const seen = size.height / camera.scale;
    const most = SHARES[this.element.hidden ? 0 : 1];
    this.element.hidden = rows === 0 || seen / rows > most;
    if (this.element.hidden) return;
    Object.assign(this, { rows, seen, middle: camera.y });
    this.element.ariaValueNow = String(Math.round((100 * camera.y) / rows));
    const height = size.height - 2 * MARGIN;
    this.scale = height / rows;
    const top = (camera.y - seen / 2) * this.scale;
    const tall = Math.max(6, seen * this.scale);
    const inside = Math.max(0, Math.min(top, height - tall));
    this.window.style.transform = `translateY(${inside}px)`;
    this.window.style.height = `${tall}px`;
    const palette = this.palette();
    const { trace, position, selected } = frame;
    const what = [picture.nodes.length, picture.edgeCount, position, selected, height];
    const drawn = [...what, palette.ink, trace.troubles.length].join(" ");
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.draw(picture, frame, height, palette);
  }

  private draw(
    picture: Picture,
    { trace, position, selected }: Frame,
    height: number,
    palette: Palette,
  ): void {
    const ratio = globalThis.devicePixelRatio || 1;
    this.canvas.width = WIDTH * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    if (context === null) return;
    context.scale(ratio, ratio);
    for (const bar of bars(picture, WIDTH, height)) {
      const past = bar.node.seq < position;
      context.fillStyle = past ? palette.tones[bar.node.tone].fill : palette.rule;
      context.fillRect(bar.x, bar.y, bar.width, bar.height);
    }
    context.fillStyle = palette.bad;
    for (const { key, seq } of trace.troubles) {
      const y = this.heightOf(picture, key);
      if (seq < position && y !== undefined) context.fillRect(0, y - 1, WIDTH, 3);
    }
    const y = selected === undefined ? undefined : this.heightOf(picture, selected);
    context.fillStyle = palette.accent;
    if (y !== undefined) context.fillRect(0, y - 1, WIDTH, 3);
  }

  private heightOf(picture: Picture, key: string): number | undefined {
    const node = picture.nodesOf(key).at(-1);
    return node === undefined ? undefined : node.y * this.scale;
  }

  private listen(): void {
    const { element } = this;
    const look = (event: PointerEvent): void => {
      event.stopPropagation();
      const { top } = element.getBoundingClientRect();
      this.look((event.clientY - top - MARGIN) / this.scale);
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      look(event);
    });
    element.addEventListener("pointermove", (event) => {
      event.stopPropagation();
      if (element.hasPointerCapture(event.pointerId)) look(event);
    });
    element.addEventListener("pointerup", (event) => event.stopPropagation());
    element.addEventListener("keydown", (event) => {
      const windows = ownKey(event, KEYS);
      if (windows !== undefined) this.look(this.middle + windows * this.seen);
    });
  }

  private look(y: number): void {
    this.go(Math.max(0, Math.min(y, this.rows)));
  }
}
