"""The best path is the best of all paths, and the one Paddle finds."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.text import ViterbiDecoder, viterbi_decode

FITS = np.array(
    [
        [
            [0.13, -0.13, 0.64],
            [0.1, -0.54, 0.36],
            [1.3, 0.95, -0.7],
            [-1.27, -0.62, 0.04],
        ],
        [
            [-2.33, -0.22, -1.25],
            [-0.73, -0.54, -0.32],
            [0.41, 1.04, -0.13],
            [1.37, -0.67, 0.35],
        ],
    ],
    "float32",
)
STEPS = np.array(
    [[0.9, 0.09, -0.74], [-0.92, -0.46, 0.22], [-1.01, -0.21, -0.16]], "float32"
)
LENGTHS = np.array([4, 2])


@pytest.mark.parametrize(
    ("ends", "scores", "paths"),
    [
        (True, [1.9, -0.31], [[2, 2, 1, 2], [1, 2, 0, 0]]),
        (False, [2.96, -0.32], [[0, 0, 0, 0], [1, 2, 0, 0]]),
    ],
)
def test_scores_and_paths_are_paddles(ends: bool, scores: Any, paths: Any) -> None:
    decoder = ViterbiDecoder(tg.to_tensor(STEPS), ends)
    for arguments in ((FITS, LENGTHS), (tg.to_tensor(FITS), tg.to_tensor(LENGTHS))):
        found, ways = decoder(*arguments)
        np.testing.assert_allclose(found.numpy(), scores, atol=1e-5)
        assert ways.tolist() == paths
        assert (found.dtype, ways.dtype) == ("float32", "int64")


@pytest.mark.parametrize("ends", [True, False])
def test_no_other_path_scores_higher(ends: bool) -> None:
    rng = np.random.default_rng(0)
    fits, steps = rng.normal(size=(6, 4, 3)), rng.normal(size=(3, 3))
    lengths = np.array([4, 1, 2, 3, 4, 4])
    scores, paths = viterbi_decode(fits, steps, lengths, ends)
    for row, length, score, path in zip(fits, lengths, scores, paths, strict=True):
        every = {}
        for way in product(range(3), repeat=int(length)):
            total = sum(row[t, tag] for t, tag in enumerate(way))
            total += sum(steps[i, j] for i, j in pairwise(way))
            if ends:
                total += steps[2, way[0]] + steps[1, way[-1]]
            every[way] = total
        best = max(every, key=every.__getitem__)
        assert float(score) == pytest.approx(every[best])
        assert tuple(path.tolist()[:length]) == best


def test_the_paths_are_as_long_as_the_longest_sequence() -> None:
    _, paths = viterbi_decode(FITS, STEPS, np.array([3, 1]), False)
    assert paths.shape == [2, 3]
    assert paths.tolist()[1][1:] == [0, 0]
    scores, paths = viterbi_decode(FITS[:0], STEPS, LENGTHS[:0])
    assert (scores.shape, paths.shape) == ([0], [0, 0])


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ((FITS[0], STEPS, LENGTHS), ShapeError, r"should be \[B, T, N\]"),
        ((FITS, STEPS[:2], LENGTHS), ShapeError, r"need transition_params \(3, 3\)"),
        ((FITS, STEPS, LENGTHS[:1]), ShapeError, r"lengths \(2,\)"),
        ((FITS, STEPS, np.array([5, 1])), ShapeError, "lengths should be 1 to 4"),
        ((FITS, STEPS, np.array([0, 1])), ShapeError, "lengths should be 1 to 4"),
        ((FITS, STEPS, np.array([1.0, 2.0])), DTypeError, "should be integers"),
        ((FITS[:, :, :1], STEPS[:1, :1], LENGTHS), ShapeError, "two tags or more"),
    ],
)
def test_what_does_not_fit_is_refused(
    arguments: Any, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        viterbi_decode(*arguments)
