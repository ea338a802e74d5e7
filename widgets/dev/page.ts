/**
 * A page that shows one fixture, `page.html?log=four_lines&theme=dark&height=460`, or
 * the log that whoever opens it has put into the global `LOG`. With `waiting=3` it is as
 * while a cell waits at its third line.
 */

import { FIXTURES } from "../fixtures";
import { GraphPane } from "../src/draw/graph";
import { paint } from "../src/draw/paint";
import type { Camera, Shape, Size } from "../src/draw/scene";
import type { Palette } from "../src/draw/theme";
import type { Picture } from "../src/state/picture";
import type { Log } from "../src/events";
import { EventLog } from "../src/log";
import * as charts from "../src/charts";
import { mount } from "../src/page";
import { View } from "../src/view";
import { measure, type Figures, type Written } from "./meter";

const asked = new URLSearchParams(location.search);
const root = document.querySelector<HTMLElement>("#root")!;
const given = (globalThis as { LOG?: Log }).LOG;
const fixture = FIXTURES[asked.get("log") ?? ""] ?? FIXTURES.four_lines;
const log = given ?? fixture();
const theme = asked.get("theme") === "dark" ? "dark" : "light";
const height = Number(asked.get("height") ?? 560);
const options = { theme, height, charts: () => () => charts } as const;
document.body.dataset.theme = theme;

/** Let events arrive as from a kernel, so many each frame. */
function stream(perFrame: number): void {
  const events = new EventLog();
  const view = new View(events, { title: log.title, ...options });
  root.append(view.element);
  const next = (): void => {
    events.accept(events.next, log.events.slice(events.next, events.next + perFrame));
    view.redraw();
    if (events.next < log.events.length) requestAnimationFrame(next);
  };
  next();
}

/** As in the middle of a cell that waits at each line. */
function wait(line: number): void {
  const events = new EventLog();
  const next = log.events.findIndex((event) => event.kind === "line" && event.line === line);
  events.accept(0, log.events.slice(0, next + 1));
  const view = new View(events, { title: log.title, ...options });
  root.append(view.element);
  view.waitAt(line);
}

/** What is inside a pane, for whoever measures it. */
interface Inside {
  readonly shapes: readonly Shape[];
  readonly cameraMan: { readonly camera: Camera };
  readonly size: Size;
  palette(): Palette;
  picture(): Picture;
}

let pane: Inside | undefined;
const { update } = GraphPane.prototype;
GraphPane.prototype.update = function (this: GraphPane, frame): void {
  pane = this as unknown as Inside;
  update.call(this, frame);
};

/** The texts of a scene, each where it stands on the stage. */
function written({ shapes, cameraMan, size, palette }: Inside): Written[] {
  const context = document.createElement("canvas").getContext("2d")!;
  const found: Written[] = [];
  context.fillText = (text: string, x: number, y: number): void => {
    const { a: scale, e, f } = context.getTransform();
    const pixels = Number(/([\d.]+)px/.exec(context.font)?.[1]) * scale;
    const width = context.measureText(text).width * scale;
    const shift = { left: 0, center: width / 2, right: width }[context.textAlign as "left"];
    const [left, middle] = [x * scale + e - shift, y * scale + f];
    const [top, bottom] = [middle - pixels * 0.4, middle + pixels * 0.4];
    found.push({ text, pixels, left, right: left + width, top, bottom });
  };
  paint(context, shapes, cameraMan.camera, size, 1, palette());
  return found;
}

/** The figures of the graph as it is drawn now; undefined where there is none. */
function figures(): Figures | undefined {
  if (pane === undefined || pane.size.width === 0) return undefined;
  const forward = pane.picture().nodes.filter(({ side, shape }) => side < 0 && shape !== "pin").length;
  return measure(pane.shapes, written(pane), pane.cameraMan.camera, pane.size, forward);
}

const nextFrame = globalThis.requestAnimationFrame;

/** Frames follow one another at once: whoever measures them all has no time to look. */
function hurry(): void {
  if (globalThis.requestAnimationFrame !== nextFrame) return;
  const { port1, port2 } = new MessageChannel();
  const waiting = new Map<number, FrameRequestCallback>();
  let count = 0;
  port1.onmessage = () => {
    const now = [...waiting.values()];
    waiting.clear();
    for (const draw of now) draw(performance.now());
  };
  globalThis.requestAnimationFrame = (draw) => {
    waiting.set(++count, draw);
    port2.postMessage(0);
    return count;
  };
  globalThis.cancelAnimationFrame = (asked) => void waiting.delete(asked);
}

interface At extends Figures {
  /** So many events have happened. */
  readonly position: number;
  /** Which training step is looked at, in words. */
  readonly turn: string;
}

/** Until the picture stands still. */
async function settled(): Promise<void> {
  let before = "";
  for (let frame = 0; frame < 60; frame++) {
    await new Promise((drawn) => requestAnimationFrame(drawn));
    const now = JSON.stringify(pane?.cameraMan.camera);
    if (now === before) break;
    before = now;
  }
}

/** The figures after each line of the source, or after so many, evenly spread over all. */
async function figuresOfLines({ events }: Log, seek: (position: number) => void, most: number): Promise<At[]> {
  const ends = events.flatMap(({ kind, seq }) => (kind === "line" && seq > 0 ? [seq] : []));
  const count = Math.min(most, ends.length);
  const found: At[] = [];
  for (let index = 0; index < count; index++) {
    const position = ends[Math.floor(((index + 0.5) * ends.length) / count)];
    seek(position);
    await settled();
    const here = figures();
    const turn = document.querySelector(".tg-turn")?.textContent ?? "";
    if (here !== undefined) found.push({ position, turn, ...here });
  }
  return found;
}

let shown: ReturnType<typeof mount> | undefined;
/** Show another log on the page that is there: a new one is a process. */
async function measured(text: string, most: number): Promise<[Figures | undefined, At[]]> {
  hurry();
  shown?.dispose();
  const log: Log = JSON.parse(text);
  pane = undefined;
  shown = mount(root, log, options);
  // Only what the browser itself has laid out has a size.
  for (let frame = 0; frame < 2; frame++) await new Promise(nextFrame);
  await settled();
  const { seek } = shown;
  return [figures(), await figuresOfLines(log, seek, most)];
}

if (asked.has("waiting")) wait(Number(asked.get("waiting")));
else if (asked.has("stream")) stream(Number(asked.get("stream")));
else {
  const started = performance.timeOrigin + performance.now();
  const mounted = (shown = mount(root, log, options));
  Object.assign(globalThis, { mounted, started, events: log.events, figures, measured });
}
