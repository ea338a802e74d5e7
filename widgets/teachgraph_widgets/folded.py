"""A fold of the event log into the state that still pictures and texts show."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from teachgraph_widgets.events import (
    AnyEvent,
    AttrEvent,
    Backward,
    Log,
    MessageEvent,
    NodeEvent,
    OpEvent,
    OpFailed,
    OpRemoved,
    PassEvent,
    PlanEvent,
    ProcessEvent,
    ProfileEvent,
    ProgramEvent,
    Run,
    Span,
    Stats,
    TensorEvent,
    TrainEvent,
    Value,
    VarEvent,
)

__all__ = [
    "Folded",
    "Program",
    "Row",
    "Step",
    "fold",
    "grouped",
    "norm_text",
    "number_text",
    "shape_text",
]

T = TypeVar("T")

LETTERS = {"optimize": "Δ", "backward": "∂"}
LEAF = "∇"
"""The letter of a leaf with a gradient; those of other tensors are their roles."""

COUNTED = ("repeats of a line", "training steps", "runs", "events", "nodes")
"""Kinds of facts that a log may leave out: a count of them is then a lower bound."""


@dataclass
class Row:
    """A variable, an operator or a failure, as one row of a program.

    Attributes:
        letter: Its role, as its colour: P, B, D, T, g, L; ƒ, ∂, Δ; ! for a failure.
        name: A variable's name, an operator's type.
        detail: A variable's shape; the names that an operator reads and writes.
        line: The line that added it.
    """

    letter: str
    name: str
    detail: str
    line: int


@dataclass
class Step:
    """An eager op and, beside it, its gradient.

    Attributes:
        type: The op's type.
        inputs: The numbers of the tensors it read.
        output: The number of the first it wrote, -1 if it failed.
        saved: The slots that it saves for backward.
        line: The line that ran it.
        letter: Its role, as its colour: ƒ, or Δ for one that changes a parameter.
        has_gradient: Whether a backward pass ran its gradient.
        failed: The message of its error, if it failed.
        bad: The mark of an output with NaN or infinity in it.
        infinite: True if an attribute is infinite: so may its output be, on purpose.
    """

    type: str
    inputs: list[int]
    output: int
    saved: list[str]
    line: int
    letter: str = "ƒ"
    has_gradient: bool = False
    failed: str = ""
    bad: str = ""
    infinite: bool = False


@dataclass
class Program:
    """A program's rows in the order they were added."""

    title: str
    role: str
    rows: list[Row] = field(default_factory=list)


@dataclass
class Tensor:
    """An eager tensor, its last value and its whole gradient, in it or returned."""

    name: str
    letter: str
    shape: list[int]
    line: int
    is_leaf: bool
    value: Stats | None = None
    gradient: Stats | None = None
    returned: Tensor | None = None


class Folded:
    """The state that a log describes after its last event."""

    def __init__(self) -> None:
        self.title, self.lines = "", list[str]()
        self.events, self.runs = 0, 0
        self.ran_by = defaultdict[int, Counter[str]](Counter)
        self.ran = dict[int, int]()
        self.programs = dict[int, Program]()
        self.tensors = dict[int, Tensor]()
        self.steps = list[Step]()
        self._left_out = Counter[tuple[str, str]]()
        self.left_out = set[str]()
        self.error = ""
        self.training = list[TrainEvent]()
        self.plans, self.passes = list[PlanEvent](), list[PassEvent]()
        self.spans = list[Span]()
        self.processes = dict[int, ProcessEvent]()
        self.messages = list[MessageEvent]()
        self._ops, self._gone = dict[int, Row](), set[int]()
        self._nodes, self._made = dict[int, Step](), dict[int, Step]()
        self.results = list[Tensor]()
        self._asked, self._same = dict[int, int](), dict[int, Tensor]()
        self._several = list[tuple[Step, list[int]]]()
        self._read = set[int]()
        self.overwritten, self.barren = (list[tuple[int, int]]() for _ in range(2))
        self._flows, self._stopped = False, set[int]()

    @property
    def is_traced(self) -> bool:
        """True if the log is of traced code, not of a single object."""
        return bool(self.ran) or any(line.strip() for line in self.lines)

    @property
    def hues(self) -> dict[int, int]:
        """The colour index of each line that started: its rank among them."""
        return {line: rank for rank, line in enumerate(self.ran)}

    @property
    def dropped(self) -> list[str]:
        """Counts of what was left out, with the reason: a line each."""
        left_out = self._left_out.items()
        return [f"{count:,} {what}: {why}" for (what, why), count in left_out]

    @property
    def restarts(self) -> list[str]:
        """A sentence for each process of a cluster that died, in the order of time."""
        back = (event for event in self.messages if event["what"] == "restart")
        return [
            f"{self.processes[event['process']]['title']} died and was restarted "
            f"from step {event['step']}"
            for event in back
        ]

    def take(self, event: AnyEvent) -> None:
        """Fold in one event."""
        self.events += 1
        line = event["line"]
        if event["kind"] == "line":
            self.ran[line] = event.get("starts") or self.ran.get(line, 0) + 1
        elif line and line not in self.ran:
            self.ran[line] = 1
        match event["kind"]:
            case "cell_begin":
                self.lines = event["source"].rstrip("\n").split("\n")
            case "cell_end":
                self.error = event.get("error", "")
                self.ran |= {int(n): k for n, k in event.get("starts", {}).items()}
            case "run":
                self.take_run(event)
            case "dropped":
                self._left_out[event["what"], event["why"]] += event["count"]
                self.left_out.add(event["what"])
            case "program" | "var" | "op" | "op_removed" | "op_failed":
                self.take_row(event)
            case "train" | "plan" | "pass" | "profile" | "process" | "message":
                self.take_chart(event)
            case _:
                self.take_eager(event)

    def take_row(
        self, event: ProgramEvent | VarEvent | OpEvent | OpRemoved | OpFailed
    ) -> None:
        """Fold in an event of a program's content."""
        match event["kind"]:
            case "program":
                self.programs[event["program"]] = Program(event["title"], event["role"])
            case "var":
                self.add_row(event["program"], row_of(event))
            case "op":
                self._ops[event["op"]] = row = row_of(event)
                self.add_row(event["program"], row)
            case "op_removed":
                self._gone.add(id(self._ops.get(event["op"])))
            case "op_failed":
                self.fail(event)

    def settle(self) -> None:
        """Drop the rows of removed operators; name each op by an output in use."""
        for step, written in self._several:
            used = [n for n in written if n in self._read or self.name(n) != "·"]
            step.output = (used or written)[0]
        for program in self.programs.values() if self._gone else ():
            program.rows = [row for row in program.rows if id(row) not in self._gone]

    def take_chart(
        self,
        event: TrainEvent
        | PlanEvent
        | PassEvent
        | ProfileEvent
        | ProcessEvent
        | MessageEvent,
    ) -> None:
        """Keep an event that a chart is drawn from."""
        match event["kind"]:
            case "train":
                self.training.append(event)
            case "plan":
                self.plans.append(event)
            case "pass":
                self.passes.append(event)
            case "profile":
                self.spans += event["spans"]
            case "process":
                self.processes[event["process"]] = event
            case "message":
                self.messages.append(event)

    def take_run(self, event: Run) -> None:
        """Count a run of a program, on the line that asked for it."""
        if event["phase"] == "begin":
            self.runs += 1
            program = self.programs.get(event["program"])
            title = "a program" if program is None else program.title
            self.ran_by[event["line"]][title] += 1

    def take_value(self, event: Value) -> None:
        """Fold in a tensor's value; mark the op that wrote one that is not finite."""
        number, value = event["tensor"], event["value"]
        tensor = self.tensors.get(number)
        # An op's result stays what the op computed.
        if tensor is None or (number not in self._made and not tensor.is_leaf):
            return
        tensor.value = value
        step = self._made.get(number)
        if step is not None and self.is_alarming(value, step):
            step.bad = norm_text(value)

    def is_alarming(self, value: Stats, step: Step) -> bool:
        """True if an output has NaN, or an infinity that nobody asked for.

        An infinity that an attribute or an input has is there on purpose: a mask.
        """
        if value["nan"] or not value["inf"]:
            return value["nan"] > 0
        read = [t.value for n in step.inputs if (t := self.tensors.get(n)) is not None]
        from_input = any(stats is not None and stats["inf"] for stats in read)
        return bool(step.inputs) and not from_input and not step.infinite

    def take_eager(self, event: AnyEvent) -> None:
        """Fold in an event of the tape."""
        match event["kind"]:
            case "tensor":
                self.take_tensor(event)
            case "node":
                self.take_node(event)
            case "value":
                self.take_value(event)
            case "grad":
                self._flows = True
                number = self._asked.get(event["tensor"], event["tensor"])
                if (tensor := self.tensors.get(number)) is not None:
                    tensor.gradient = event["value"]
                if (step := self._nodes.get(event.get("node", -1))) is not None:
                    step.has_gradient = True
            case "backward":
                self._asked.clear()
                self.take_backward(event)
            case "attr":
                tensor = self.tensors.get(event.get("tensor", -1))
                if tensor is not None:
                    self.change(tensor, event["tensor"], event)

    def take_tensor(self, event: TensorEvent) -> None:
        """Fold in a new tensor."""
        self.tensors[event["tensor"]] = tensor_of(event)
        if event["stop_gradient"]:
            self._stopped.add(event["tensor"])

    def take_backward(self, event: Backward) -> None:
        """Note a pass that had nothing to do: its root requires no gradient."""
        if event["phase"] == "begin":
            self._flows = False
        elif not self._flows and self._stopped.issuperset(event["roots"]):
            self.barren += [(event["line"], number) for number in event["roots"]]

    def change(self, tensor: Tensor, number: int, event: AttrEvent) -> None:
        """Change a tensor as an event says, and what stands for it as a result."""
        attr, value = event["attr"], event["value"]
        if attr == "overwritten":
            # No op computed what is there now.
            self._made.pop(number, None)
            self.overwritten.append((event["line"], number))
        elif attr == "asked":
            self.ask(tensor, number, int(value))
        elif attr == "same":
            self._same[int(value)] = tensor
        else:
            change(tensor, attr, value)
            if attr == "name" and number in self._same:
                self._same[number].name = value

    def ask(self, of: Tensor, number: int, result: int) -> None:
        """Note that `grad` is to return the gradient of a tensor, which stays as is."""
        self._asked[number] = result
        of.returned = returned = self.tensors.get(result)
        if returned is not None:
            returned.name = f"grad of {of.name}" if of.name else "gradient"
            self.results.append(returned)

    def take_node(self, event: NodeEvent) -> None:
        """Fold in an op that ran."""
        inputs, saved = event["inputs"], event["saved"]
        written = [n for n in event["outputs"] if n not in inputs]
        output = (written or event["outputs"] or [-1])[0]
        tensor = self.tensors.get(output)
        changes = output in inputs and tensor is not None and tensor.letter != "g"
        letter = "Δ" if changes else "ƒ"
        step = Step(event["type"], inputs, output, saved, event["line"], letter)
        step.infinite = any("inf" in text for text in event["attrs"].values())
        self.steps.append(step)
        self._nodes[event["node"]] = step
        self._several += [(step, written)] if len(written) > 1 else []
        self._read.update(inputs)
        for number in event["outputs"]:
            self._made[number] = step
            if number in self.tensors and number not in inputs:
                self.tensors[number].is_leaf = False

    def fail(self, event: OpFailed) -> None:
        """Fold in an op that failed."""
        message = event["message"].split("\n")[0]
        if "program" in event:
            row = Row("!", event["type"], message, event["line"])
            self.add_row(event["program"], row)
        else:
            inputs = [a["tensor"] for a in event["inputs"] if "tensor" in a]
            step = Step(event["type"], inputs, -1, [], event["line"], "!")
            step.failed = message
            self.steps.append(step)

    def add_row(self, number: int, row: Row) -> None:
        """Add a row to a program, if the log has an event of that program."""
        if (program := self.programs.get(number)) is not None:
            program.rows.append(row)

    def leaves(self) -> list[Tensor]:
        """Return parameters, buffers, data, and all with gradients of their own."""
        return [t for t in self.tensors.values() if t.is_leaf and t.letter != "g"]

    def distinct_steps(self) -> list[tuple[Step, int]]:
        """Return the ops with their counts; repeats in a loop are one step."""
        counts = dict[tuple[object, ...], int]()
        first = dict[tuple[object, ...], Step]()
        for step in self.steps:
            names = tuple(map(self.name, step.inputs)), self.name(step.output)
            key = step.type, names, step.line, step.has_gradient, step.failed, step.bad
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, step)
        return [(first[key], count) for key, count in counts.items()]

    def name(self, number: int) -> str:
        """Return a tensor's name, or a dot if it has none."""
        tensor = self.tensors.get(number)
        return tensor.name or "·" if tensor is not None else "·"


def grouped(things: Iterable[tuple[int, T]]) -> dict[int, list[T]]:
    """Group things by their line; a line without any has an empty list.

    >>> grouped([(1, "x"), (3, "y"), (1, "z")])[1]
    ['x', 'z']
    """
    by_line = defaultdict[int, list[T]](list)
    for line, thing in things:
        by_line[line].append(thing)
    return by_line


def fold(log: Log) -> Folded:
    """Fold a whole log.

    >>> fold({"version": 1, "title": "Nothing", "events": []}).title
    'Nothing'
    """
    folded = Folded()
    folded.title = log["title"]
    for event in log["events"]:
        folded.take(event)
    folded.settle()
    return folded


def row_of(event: VarEvent | OpEvent) -> Row:
    """Return the row of a variable or an operator."""
    if event["kind"] == "var":
        shape = f"{shape_text(event['shape'])} {event['dtype']}"
        return Row(event["role"], event["name"], shape, event["line"])
    reads, writes = flat(event["inputs"].values()), flat(event["outputs"].values())
    letter = LETTERS.get(event["role"], "ƒ")
    return Row(letter, event["type"], f"{reads} → {writes}".strip(), event["line"])


def tensor_of(event: TensorEvent) -> Tensor:
    """Return a new tensor; it counts as a leaf until a node has it as an output."""
    facts = event["name"], letter_of(event["role"]), event["shape"], event["line"]
    return Tensor(*facts, is_leaf=True)


def letter_of(role: str) -> str:
    """Return the letter of a tensor's role."""
    return LEAF if role == "leaf" else role


def change(tensor: Tensor, attr: str, value: str) -> None:
    """Change a tensor as an event says; a leaf may have been made by an op."""
    if attr == "name":
        tensor.name = value
    elif attr == "role":
        tensor.letter = letter_of(value)
    elif attr == "stop_gradient" and tensor.letter in (LEAF, "D", "T"):
        tensor.letter = "D" if value == "True" else LEAF
        tensor.is_leaf = tensor.is_leaf or value != "True"


def flat(lists: Iterable[list[str]]) -> str:
    """Join the names of several lists."""
    return ", ".join(name for names in lists for name in names)


def shape_text(shape: list[int]) -> str:
    """Return a shape as Paddle prints it.

    >>> shape_text([-1, 10])
    '[-1, 10]'
    """
    return f"[{', '.join(map(str, shape))}]"


def norm_text(stats: Stats) -> str:
    """Return the norm of a gradient, or a mark of NaN or infinity in it."""
    if stats["nan"] + stats["inf"]:
        return "✕ NaN" if stats["nan"] else "✕ Inf"
    return number_text(stats["norm"])


def small_text(stats: Stats | None) -> str:
    """Return the elements of a number or of a tensor of at most six; else nothing."""
    if stats is None or not 0 < len(stats["first"]) == math.prod(stats["shape"]) <= 6:
        return ""
    kinds = [("nan", stats["nan"]), ("±inf", stats["inf"])]
    lost = "/".join(name for name, count in kinds if count)
    texts = [lost if n is None else number_text(n) for n in stats["first"]]
    return f"[{', '.join(texts)}]" if stats["shape"] else texts[0]


def number_text(value: float | None) -> str:
    """Return a number in four significant digits.

    >>> number_text(0.1234567), number_text(None)
    ('0.1235', 'not finite')
    """
    return "not finite" if value is None else f"{value:.4g}"
