/**
 * A page that shows one fixture, `page.html?log=four_lines&theme=dark&height=460`, or
 * the log that whoever opens it has put into the global `LOG`. With `waiting=3` it is as
 * while a cell waits at its third line.
 */

import { FIXTURES } from "../fixtures";
import type { Log } from "../src/events";
import { EventLog } from "../src/log";
import { mount } from "../src/page";
import { View } from "../src/view";

const asked = new URLSearchParams(location.search);
const root = document.querySelector<HTMLElement>("#root")!;
const given = (globalThis as { LOG?: Log }).LOG;
const fixture = FIXTURES[asked.get("log") ?? ""] ?? FIXTURES.four_lines;
const log = given ?? fixture();
const theme = asked.get("theme") === "dark" ? "dark" : "light";
const height = Number(asked.get("height") ?? 560);
document.body.dataset.theme = theme;

/** Let events arrive as from a kernel, so many each frame. */
function stream(perFrame: number): void {
  const events = new EventLog();
  const view = new View(events, { title: log.title, theme, height });
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
  const view = new View(events, { title: log.title, theme, height });
  root.append(view.element);
  view.waitAt(line);
}

if (asked.has("waiting")) wait(Number(asked.get("waiting")));
else if (asked.has("stream")) stream(Number(asked.get("stream")));
else {
  const started = performance.timeOrigin + performance.now();
  const mounted = mount(root, log, { theme, height });
  Object.assign(globalThis, { mounted, started, events: log.events });
}
