// @vitest-environment happy-dom
// Whatever a pointer can do keys can do too, and it comes to the same.
import { afterEach, expect, test, vi } from "vitest";
import { FIXTURES } from "../fixtures";
import { Builder } from "../fixtures/builder";
import { transformer } from "../fixtures/deep";
import { mlp, residual } from "../fixtures/eager";
import { fourLines, loopProgram } from "../fixtures/static";
import { plan, profile, rewritten, training } from "../fixtures/views";
import type { Log } from "../src/events";
import { describe } from "../src/state/entity";
import { Hands } from "./hands";
import { note } from "./note";
import { traceOf } from "./trace";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

interface Action {
  readonly what: string;
  /** Listeners that the pointer's way goes through, a button's click left out: the
   * browser itself gives that a key. An element's class, and the event. */
  readonly hears: readonly string[];
  readonly log: () => Log;
  /** What is pressed before either way begins. */
  readonly before?: readonly [focus: string, keys: string];
  readonly pointer: (hands: Hands) => void;
  readonly keys: readonly [focus: string, keys: string];
  /** Pointing is no selecting: only what is then said is the same. */
  readonly facts?: boolean;
}

const MAIN = '[data-family="main"] .tg-rows';
const MUL = '[data-family="main"] .tg-row[data-name="mul"]';
const NODES = ".tg-nodes";
const STAGE = ".tg-stage";
const MATMUL = '[data-name="matmul_v2"][data-side="forward"]';
const GROUP = '[data-kind="group"][data-side="forward"]';
/** From the middle of a node to the edge that leaves it. */
const BELOW = 28;

const ACTIONS: readonly Action[] = [
  {
    what: "click a line of source",
    hears: ["tg-line click"],
    log: () => fourLines(),
    pointer: (hands) => hands.click('.tg-line[data-line="2"]'),
    keys: [".tg-source .tg-scroll", "ArrowUp ArrowUp"],
  },
  {
    what: "click a row",
    hears: ["tg-content click"],
    log: () => fourLines(),
    pointer: (hands) => hands.click(MUL),
    keys: [MAIN, "Home ArrowDown ArrowDown ArrowDown ArrowDown End"],
  },
  {
    what: "click beside the rows",
    hears: ["tg-content click"],
    log: () => fourLines(),
    before: [MAIN, "ArrowDown"],
    pointer: (hands) => hands.click('[data-family="main"] .tg-content'),
    keys: [MAIN, "Escape"],
  },
  {
    what: "point at a row",
    hears: ["tg-content pointerover"],
    log: () => fourLines({ run: true }),
    pointer: (hands) => hands.point(MUL, "pointerover"),
    keys: [MAIN, "Home ArrowDown ArrowDown ArrowDown ArrowDown End"],
    facts: true,
  },
  {
    what: "point away from the rows",
    hears: ["tg-content pointerleave"],
    log: () => fourLines(),
    before: [MAIN, "ArrowDown Enter"],
    pointer: (hands) => {
      hands.point(MUL, "pointerover");
      hands.point('[data-family="main"] .tg-content', "pointerleave");
      hands.press("", "Escape");
    },
    keys: ["", "Escape"],
  },
  {
    what: "fold a sub-block",
    hears: ["tg-content click"],
    log: loopProgram,
    pointer: (hands) => hands.click('[data-family="main"] .tg-fold'),
    keys: [MAIN, "Home ArrowDown ArrowDown ArrowDown ArrowDown ArrowDown c Escape End"],
  },
  {
    what: "click a node",
    hears: ["tg-stage pointerdown", "tg-stage pointerup"],
    log: () => mlp(),
    pointer: (hands) => clickAt(hands, hands.node(MATMUL)),
    keys: [NODES, "ArrowDown ]"],
  },
  {
    what: "click beside the nodes",
    hears: ["tg-stage pointerdown", "tg-stage pointerup"],
    log: () => mlp(),
    before: [NODES, "ArrowDown"],
    pointer: (hands) => clickAt(hands, [1, 1]),
    keys: ["", "Escape"],
  },
  {
    what: "click an edge",
    hears: ["tg-stage pointerdown", "tg-stage pointerup"],
    log: () => mlp(),
    pointer: (hands) => clickAt(hands, hands.node(MATMUL, BELOW)),
    keys: [NODES, "ArrowDown ] ]"],
  },
  {
    what: "point at a node",
    hears: ["tg-stage pointermove"],
    log: () => mlp(),
    pointer: (hands) => hands.point(STAGE, "pointermove", hands.node(MATMUL)),
    keys: [NODES, "ArrowDown ]"],
    facts: true,
  },
  {
    what: "point at a gradient",
    hears: ["tg-stage pointermove"],
    log: () => mlp(),
    pointer: (hands) =>
      hands.point(STAGE, "pointermove", hands.node('[data-name="matmul_v2_grad"]', BELOW)),
    keys: [NODES, "ArrowDown ] g ["],
    facts: true,
  },
  {
    what: "point away from the graph",
    hears: ["tg-stage pointerleave"],
    log: () => mlp(),
    before: [NODES, "ArrowDown"],
    pointer: (hands) => {
      hands.point(STAGE, "pointermove", hands.node(MATMUL));
      hands.point(STAGE, "pointerleave");
      hands.press("", "Escape");
    },
    keys: ["", "Escape"],
  },
  ...(["a", "d", "w", "s"] as const).map((key, at) => ({
    what: `drag the graph: ${key}`,
    hears: ["tg-stage pointerdown", "tg-stage pointermove", "tg-stage pointerup"],
    log: () => mlp(),
    pointer: (hands: Hands) => {
      const [dx, dy] = [[80, 0], [-80, 0], [0, 80], [0, -80]][at];
      hands.drag(STAGE, [400, 200], [400 + dx, 200 + dy]);
    },
    keys: [".tg-root", key] as const,
  })),
  {
    what: "zoom in with the wheel",
    hears: ["tg-stage wheel"],
    log: () => mlp(),
    pointer: (hands) => hands.wheel(-500 * Math.log(1.4), true),
    keys: [".tg-root", "+"],
  },
  {
    what: "zoom out with the wheel",
    hears: ["tg-stage wheel"],
    log: () => mlp(),
    pointer: (hands) => hands.wheel(500 * Math.log(1.4), true),
    keys: [".tg-root", "-"],
  },
  {
    what: "open a group with a double click",
    hears: ["tg-stage dblclick"],
    log: () => residual(6),
    before: [NODES, "c"],
    pointer: (hands) => {
      clickAt(hands, hands.node(GROUP));
      hands.point(STAGE, "dblclick", hands.node(GROUP));
    },
    keys: [NODES, "ArrowDown ArrowDown e"],
  },
  {
    what: "click a tensor above a closed group, which stays closed",
    hears: ["tg-stage pointerdown", "tg-stage pointerup"],
    log: () => residual(6),
    before: [NODES, "c"],
    pointer: (hands) => clickAt(hands, hands.node('[data-name="x"]')),
    keys: [NODES, "ArrowDown"],
  },
  {
    what: "press the strip beside the graph",
    hears: ["tg-minimap pointerdown"],
    log: () => transformer(2),
    before: [NODES, "+ e"],
    pointer: (hands) => hands.point(".tg-minimap", "pointerdown", [10, 6]),
    keys: [".tg-minimap", "Home"],
  },
  {
    what: "drag along the strip beside the graph",
    hears: ["tg-minimap pointerdown", "tg-minimap pointermove", "tg-minimap pointerup"],
    log: () => transformer(2),
    before: [NODES, "+ e"],
    pointer: (hands) => hands.drag(".tg-minimap", [10, 200], [10, 999]),
    keys: [".tg-minimap", "End"],
  },
  {
    what: "drag the edge of source and inspector",
    hears: ["tg-divider pointerdown", "tg-divider pointermove", "tg-divider pointerup"],
    log: () => mlp(),
    pointer: (hands) => hands.drag(".tg-divider", [280, 9], [328, 9]),
    keys: [".tg-divider", "ArrowRight ArrowRight"],
  },
  {
    what: "double click the edge of source and inspector",
    hears: ["tg-divider dblclick"],
    log: () => mlp(),
    pointer: (hands) => hands.point(".tg-divider", "dblclick"),
    keys: [".tg-root", "i"],
  },
  {
    what: "press the track of steps",
    hears: ["tg-track pointerdown"],
    log: () => fourLines(),
    pointer: (hands) => hands.point(".tg-track", "pointerdown", [450, 5]),
    keys: [".tg-track", "ArrowLeft ArrowLeft"],
  },
  {
    what: "drag along the track of steps",
    hears: ["tg-track pointerdown", "tg-track pointermove"],
    log: counting,
    pointer: (hands) => hands.drag(".tg-track", [890, 5], [450, 5]),
    keys: [".tg-track", "PageDown PageDown PageDown PageDown PageDown PageDown PageUp"],
  },
  {
    what: "click a tensor",
    hears: [],
    log: unread,
    pointer: (hands) => hands.click(".tg-chip"),
    keys: [".tg-chip", "Enter"],
  },
  {
    what: "point at a tensor",
    hears: ["tg-chip pointerenter"],
    log: unread,
    pointer: (hands) => hands.point(".tg-chip", "pointerenter"),
    keys: [".tg-chip", "Enter"],
    facts: true,
  },
  {
    what: "point away from a tensor",
    hears: ["tg-chip pointerleave"],
    log: unread,
    before: [".tg-chip", "Enter"],
    pointer: (hands) => {
      hands.point(".tg-chip", "pointerenter");
      hands.point(".tg-chip", "pointerleave");
      hands.press("", "Escape");
    },
    keys: ["", "Escape"],
  },
  {
    what: "point at a line that to_static rewrote",
    hears: ["tg-line pointerenter"],
    log: rewritten,
    pointer: (hands) => hands.point(".tg-column3 .tg-line:nth-child(3)", "pointerenter"),
    keys: [".tg-column3 .tg-line", "ArrowDown ArrowDown"],
  },
  {
    what: "click a line that to_static rewrote",
    hears: ["tg-line click"],
    log: rewritten,
    pointer: (hands) => hands.click(".tg-column3 .tg-line:nth-child(3)"),
    keys: [".tg-column3 .tg-line", "ArrowDown ArrowDown"],
  },
  ...[plan, training].map((log) => ({
    what: `point at a part of a chart: ${log.name}`,
    hears: ["tg-chartbox pointerover"],
    log: () => log(),
    pointer: (hands: Hands) => hands.point("[data-key]:is(rect)", "pointerover"),
    keys: [".tg-chartbox:has(rect[data-key])", "ArrowRight"] as const,
  })),
  {
    what: "look closer at a span",
    hears: ["tg-chartbox click", "tg-chartbox pointerover"],
    log: () => profile(),
    pointer: (hands) => {
      hands.point("rect[data-key]:nth-of-type(2)", "pointerover");
      hands.click("rect[data-key]:nth-of-type(2)");
    },
    keys: [".tg-flame .tg-chartbox", "ArrowRight ArrowRight Enter"],
  },
  {
    what: "drag the border of the graph",
    hears: ["tg-splitter pointerdown", "tg-splitter pointermove", "tg-splitter pointerup"],
    log: () => fourLines(),
    pointer: (hands) => hands.drag(".tg-graph > .tg-splitter", [100, 50], [340, 50]),
    keys: [".tg-graph > .tg-splitter", Array(10).fill("ArrowRight").join(" ")],
  },
  {
    what: "drag the border under the panes",
    hears: [],
    log: () => fourLines(),
    pointer: (hands) => hands.drag(".tg-level", [100, 290], [100, 50]),
    keys: [".tg-level", Array(10).fill("ArrowUp").join(" ")],
  },
  {
    what: "press beside the help",
    hears: ["tg-help click"],
    log: () => mlp(),
    before: [".tg-root", "?"],
    pointer: (hands) => hands.click(".tg-help"),
    keys: ["", "Escape"],
  },
];

function clickAt(hands: Hands, at: readonly [number, number]): void {
  hands.point(STAGE, "pointerdown", at);
  hands.point(STAGE, "pointerup", at);
}

/** A line that runs forty times, and makes nothing. */
function counting(): Log {
  const b = new Builder("forty steps");
  b.begin(["for i in range(40): pass"]);
  for (let step = 0; step < 40; step++) b.at(1);
  b.end();
  return b.log;
}

/** A tensor that no operator reads: a chip over the graph. */
function unread(): Log {
  const b = new Builder("unread");
  b.begin(["x = to_tensor([1.0])"]);
  b.at(1);
  b.tensor("x", "D", [1], true);
  b.end();
  return b.log;
}

/** What both ways have led to the same. */
const proven = new Set<string>();

test.each(ACTIONS)("$what", ({ what, log, before, pointer, keys, facts = false }) => {
  const state = (hands: Hands): unknown => (facts ? hands.facts() : hands.state());
  const begin = (): Hands => {
    const hands = new Hands(log());
    if (before !== undefined) hands.press(...before);
    return hands;
  };
  const pointed = begin();
  const start = state(pointed);
  pointer(pointed);
  const wanted = state(pointed);
  const pressed = begin();
  const heard = vi.fn<() => void>();
  document.addEventListener("keydown", heard);
  pressed.press(...keys);
  document.removeEventListener("keydown", heard);
  expect(state(pressed)).toEqual(wanted);
  expect(wanted, "something happened").not.toEqual(start);
  expect(heard, "no key reaches the notebook").not.toHaveBeenCalled();
  proven.add(what);
});

const POINTED = /^(click|dblclick|pointer|mouse|touch|drag|wheel|change|input|contextmenu)/;

/** Whether the browser itself gives it keys, and Tab or an arrow reaches it. */
function isNative(element: Element, type: string): boolean {
  if (!/^(click|change|input)$/.test(type)) return false;
  if (!element.matches("button, select, input")) return false;
  const reached = (element as HTMLElement).tabIndex >= 0;
  return reached || element.parentElement?.getAttribute("role") === "tablist";
}

/** Whatever in a view listens to a pointer: an element's class and the event. */
function pointedAt(log: Log): Set<string> {
  const found: [EventTarget, string][] = [];
  const listen = Element.prototype.addEventListener;
  Element.prototype.addEventListener = function (...args: Parameters<typeof listen>) {
    found.push([this, args[0]]);
    listen.apply(this, args);
  };
  const { root } = new Hands(log);
  Reflect.deleteProperty(Element.prototype, "addEventListener");
  const names = found.flatMap(([element, type]) => {
    const inside = element instanceof Element && root.contains(element);
    if (!inside || !POINTED.test(type) || isNative(element, type)) return [];
    return [`${element.classList[0]} ${type}`];
  });
  return new Set(names);
}

test("whatever listens to a pointer has an action above, and each action passes", () => {
  const logs = Object.entries(FIXTURES).filter(([name]) => !/deep|thousand/.test(name));
  const all = [...logs.map(([, log]) => log), unread];
  const listening = new Set(all.flatMap((log) => [...pointedAt(log())]));
  const told = new Set(ACTIONS.flatMap(({ hears }) => hears));
  const untold = [...listening].filter((name) => !told.has(name));
  const failed = ACTIONS.filter(({ what }) => !proven.has(what));
  note("actions-without-key", untold.length + failed.length, { bar: 0 });
  expect(untold).toEqual([]);
  expect([...told].filter((name) => !listening.has(name)), "nobody hears it").toEqual([]);
  expect(failed).toEqual([]);
});

test.each(["mlp_eager", "diamond", "twice", "four_lines", "failing_eager"])(
  "%s: what the pointer meets in a graph is a few links from a node",
  (name) => {
    const trace = traceOf(FIXTURES[name]());
    const programs = [...trace.programs.values()].filter(({ mirror }) => mirror.hasGradients);
    for (const { nodes, edges } of [trace.tape, ...programs].map(({ mirror }) => mirror)) {
      const reached = new Set(nodes.map(({ key }) => key));
      for (const key of reached) {
        const { producers = [], consumers = [], twin } = describe(trace, key, Infinity) ?? {};
        const links = [...producers, ...consumers, ...(twin === undefined ? [] : [twin])];
        for (const link of links) reached.add(link.key);
      }
      // A part that is the whole of a gradient says what the gradient says.
      const facts = (key: string): string => {
        const { name, facts, gradient } = describe(trace, key, Infinity)!;
        return JSON.stringify([name, facts, gradient]);
      };
      const said = new Set([...reached].map(facts));
      const met = edges.all.map(({ key }) => key).filter((key) => !reached.has(key));
      expect(met.filter((key) => !said.has(facts(key)))).toEqual([]);
    }
  },
);

test("the arrows lead to every node of a graph, and across its mirror", () => {
  const hands = new Hands(mlp());
  const nodes = hands.all(".tg-node").map(({ dataset }) => dataset.key);
  const reached = new Set<string | undefined>();
  const selected = (): string | undefined => hands.one(".tg-inspector").dataset.key;
  hands.press(NODES, "ArrowDown");
  for (const across of [false, true]) {
    if (across) hands.press("", "g");
    for (const key of ["ArrowUp", "ArrowDown"]) {
      for (let last; last !== selected(); hands.press("", key)) {
        last = selected();
        reached.add(last);
      }
      reached.add(selected());
    }
  }
  expect(nodes.filter((key) => !reached.has(key))).toEqual([]);
});

test("what the tip says beside the pointer the inspector says of what is selected", () => {
  const hands = new Hands(mlp({ nan: true }));
  const keys = hands.all(".tg-node").map(({ dataset }) => dataset.key!);
  const missing: string[] = [];
  for (const key of keys) {
    const at = hands.node(`[data-key="${key}"]`);
    hands.point(STAGE, "pointermove", at);
    const said = [...hands.one(".tg-tip").children].flatMap(({ textContent: text }) => {
      if (text.startsWith("[")) return text.match(/\[.*\]|\w+$/g) ?? [];
      return /^(‖|✕)/.test(text) ? (text.match(/-?[\d.]+/g) ?? []) : [text];
    });
    hands.point(STAGE, "pointerleave");
    clickAt(hands, at);
    const { textContent } = hands.one(".tg-inspector");
    missing.push(...said.filter((word) => !textContent.includes(word)).map((w) => `${key} ${w}`));
    hands.press(NODES, "Escape");
  }
  expect(missing).toEqual([]);
});

test("the wheel scrolls the page; with Ctrl it zooms, and the page stays", () => {
  const hands = new Hands(mlp());
  const before = hands.state();
  expect(hands.wheel(100, false)).toBe(true);
  expect(hands.state()).toEqual(before);
  expect(hands.wheel(100, true)).toBe(false);
  expect(hands.state()).not.toEqual(before);
});

test("where nothing can be gone through, up and down are left to scroll", () => {
  const hands = new Hands(mlp());
  const passed = new Hands(FIXTURES.passes());
  passed.press(".tg-root", "v");
  const scrolls = (selector: string, key: string, on = hands): boolean => {
    const press = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    return on.one(selector).dispatchEvent(press);
  };
  expect(scrolls(".tg-inspectorbody", "ArrowDown")).toBe(true);
  expect(scrolls(".tg-diff", "ArrowUp", passed)).toBe(true);
  expect(scrolls(".tg-range", "ArrowRight", passed)).toBe(true);
  expect(scrolls(".tg-inspectorbody", "ArrowLeft")).toBe(false);
  expect(scrolls(NODES, "ArrowDown")).toBe(false);
});

test("what has the focus goes, and the focus stays in the view", () => {
  const hands = new Hands(mlp({ nan: true }));
  hands.press(NODES, "ArrowDown ArrowDown Enter");
  hands.one(".tg-link").focus();
  hands.press("", "Enter");
  expect(document.activeElement).toBe(hands.one(".tg-inspectorbody"));
  hands.one(".tg-alarm").focus();
  hands.press("", "Home");
  expect(hands.one(".tg-alarm").hidden).toBe(true);
  expect(document.activeElement).toBe(hands.root);
});
