"""Attributes of a parameter, given before it exists: name, initializer, decay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from teachgraph.core.errors import DTypeError

__all__ = ["ParamAttr", "Trained", "WeightNormParamAttr"]


@dataclass(frozen=True)
class ParamAttr:
    """Name, first values and training of one parameter.

    Attributes:
        name: Its name; in a program one that exists already shares that parameter, in
            dynamic mode it is refused.
        initializer: What it starts as.
        learning_rate: A factor on the optimizer's.
        regularizer: A decay of its own.
        trainable: Whether it is updated.
        do_model_average: Accepted for Paddle's sake.
        need_clip: Whether gradient clipping counts it.

    In Paddle this is `paddle.ParamAttr`.
    """

    name: str | None = None
    initializer: Any = None
    learning_rate: float = 1.0
    regularizer: Any = None
    trainable: bool = True
    do_model_average: bool = True
    need_clip: bool = True

    @staticmethod
    def of(value: Any) -> ParamAttr | Literal[False]:
        """Read an `attr` argument; False is no parameter.

        It is None, a name, an initializer or a decay.

        Raises:
            DTypeError: It is none of these.

        >>> ParamAttr.of("w").name
        'w'
        """
        if value is None or value is True:
            return ParamAttr()
        if value is False or isinstance(value, ParamAttr):
            return value
        if isinstance(value, str):
            return ParamAttr(name=value)
        if hasattr(value, "operation"):
            return ParamAttr(initializer=value)
        if hasattr(value, "gradient"):
            return ParamAttr(regularizer=value)
        raise DTypeError(
            f"a parameter's attr is a ParamAttr, a name, an initializer, a decay or "
            f"False, got {value!r}"
        )


class WeightNormParamAttr(ParamAttr):
    """A weight as a length and a direction: w = g v / |v|, and both g and v are learnt.

    The parameters are called as the weight would be, with `_g` and `_v` behind. g
    starts as the length of v, so w starts as v. The layers of `static.nn` take it; for
    others there is `nn.utils.weight_norm`.

    Attributes:
        dim: The dimension at each of whose places v has a length of its own; None for
            one length of all.

    Source: Salimans and Kingma 2016, https://arxiv.org/abs/1602.07868. In Paddle this
    is `paddle.static.WeightNormParamAttr`.
    """

    dim: int | None

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = False,
        need_clip: bool = True,
    ) -> None:
        super().__init__(
            name,
            initializer,
            learning_rate,
            regularizer,
            trainable,
            do_model_average,
            need_clip,
        )
        object.__setattr__(self, "dim", dim)


class Trained:
    """Training attributes of a parameter of either mode, Tensor or Variable.

    Attributes:
        optimize_attr: Its own factor of the learning rate.
        regularizer: Its own decay, or None.
        need_clip: Whether gradient clipping counts it.
    """

    __slots__ = ()

    optimize_attr: dict[str, float]
    regularizer: Any
    need_clip: bool
    do_model_average: bool | None
    is_distributed: ClassVar[bool] = False

    def follow(self: Any, attr: ParamAttr | None) -> None:
        """Take over what the user said."""
        attr = attr or ParamAttr()
        self.optimize_attr = {"learning_rate": attr.learning_rate}
        self.regularizer, self.need_clip = attr.regularizer, attr.need_clip
        self.do_model_average = attr.do_model_average

    @property
    def trainable(self: Any) -> bool:
        """True if an optimizer updates it."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self: Any, trainable: bool) -> None:
        self.stop_gradient = not trainable
