// @vitest-environment happy-dom
/** A graph as a file: what it says, at its own size, as text that cannot do anything. */

import { expect, test, vi } from "vitest";
import { diamond, mlp } from "../fixtures/eager";
import * as charts from "../src/charts";
import { wholeView } from "../src/draw/camera";
import { svgText } from "../src/draw/export";
import { paint } from "../src/draw/paint";
import { scene, type Look } from "../src/draw/scene";
import { lineClass, type Palette } from "../src/draw/theme";
import type { Log } from "../src/events";
import { mount } from "../src/page";
import { caption } from "../src/state/caption";
import type { Load } from "../src/views/opened";
import { Frames } from "./frames";
import { sized } from "./hands";
import { traceOf } from "./trace";

const HUES = ["#111111", "#222222"];
const palette = new Proxy({} as Palette, {
  get: (_, name) =>
    name === "hues" ? HUES : /tones|letters/.test(String(name)) ? palette : "#123456",
});

function exported(log: Log, hue = 0): { text: string; root: Element; width: number } {
  const trace = traceOf(log);
  const { mirror } = trace.tape;
  const { size, camera } = wholeView(mirror);
  const look = {
    position: trace.length,
    linked: new Set<string>(),
    hue: () => hue,
    isCurrent: () => false,
    caption: (node: Parameters<typeof caption>[1]) => caption(trace, node, trace.length),
    stats: () => undefined,
    signed: () => "",
    isBad: () => false,
  } as unknown as Look;
  const shapes = scene(mirror, camera, size, look);
  const text = svgText(size, "#ffffff", (context, ratio) =>
    paint(context, shapes, camera, size, ratio, palette),
  );
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return { text, root, width: size.width };
}

test("each operator and gradient stands in the file as text", () => {
  const { root } = exported(diamond());
  const said = [...root.querySelectorAll("text")].map(({ textContent }) => textContent);
  for (const { title } of traceOf(diamond()).tape.mirror.nodes) {
    expect(said.join(" ")).toContain(title.slice(0, 8));
  }
  expect(root.querySelectorAll("path").length).toBeGreaterThan(20);
});

test("the file is as large as the graph, and has its own background", () => {
  const { root, width } = exported(mlp());
  expect(root.getAttribute("viewBox")).toContain(`0 0 ${width} `);
  expect(root.querySelector("rect")?.getAttribute("fill")).toBe("#ffffff");
});

test("where lines are more than colours their stripes are cut into pieces", () => {
  const classes = Array.from({ length: 24 }, (_, rank) => lineClass(rank));
  expect(new Set(classes).size).toBe(24);
  expect(lineClass(-1)).toBe("tg-hue-none");
  const rects = (hue: number): number => exported(diamond(), hue).root.querySelectorAll("rect").length;
  const boxes = traceOf(diamond()).tape.mirror.nodes.filter(({ shape }) => shape === "op" || shape === "leaf");
  expect([rects(7), rects(8) - rects(0), rects(16) - rects(0)]).toEqual([rects(0), boxes.length, 2 * boxes.length]);
});

test("paths hold numbers only", () => {
  const { root } = exported(mlp());
  for (const path of root.querySelectorAll("path")) {
    expect(path.getAttribute("d")).toMatch(/^[MLCAZ\d .e-]*$/);
  }
});

test("a hostile name is text", () => {
  const log = diamond();
  const events = log.events.map((event) =>
    event.kind === "tensor" ? { ...event, name: "</text><script>alert(1)</script>" } : event,
  );
  const { text, root } = exported({ ...log, events });
  expect(text).not.toContain("<script");
  expect(root.querySelectorAll("script").length).toBe(0);
});

test("what saves is loaded when it is asked for; where it cannot be, the view says so", async () => {
  sized();
  const frames = new Frames();
  const files: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((file) => `blob:${files.push(file as Blob)}`);
  const saved = async (load?: Load): Promise<string> => {
    const { element, dispose } = mount(document.body, diamond(), load && { charts: load });
    frames.settle();
    element.querySelector<HTMLElement>("button[title^=SVG]")!.click();
    await new Promise((done) => setTimeout(done));
    frames.settle();
    const { textContent } = element.querySelector(".tg-notice")!;
    dispose();
    return textContent;
  };
  expect(await saved(async () => () => charts)).toBe("");
  expect(await files[0].text()).toContain("<svg");
  expect(await saved(() => Promise.reject(new Error("a policy")))).toContain(
    "The picture cannot be saved: a policy.",
  );
  expect(await saved()).toContain("The picture cannot be saved: its code is not here.");
  expect(files.length).toBe(1);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
