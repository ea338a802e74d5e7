"""The Kullback-Leibler divergence, by the kinds of the two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from warnings import warn

from teachgraph.core.errors import DTypeError, at_user_line
from teachgraph.distribution.bernoulli import Bernoulli
from teachgraph.distribution.beta import Beta
from teachgraph.distribution.categorical import Categorical
from teachgraph.distribution.cauchy import Cauchy
from teachgraph.distribution.dirichlet import Dirichlet
from teachgraph.distribution.distribution import Distribution, UndefinedError
from teachgraph.distribution.exponential_family import ExponentialFamily
from teachgraph.distribution.geometric import Geometric
from teachgraph.distribution.laplace import Laplace
from teachgraph.distribution.lognormal import LogNormal
from teachgraph.distribution.normal import Normal
from teachgraph.distribution.uniform import Uniform

__all__ = ["kl_divergence", "register_kl"]

Kinds = tuple[type[Distribution], type[Distribution]]
Formula = Callable[..., Any]

OWN_FORMULA: tuple[type[Distribution], ...] = (
    *(Bernoulli, Beta, Categorical, Cauchy, Dirichlet),
    *(Geometric, Laplace, LogNormal, Normal, Uniform),
)
"""Distributions with a method for the divergence from their own kind."""


def of_own_kind(p: Any, q: Any) -> Any:
    return p.kl_divergence(q)


FORMULAS: dict[Kinds, Formula] = {
    **{(kind, kind): of_own_kind for kind in OWN_FORMULA},
    (ExponentialFamily, ExponentialFamily): ExponentialFamily._bregman_divergence,
}


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """Compute the Kullback-Leibler divergence of q from p, an element a pair.

    KL(p || q) = E log(p(X) / q(X)), with X drawn from p

    The formula is that registered for the nearest base classes of both.

    Args:
        p: The distribution the expectation is over.
        q: The one it is compared with.

    Raises:
        UndefinedError: No formula is registered for the two kinds.

    In Paddle this is `paddle.distribution.kl_divergence`.

    >>> from teachgraph.distribution import Normal, kl_divergence
    >>> kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0)).item()
    0.5
    """
    return formula_for(type(p), type(q))(p, q)


def register_kl(
    cls_p: type[Distribution], cls_q: type[Distribution]
) -> Callable[[Formula], Formula]:
    """Register a formula for the divergence of two kinds of distributions.

    Args:
        cls_p: The class of the first distribution; subclasses inherit the formula.
        cls_q: The class of the second.

    Returns:
        A decorator of a function of both distributions.

    Raises:
        DTypeError: `cls_p` or `cls_q` is no class of distributions.

    In Paddle this is `paddle.distribution.register_kl`.

    >>> from teachgraph.distribution import Gumbel, kl_divergence, register_kl
    >>> class Standard(Gumbel):
    ...     def __init__(self):
    ...         super().__init__(0.0, 1.0)
    >>> @register_kl(Standard, Standard)
    ... def of_equals(p, q):
    ...     return 0.0
    >>> kl_divergence(Standard(), Standard())
    0.0
    """
    for kind in (cls_p, cls_q):
        if not (isinstance(kind, type) and issubclass(kind, Distribution)):
            message = f"register_kl: {kind!r} is no class of distributions"
            raise DTypeError.here(message)

    def register(formula: Formula) -> Formula:
        FORMULAS[cls_p, cls_q] = formula
        return formula

    return register


def formula_for(kind_p: type[Distribution], kind_q: type[Distribution]) -> Formula:
    """Find the formula of the nearest base classes, those of `p` first.

    It warns where going by the classes of `q` first leads to another formula.
    """

    def distances(kinds: Kinds) -> tuple[int, int]:
        return kind_p.__mro__.index(kinds[0]), kind_q.__mro__.index(kinds[1])

    candidates = [
        kinds
        for kinds in FORMULAS
        if issubclass(kind_p, kinds[0]) and issubclass(kind_q, kinds[1])
    ]
    names = f"{kind_p.__name__}, {kind_q.__name__}"
    if not candidates:
        message = f"no divergence is registered for ({names})"
        hint = f"`register_kl({names})` registers one"
        raise UndefinedError(at_user_line(f"kl_divergence: {message}; {hint}"))
    by_p = min(candidates, key=distances)
    by_q = min(candidates, key=lambda kinds: distances(kinds)[::-1])
    if FORMULAS[by_p] is not FORMULAS[by_q]:
        message = f"kl_divergence: two formulas fit ({names}) equally well"
        warn(f"{message}; register one for both", RuntimeWarning, stacklevel=3)
    return FORMULAS[by_p]
