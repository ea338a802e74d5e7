// @vitest-environment happy-dom
// What stands over the graph of a training: the step's number, the turns of the loops
// around it, and the curve of the losses.
import { expect, test, vi } from "vitest";
import { Builder } from "../fixtures/builder";
import { Stepper } from "../src/draw/stepper";
import { traceOf } from "./trace";

const SOURCE = [
  "for epoch in range(2):",
  "    for x in data:",
  "        loss = net(x)",
  "        loss.backward()",
  "        opt.step()",
  "for x in data:",
  "    loss = net(x)",
  "    loss.backward()",
];

class Training {
  readonly b = new Builder("training");
  private readonly w: number;

  constructor() {
    this.b.begin(SOURCE);
    this.b.at(1);
    this.w = this.b.tensor("w", "P", [2], false);
  }

  step(first: number): this {
    this.b.at(first);
    const loss = this.b.tensor("loss", "T", []);
    this.b.node("mean", [this.w], [loss], ["X"]);
    this.b.value(loss, this.b.stats([], 1));
    this.b.at(first + 1);
    this.b.backward("begin", [loss]);
    this.b.grad(loss, this.b.stats([], 1));
    this.b.backward("end", [loss]);
    return this;
  }

  epoch(number: number): this {
    this.b.names("", {}, { epoch: String(number) });
    return this;
  }
}

function told({ b }: Training): { seek: (position: number) => void; text: () => string; curve: () => number[][] } {
  b.end();
  const trace = traceOf(b.log);
  const stepper = new Stepper({ seek: vi.fn() } as never);
  const seek = (position: number): void => {
    stepper.update({ trace, position, live: false, animate: false } as never, undefined);
  };
  const { element } = stepper;
  const points = (): string[] => (element.querySelector("polyline")?.getAttribute("points") ?? "").split(" ");
  return {
    seek,
    text: () => [...element.querySelectorAll(".tg-turn, .tg-loss")].map((each) => each.textContent).join(" "),
    curve: () => points().map((point) => point.split(",").map(Number)),
  };
}

test("a step is of the epoch that was under way as its gradients flowed", () => {
  const training = new Training().epoch(0).step(3).epoch(1).step(3);
  // The line that begins the next turn comes after what the names mean in it.
  training.b.at(5);
  training.epoch(2).step(3);
  const bar = told(training);
  const [, second, third] = traceOf(training.b.log).tape.steps.all;
  bar.seek(second.endSeq);
  expect(bar.text()).toMatch(/^step 2 of 3 in epoch 1 /);
  bar.seek(third.endSeq);
  expect(bar.text()).toMatch(/^step 3 of 3 in epoch 2 /);
});

test("two trainings have a number of steps and a curve each", () => {
  const training = new Training().epoch(0);
  for (let step = 0; step < 5; step++) training.step(3);
  for (let step = 0; step < 3; step++) training.step(7);
  const bar = told(training);
  const { all } = traceOf(training.b.log).tape.steps;
  expect(all.length).toBe(8);
  bar.seek(all[3].endSeq);
  expect(bar.text()).toMatch(/^step 4 of 5 /);
  const first = bar.curve();
  bar.seek(Infinity);
  expect(bar.text()).toMatch(/^step 3 of 3 /);
  for (const [curve, count] of [[first, 5], [bar.curve(), 3]] as const) {
    expect(curve.length).toBe(count);
    expect(curve.map(([x]) => x)).toEqual(curve.map(([x]) => x).toSorted((a, b) => a - b));
  }
});
