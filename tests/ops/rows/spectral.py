"""Rows for `teachgraph/ops/spectral.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "a matrix has two dimensions",
    "1-D": "a matrix has two dimensions",
    "broadcast": "one input",
}
NO_MATRIX = Wrong("a vector", (numbers(3),))


def symmetric(*shape: int, start: int = 1) -> Array:
    """Symmetric matrices with different eigenvalues."""
    x = numbers(*shape, start=start)
    return x + np.swapaxes(x, -1, -2) + np.diag(np.arange(float(shape[-1])))


def flipped(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def characteristic(x: Array, UPLO: str = "L") -> Any:  # noqa: N803
    """Roots of the characteristic polynomial, and null vectors, in NumPy's signs."""
    lower = np.tril(x, -1) if UPLO == "L" else flipped(np.triu(x, 1))
    whole = lower + flipped(lower) + np.eye(x.shape[-1]) * x
    roots, vectors = np.zeros(x.shape[:-1]), np.zeros(x.shape)
    signs = np.sign(np.linalg.eigh(whole)[1])
    for place in np.ndindex(*x.shape[:-2]):
        roots[place] = np.sort(np.roots(np.poly(whole[place])).real)
        for k, root in enumerate(roots[place]):
            null = np.linalg.svd(whole[place] - root * np.eye(x.shape[-1]))[2][-1]
            largest = np.argmax(np.abs(null))
            null = null * np.sign(null[largest]) * signs[place][largest, k]
            vectors[place][:, k] = null
    return roots, vectors


def from_eigenvalues(x: Array, full_matrices: bool = False) -> Any:
    """By the eigenvalues of X X' and X' X, in NumPy's signs."""
    signed_u, _, signed_vh = np.linalg.svd(x, full_matrices)
    _, u = np.linalg.eigh(x @ flipped(x))
    roots, v = np.linalg.eigh(flipped(x) @ x)
    rank = min(x.shape[-2:])
    s = np.sqrt(np.clip(roots[..., ::-1][..., :rank], 0, None))
    u, vh = u[..., ::-1], flipped(v[..., ::-1])
    if not full_matrices:
        u, vh = u[..., :rank], vh[..., :rank, :]
    u = u * np.sign((u * signed_u).sum(-2, keepdims=True))
    return u, vh * np.sign((vh * signed_vh).sum(-1, keepdims=True)), s


def gram_schmidt(x: Array, mode: str = "reduced") -> Any:
    """Column after column, in NumPy's signs."""
    q_signed = np.linalg.qr(x)[0]
    width = min(x.shape[-2:])
    q = np.zeros((*x.shape[:-1], width))
    for place in np.ndindex(*x.shape[:-2]):
        for k in range(width):
            column = x[place][:, k].astype(float)
            for before in q[place].T[:k]:
                column = column - (column @ before) * before
            q[place][:, k] = column / np.sqrt(column @ column)
    q = q * np.sign((q * q_signed).sum(-2, keepdims=True))
    r = flipped(q) @ x
    if mode == "r":
        return np.zeros(0), r
    if mode == "complete":
        q = np.concatenate([q, np.linalg.qr(x, "complete")[0][..., width:]], -1)
        r = flipped(q) @ x
    return q, np.triu(r)


def eigh_in_torch(t: Any, x: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """Of the symmetric part, so that its gradient is symmetric as Paddle's is."""
    roots, vectors = t.linalg.eigh((x + x.mT) / 2, UPLO=UPLO)
    return roots, vectors * signs(t, vectors, np.linalg.eigh(arrays(x), UPLO)[1])


def arrays(x: Any) -> Array:
    return np.array(x.detach())


def signs(t: Any, columns: Any, wanted: Array) -> Any:
    """What turns PyTorch's columns the way NumPy's point; either way is right."""
    return t.tensor(np.sign((arrays(columns) * wanted).sum(-2, keepdims=True)))


def svd_in_torch(t: Any, x: Any, full_matrices: bool = False) -> Any:
    u, s, vh = t.linalg.svd(x, full_matrices=full_matrices)
    of_u, _, of_vh = np.linalg.svd(arrays(x), full_matrices)
    turn_vh = signs(t, vh.mT, np.swapaxes(of_vh, -1, -2)).mT
    return u * signs(t, u, of_u), vh * turn_vh, s


def qr_in_torch(t: Any, x: Any, mode: str = "reduced") -> Any:
    return tuple(t.linalg.qr(x, mode=mode))


def overs(x: Array, w: Array) -> Array:
    out = np.zeros(x.shape)
    for *stack, i, j in np.ndindex(*x.shape):
        if i != j:
            gap = w[(*stack, j)] - w[(*stack, i)]
            out[(*stack, i, j)] = x[(*stack, i, j)] / gap
    return out


def overs_in_torch(t: Any, x: Any, w: Any) -> Any:
    eye = t.eye(w.shape[-1], dtype=w.dtype)
    return (1 - eye) * x / (w[..., None, :] - w[..., None] + eye)


ROWS = (
    Row(
        "eigh",
        (
            Case("matrices", (symmetric(3, 3),), smooth=False),
            Case("upper", (symmetric(2, 2),), {"UPLO": "U"}, smooth=False),
            Case("one element", (symmetric(1, 1),), smooth=False),
            Case("a stack", (symmetric(2, 2, 2),), smooth=False),
            Case("empty", (symmetric(0, 2, 2),), smooth=False),
            Case("not contiguous", (turned(symmetric(3, 3, start=9)),), smooth=False),
        ),
        characteristic,
        eigh_in_torch,
        gives=lambda dtype, attrs: (dtype, dtype),
        wrong=(
            Wrong("not square", (numbers(2, 3),)),
            NO_MATRIX,
            Wrong("no triangle", (np.eye(2),), {"UPLO": "x"}, "OpError"),
        ),
        lacks=LACKS,
    ),
    Row(
        "over_gaps",
        (
            Case("matrices", (numbers(3, 3), numbers(3, start=50))),
            Case("a stack", (numbers(2, 2, 2), numbers(2, 2, start=50))),
            Case("empty", (numbers(0, 2, 2), numbers(0, 2))),
            Case("not contiguous", (turned(numbers(2, 2)), turned(numbers(2)))),
        ),
        overs,
        overs_in_torch,
        wrong=(
            Wrong(
                "equal eigenvalues",
                (numbers(2, 2), np.ones(2)),
                {},
                "InvalidValueError",
                "equal values",
                by_value=True,
            ),
        ),
        refuses=(),
        inner=True,
        lacks=LACKS,
    ),
    Row(
        "svd",
        (
            Case("matrices", (numbers(3, 3),)),
            Case("high", (numbers(3, 2),)),
            Case("wide", (numbers(2, 3, start=9),)),
            Case("a stack", (numbers(2, 3, 2),)),
            Case("empty", (numbers(0, 3, 2),)),
            Case("full", (numbers(3, 3),), {"full_matrices": True}, constant=(0,)),
            Case("not contiguous", (turned(numbers(3, 2)),)),
        ),
        from_eigenvalues,
        svd_in_torch,
        gives=lambda dtype, attrs: (dtype,) * 3,
        wrong=(NO_MATRIX,),
        lacks=LACKS,
    ),
    Row(
        "qr",
        (
            Case("matrices", (numbers(3, 3),)),
            Case("high", (numbers(3, 2),)),
            Case("a stack", (numbers(2, 2, 2),)),
            Case("empty", (numbers(0, 3, 2),)),
            Case("wide", (numbers(2, 3),), constant=(0,)),
            Case("complete", (numbers(3, 2),), {"mode": "complete"}, constant=(0,)),
            Case("only R", (numbers(3, 2),), {"mode": "r"}, constant=(0,)),
            Case("not contiguous", (turned(numbers(3, 2)),)),
        ),
        gram_schmidt,
        qr_in_torch,
        gives=lambda dtype, attrs: (dtype, dtype),
        wrong=(
            NO_MATRIX,
            Wrong(
                "no such mode",
                (numbers(3, 2),),
                {"mode": "raw"},
                "InvalidValueError",
                "'raw'",
            ),
        ),
        lacks=LACKS,
    ),
)
