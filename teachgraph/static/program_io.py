"""Paddle's ways to write a Program down, to read and set its values, and to cut it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

from teachgraph.core.program import Program
from teachgraph.static.clone import copy_blocks
from teachgraph.static.deserialize import program_from_bytes
from teachgraph.static.pruning import pruned
from teachgraph.static.serialize import program_bytes
from teachgraph.static.state import set_state, state_tensors

__all__ = ["ProgramIO"]


class ProgramIO(Program):
    """A Program that can be serialized, pruned, and asked for its state."""

    @property
    def desc(self) -> Self:
        """The program itself: Paddle keeps the description of one apart."""
        return self

    def clone(self, for_test: bool = False) -> Self:
        """Copy the program; the copy shares values with it through the scope, by name.

        Args:
            for_test: Leave out the operators that train and what only they use, and
                set `is_test` on every operator that has it. Gradients stay where there
                is no loss to be minimized, or where others read them.
        """
        copy = type(self)(origin=self, for_test=for_test)
        copy._random_seed = self._random_seed
        copy_blocks(self, copy, for_test=for_test)
        return copy

    def serialize_to_string(self) -> bytes:
        """The program as bytes, which `parse_from_string` reads again.

        Raises:
            ProgramError: It calls a function of Python's.
        """
        return program_bytes(self)

    @classmethod
    def parse_from_string(cls, binary_str: bytes | str) -> Self:
        """The program that `serialize_to_string` wrote.

        Raises:
            DataError: The bytes are damaged; the message says where.

        >>> from teachgraph import static
        >>> program = static.Program()
        >>> again = static.Program.parse_from_string(program.serialize_to_string())
        >>> str(again) == str(program)
        True
        """
        return program_from_bytes(binary_str, cls)

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """The values of what outlives a run, as Tensors by name.

        Args:
            mode: "param" for parameters, "opt" for the rest, "all" for both.
            scope: Where they are; by default the global scope.

        Raises:
            InvalidValueError: It is another mode.
            NotInitializedError: The startup program has not been run.
        """
        return dict(state_tensors(self, mode, scope))

    def set_state_dict(self, state_dict: Mapping[str, Any], scope: Any = None) -> None:
        """Put values into the scope, by name.

        Raises:
            TypeError: It is no dict.
            ShapeError: A value is of another shape than its variable.
        """
        set_state(self, state_dict, scope)

    def prune(self, targets: Any) -> Self:
        """A copy with only the operators that some targets need.

        Args:
            targets: Variables, their names, or operators.

        Raises:
            ProgramError: A target is none of this program.
        """
        return self._prune(targets)

    def _prune(self, targets: Any) -> Self:
        return self._prune_with_input([], targets)

    def _prune_with_input(self, feeded_var_names: Iterable[str], targets: Any) -> Self:
        return pruned(self, feeded_var_names, targets)

    def _inference_optimize(self, prune_read_op: bool = True) -> Self:
        """A copy that runs as in a test; unlike `clone(for_test=True)`, all of it."""
        copy = self.clone()
        for operator in (op for block in copy.blocks for op in block.ops):
            if "is_test" in operator.attrs:
                operator.set_attr("is_test", True)
        return copy
