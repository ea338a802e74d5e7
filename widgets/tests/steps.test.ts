// A training step is recognised from the log alone: which ops it has, how it is numbered,
// and what the optimizers do in it.
import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { FoldedPicture } from "../src/state/folded";
import { Folding } from "../src/state/folding";
import { sectionBetween, sectionOf } from "../src/state/section";
import type { Trace } from "../src/state/trace";
import { traceOf } from "./trace";


/** Runs lines of a source: what each does is told by its words. */
class Script {
  readonly b = new Builder("a training");
  private readonly w: number;

  constructor(private readonly source: string[]) {
    this.b.begin(source);
    this.b.at(1);
    this.w = this.b.tensor("w", "P", [2], false);
  }

  /** Run a line, by its number. */
  run(...lines: number[]): this {
    for (const line of lines) {
      this.b.at(line);
      this.act(this.source[line - 1]);
    }
    return this;
  }

  /** The ops of the library under one line. */
  train(line: number, steps: number): this {
    this.b.at(line);
    for (let step = 0; step < steps; step++) {
      this.forward("relu");
      this.pass();
      this.update();
      this.b.node("accuracy", [this.last], [this.b.tensor("", "T", [])], [], { taped: false });
    }
    return this;
  }

  trace(): Trace {
    this.b.end();
    return traceOf(this.b.log);
  }

  private last = 0;

  private act(text: string): void {
    if (text.includes("net(")) this.forward("matmul_v2");
    if (text.includes("data(")) this.b.node("randn", [], [this.b.tensor("x", "T", [])], [], { taped: false });
    if (text.includes("backward")) this.pass();
    if (text.includes(".step()")) this.update();
    if (text.includes("set_value")) {
      this.b.node("scale", [this.w], [this.b.tensor("", "T", [2])], [], { taped: false });
    }
  }

  private forward(type: string): void {
    const out = this.b.tensor("d_loss", "T", []);
    this.b.node(type, [this.w], [out], ["X"]);
    this.b.value(out, this.b.stats([], 2));
    this.last = out;
  }

  private pass(): void {
    this.b.backward("begin", [this.last]);
    this.b.grad(this.last, this.b.stats([], 1));
    this.b.backward("end", [this.last]);
  }

  private update(): void {
    this.b.node("sgd", [this.w], [this.w], [], { taped: false });
  }
}

/** The types of the ops in each step. */
function typesOf({ tape }: Trace): string[][] {
  const { mirror, steps } = tape;
  return steps.all.map(({ mark, end }) =>
    mirror.ops.slice(mark.op, end?.op).map(({ title }) => title),
  );
}

const PLAIN = [
  "w = parameter()",
  "for step in range(3):",
  "    loss = net(w)",
  "    loss.backward()",
  "    w.set_value(w * 0.9)",
  "print(net(w))",
];

test("each turn of a loop in which gradients flow is a step, without an optimizer too", () => {
  const trace = new Script(PLAIN).run(1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 6).trace();
  expect(typesOf(trace)).toEqual(Array.from({ length: 3 }, () => ["matmul_v2", "scale"]));
  const { steps } = trace.tape;
  expect(steps.all.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(steps.countOf(steps.all[0])).toBe(3);
  expect(steps.phases(steps.all[0], () => "")).toEqual([]);
});

test("one pass, or a loop without any, is no training", () => {
  expect(new Script(PLAIN).run(1, 2, 3, 4, 5, 6).trace().tape.steps.all).toEqual([]);
  expect(new Script(PLAIN).run(1, 2, 3, 3, 3, 6).trace().tape.steps.all).toEqual([]);
});

test("a loop over epochs has the steps of the loop inside, counted through", () => {
  const source = [
    "for epoch in range(2):",
    "    for x in loader:",
    "        loss = net(x)",
    "        loss.backward()",
    "        opt.step()",
    "    print(net(x))",
  ];
  const epoch = [2, 3, 4, 5, 3, 4, 5, 6];
  const trace = new Script(source).run(1, ...epoch, ...epoch).trace();
  expect(trace.tape.steps.all.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(typesOf(trace)).toEqual(Array.from({ length: 4 }, () => ["matmul_v2"]));
});

test("gradients of several passes and one update are one step", () => {
  const source = [
    "for step in range(2):",
    "    for part in parts:",
    "        net(part).backward()",
    "    opt.step()",
  ];
  const trace = new Script(source).run(1, 2, 3, 3, 3, 4, 2, 3, 3, 3, 4).trace();
  const { all } = trace.tape.steps;
  expect(all.length).toBe(2);
  expect(typesOf(trace).map(({ length }) => length)).toEqual([3, 3]);
});

test("a function that the loop calls is in its step", () => {
  const source = [
    "def train(x):",
    "    loss = net(x)",
    "    loss.backward()",
    "    opt.step()",
    "for x in loader:",
    "    x = data()",
    "    train(x)",
  ];
  const turn = [6, 7, 2, 3, 4];
  const trace = new Script(source).run(1, 5, ...turn, ...turn, ...turn).trace();
  expect(typesOf(trace)).toEqual(Array.from({ length: 3 }, () => ["randn", "matmul_v2"]));
});

test("two optimizers make two phases, named after them", () => {
  const source = [
    "while True:",
    "    d_loss = net(real) + net(fake)",
    "    d_loss.backward()",
    "    d_opt.step()",
    "    g_loss = net(fake)",
    "    g_loss.backward()",
    "    generator_optimizer.step()",
  ];
  const turn = [2, 3, 4, 5, 6, 7];
  const { tape } = new Script(source).run(1, ...turn, ...turn).trace();
  const phases = tape.steps.phases(tape.steps.all[1], () => "");
  expect(phases.map(({ title }) => title)).toEqual(["D step", "generator step"]);
  expect(phases[0].end).toBe(phases[1].first);
  const section = sectionOf(tape.steps.all, tape.steps.all[1], phases, false);
  const names = { key: () => "", title: () => "", wire: () => "" };
  const { regions } = new FoldedPicture(tape.mirror, [], names, section).follow();
  const frames = regions.filter(({ depth }) => depth < 0);
  expect(frames.map(({ frame }) => frame?.title)).toEqual(["D step", "generator step"]);
  expect(frames[0].last).toBeLessThan(frames[1].first);
});

test("a library that loops by itself has steps as well; a metric belongs to its own", () => {
  const script = new Script(["model = net", "model.fit(loader)"]).run(1);
  const trace = script.train(2, 4).trace();
  expect(typesOf(trace)).toEqual(Array.from({ length: 4 }, () => ["relu", "accuracy"]));
  expect(trace.tape.steps.all.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
});

test("steps that were not recorded are counted", () => {
  const script = new Script(PLAIN).run(1, 2, 3, 4, 5, 3, 4, 5);
  script.b.dropped(5, "training steps", "few are told");
  script.run(3, 4, 5);
  script.b.dropped(2, "training steps", "few are told");
  const { steps } = script.trace().tape;
  expect(steps.all.map(({ number }) => number)).toEqual([1, 2, 8]);
  expect(steps.countOf(steps.all[0])).toBe(10);
});

test("the picture shows one step, the same for each; what was before is a name", () => {
  const source = ["x = data()", "for step in range(3):", ...PLAIN.slice(2)];
  const trace = new Script(source).run(1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 6).trace();
  const { mirror, steps } = trace.tape;
  const folding = new Folding("tape", mirror);
  const places = steps.all.map((step) => {
    folding.look(sectionOf(steps.all, step, [], false));
    return folding.picture.nodes.map(({ title, side, x, y }) => `${title} ${side} ${x} ${y}`);
  });
  expect(places[0].length).toBeGreaterThan(2);
  expect(places[1]).toEqual(places[0]);
  expect(places[2]).toEqual(places[0]);
  const after = sectionBetween(steps.all, Infinity);
  expect(after?.isBefore).toBe(false);
  expect(after?.section.ranges[0].from.op).toBe(steps.all[2].end?.op);
  expect(sectionBetween(steps.all, steps.all[0].seq)?.isBefore).toBe(true);
});

test("while ops still come nothing that is there moves as the steps go by", () => {
  const script = new Script(PLAIN).run(1, 2, 3, 4, 5);
  const early = traceOf(script.b.log);
  const before = early.tape.mirror.nodes.map(({ key, x, y }) => ({ key, x, y }));
  const later = traceOf(script.run(3, 4, 5).b.log);
  const { steps, mirror } = later.tape;
  const folding = new Folding("tape", mirror);
  folding.look(sectionOf(steps.all, steps.all[0], [], true));
  for (const { key, x, y } of before) {
    expect(folding.picture.nodesOf(key)).toContainEqual(expect.objectContaining({ x, y }));
  }
});
