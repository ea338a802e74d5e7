"""Viterbi decoding: the sequence of tags with the highest score."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.autograd.creation import tensor_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError, ShapeError

__all__ = ["ViterbiDecoder", "viterbi_decode"]

Array = np.ndarray[Any, Any]


def viterbi_decode(
    potentials: Any,
    transition_params: Any,
    lengths: Any,
    include_bos_eos_tag: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute the sequence of tags with the highest score, for each of a batch.

    A path y scores sum_t potentials[t, y_t] + sum_t transition[y_(t-1), y_t]. The best
    path to a tag at t extends the best path to some tag at t - 1:

        best[t, j] = max_i (best[t - 1, i] + transition[i, j]) + potentials[t, j]

    It has no gradient.

    Args:
        potentials: The score of each tag at each position, [B, T, N].
        transition_params: The score of tag j after tag i, [N, N].
        lengths: The length of each sequence, integers [B], from 1 to T.
        include_bos_eos_tag: The last tag is the start of a sequence and the second to
            last its end, and transitions from and to them count.
        name: Accepted for Paddle's sake.

    Returns:
        The scores, [B], and the paths, int64 [B, longest]; 0 behind a sequence's end.

    Raises:
        ShapeError: Shapes that don't fit, or lengths not within 1 to T.
        DTypeError: Lengths that are no integers.

    In Paddle this is `paddle.text.viterbi_decode`.

    >>> potentials = np.array([[[0.5, 0.0], [0.0, 0.2], [0.0, 1.0]]])
    >>> stay = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> scores, paths = viterbi_decode(potentials, stay, np.array([3]), False)
    >>> scores.tolist(), paths.tolist()
    ([3.2], [[1, 1, 1]])
    """
    scores, steps, sizes = map(_array, (potentials, transition_params, lengths))
    _check(scores, steps, sizes)
    if include_bos_eos_tag and len(steps) < 2:
        raise ShapeError("include_bos_eos_tag=True needs two tags or more")
    decoded = [
        _best(row[:size], steps, include_bos_eos_tag)
        for row, size in zip(scores, sizes.tolist(), strict=True)
    ]
    paths = np.zeros((len(decoded), max(sizes.tolist(), default=0)), "int64")
    for row, (_, path) in zip(paths, decoded, strict=True):
        row[: len(path)] = path
    return tensor_of(np.array([s for s, _ in decoded], scores.dtype)), tensor_of(paths)


class ViterbiDecoder:
    """`viterbi_decode` with fixed transitions.

    In Paddle this is `paddle.text.ViterbiDecoder`.

    >>> decoder = ViterbiDecoder(np.zeros((2, 2)), include_bos_eos_tag=False)
    >>> scores, paths = decoder(np.array([[[0.0, 1.0], [2.0, 0.0]]]), np.array([2]))
    >>> scores.tolist(), paths.tolist()
    ([3.0], [[1, 0]])
    """

    def __init__(
        self,
        transitions: Any,
        include_bos_eos_tag: bool = True,
        name: str | None = None,
    ) -> None:
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag

    def __call__(self, potentials: Any, lengths: Any) -> tuple[Tensor, Tensor]:
        """Compute scores and paths; see `viterbi_decode`."""
        return viterbi_decode(
            potentials, self.transitions, lengths, self.include_bos_eos_tag
        )


def _best(potentials: Array, steps: Array, ends: bool) -> tuple[Any, list[int]]:
    """Compute score and path of one sequence, from [T, N] and [N, N]."""
    best = potentials[0] + (steps[-1] if ends else 0)
    came_from = []
    for fits in potentials[1:]:
        through = best[:, None] + steps
        came_from.append(through.argmax(0))
        best = through.max(0) + fits
    best = best + (steps[-2] if ends else 0)
    path = [int(best.argmax())]
    for previous in reversed(came_from):
        path.append(int(previous[path[-1]]))
    return best.max(), path[::-1]


def _check(potentials: Array, steps: Array, lengths: Array) -> None:
    if potentials.ndim != 3 or 0 in potentials.shape[1:]:
        raise ShapeError(f"potentials should be [B, T, N], but got {potentials.shape}")
    batch, longest, tags = potentials.shape
    if steps.shape != (tags, tags) or lengths.shape != (batch,):
        raise ShapeError(
            f"potentials {potentials.shape} need transition_params {(tags, tags)} and "
            f"lengths {(batch,)}, but got {steps.shape} and {lengths.shape}"
        )
    if not np.issubdtype(lengths.dtype, np.integer):
        raise DTypeError(f"lengths should be integers, but got {lengths.dtype}")
    if ((lengths < 1) | (lengths > longest)).any():
        raise ShapeError(f"lengths should be 1 to {longest}, but got {lengths}")


def _array(value: Any) -> Array:
    return value.numpy() if isinstance(value, Tensor) else np.asarray(value)
