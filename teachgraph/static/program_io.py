"""What a Program can say of itself: its bytes, its state, and a part of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from teachgraph.static.program import Program

__all__ = ["Kept"]


class Kept:
    """How a Program is written down, and which values belong to it."""

    @property
    def desc(self) -> Program:
        """The program itself: Paddle keeps the description of one apart."""
        return cast("Program", self)

    def serialize_to_string(self) -> bytes:
        """The program as bytes, which `parse_from_string` reads again.

        Raises:
            ProgramError: It calls a function of Python's.
        """
        from teachgraph.static.serialize import program_bytes

        return program_bytes(self.desc)

    @staticmethod
    def parse_from_string(binary_str: bytes | str) -> Program:
        """The program that `serialize_to_string` wrote.

        Raises:
            DataError: The bytes are damaged; the message says where.

        >>> from teachgraph import static
        >>> program = static.Program()
        >>> again = static.Program.parse_from_string(program.serialize_to_string())
        >>> str(again) == str(program)
        True
        """
        from teachgraph.static.deserialize import program_from_bytes

        return program_from_bytes(binary_str)

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict[str, Any]:
        """The values of what outlives a run, as Tensors by name.

        Args:
            mode: "param" for parameters, "opt" for the rest, "all" for both.
            scope: Where they are; by default the global scope.

        Raises:
            InvalidValueError: It is another mode.
            NotInitializedError: The startup program has not been run.
        """
        tensors = import_module("teachgraph.io.programs").state_tensors
        return cast("dict[str, Any]", tensors(self, mode, scope))

    def set_state_dict(self, state_dict: Mapping[str, Any], scope: Any = None) -> None:
        """Put values into the scope, by name.

        Raises:
            TypeError: It is no dict.
            ShapeError: A value is of another shape than its variable.
        """
        import_module("teachgraph.io.programs").set_state(self, state_dict, scope)

    def prune(self, targets: Any) -> Program:
        """A copy with only the operators that some targets need.

        Args:
            targets: Variables, their names, or operators.

        Raises:
            ProgramError: A target is none of this program.
        """
        return self._prune(targets)

    def _prune(self, targets: Any) -> Program:
        return self._prune_with_input([], targets)

    def _prune_with_input(
        self, feeded_var_names: Iterable[str], targets: Any
    ) -> Program:
        from teachgraph.static.pruning import pruned

        return pruned(self.desc, feeded_var_names, targets)

    def _inference_optimize(self, prune_read_op: bool = True) -> Program:
        """A copy that runs as in a test; unlike `clone(for_test=True)`, all of it."""
        copy = self.desc.clone()
        for operator in (op for block in copy.blocks for op in block.ops):
            if operator.has_attr("is_test"):
                operator._set_attr("is_test", True)
        return copy
