// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Builder } from "../fixtures/builder";
import { failingEager, mlp, residual } from "../fixtures/eager";
import {
  failingProgram,
  fourLines,
  HOSTILE,
  hostileProgram,
  longProgram,
  loopProgram,
} from "../fixtures/static";
import { hostileViews, passes, rewritten, training } from "../fixtures/views";
import type { AnyEvent, Log } from "../src/events";
import { ROW_HEIGHT } from "../src/layout/program";
import { EventLog } from "../src/log";
import { mount } from "./mounted";
import { View } from "../src/view";
import { Frames } from "./frames";

let frames: Frames;

beforeEach(() => {
  frames = new Frames();
  document.body.replaceChildren();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function show(log: Log): HTMLElement {
  const { element } = mount(document.body, log);
  frames.settle();
  return element;
}

function press(target: Element, key: string, more: KeyboardEventInit = {}): void {
  const options = { key, bubbles: true, cancelable: true, ...more };
  target.dispatchEvent(new KeyboardEvent("keydown", options));
  frames.settle();
}

const all = (root: Element, selector: string): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(selector),
];
const one = (root: Element, selector: string): HTMLElement => {
  const found = all(root, selector);
  if (found.length === 0) throw new Error(`nothing matches ${selector}`);
  return found[0];
};
const names = (rows: HTMLElement[]): string =>
  rows.map((row) => row.dataset.name).join(" ");

test("an operator's row tells the numbers that it is given besides its inputs", () => {
  const b = new Builder("constants");
  b.program(1, "main");
  for (const name of ["c", "y"]) b.variable(1, name, "T", [1]);
  const given = (type: string, attrs: Record<string, string>): void => {
    b.op(1, type, type === "fill_constant" ? {} : { X: "c" }, { Out: "y" }, { attrs });
  };
  given("fill_constant", { value: "4.0", shape: "[1]" });
  given("scale", { scale: "0.1", bias: "0.0" });
  given("scale", { scale: "1.0", bias: "-1.0" });
  given("scale", { scale: "2.0", bias: "3.0" });
  given("relu", { scale: "2.0" });
  const rows = all(show(b.log), '.tg-row[data-kind="op"]');
  const told = rows.map((row) => [...row.children].slice(-4).map(({ textContent }) => textContent).join(" "));
  expect(told).toEqual([
    "fill_constant 4.0 → y",
    "scale c × 0.1 → y",
    "scale c − 1.0 → y",
    "scale c × 2.0 + 3.0 → y",
    "relu c → y",
  ]);
});

test("each row says what it is, in which program, and of which line", () => {
  const root = show(fourLines());
  expect(names(all(root, '.tg-row[data-program="main"][data-line="2"]'))).toBe(
    "fc_0.w_0 fc_0.tmp_0 mul fc_0.b_0 fc_0.tmp_1 elementwise_add",
  );
  expect(names(all(root, '.tg-row[data-program="startup"][data-kind="op"]'))).toBe(
    "uniform_random fill_constant fill_constant",
  );
  const colour = (line: number): string | undefined =>
    /tg-hue-\d/.exec(one(root, `.tg-line[data-line="${line}"]`).className)?.[0];
  const row = one(root, '.tg-row[data-name="mul"]');
  expect(row.classList.contains(colour(2)!)).toBe(true);
  expect(colour(2)).not.toBe(colour(3));
});

test("going back greys what is not there yet, and moves nothing", () => {
  const root = show(fourLines());
  const place = (): [string, string][] =>
    all(root, ".tg-row").map((row) => [row.dataset.key!, row.style.top]);
  const before = place();
  const track = one(root, ".tg-track");
  press(track, "ArrowLeft");
  press(track, "ArrowLeft");
  expect(track.dataset).toMatchObject({ step: "2", live: "false" });
  expect(place()).toEqual(before);
  const future = all(root, '.tg-row.tg-future[data-program="main"]');
  expect(new Set(future.map((row) => row.dataset.line))).toEqual(new Set(["3", "4"]));
  const current = all(root, '.tg-row.tg-current[data-program="main"]');
  expect(new Set(current.map((row) => row.dataset.line))).toEqual(new Set(["2"]));
  expect(one(root, ".tg-line.tg-current").dataset.line).toBe("2");
  press(track, "End");
  expect(all(root, ".tg-future")).toHaveLength(0);
  expect(track.dataset.live).toBe("true");
});

test("Home is before the first line; Shift steps single events", () => {
  const root = show(fourLines());
  const track = one(root, ".tg-track");
  press(track, "Home");
  expect(all(root, ".tg-row:not(.tg-future)")).toHaveLength(0);
  press(track, "ArrowRight");
  press(track, "ArrowRight", { shiftKey: true });
  press(track, "ArrowRight", { shiftKey: true });
  const past = all(root, '.tg-row[data-program="main"]:not(.tg-future)');
  expect(names(past)).toBe("X fc_0.w_0");
});

test("a pane without content does not show", () => {
  const shown = (log: Log): boolean[] => {
    const root = show(log);
    return [".tg-memory", ".tg-graph"].map((pane) => !one(root, pane).hidden);
  };
  expect(shown(mlp())).toEqual([false, true]);
  expect(shown(fourLines())).toEqual([true, true]);
  expect(shown(longProgram(3, false))).toEqual([true, false]);
});

test("rows of a long program are in the document only where they show", () => {
  const root = show(longProgram(2000));
  expect(all(root, ".tg-row").length).toBeLessThan(100);
  const column = one(root, '.tg-column[data-family="main"]');
  expect(Number.parseFloat(one(column, ".tg-content").style.height)).toBe(8003 * ROW_HEIGHT);
});

test("hostile names, sources, messages and titles are text", () => {
  const root = show(hostileProgram());
  expect(all(root, "img, script, iframe")).toHaveLength(0);
  expect(names(all(root, '.tg-row[data-kind="var"]'))).toBe(`${HOSTILE} __proto__`);
  for (const place of [".tg-title", ".tg-source", ".tg-notice", ".tg-failure"]) {
    expect(one(root, place).textContent).toContain(HOSTILE);
  }
  one(root, '.tg-row[data-kind="op"]').click();
  frames.settle();
  expect(one(root, ".tg-inspector").textContent).toContain(HOSTILE);
  expect(all(root, "img")).toHaveLength(0);
});

test("a failed op is a row on its line, with its message in source and inspector", () => {
  const root = show(failingProgram());
  const row = one(root, '.tg-row[data-kind="failed"]');
  expect(row.dataset).toMatchObject({ name: "matmul_v2", line: "3", program: "main" });
  expect(row.textContent).toContain("must be equal");
  expect(one(root, ".tg-line.tg-failed").dataset.line).toBe("3");
  row.click();
  frames.settle();
  expect(one(root, ".tg-inspector .tg-failure").textContent).toContain("must be equal");
  expect(one(root, ".tg-status").textContent).toContain("stopped by an error");
  press(one(root, ".tg-track"), "Home");
  expect(one(root, ".tg-source .tg-failure").hidden).toBe(true);
});

test("an eager failure shows in the graph", () => {
  expect(one(show(failingEager()), ".tg-graph").hidden).toBe(false);
});

test("keys are the view's: only what has a modifier reaches the notebook", () => {
  const root = show(fourLines());
  const heard: string[] = [];
  const listen = (event: KeyboardEvent): void => void heard.push(event.key);
  document.addEventListener("keydown", listen);
  for (const key of ["ArrowLeft", "d", "a", "Enter", " ", "Escape"]) {
    press(one(root, ".tg-track"), key);
  }
  expect(heard).toEqual([]);
  press(one(root, ".tg-track"), "s", { ctrlKey: true });
  document.removeEventListener("keydown", listen);
  expect(heard).toEqual(["s"]);
  // JupyterLab, which hears of keys first, leaves those alone that are pressed in here.
  const suppressed = (): boolean => root.hasAttribute("data-lm-suppress-shortcuts");
  press(one(root, ".tg-track"), "s", { ctrlKey: true });
  expect(suppressed()).toBe(false);
  press(one(root, ".tg-track"), "a");
  expect(suppressed()).toBe(true);
});

test("down, then producers, consumers and the mirror, all by keyboard", () => {
  const root = show(fourLines());
  const list = one(root, '.tg-column[data-family="main"] [role="listbox"]');
  list.focus();
  const selected = (): string => names(all(root, ".tg-row.tg-selected"));
  press(list, "Home");
  press(list, "ArrowDown");
  expect(selected()).toBe("X");
  press(list, "End");
  press(list, "]");
  expect(selected()).toBe("mul");
  press(list, "g");
  expect(selected()).toBe("mul_grad");
  press(list, "g");
  press(list, "[");
  expect(selected()).toBe("X");
  press(list, "ArrowDown");
  expect(selected()).toBe("fc_0.w_0");
  expect(names(all(root, '.tg-row.tg-linked[data-kind="op"]'))).toBe(
    "mul mul_grad sgd",
  );
  press(list, "Enter");
  expect(one(root, ".tg-inspector").contains(document.activeElement)).toBe(true);
  press(list, "Escape");
  expect(selected()).toBe("");
});

test("the row selected has an arc to each thing that made or reads it", () => {
  const root = show(fourLines());
  one(root, '.tg-row[data-name="mul"]').click();
  frames.settle();
  const groups = all(root, ".tg-linkgroup").map((group) => group.textContent);
  expect(groups).toEqual(["readsDXPfc_0.w_0", "makesTfc_0.tmp_0", "its gradient∂mul_grad"]);
  expect(all(root, ".tg-arc-from")).toHaveLength(2);
  expect(all(root, ".tg-arc-to")).toHaveLength(1);
});

test("a sub-block folds and opens", () => {
  const root = show(loopProgram());
  const list = one(root, '.tg-column[data-family="main"] [role="listbox"]');
  const rows = (): string => names(all(root, '.tg-row[data-kind="op"]'));
  const whole = rows();
  one(root, '.tg-row[data-name="block 1"]').click();
  press(list, "c");
  expect(rows()).toBe("fill_constant less_than while print");
  press(list, "e");
  expect(rows()).toBe(whole);
});

test("a clone stands beside what it was cloned from while its line is current", () => {
  const root = show(fourLines({ test: true }));
  const clone = '.tg-row[data-program="test"][data-kind="op"]';
  expect(names(all(root, clone))).toBe("mul elementwise_add reduce_mean");
  const source = one(root, '[data-family="startup"]');
  expect(one(source, ".tg-heading").textContent).toBe("Main program · what was cloned");
  const alone = all(source, '.tg-alone[data-kind="op"]');
  expect(names(alone).split(" ").at(0)).toBe("fill_constant");
  expect(alone.every((row) => Number(row.dataset.line) === 4)).toBe(true);
  press(one(root, ".tg-track"), "ArrowLeft");
  expect(all(root, clone)).toEqual([]);
  expect(one(source, ".tg-heading").textContent).toBe("Startup program · runs once");
});

test("a copy of a function's program stands beside it under the function's name", () => {
  const log = fourLines({ test: true });
  const events = log.events.map((event) =>
    event.kind === "program" && event.role === "main" ? { ...event, title: "steps" } : event,
  );
  const heading = one(show({ ...log, events }), '[data-family="startup"] .tg-heading');
  expect(heading.textContent).toBe("steps · what was cloned");
});

test("a clone for testing can be chosen in place of main", () => {
  const root = show(fourLines({ test: true }));
  press(one(root, ".tg-track"), "Home");
  const select = one(root, '[data-family="main"] select') as HTMLSelectElement;
  expect(names(all(root, '.tg-row[data-program="test"]'))).toBe("");
  select.value = "2";
  select.dispatchEvent(new Event("change"));
  frames.settle();
  expect(names(all(root, '.tg-row[data-program="test"][data-kind="op"]'))).toBe(
    "mul elementwise_add reduce_mean",
  );
});

test("a run lights its operator, and each variable says what it holds", () => {
  const root = show(fourLines({ run: true }));
  const held = (name: string): string | null =>
    one(root, `.tg-row[data-name="${name}"][data-program="main"] .tg-value`).textContent;
  expect(held("mean_0.tmp_0")).toMatch(/^= -?0\.\d+$/);
  expect(held("X")).toBe("float32");
  for (let back = 0; back < 3; back++) press(one(root, ".tg-track"), "ArrowLeft", { shiftKey: true });
  expect(names(all(root, ".tg-row.tg-running"))).toBe("sgd");
  press(one(root, ".tg-track"), "Home");
  expect(held("mean_0.tmp_0")).toBe("float32");
});

test("where a phase begins its first row says so", () => {
  const rows = all(show(fourLines()), ".tg-row[data-phase]");
  expect(rows.map((row) => [row.dataset.name, row.dataset.phase])).toEqual([
    ["mean_0.tmp_0@GRAD", "backward"],
    ["learning_rate_0", "update"],
  ]);
});

test("NaN is said in words too, and a click goes to it", () => {
  const root = show(mlp({ nan: true }));
  const alarm = one(root, ".tg-alarm");
  expect(alarm.textContent).toBe("✕ NaN or Inf, first in h.grad, line 7");
  alarm.click();
  frames.settle();
  expect(one(root, ".tg-inspector").dataset.key).toMatch(/^gt:/);
  press(one(root, ".tg-track"), "Home");
  expect(alarm.hidden).toBe(true);
});

test("a group of the graph closes and opens by keyboard", () => {
  const root = show(residual(6));
  const graph = one(root, ".tg-graph");
  one(graph, ".tg-nodes").focus();
  const ops = (): string => names(all(graph, '.tg-node[data-side="forward"][data-kind="group"]'));
  press(one(graph, ".tg-nodes"), "c");
  expect(ops()).toBe("matmul_v2, relu, elementwise_add ×6");
  press(one(graph, ".tg-nodes"), "e");
  expect(ops()).toBe("");
});

test("find selects the first match, Enter the next", () => {
  const root = show(fourLines());
  const input = one(root, ".tg-find") as HTMLInputElement;
  press(one(root, ".tg-track"), "/");
  expect(document.activeElement).toBe(input);
  input.value = "@grad";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  frames.settle();
  expect(names(all(root, ".tg-row.tg-selected"))).toBe("mean_0.tmp_0@GRAD");
  press(input, "Enter");
  expect(names(all(root, ".tg-row.tg-selected"))).toBe("fc_0.tmp_1@GRAD");
  expect(one(root, ".tg-found").textContent).toBe("2 of 5");
});

test("help opens, names every key and closes", () => {
  const root = show(fourLines());
  press(one(root, ".tg-track"), "?");
  expect(one(root, ".tg-help").hidden).toBe(false);
  expect(one(root, ".tg-help").textContent).toContain("one event back");
  press(one(root, ".tg-help button"), "Escape");
  expect(one(root, ".tg-help").hidden).toBe(true);
});

test("events of many messages are drawn in one frame, and what is there stays", () => {
  const { events } = fourLines();
  const log = new EventLog();
  const view = new View(log);
  document.body.append(view.element);
  frames.settle();
  frames.count = 0;
  for (const event of events.slice(0, 20)) {
    log.accept(event.seq, [event]);
    view.redraw();
  }
  frames.settle();
  expect(frames.count).toBe(1);
  const rows = all(view.element, ".tg-row");
  const tops = rows.map((row) => row.style.top);
  log.accept(20, events.slice(20));
  view.redraw();
  frames.settle();
  expect(all(view.element, ".tg-row").length).toBeGreaterThan(rows.length);
  expect(rows.every((row) => row.isConnected)).toBe(true);
  expect(rows.map((row) => row.style.top)).toEqual(tops);
  view.dispose();
});

test("rows slide in where there is time to see it", () => {
  const { events } = fourLines();
  const log = new EventLog();
  const view = new View(log);
  document.body.append(view.element);
  const clock = vi.spyOn(performance, "now");
  const arrived = (from: number, to: number, at: number): number => {
    clock.mockReturnValue(at);
    log.accept(from, events.slice(from, to));
    view.redraw();
    frames.settle();
    return all(view.element, ".tg-arrives").length;
  };
  expect(arrived(0, 10, 1000), "all that was there before one looked").toBe(0);
  expect(arrived(10, 20, 1033), "lines in a hurry").toBe(0);
  expect(arrived(20, events.length, 2000)).toBeGreaterThan(0);
  clock.mockRestore();
  view.dispose();
});

test("while one looks back, what arrives is greyed and does not take one along", () => {
  const { events } = fourLines();
  const log = new EventLog();
  const view = new View(log);
  document.body.append(view.element);
  log.accept(0, events.slice(0, 20));
  view.redraw();
  frames.settle();
  const track = one(view.element, ".tg-track");
  press(track, "Home");
  log.accept(20, events.slice(20));
  view.redraw();
  frames.settle();
  expect(track.dataset.step).toBe("0");
  const rows = all(view.element, ".tg-row");
  expect(rows.every((row) => row.classList.contains("tg-future"))).toBe(true);
  view.dispose();
});

test("once painted, the root says up to which event, and when", async () => {
  const log = fourLines();
  const painted = new Promise<CustomEvent<{ seq: number; time: number }>>((resolve) => {
    document.body.addEventListener("tg-painted", (event) => {
      resolve(event as CustomEvent<{ seq: number; time: number }>);
    });
  });
  const root = show(log);
  const { seq, time } = (await painted).detail;
  expect(seq).toBe(log.events.length - 1);
  expect(root.dataset.seq).toBe(String(seq));
  expect(Number(root.dataset.paintedAt)).toBeCloseTo(time, 0);
});

test("what is no log is said in words, in its place", () => {
  const root = show({ version: 99, title: "", events: [] });
  expect(one(root, ".tg-notice").textContent).toContain("version is 99");
});

test("a value shows figures, histogram and heat map beside its gradient", () => {
  const root = show(mlp());
  one(root, ".tg-nodes").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) press(root, key);
  frames.settle();
  const inspector = one(root, ".tg-inspector");
  expect(all(inspector, ".tg-stats h4").map((h) => h.textContent)).toEqual([
    "Value [8, 16] float32",
    "Gradient [8, 16] float32",
  ]);
  expect(all(inspector, "svg.tg-hist rect").length).toBeGreaterThan(10);
  const heat = one(inspector, "canvas.tg-heat") as HTMLCanvasElement;
  expect([heat.height, heat.width]).toEqual([8, 16]);
});

test("what else a log tells of has a tab, and v goes from one to the next", () => {
  const root = show(passes());
  const shown = (): (string | null)[] =>
    all(root, ".tg-tab").flatMap((tab) => (tab.hidden ? [] : [tab.textContent]));
  expect(shown()).toEqual(["Trace", "Passes"]);
  expect(one(root, ".tg-body").hidden).toBe(false);
  press(root, "v");
  expect(one(root, '[aria-selected="true"].tg-tab').textContent).toBe("Passes");
  expect(one(root, ".tg-body").hidden).toBe(true);
  expect(one(root, ".tg-passwords").textContent).toContain("Pass 1 of 3: constant_folding");
  press(root, "v");
  expect(one(root, ".tg-passes").closest("[hidden]")).not.toBeNull();
});

test("a log of one view alone shows it at once, without tabs or a scrubber", () => {
  const root = show(training());
  expect(one(root, ".tg-tabs").hidden).toBe(true);
  expect(one(root, ".tg-training").hidden).toBe(false);
  expect(one(root, ".tg-scrubber").hidden).toBe(true);
});

test("the slider goes over the passes", () => {
  const root = show(passes());
  press(root, "v");
  const slider = one(root, ".tg-range") as HTMLInputElement;
  slider.value = "3";
  slider.dispatchEvent(new Event("input"));
  expect(one(root, ".tg-passwords").textContent).toContain("fc_fuse · 11 → 5 operators");
  expect(all(root, ".tg-changed .tg-new .tg-sign").map((e) => e.textContent)).toContain("+");
});

test("a line of source lights what it became, by keyboard too", () => {
  const root = show(rewritten());
  const columns = all(root, ".tg-column3");
  const lines = (column: number): HTMLElement[] => all(columns[column], ".tg-line");
  lines(0)[2].focus();
  const lit = (column: number): (string | null)[] =>
    lines(column).flatMap((line, i) => (line.className.includes("current") ? [String(i + 1)] : []));
  expect([lit(0), lit(1), lit(2)]).toEqual([["3"], ["3", "4", "5", "7", "8"], ["1", "2", "3"]]);
  press(lines(0)[2], "ArrowRight");
  expect(document.activeElement).toBe(lines(1)[2]);
  press(lines(1)[2], "ArrowRight");
  expect(document.activeElement?.textContent).toContain("reduce_sum");
});

test("in every view hostile names are text", () => {
  const root = show(hostileViews());
  for (let view = 0; view < 7; view++) {
    expect(all(root, "img, script")).toEqual([]);
    press(root, "v");
  }
  expect(one(root, ".tg-rewritten").textContent).toContain(HOSTILE);
  expect(one(root, ".tg-totals").textContent).toContain(HOSTILE);
  expect(one(root, ".tg-changes").textContent).toContain(HOSTILE);
});

test("what is sampled is told in a few words, and why to whoever asks", () => {
  const log = mlp();
  const drop = (what: string, why: string): AnyEvent => ({
    kind: "dropped",
    seq: log.events.length,
    t: 0,
    cell: 1,
    line: 0,
    count: 137,
    what,
    why,
  });
  log.events.push(drop("values", "looked at some"));
  const root = show(log);
  const [notice, words] = [one(root, ".tg-notice"), one(root, ".tg-sampled")];
  expect(words.textContent).toBe("137 values not recorded");
  expect(notice.hidden).toBe(true);
  words.click();
  expect(notice.textContent).toContain("137 values: looked at some.");
  words.click();
  expect(notice.hidden).toBe(true);
  log.events.push(drop("messages", "they could not be sent"));
  expect(one(show(log), ".tg-notice").textContent).toContain("137 messages (they could not be sent)");
});

test("views of one name are told apart where landmarks are listed", () => {
  const named = (title: string): string | null =>
    mount(document.body, mlp(), { title }).element.getAttribute("aria-label");
  expect(["A tape", "A tape", "Another"].map(named)).toEqual([
    "A tape",
    "A tape 2",
    "Another",
  ]);
});
