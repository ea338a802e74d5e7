"""Paddle 1.x's `fluid.clip`: gradient clipping."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from teachgraph.core.errors import DTypeError
from teachgraph.nn import clip
from teachgraph.nn.clip import ClipGradBase
from teachgraph.ops.left_out import absent
from teachgraph.static import Program, default_main_program

__all__ = [
    "GradientClipByGlobalNorm",
    "GradientClipByNorm",
    "GradientClipByValue",
    "clip_of",
    "set_gradient_clip",
    "wishes",
]

Chooser = Callable[[Any], bool] | None
"""A test of parameters whose gradients are clipped; None clips all."""


class Choosing(ClipGradBase):
    """A clip that applies to parameters of which `need_clip` is true."""

    need_clip: Chooser

    def __call__(self, params_grads: Iterable[tuple[Any, Any]]) -> clip.Pairs:
        """Clip the gradients of these pairs, as far as `need_clip` wants it."""
        pairs = list(params_grads)
        wanted = [pair for pair in pairs if self.wants(pair[0])]
        clipped = dict(super().__call__(wanted))
        together = isinstance(self, clip.ClipGradByGlobalNorm)
        if together and not any(grad is not None for _, grad in wanted):
            return pairs
        return [(p, clipped.get(p, grad)) for p, grad in pairs if grad is not None]

    def wants(self, parameter: Any) -> bool:
        """True if a parameter's gradient is clipped."""
        return self.need_clip is None or bool(self.need_clip(parameter))


class GradientClipByValue(Choosing, clip.ClipGradByValue):
    """Clip each element to [min, max]; `min` is -max by default.

    >>> import teachgraph as tg
    >>> w, dw = tg.to_tensor([1.0, 1.0]), tg.to_tensor([3.0, -0.5])
    >>> GradientClipByValue(1.0)([(w, dw)])[0][1].tolist()
    [1.0, -0.5]
    """

    def __init__(
        self, max: float, min: float | None = None, need_clip: Chooser = None
    ) -> None:
        super().__init__(max, min)
        self.need_clip = need_clip


class GradientClipByNorm(Choosing, clip.ClipGradByNorm):
    """Scale each gradient to a norm of at most clip_norm."""

    def __init__(self, clip_norm: float, need_clip: Chooser = None) -> None:
        super().__init__(clip_norm)
        self.need_clip = need_clip


class GradientClipByGlobalNorm(Choosing, clip.ClipGradByGlobalNorm):
    """Scale all gradients by one factor, to a global norm of at most clip_norm."""

    def __init__(
        self,
        clip_norm: float,
        group_name: str = "default_group",
        need_clip: Chooser = None,
    ) -> None:
        super().__init__(clip_norm, group_name)
        self.need_clip = need_clip


wishes: WeakKeyDictionary[Program, dict[str, ClipGradBase]] = WeakKeyDictionary()
"""The clips of `set_gradient_clip`, by program and name of the parameter."""


class Several(ClipGradBase):
    """The clips that `set_gradient_clip` set for parameters of a program."""

    def __init__(self, of: dict[str, ClipGradBase]) -> None:
        self.of = of

    def __call__(self, params_grads: Iterable[tuple[Any, Any]]) -> clip.Pairs:
        """Clip the gradients, those of one clip together."""
        pairs = list(params_grads)
        gradients = dict(pairs)
        for one in dict.fromkeys(self.of.values()):
            own = [pair for pair in pairs if self.of.get(pair[0].name) is one]
            gradients.update(one(own) if own else [])
        return [(p, gradients[p]) for p, grad in pairs if grad is not None]


def set_gradient_clip(
    clip: ClipGradBase,
    param_list: Iterable[Any] | None = None,
    program: Program | None = None,
) -> None:
    """Set the clip of every optimizer without a `grad_clip` of its own.

    Args:
        clip: The clip.
        param_list: Its parameters, or their names; by default all.
        program: The program; by default the default main program.

    Raises:
        DTypeError: `clip` is no clip.
    """
    if not isinstance(clip, ClipGradBase):
        raise DTypeError.here(
            f"set_gradient_clip takes a GradientClipBy..., got {clip!r}"
        )
    program = default_main_program() if program is None else program
    parameters = program.all_parameters() if param_list is None else param_list
    names = [p if isinstance(p, str) else p.name for p in parameters]
    wishes.setdefault(program, {}).update(dict.fromkeys(names, clip))


def clip_of(program: Program) -> ClipGradBase | None:
    """Return the clip that `set_gradient_clip` set for a program, if any."""
    by_name = wishes.get(program)
    return Several(by_name) if by_name else None


if not TYPE_CHECKING:
    __getattr__ = absent("fluid.clip")
