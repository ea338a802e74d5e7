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
const options = { theme, height, charts: () => charts } as const;
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
Object.assign(globalThis, { figures });

if (asked.has("waiting")) wait(Number(asked.get("waiting")));
else if (asked.has("stream")) stream(Number(asked.get("stream")));
else {
  const started = performance.timeOrigin + performance.now();
  const mounted = mount(root, log, options);
  Object.assign(globalThis, { mounted, started, events: log.events });
}
