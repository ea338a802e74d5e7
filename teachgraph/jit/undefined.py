"""Names that stand for nothing, and values that are one thing or another.

Which one is known only when the program runs: after `if t > 0: y = x`, `y` is a tensor
or nothing. An `Either` is used as if it were the tensor; where it is used, the program
checks that it is one, and otherwise stops as Python would.
"""

from __future__ import annotations

from typing import Any, NoReturn

from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.core.op import Op, Traced
from teachgraph.ops.methods import Methods
from teachgraph.static.program import current_block

__all__ = ["NOTHING", "Either", "Nothing", "Undefined"]


class Nothing:
    """A result before there is one, which nobody reads."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()


class Undefined(Traced):
    """What a name stands for that nothing has been assigned to yet."""

    def __init__(self, name: str) -> None:
        self.__dict__["name_"] = name

    def refuse(self) -> NoReturn:
        """Raise what Python raises for such a name."""
        raise UnboundLocalError(at_user_line(unbound(self.__dict__["name_"])))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self.refuse()

    @property
    def shape(self) -> Any:
        """There is none."""
        self.refuse()

    dtype = stop_gradient = shape

    @staticmethod
    def apply(op: Op, inputs: Any, attrs: Any) -> Any:
        """Ops cannot use it."""
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
    """Python's words for a name without a value."""
    return (
        f"cannot access local variable {name!r} where it is not associated with a value"
    )


class Either(Methods):
    """One value if a flag holds when the program runs, else another.

    Attributes:
        flag: One boolean Variable.
        yes: A Variable, or a nest of them.
        no: Something else: None, an `Undefined`, another nest.
        name: What the user calls it.
    """

    def __init__(self, flag: Any, yes: Any, no: Any, name: str) -> None:
        self.flag, self.yes, self.no, self.name_ = flag, yes, no, name

    @staticmethod
    def apply(op: Op, inputs: Any, attrs: Any) -> Any:
        """Append an op; the tensor is checked to be one."""
        return current_block().apply(op, inputs, attrs)

    def the_tensor(self) -> Any:
        """The tensor; the program checks that there is one.

        Raises:
            ConversionError: Both values are of another kind.
        """
        from teachgraph.jit.convert_raise import required

        if not isinstance(self.yes, Traced):
            raise ConversionError(at_user_line(self.message()))
        kind, said = self.otherwise()
        required(self.flag, kind, said)
        return self.yes

    def otherwise(self) -> tuple[type[Exception], str]:
        """What Python raises where the other value is used as a tensor."""
        if isinstance(self.no, Undefined):
            return UnboundLocalError, unbound(self.name_)
        return TypeError, f"{self.name_!r} is {self.no!r} here, and no tensor"

    def message(self) -> str:
        """What to do about values of two kinds."""
        return (
            f"{self.name_!r} is one of two things when the program runs, a tensor "
            "having decided which, so nothing but returning it is possible: make them "
            "tensors of one dtype, or use it inside the branch"
        )

    @property
    def shape(self) -> Any:
        """That of the tensor."""
        return self.the_tensor().shape

    @property
    def dtype(self) -> Any:
        """That of the tensor."""
        return self.the_tensor().dtype

    @property
    def stop_gradient(self) -> Any:
        """That of the tensor."""
        return self.yes.stop_gradient

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.the_tensor(), name)

    def constant(self, value: Any, dtype: Any) -> Any:
        """A number beside the tensor."""
        return self.yes.constant(value, dtype)

    def operate(self, op: Op, *inputs: Any, **attrs: Any) -> Any:
        """An operator on the tensor."""
        tensor = self.the_tensor()
        given = [tensor if x is self else x for x in inputs]
        return tensor.operate(op, *given, **attrs)

    def __bool__(self) -> bool:
        raise ConversionError(at_user_line(self.message()))

    def __repr__(self) -> str:
        return f"<{self.name_}: {self.yes!r} or {self.no!r}>"
