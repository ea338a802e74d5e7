"""Random operators in the loops of a seeded program: each round draws new numbers.

Before the outermost loop, each of them gets a source of seeds that starts from its own;
every time it runs, it takes the next one. So the rounds differ, and the runs agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from teachgraph.control_flow.flow import Flow, Values, Walk
from teachgraph.core.call import Call, Expression

if TYPE_CHECKING:
    from teachgraph.core.codegen import Writer

__all__ = ["Draw", "Source", "next_seed"]


def next_seed(source: np.random.Generator) -> int:
    """The seed of one more round."""
    return int(source.integers(1, 2**31))


@dataclass
class Source(Flow):
    """What an operator in a loop takes its seeds from, made anew for each run.

    Attributes:
        name: What it is called.
        seed: What it starts from.
    """

    name: str
    seed: int

    @property
    def arguments(self) -> list[str | None]:
        """It reads nothing."""
        return []

    @property
    def outputs(self) -> list[str | None]:
        """Itself."""
        return [self.name]

    def interpret(self, values: Values, walk: Walk) -> None:
        """Make it."""
        values[self.name] = np.random.default_rng(self.seed)

    def write(self, writer: Writer) -> None:
        """Write down that it is made."""
        made = f"{writer.uses(np.random.default_rng)}({self.seed})"
        writer.step_line(self, f"{writer.name(self.name)} = {made}", comment=False)


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
        """What it reads."""
        return [*self.call.arguments, self.source]

    @property
    def outputs(self) -> list[str | None]:
        """What it writes."""
        return self.call.outputs

    @property
    def tested(self) -> list[str | None]:
        """What it was given, for messages."""
        return self.call.arguments

    def seeded(self, seed: int | Expression) -> Call:
        """The call with another seed."""
        return self.call._replace(attrs={**self.call.attrs, "seed": seed})

    def interpret(self, values: Values, walk: Walk) -> None:
        """Run it on these values."""
        given = [None if name is None else values[name] for name in self.call.arguments]
        results = self.seeded(next_seed(values[self.source])).run(given)
        named = zip(self.outputs, results, strict=True)
        values.update((name, result) for name, result in named if name is not None)

    def write(self, writer: Writer) -> None:
        """Write it down."""
        seed = f"{writer.uses(next_seed)}({writer.name(self.source)})"
        writer.call(self.seeded(Expression(seed)))
