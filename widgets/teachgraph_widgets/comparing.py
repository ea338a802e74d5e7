"""Comparison of two logs: the first event in which they differ, said in words.

The logs may be of different engines and different texts, so numbers and lines are not
compared. A tensor is known by what computed it, counted in the order of execution, a
leaf by its name or its place among the leaves. Within a backward pass the order is
free, as more than one is right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from teachgraph_widgets.events import VERSION, Log
from teachgraph_widgets.log import clean, written

__all__ = ["Comparison", "beside", "compare"]

TOLERANCE = 1e-4
"""Relative difference up to which values are equal: engines may compute in float32."""

MOST_STOPS = 20_000


class Fact(NamedTuple):
    """The content of an event, in terms that another log can use as well.

    Attributes:
        seq: The event's number.
        key: What it is about.
        value: What it says of it.
        words: The same, for a reader.
    """

    seq: int
    key: Hashable
    value: Any
    words: str


class Comparison(NamedTuple):
    """The result of comparing two logs.

    Attributes:
        words: What is to be said of either log.
        first: The numbers of events up to the first difference, of either; None if
            there is no difference.
        stops: Numbers of events that are over in either log at the same moment.
    """

    words: tuple[str, str]
    first: tuple[int, int] | None
    stops: list[tuple[int, int]]


def beside(a: Log, b: Log, names: tuple[str, str] = ("", "")) -> Log:
    """Return a log that shows two, with the first event in which they differ."""
    comparison = compare(a, b)
    titles = [
        clean(name) or log["title"] for name, log in zip(names, (a, b), strict=True)
    ]
    other: Log = {"version": VERSION, "title": titles[1], "events": b["events"]}
    last = a["events"][-1] if a["events"] else None
    event: Any = {
        "seq": len(a["events"]),
        "t": 0.0 if last is None else last["t"],
        "cell": 0,
        "line": 0,
        "kind": "beside",
        "log": written(other),
        "stops": [list(stop) for stop in comparison.stops],
        "first": list(comparison.first or ()),
        "words": list(comparison.words),
    }
    return {"version": VERSION, "title": titles[0], "events": [*a["events"], event]}


def compare(a: Log, b: Log) -> Comparison:
    """Find the first difference of two logs.

    >>> import teachgraph as tg
    >>> with tg.record() as two:
    ...     y = tg.to_tensor(3.0) * 2.0
    >>> with tg.record() as three:
    ...     y = tg.to_tensor(3.0) * 3.0
    >>> compare(two.log, three.log).words
    ('the value of y is 6', 'the value of y is 9')
    >>> compare(two.log, two.log).words[0]
    'no difference'
    """
    facts, others = list(Facts(a, b)), list(Facts(b, a))
    by_key = {fact.key: fact for fact in others}
    known = {fact.key for fact in facts}
    stops: list[tuple[int, int]] = [(0, 0)]
    differing: tuple[Fact | None, Fact | None] | None = None
    # What only the second has counts as soon as the first has passed what is before it.
    extra = iter([fact for fact in others if fact.key not in known])
    next_extra = next(extra, None)
    for fact in facts:
        other = by_key.get(fact.key)
        if differing is None:
            here = math.inf if other is None else other.seq
            if next_extra is not None and next_extra.seq < here < math.inf:
                differing = None, next_extra
            elif other is None or not same(fact.value, other.value):
                differing = fact, other
            if differing is not None:
                stops.append(places(differing, stops[-1]))
        if other is not None:
            stops.append((fact.seq + 1, max(stops[-1][1], other.seq + 1)))
    if differing is None and next_extra is not None:
        differing = None, next_extra
        stops.append(places(differing, stops[-1]))
    stops.append((len(a["events"]), len(b["events"])))
    ordered = increasing(stops)
    if differing is None:
        return Comparison(("no difference", "no difference"), None, ordered)
    first = places(differing, (0, 0))
    before = [stop for stop in ordered if stop[0] <= (first[0] or math.inf)]
    missing = before[-1] if not all(first) else (0, 0)
    first = first[0] or missing[0], first[1] or missing[1]
    return Comparison(said(*differing), first, ordered)


def places(
    pair: tuple[Fact | None, Fact | None], before: tuple[int, int]
) -> tuple[int, int]:
    """Return the numbers of events up to and with two facts; `before` for a missing."""
    a, b = pair
    return (
        before[0] if a is None else a.seq + 1,
        before[1] if b is None else b.seq + 1,
    )


def increasing(stops: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return stops in order, each further than the one before in the first log."""
    high, result = 0, list[tuple[int, int]]()
    for a, b in sorted(stops):
        high = max(high, b)
        if result and result[-1][0] == a:
            result[-1] = a, high
        else:
            result.append((a, high))
    step = -(-len(result) // MOST_STOPS)
    return result if step == 1 else [*result[::step], result[-1]]


def said(a: Fact | None, b: Fact | None) -> tuple[str, str]:
    """Say a difference in words, once for each log."""
    if a is not None and b is not None:
        return a.words, b.words
    there = (a or b).words  # type: ignore[union-attr]  # one of them is there
    absent = f"nothing says here: {there}"
    return (there, absent) if a is not None else (absent, there)


class Facts:
    """The facts of a log, in order.

    Args:
        log: The log.
        other: The one to compare with: leaves that both name are known by their names.
    """

    def __init__(self, log: Log, other: Log) -> None:
        self.log = log
        self.names = names_of(log)
        self.shared = set(leaves_of(log)) & set(leaves_of(other))
        self.tensors: dict[int, Hashable] = {}
        self.nodes: dict[int, tuple[Hashable, str]] = {}
        self.counts: Counter[Hashable] = Counter()
        self.programs: dict[int, Hashable] = {}
        self.ops: dict[int, tuple[Hashable, str]] = {}
        self.shapes: dict[tuple[int, str], list[int]] = {}
        self.turns: Counter[Hashable] = Counter()
        self.passes = 0

    def __iter__(self) -> Iterator[Fact]:
        for event in self.log["events"]:
            tell = KINDS.get(event["kind"])
            if tell is not None:
                for key, value, words in tell(self, event):
                    yield Fact(event["seq"], key, value, clean(words, 300))

    def count(self, what: Hashable) -> int:
        """Count one more of a kind; return how many came before."""
        self.counts[what] += 1
        return self.counts[what] - 1

    def tensor(self, number: int) -> Hashable:
        """Return the identity of a tensor: of one that nothing computed, as a leaf."""
        if number not in self.tensors:
            name = self.names.get(number, "")
            place = name if name in self.shared else self.count("leaf")
            self.tensors[number] = "leaf", place
        return self.tensors[number]

    def name(self, number: int) -> str:
        """Return what a reader knows a tensor by."""
        if name := self.names.get(number):
            return name
        identity: Any = self.tensor(number)
        return (
            f"unnamed leaf {identity[1] + 1}"
            if identity[0] == "leaf"
            else str(identity[2])
        )

    def node(self, event: Any) -> Iterator[Told]:
        """Tell of an op that ran on Tensors."""
        place, kind = self.count("node"), plain(event["type"])
        read = [self.tensor(number) for number in event["inputs"]]
        words = ", ".join(self.name(number) for number in event["inputs"])
        for index, number in enumerate(event["outputs"]):
            self.tensors[number] = "node", (place, index), f"{kind} {place + 1}"
        self.nodes[event["node"]] = ("node", place), kind
        line = f"line {event['line']} " if event["line"] else ""
        yield ("node", place), (kind, tuple(read)), f"{line}runs {kind}({words})"

    def value(self, event: Any) -> Iterator[Told]:
        """Tell of a tensor's value."""
        number = event["tensor"]
        identity = self.tensor(number)
        key = "value", identity, self.count(("value", identity))
        words = f"the value of {self.name(number)} is {amount(event['value'])}"
        yield key, event["value"], words

    def backward(self, event: Any) -> Iterator[Told]:
        """Tell of the begin or the end of a backward pass."""
        begins = event["phase"] == "begin"
        self.passes += begins
        self.turns.clear()
        roots = tuple(self.tensor(number) for number in event["roots"])
        names = ", ".join(self.name(number) for number in event["roots"])
        words = f"a backward pass {'begins' if begins else 'ends'} at {names}"
        yield ("backward", begins, self.passes), roots, words

    def grad(self, event: Any) -> Iterator[Told]:
        """Tell of a gradient: a seed, a part, or a whole."""
        number, node = event["tensor"], event.get("node")
        giver, kind = self.nodes.get(node, ((), "")) if node is not None else ((), "")
        key = "grad", self.passes, self.tensor(number), giver, event["total"]
        name, much = self.name(number), amount(event["value"])
        words = f"the gradient that {kind} gives {name} is {much}"
        if node is None:
            whole = "whole gradient" if event["total"] else "gradient that starts at"
            words = f"the {whole} {'of ' if event['total'] else ''}{name} is {much}"
        self.turns[key] += 1
        yield (key, self.turns[key]), event["value"], words

    def free(self, event: Any) -> Iterator[Told]:
        """Tell of a node that is freed."""
        identity, kind = self.nodes.get(event["node"], ((), "a node"))
        yield ("free", identity), True, f"{kind} is freed"

    def program(self, event: Any) -> Iterator[Told]:
        """Number a program within its role."""
        role = event["role"]
        self.programs[event["program"]] = role, self.count(("program", role))
        yield from ()

    def var(self, event: Any) -> Iterator[Told]:
        """Note the shape of a variable that a program got."""
        self.shapes[event["program"], event["name"]] = event["shape"]
        yield from ()

    def op(self, event: Any) -> Iterator[Told]:
        """Tell of an operator that a program got."""
        program = self.programs.get(event["program"], ())
        place = self.count(("op", program))
        self.ops[event["op"]] = (program, place), event["type"]
        slots = {side: sorted(event[side].items()) for side in ("inputs", "outputs")}
        read = ", ".join(name for _, names in slots["inputs"] for name in names)
        line = f"line {event['line']} " if event["line"] else ""
        written = [name for _, names in slots["outputs"] for name in names]
        shapes = [self.shapes.get((event["program"], name)) for name in written]
        words = f"{line}appends {event['type']}({read})"
        if shapes and shapes[0] is not None:
            words += f", of shape {shapes[0]}"
        said = event["type"], event["index"], slots, shapes
        yield ("op", program, place), said, words

    def run_op(self, event: Any) -> Iterator[Told]:
        """Tell of what an operator of a running program computed."""
        operator, kind = self.ops.get(event["op"], ((), "an operator"))
        key = "run_op", operator, self.count(("run_op", operator))
        yield key, None, f"{kind} runs"
        for name, value in sorted(event["values"].items()):
            yield (*key, name), value, f"{kind} computes {name} = {amount(value)}"

    def op_failed(self, event: Any) -> Iterator[Told]:
        """Tell of an op that raised."""
        key = "failed", self.count("failed")
        words = f"{event['type']} fails: {event['message']}"
        yield key, plain(event["type"]), words

    def train(self, event: Any) -> Iterator[Told]:
        """Tell of the loss of a step of training."""
        key, loss = ("train", self.count("train")), event["loss"]
        words = f"the loss of step {event['step']} is {number_text(loss)}"
        yield key, (loss,), words

    def cell_end(self, event: Any) -> Iterator[Told]:
        """Tell of the error that ended a source."""
        key = "ended", self.count("ended")
        if error := event.get("error", ""):
            yield key, error, f"it ends with {error}"

    def plan(self, event: Any) -> Iterator[Told]:
        """Tell of the place and the lifetime of each buffer of a memory plan."""
        plan = "plan", self.count("plan")
        for buffer in event["buffers"]:
            name, offset, size = buffer["name"], buffer["offset"], buffer["size"]
            life = f"alive from operator {buffer['start']} to {buffer['end']}"
            words = f"{name}: {size} B from byte {offset}, {life}"
            yield (*plan, name), (offset, size, buffer["start"], buffer["end"]), words


Told = tuple[Hashable, Any, str]
KINDS: Mapping[str, Callable[[Facts, Any], Iterator[Told]]] = {
    "node": Facts.node,
    "value": Facts.value,
    "backward": Facts.backward,
    "grad": Facts.grad,
    "free": Facts.free,
    "program": Facts.program,
    "var": Facts.var,
    "op": Facts.op,
    "run_op": Facts.run_op,
    "op_failed": Facts.op_failed,
    "train": Facts.train,
    "plan": Facts.plan,
    "cell_end": Facts.cell_end,
}

PREFIXES = ("elementwise_", "reduce_")


def plain(kind: str) -> str:
    """Return the type of an op without what only some engines write.

    >>> plain("elementwise_mul"), plain("matmul_v2")
    ('mul', 'matmul')
    """
    for prefix in PREFIXES:
        kind = kind.removeprefix(prefix)
    return kind.removesuffix("_v2")


def names_of(log: Log) -> dict[int, str]:
    """Return the last name of each tensor."""
    names: dict[int, str] = {}
    for event in log["events"]:
        if event["kind"] == "tensor" and event["name"]:
            names[event["tensor"]] = event["name"]
        elif event["kind"] == "attr" and event["attr"] == "name" and "tensor" in event:
            names[event["tensor"]] = event["value"]
    return names


def leaves_of(log: Log) -> Iterator[str]:
    """Yield the names of the tensors that no op computed."""
    computed: set[int] = set()
    for event in log["events"]:
        if event["kind"] == "node":
            computed.update(event["outputs"])
    for number, name in names_of(log).items():
        if number not in computed:
            yield name


def same(a: Any, b: Any) -> bool:
    """True if two facts say the same: numbers about the same, all else exactly."""
    if isinstance(a, dict) and isinstance(b, dict) and "norm" in a and "norm" in b:
        shapes = a["shape"], b["shape"]
        known = not any(-1 in shape for shape in shapes)
        if (known and shapes[0] != shapes[1]) or (a["nan"], a["inf"]) != (
            b["nan"],
            b["inf"],
        ):
            return False
        return all(near(a[name], b[name]) for name in ("min", "max", "mean", "norm"))
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) == 1:
        return near(a[0], b[0])
    return bool(a == b)


def near(a: Any, b: Any) -> bool:
    """True if two numbers are about the same, or not both numbers but equal."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-7)
    return bool(a == b)


def amount(stats: Any) -> str:
    """Return a value in a few words: a number, or shape and norm."""
    bad = [f"{stats[what]} {what}" for what in ("nan", "inf") if stats[what]]
    many = stats["shape"] not in ([], [1]) or bad
    if stats["norm"] is None and not bad:
        return "unknown"
    if not many:
        return number_text(stats["mean"])
    norm = number_text(stats["norm"])
    return ", ".join([f"{stats['shape']} with norm {norm}", *bad])


def number_text(value: float | None) -> str:
    """Return a number to five digits."""
    return "not finite" if value is None else f"{value:.5g}"
