"""Views, parts that are replaced, distances and differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import integers, numbers, positive
from tests.oracle.functions.elementwise import named
from tests.oracle.functions.function import Function

X, Y, CUBE, LINE = numbers(4, 3), numbers(4, 3, start=50), numbers(2, 3, 4), numbers(5)
MASK = numbers(4, 3, start=9) > 0
WIDTHS = np.cumsum(positive(5))
FLAWED = np.array([[np.nan, 1.0, 2.5, 0.5], [3.0, 4.0, 5.5, 1.0], [np.nan, 2.0] * 2])


def case(label: str, *inputs: Any, **attrs: Any) -> Case:
    return Case(label, inputs, attrs)


def renamed(**names: str) -> Callable[..., dict[str, Any]]:
    """Attributes under PyTorch's names."""
    return lambda attrs: {names.get(key, key): value for key, value in attrs.items()}


def twin(name: str, **names: str) -> Callable[..., Any]:
    """PyTorch's function, its arguments by these names."""

    def call(t: Any, *inputs: Any, **attrs: Any) -> Any:
        return getattr(t, name)(*inputs, **renamed(**names)(attrs))

    return call


def scattered(
    t: Any, x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    return t.diagonal_scatter(x, y, offset, axis1, axis2)


def chosen(library: Any, index: Any, *choices: Any) -> Any:
    return library.multiplex(list(choices), index)


def chosen_in_torch(t: Any, index: Any, *choices: Any) -> Any:
    return t.stack(choices)[index[:, 0], t.arange(len(index))]


def sharded(t: Any, x: Any, index_num: int, nshards: int, shard_id: int) -> Any:
    size = -(-index_num // nshards)
    return t.where(x // size == shard_id, x % size, -1)


def windows(t: Any, x: Any, axis: int, size: int, step: int) -> Any:
    return x.unfold(axis, size, step)


def strided(t: Any, x: Any, shape: Any, stride: Any, offset: int = 0) -> Any:
    return t.as_strided(x, shape, stride, offset)


def under(name: str) -> Callable[..., Any]:
    def call(t: Any, y: Any, x: Any = None, dx: Any = None, axis: int = -1) -> Any:
        if x is not None:
            return getattr(t, name)(y, x, dim=axis)
        return getattr(t, name)(y, dx=dx or 1.0, dim=axis)

    return call


def shortened(t: Any, x: Any, p: float, axis: int, max_norm: float) -> Any:
    """PyTorch's own adds 1e-7 to the norm."""
    others = [i for i in range(x.ndim) if i != axis % x.ndim]
    length = t.linalg.vector_norm(x, p, others, keepdim=True)
    return x * t.where(length > max_norm, max_norm / length, 1.0)


def powers(t: Any, x: Any, n: Any = None, increasing: bool = False) -> Any:
    count = range(len(x) if n is None else n)
    return t.stack([x**k for k in (count if increasing else count[::-1])], -1)


def spread(
    t: Any, x: Any, axis: Any = None, keepdim: bool = False, q: Any = 0.5
) -> Any:
    if axis is None:
        x, axis = x.reshape(-1), 0
    return t.nanquantile(x, t.tensor(q, dtype=x.dtype), axis, keepdim)


def float64(name: str) -> Callable[..., Any]:
    """Ours gives float64, as Paddle's does."""
    return lambda tg, x, **attrs: getattr(tg, name)(x, **attrs).astype(x.dtype)


def filled(library: Any, x: Any, value: Any, mask: Any) -> Any:
    return library.masked_fill(x, mask, value)


AREAS = (
    case("steps of 1", LINE),
    case("rows", CUBE, dx=0.5, axis=1),
    case("places", LINE, WIDTHS),
    case("places on an axis", X, WIDTHS[:4], axis=0),
    case("places for each", X, Y, axis=1),
)

FAMILY = (
    Function(
        "atleast_1d",
        named("atleast_1d"),
        named("atleast_1d"),
        (case("0", X[0, 0]), case("1", LINE), case("2", X)),
    ),
    Function(
        "atleast_2d",
        named("atleast_2d"),
        named("atleast_2d"),
        (case("0", X[0, 0]), case("1", LINE), case("3", CUBE)),
    ),
    Function(
        "atleast_3d",
        named("atleast_3d"),
        named("atleast_3d"),
        (case("0", X[0, 0]), case("1", LINE), case("2", X), case("3", CUBE)),
    ),
    Function(
        "view_as",
        named("view_as"),
        lambda t, x, other: x.view_as(other),
        (Case("2-D", (X, numbers(2, 6)), constant=(1,)),),
    ),
    Function(
        "masked_fill",
        lambda library, x, mask: library.masked_fill(x, mask, 0.5),
        lambda t, x, mask: t.masked_fill(x, mask, 0.5),
        (case("2-D", X, MASK), case("broadcast", X, MASK[0])),
    ),
    Function(
        "masked_fill_tensor",
        filled,
        filled,
        (case("a value with a gradient", X, numbers(), MASK),),
    ),
    Function(
        "diagonal_scatter",
        named("diagonal_scatter"),
        scattered,
        (
            case("the main one", X, numbers(3, start=70)),
            case("above", X, numbers(2, start=70), offset=1),
            case("of planes", CUBE, numbers(3, 2, start=70), axis1=0, axis2=2),
        ),
    ),
    Function(
        "select_scatter",
        named("select_scatter"),
        twin("select_scatter", axis="dim"),
        (
            case("a row", X, LINE[:3], axis=0, index=2),
            case("a column", X, LINE[:4], axis=1, index=-1),
        ),
    ),
    Function(
        "multiplex",
        chosen,
        chosen_in_torch,
        (
            case("rows", np.array([[1], [0], [2], [1]]), X, Y, X - Y),
            case("cubes", np.array([[1], [0]]), CUBE, 2.0 * CUBE),
        ),
    ),
    Function(
        "shard_index",
        named("shard_index"),
        sharded,
        (
            case(
                "the second",
                integers(6, 1, below=20),
                index_num=20,
                nshards=3,
                shard_id=1,
            ),
        ),
        gradient=False,
        static=False,
    ),
    Function(
        "unfold_windows",
        named("unfold"),
        windows,
        (
            case("of a list", LINE, axis=0, size=2, step=1),
            case("apart", CUBE, axis=-1, size=1, step=3),
            case("of rows", CUBE, axis=1, size=2, step=1),
        ),
    ),
    Function(
        "as_strided",
        named("as_strided"),
        strided,
        (
            case("transposed", X, shape=[3, 4], stride=[1, 3]),
            case("twice", LINE, shape=[3, 2], stride=[1, 1], offset=1),
        ),
    ),
    Function(
        "dist",
        named("dist"),
        named("dist"),
        (
            case("Euclid", X, Y),
            case("Manhattan", X, LINE[:3], p=1),
            case("the largest", X, Y, p=float("inf")),
            case("the cube", X, Y, p=3.0),
        ),
    ),
    Function(
        "cdist",
        named("cdist"),
        lambda t, x, y, p=2.0: (x.unsqueeze(-2) - y.unsqueeze(-3)).norm(p, -1),
        (
            case("Euclid", X, numbers(2, 3, start=50)),
            case("Manhattan", X, numbers(2, 3, start=50), p=1.0),
            case("batches", CUBE, numbers(2, 2, 4, start=50), p=3.0),
            case("the largest", X, numbers(2, 3, start=50), p=float("inf")),
        ),
    ),
    Function(
        "renorm",
        named("renorm"),
        shortened,
        (
            case("rows", X, p=2.0, axis=0, max_norm=1.5),
            case("planes", CUBE, p=1.0, axis=-1, max_norm=5.0),
        ),
    ),
    Function(
        "diff",
        named("diff"),
        twin("diff", axis="dim"),
        (
            case("1-D", LINE),
            case("twice", X, n=2, axis=0),
            case("rows", CUBE, axis=1),
        ),
    ),
    Function(
        "diff_between",
        lambda tg, x, before, behind: tg.diff(x, prepend=before, append=behind),
        lambda t, x, before, behind: t.diff(x, prepend=before, append=behind),
        (case("with more", X, Y[:, :1], Y[:, 1:]),),
    ),
    Function("trapezoid", named("trapezoid"), under("trapezoid"), AREAS),
    Function(
        "cumulative_trapezoid",
        named("cumulative_trapezoid"),
        under("cumulative_trapezoid"),
        AREAS,
    ),
    Function(
        "vander",
        named("vander"),
        powers,
        (
            case("square", LINE),
            case("wide", LINE[:3], n=5, increasing=True),
            case("one", LINE, n=1),
        ),
    ),
    Function(
        "combinations",
        named("combinations"),
        twin("combinations"),
        (
            case("pairs", LINE),
            case("triples", LINE, r=3),
            case("again", LINE[:3], with_replacement=True),
            case("too many", LINE[:2], r=3),
        ),
    ),
    Function(
        "nanmedian",
        named("nanmedian"),
        spread,
        (
            case("rows", FLAWED, axis=1),
            case("columns, kept", FLAWED, axis=0, keepdim=True),
            case("all", FLAWED),
        ),
    ),
    Function(
        "nanquantile",
        float64("nanquantile"),
        spread,
        (
            case("rows", FLAWED, q=0.3, axis=1),
            case("several", FLAWED, q=[0.0, 0.6, 1.0], axis=0),
        ),
    ),
    Function(
        "hypot",
        named("hypot"),
        named("hypot"),
        (case("2-D", X, Y), case("broadcast", X, LINE[:3])),
    ),
    Function(
        "ldexp",
        named("ldexp"),
        named("ldexp"),
        (case("2-D", X, integers(4, 3, below=9)), case("empty", X[:0], X[:0])),
    ),
    Function(
        "multigammaln",
        named("multigammaln"),
        lambda t, x, p: t.special.multigammaln(x, p),
        (
            case("one", 3.0 + positive(4), p=1),
            case("three", 3.0 + positive(4), p=3),
        ),
    ),
)
