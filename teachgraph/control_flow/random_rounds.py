"""Random operators of a seeded program: new numbers in each iteration of a loop.

Before the outermost loop, each of them gets a source of seeds that starts from its own;
every time it runs, it takes the next. So the iterations differ, and the runs agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from teachgraph.control_flow.flow import Flow
from teachgraph.control_flow.place_seeds import PlaceSeed, place_seed
from teachgraph.control_flow.source import Expression, with_attrs
from teachgraph.control_flow.sub_block import position_of
from teachgraph.core.program import Operator
from teachgraph.core.steps import Call, Lower, Lowering, Step, Values, lower

if TYPE_CHECKING:
    from teachgraph.control_flow.source import Writer

__all__ = ["Draw", "Source", "next_seed", "prepare_seeds", "seeded"]

Names = Callable[[str], str]


def seeded(plain: Lower) -> Lower:
    """Give random operators of a seeded program the seeds that follow from their place.

    Inside a loop each becomes a `Draw`, whose source is made before the loop.
    """

    def lower_seeded(
        lowering: Lowering, operator: Operator, names: Names
    ) -> Sequence[Step]:
        steps = plain(lowering, operator, names)
        if not operator.op.random:
            return steps
        (call,) = steps
        assert isinstance(call, Call)
        if (seed := place_seed(operator, position_of(operator))) is not None:
            call = with_attrs(call, seed=seed)
        sources = getattr(names, "sources", None)
        if sources is None or not isinstance(call.attrs.get("seed"), PlaceSeed):
            return [call]
        place = f"{operator.block.idx}@{position_of(operator)}"
        name = f"{operator.type}.seeds@{place}"
        sources.append(Source(operator, [], name, call.attrs["seed"]))
        return [Draw(operator, [], call, name)]

    return lower_seeded


def prepare_seeds() -> None:
    """Have the random operators of seeded programs lowered with their seeds."""
    lower.wrap(seeded)


def next_seed(source: np.random.Generator) -> int:
    """The seed of the next iteration."""
    return int(source.integers(1, 2**31))


@dataclass
class Source(Flow):
    """The source of an operator's seeds in a loop, made anew for each run.

    Attributes:
        name: What it is called.
        seed: What it starts from.
    """

    name: str
    seed: int

    @property
    def arguments(self) -> list[str | None]:
        """No variables are read."""
        return []

    @property
    def outputs(self) -> list[str | None]:
        """The source itself."""
        return [self.name]

    def run(self, values: Values) -> None:
        """Make it."""
        values[self.name] = np.random.default_rng(self.seed)

    def write(self, writer: Writer) -> None:
        """Write down that it is made."""
        generator = f"{writer.uses(np.random.default_rng)}({self.seed})"
        writer.line(f"{writer.name(self.name)} = {generator}", self)


@dataclass
class Draw(Flow):
    """One call of a random operator in a loop.

    Attributes:
        call: The call, with the seed it would draw with outside of a loop.
        source: What it takes its seed from instead.
    """

    call: Call
    source: str

    @property
    def arguments(self) -> list[str | None]:
        """Arguments of the call, and the source."""
        return [*self.call.arguments, self.source]

    @property
    def outputs(self) -> list[str | None]:
        """Results of the call."""
        return self.call.outputs

    @property
    def told(self) -> list[str | None]:
        """Arguments of the call, for messages."""
        return self.call.arguments

    def execute(self, values: Values) -> None:
        """Run it on these values."""
        inputs = [
            None if name is None else values[name] for name in self.call.arguments
        ]
        call = with_attrs(self.call, seed=next_seed(values[self.source]))
        named = zip(self.outputs, call.compute(inputs), strict=True)
        values.update((name, result) for name, result in named if name is not None)

    def write(self, writer: Writer) -> None:
        """Write it down."""
        seed = f"{writer.uses(next_seed)}({writer.name(self.source)})"
        writer.step(with_attrs(self.call, seed=Expression(seed)))
