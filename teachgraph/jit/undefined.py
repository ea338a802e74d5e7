"""Placeholders: names without a value, and values that may be missing.

After `if t > 0: y = x`, `y` is a tensor or has no value, as the run of the program
decides. Such a value is an `Either`. It is used like the tensor; where it is used, the
program checks that there is one, and otherwise stops as Python would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from teachgraph.control_flow.pytree import register_container
from teachgraph.core.errors import at_user_line
from teachgraph.core.op import Op, Traced
from teachgraph.errors import ConversionError
from teachgraph.jit.messages import fail_unless, name_of_kind
from teachgraph.ops.methods import Methods
from teachgraph.static.program import current_block

__all__ = ["NOTHING", "Either", "Nothing", "Undefined"]


class Nothing:
    """Placeholder for a result before the first `return`; nobody reads it."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()


class Undefined(Traced):
    """Placeholder for a name that nothing has been assigned to.

    Every use of it raises what Python raises for such a name.
    """

    def __init__(self, name: str) -> None:
        self.__dict__["name_"] = name

    def refuse(self) -> NoReturn:
        """Raise UnboundLocalError at the user's line."""
        raise UnboundLocalError(at_user_line(unbound(self.__dict__["name_"])))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self.refuse()

    @property
    def shape(self) -> Any:
        """Refuse to be used."""
        self.refuse()

    dtype = stop_gradient = shape

    @staticmethod
    def apply(op: Op, inputs: Any, attrs: Any) -> Any:
        """Refuse to be the input of an op."""
        next(x for x in inputs if isinstance(x, Undefined)).refuse()

    def _refuse(self, *_: Any) -> Any:
        self.refuse()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = _refuse
    __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __neg__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __xor__ = _refuse
    __bool__ = __int__ = __float__ = __index__ = __len__ = __iter__ = _refuse
    __getitem__ = __call__ = __invert__ = __abs__ = __contains__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{self.__dict__['name_']} is not assigned>"


def unbound(name: str) -> str:
    """Python's error message for a name without a value."""
    return (
        f"cannot access local variable {name!r} where it is not associated with a value"
    )


class Either(Methods):
    """One of two values; a flag decides which, when the program runs.

    Attributes:
        flag: One boolean Variable.
        yes: The value if it holds: a Variable, or a pytree of them.
        no: The other: None, an `Undefined`, another pytree.
        name: The user's name for it.
    """

    def __init__(self, flag: Any, yes: Any, no: Any, name: str) -> None:
        self.flag, self.yes, self.no, self.name_ = flag, yes, no, name

    @staticmethod
    def apply(op: Op, inputs: Any, attrs: Any) -> Any:
        """Append an op on the tensor; adopting it appends the check."""
        return current_block().apply(op, inputs, attrs)

    def the_tensor(self) -> Any:
        """Append a check that there is a tensor; return it.

        Raises:
            ConversionError: Both values are of another kind.
        """
        if not isinstance(self.yes, Traced):
            raise ConversionError.here(self.message())
        kind, message = self.otherwise()
        fail_unless(self.flag, kind=name_of_kind(kind), parts=[message])
        return self.yes

    def otherwise(self) -> tuple[type[Exception], str]:
        """Return the error that Python raises where `no` is used as a tensor."""
        if isinstance(self.no, Undefined):
            return UnboundLocalError, unbound(self.name_)
        return TypeError, f"{self.name_!r} is {self.no!r} here, and no tensor"

    def message(self) -> str:
        """Error message for a use that is possible with neither value."""
        return (
            f"{self.name_!r} is one of two things when the program runs, a tensor "
            "having decided which, so nothing but returning it is possible: make them "
            "tensors of one dtype, or use it inside the branch"
        )

    @property
    def shape(self) -> Any:
        """The shape of the tensor."""
        return self.the_tensor().shape

    @property
    def dtype(self) -> Any:
        """The dtype of the tensor."""
        return self.the_tensor().dtype

    @property
    def stop_gradient(self) -> Any:
        """The tensor's `stop_gradient`."""
        return self.yes.stop_gradient

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.the_tensor(), name)

    def constant(self, value: Any, dtype: Any) -> Any:
        """Return a number as a tensor, as an operand beside this one."""
        return self.yes.constant(value, dtype)

    def operate(self, op: Op, *inputs: Any, **attrs: Any) -> Any:
        """Apply one of Python's operators to the tensor."""
        tensor = self.the_tensor()
        operands = [tensor if x is self else x for x in inputs]
        return tensor.operate(op, *operands, **attrs)

    def __bool__(self) -> bool:
        raise ConversionError.here(self.message())

    def __repr__(self) -> str:
        return f"<{self.name_}: {self.yes!r} or {self.no!r}>"


def mapped_either(either: Either, change: Callable[[Any], Any]) -> Either:
    """Change the flag and both values."""
    flag, yes, no = map(change, (either.flag, either.yes, either.no))
    return Either(flag, yes, no, either.name_)


register_container(Either, mapped_either)
