"""Measures what it costs to be recorded, in a process with one BLAS thread.

`python -m tests.benchmarks.recording_cost CASE` prints figures as JSON. Others use the
machine too, so each time is this thread's on the CPU, and what is watched alternates
with what is not, in random order and as closely as can be: run by run, step by step.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from time import thread_time
from typing import Any, NamedTuple

import numpy as np
from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.step_sampling import is_recorded
from teachgraph_widgets.tracing import Trace

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph.autograd.observed import unwatched
from tests.benchmarks.test_training_step import Case, Net, start

OPS = 1000
EPOCH = 938
FORWARD = """\
for part in range(10):
    for i in range(100):
        x = x * 1.0001
    tick()
"""
BACKWARD = f"{FORWARD}x.backward()\ntick()\n"
A_HUNDRED = "for i in range(100):\n    x = x * 1.0001\ntick()\n"
LOOP = "total = 0\nfor i in range(33_333):\n    total += i\n    total -= 1\ntick()\n"
EAGER = """\
for x, y in batches:
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""
STATIC = """\
for x, y in batches:
    losses = executor.run(main, {"x": x, "y": y}, [loss], scope=scope)
"""

Names = dict[str, Any]
Figures = dict[str, float]


@contextmanager
def traced(source: Source, *, values: bool = True) -> Iterator[None]:
    """What `%%trace` does around a cell, without a page."""
    trace = Trace(values=values, show=False)
    trace.begin(source)
    try:
        yield
    finally:
        trace.end()


def seconds(text: str, names: Names, *, watched: bool, values: bool = True) -> Any:
    """How long a text takes from one `tick()` to the next."""
    source, tree = Source(text), ast.parse(text)
    code = compile(marked(tree, source) if watched else tree, "<bench>", "exec")
    ticks: list[float] = []
    tick = lambda: ticks.append(thread_time())  # noqa: E731
    namespace = {MARKER: mark, "tick": tick, **names}
    gc.collect()
    with traced(source, values=values) if watched else nullcontext():
        tick()
        exec(code, namespace)  # noqa: S102  a text of ours
    return np.diff(ticks)


def alternate(plain: Callable[[], Any], watched: Callable[[], Any], rounds: int) -> Any:
    """What each takes, side by side, round by round."""
    rows = []
    for _ in range(rounds):
        if random.random() < 0.5:  # noqa: S311  no secret
            rows.append((plain(), watched()))
        else:
            second = watched()
            rows.append((plain(), second))
    return np.array(rows)


def leaf(size: int) -> tg.Tensor:
    return tg.to_tensor(np.ones(size, "float32"), stop_gradient=False)


def an_op(text: str, size: int, *, values: bool, rounds: int = 20) -> Figures:
    """Microseconds more an op: of each part the least time, and the middle rounds'.

    Whatever else runs can only add to a time, so the least is closest to the truth.
    """

    def run(watched: bool) -> Any:
        return seconds(text, {"x": leaf(size)}, watched=watched, values=values)

    run(watched=True)
    times = alternate(lambda: run(False), lambda: run(True), rounds) / OPS * 1e6
    plain, watched = times.min(axis=0).sum(axis=-1)
    whole = times.sum(axis=-1)
    low, high = np.percentile(whole[:, 1] - whole[:, 0], [25, 75])
    return {"plain": plain, "extra": watched - plain, "low": low, "high": high}


def off(rounds: int = 300) -> Figures:
    """What is left of having been recorded, in percent of an op.

    Two forks of this process, of which one has made a recording, and which differ in
    nothing else, take turns on one core; each runs once to warm up.
    """

    def run(watched: bool = False) -> float:
        return float(seconds(A_HUNDRED, {"x": leaf(64)}, watched=watched)[0])

    def serve(requests: Any, recorded: bool) -> None:
        run(watched=recorded)
        while requests.recv():
            run()
            requests.send(run())

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    forked = get_context("fork")
    ends = []
    for recorded in (False, True):
        here, there = forked.Pipe()
        forked.Process(target=serve, args=(there, recorded), daemon=True).start()
        ends.append(here)

    def ask(end: Any) -> float:
        end.send(True)
        answer: float = end.recv()
        return answer

    times = alternate(lambda: ask(ends[0]), lambda: ask(ends[1]), rounds)
    for end in ends:
        end.send(False)
    ratios = 100 * (times[:, 1] / times[:, 0] - 1)
    low, middle, high = np.percentile(ratios, [25, 50, 75])
    plain, after = times.min(axis=0) / 100 * 1e6
    return {"plain": plain, "after": after, "share": middle, "low": low, "high": high}


def loop() -> Figures:
    """Milliseconds that 100,000 statements take which make nothing."""
    times = alternate(
        lambda: seconds(LOOP, {}, watched=False),
        lambda: seconds(LOOP, {}, watched=True),
        rounds=10,
    )
    plain, watched = times.min(axis=0)[:, 0] * 1e3
    return {"plain": plain, "watched": watched}


class Training(NamedTuple):
    """A loop as a learner writes it, and what it speaks of."""

    text: str
    names: Names
    batch: tuple[Any, Any]


DIGITS = Case("784-100-10 batch 64", 784, 100, 10, 64)


def eager_training(net: Any, x: Any, y: Any) -> Training:
    optimizer = tg.optimizer.SGD(0.01, net.parameters())
    names = {"F": F, "net": net, "optimizer": optimizer}
    return Training(EAGER, names, (tg.to_tensor(x), tg.to_tensor(y)))


def mlp_eager() -> Training:
    first = start(DIGITS)
    return eager_training(Net(DIGITS), first.x, first.y)


def lenet_eager() -> Training:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 1, 28, 28)).astype("float32")
    return eager_training(tg.vision.models.LeNet(), x, rng.integers(0, 10, (64, 1)))


def mlp_static() -> Training:
    first = start(DIGITS)
    main, startup = tg.static.Program(), tg.static.Program()
    with tg.static.program_guard(main, startup), tg.unique_name.guard():
        x = tg.static.data("x", [None, DIGITS.inputs])
        y = tg.static.data("y", [None, 1], "int64")
        hidden = tg.static.nn.fc(x, DIGITS.hidden, activation="relu")
        loss = F.cross_entropy(tg.static.nn.fc(hidden, DIGITS.outputs), y)
        tg.optimizer.SGD(0.01).minimize(loss)
    scope, executor = tg.static.Scope(), tg.static.Executor()
    executor.run(startup, scope=scope)
    names = {"executor": executor, "main": main, "loss": loss, "scope": scope}
    return Training(STATIC, names, (first.x, first.y))


class Epoch:
    """One epoch under a trace; beside its steps, the same steps of a twin unwatched.

    Each step pays for a collection of the young garbage, which is what it has made
    itself; by itself Python would let one step pay for another's.

    Attributes:
        plain: Seconds, by step, of the twin's.
        watched: The same of the traced ones.
        around: Seconds that the trace took to begin and to end.
    """

    def __init__(self, of: Training, twin: Training, apart: int) -> None:
        self.of, self.twin, self.apart = of, twin, apart
        self.plain: dict[int, float] = {}
        self.watched: dict[int, float] = {}
        (loop,) = ast.parse(twin.text).body
        body = ast.Module(getattr(loop, "body", []), [])
        self._twin_step = compile(body, "<twin>", "exec")
        x, y = twin.batch
        self._names = {**twin.names, "x": x, "y": y}
        self.around = self._run()

    def _run(self) -> float:
        source = Source(self.of.text)
        code = compile(marked(ast.parse(self.of.text), source), "<bench>", "exec")
        namespace = {MARKER: mark, **self.of.names, "batches": self._batches()}
        gc.collect()
        gc.disable()
        begin = thread_time()
        with traced(source):
            inside = thread_time()
            exec(code, namespace)  # noqa: S102  a text of ours
            inside = thread_time() - inside
        around = thread_time() - begin - inside
        gc.enable()
        return around

    def _batches(self) -> Iterator[tuple[Any, Any]]:
        for step in range(1, EPOCH + 1):
            paired = is_recorded(step) or step % self.apart == 0
            before = random.random() < 0.5  # noqa: S311  no secret
            if paired and before:
                self._run_twin(step)
            begin = thread_time()
            yield self.of.batch
            gc.collect(1)
            self.watched[step] = thread_time() - begin
            if paired and not before:
                self._run_twin(step)

    def _run_twin(self, step: int) -> None:
        with unwatched():
            begin = thread_time()
            exec(self._twin_step, self._names)  # noqa: S102  a text of ours
            gc.collect(1)
            self.plain[step] = thread_time() - begin

    def extra(self, *, told: bool) -> dict[int, float]:
        """Of each pair of steps that the trace tells of, or not: what it cost more."""
        return {
            step: self.watched[step] - plain
            for step, plain in self.plain.items()
            if is_recorded(step) is told
        }


def epoch_of(epochs: list[Epoch]) -> Figures:
    """What an epoch takes more, in percent of what it takes.

    What is told of a step differs from step to step, so each has a median of its own;
    the others are alike and share one.
    """
    told = [list(epoch.extra(told=True).values()) for epoch in epochs]
    rest = [x for epoch in epochs for x in epoch.extra(told=False).values()]
    recorded = float(np.median(told, axis=0).sum())
    silent = float(np.median(rest)) * (EPOCH - len(told[0]))
    around = float(np.median([epoch.around for epoch in epochs]))
    step = float(np.median([x for epoch in epochs for x in epoch.plain.values()]))
    whole = step * EPOCH / 100
    return {
        "step": step,
        "share": (recorded + silent + around) / whole,
        "recorded": recorded / whole,
        "silent": silent / whole,
        "around": around / whole,
    }


def epochs(build: Callable[[], Training], rounds: int, apart: int = 1) -> Figures:
    """The figures of several epochs, and from which to which the single ones go."""
    of, twin = build(), build()
    found = [Epoch(of, twin, apart) for _ in range(rounds)]
    singles = [epoch_of([epoch])["share"] for epoch in found]
    low, high = np.percentile(singles, [25, 75])
    return {**epoch_of(found), "low": low, "high": high}


def ops() -> dict[str, Figures]:
    """All kinds of an op, by what they are called."""
    return {
        f"{what}, {size} elements{', values' if values else ''}": an_op(
            text, size, values=values
        )
        for what, text in (("op", FORWARD), ("op and gradient", BACKWARD))
        for size in (1, 64)
        for values in (False, True)
    }


CASES: dict[str, Callable[[], Any]] = {
    "ops": ops,
    "off": off,
    "loop": loop,
    "MLP, eager": lambda: epochs(mlp_eager, 9),
    "MLP, static": lambda: epochs(mlp_static, 9),
    "LeNet, eager": lambda: epochs(lenet_eager, 2, apart=4),
}

if __name__ == "__main__":
    random.seed(0)
    gc.freeze()
    print(json.dumps(CASES[sys.argv[1]]()))
