// What one name did twice is told apart by the call, as the source has it; a generated
// name is told by the one that the user wrote.
import { expect, test } from "vitest";
import { Builder } from "../fixtures/builder";
import { closedToFit } from "../src/layout/levels";
import { groupsOf } from "../src/layout/groups";
import { callOf, calledIn } from "../src/state/calls";
import { sectionOf, withEvaluations } from "../src/state/section";
import type { Trace } from "../src/state/trace";
import { traceOf } from "./trace";

test("a call is read with its arguments, by its number in the text", () => {
  const text = "loss = critic(fake).mean() - critic(real[:, (0, 1)]).mean()";
  expect(callOf(text, "critic", 0)).toBe("critic(fake)");
  expect(callOf(text, "critic", 1)).toBe("critic(real[:, (0, 1)])");
  expect(callOf(text, "critic", 2)).toBeUndefined();
  expect(callOf("net(x,\n    y)", "net", 0)).toBe("net(x, y)");
  expect(callOf("self.net(x) + subnet(x)", "net", 0)).toBeUndefined();
  expect(callOf("net(paddle.to_tensor(numbers[test]).unsqueeze(0))", "net", 0)).toBe("net");
});

test("a name or a text of any kind is read in a moment, and no pattern", () => {
  expect(callOf("(.*)(x)", "(.*)", 0)).toBe("(.*)(x)");
  expect(callOf("a(".repeat(20_000), "a", 19_999)).toBe("a");
  expect(calledIn("(".repeat(20_000))).toBe("");
  expect(calledIn("a.".repeat(20_000))).toBe("");
});

test("a line is named after what it calls, not what it does with that", () => {
  expect(calledIn("print(epoch, float(F.mse_loss(clean, images)))")).toBe("F.mse_loss()");
  expect(calledIn("w.set_value(w - 0.3 * w.grad)  # as in print(x)")).toBe("w.set_value()");
  expect(calledIn("return F.relu(out + self.shortcut(x))")).toBe("F.relu()");
  expect(calledIn('print("net(x)")')).toBe("");
  expect(calledIn("a = b * c")).toBe("");
});

/** Runs one op for each scope that a line names, taped or not. */
function ran(source: string[], lines: [line: number, scopes: string[], taped: boolean][]): Trace {
  const b = new Builder("calls");
  b.begin(source);
  b.at(1);
  const w = b.tensor("w", "P", [2], false);
  let last = w;
  for (const [line, scopes, taped] of lines) {
    b.at(line);
    if (source[line - 1].includes("backward")) {
      b.backward("begin", [last]);
      b.grad(last, b.stats([], 1));
      b.backward("end", [last]);
    }
    for (const [index, scope] of scopes.entries()) {
      last = b.tensor("", "T", []);
      b.node(scope === "" ? `op${index}` : "relu", [w], [last], ["X"], { taped, ...(scope !== "" && { scope }) });
      const next = b.tensor("", "T", []);
      if (scope !== "") b.node("tanh", [last], [next], ["Out"], { taped, scope });
    }
  }
  b.end();
  return traceOf(b.log);
}

test("calls of one network differ by what they are given, also from its own lines", () => {
  const source = [
    "def forward(self, x):",
    "    return relu(x)",
    "d_loss = net(real).mean() - net(fake.detach()).mean()",
    "g_loss = net(fake)",
    "other = make(net)",
  ];
  const trace = ran(source, [[3, ["net", "", "net", ""], true], [4, [], true], [2, ["net"], true], [5, [""], true], [2, ["net"], true]]);
  const { groups } = trace.tape.mirror;
  const titles = groups.map((group) => trace.titleOf("tape", group));
  expect(titles).toEqual(["net(real)", "net(fake.detach())", "net(fake)", "net"]);
});

test("what runs without gradients in a step is an evaluation, if networks do", () => {
  const source = ["for epoch in range(2):", "    noise = randn()", "    loss = net(x)", "    loss.backward()", "    print(net(test))"];
  const step: [number, string[], boolean][] = [[2, [""], false], [3, ["net"], true], [4, [], true], [5, ["net", ""], false]];
  const trace = ran(source, [[1, [], true], ...step, ...step]);
  const { steps, mirror } = trace.tape;
  const { all } = steps;
  const section = withEvaluations(sectionOf(all, all[0], [], false), mirror);
  expect(section.phases).toEqual([{ title: "evaluation, no gradients", apart: true, first: 3, end: 6 }]);
  const inside = ran(source, [[1, [], true], [2, [""], false], [3, ["net"], true], [3, ["net"], false], [3, ["net"], true], ...step.slice(2, 3), ...step.slice(0, 3)]);
  const { steps: others } = inside.tape;
  expect(withEvaluations(sectionOf(others.all, others.all[0], [], false), inside.tape.mirror).phases).toEqual([]);
  const untouched = sectionOf(all, all[0], [], false);
  const clipped = ran(source, [[1, [], true], ...step.slice(0, 3), [5, ["ClipGradByNorm"], false], ...step.slice(0, 3)]);
  expect(withEvaluations(untouched, clipped.tape.mirror)).toBe(untouched);
});

test("a clipping stays one box beside an open network", () => {
  const ops = (scope: string[]) => Array.from({ length: 4 }, (_, at) => ({ title: `op${"abcd"[at]}`, scope }));
  const groups = groupsOf([...ops(["model", "a"]), ...ops(["model", "b"]), ...ops(["ClipGradByGlobalNorm"])]);
  const closed = closedToFit(groups, 12, 0, 25).map(({ title }) => title);
  expect(closed).toEqual(["ClipGradByGlobalNorm"]);
});

test("a step knows the names that the loops around it count by", () => {
  const source = ["for fold in range(3):", "    for name, model in models:", "        for x in loader:", "            loss = net(x)", "            loss.backward()"];
  const turn: [number, string[], boolean][] = [[4, ["net"], true], [5, [], true]];
  const { steps } = ran(source, [[1, [], true], [2, [], true], [3, [], true], ...turn, ...turn]).tape;
  expect(steps.all.length).toBe(2);
  expect(steps.countersOf(steps.all[1])).toEqual(["fold", "name", "model"]);
});

test("a variable has the name that the user gave it, a generated one none", () => {
  const b = new Builder("names");
  b.begin(["hidden = fc(x)"]);
  b.names("", {}, { hidden: "variable fc_0.tmp_1", x: "variable x", size: "3" });
  b.end();
  const { bindings } = traceOf(b.log);
  expect(["fc_0.tmp_1", "fc_0.tmp_1@GRAD", "fc_0.tmp_0", "fc_0.w_0", "x"].map((name) => bindings.said(name))).toEqual([
    "hidden", "hidden@GRAD", "", "fc_0.w_0", "x",
  ]);
  expect(bindings.meaning("size", Infinity)).toBe("3");
});
