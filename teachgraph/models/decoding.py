"""Decoding: greedy search and beam search with a model of the next word.

A step takes the last words [rows] and a state and returns log-probabilities of the
next words [rows, words] and the new state. Greedy search takes the best word each time,
which may miss the best text; beam search follows several prefixes in parallel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import no_grad, recording
from teachgraph.core.threads import Guard
from teachgraph.nn import Layer
from teachgraph.ops import functions

__all__ = ["beam_search", "greedy_search"]

Array = np.ndarray[Any, Any]
Step = Callable[[Tensor, Any], tuple[Tensor, Any]]

NEVER = -1e9
"""The log-probability of an excluded word; finite, so that sums stay finite."""


@contextmanager
def evaluating(net: Layer) -> Iterator[None]:
    """Set eval mode and `no_grad` inside the block; restore the layers' modes after."""
    layers = net.sublayers(include_self=True)
    before = [layer.training for layer in layers]
    net.eval()
    try:
        with no_grad():
            yield
    finally:
        for layer, training in zip(layers, before, strict=True):
            layer.training = training


@Guard(recording.get, recording.set, False)
def greedy_search(
    step: Step, state: Any, rows: int, start: int, end: int, max_length: int
) -> Array:
    """Choose the most probable word in each step, until all rows have ended.

    Args:
        step: (words, state) to (log-probabilities, state); see the module.
        state: The state for the first step.
        rows: The number of texts.
        start: The word before the first.
        end: The word after the last; rows are padded with it.
        max_length: The largest number of words.

    Returns:
        Words [rows, length].
    """
    words, ended = np.full(rows, start), np.zeros(rows, bool)
    texts: list[Array] = []
    while len(texts) < max_length and not ended.all():
        scores, state = step(to_tensor(words), state)
        words = np.where(ended, end, scores.numpy().argmax(axis=-1))
        ended = ended | (words == end)
        texts.append(words)
    return np.stack(texts, axis=1) if texts else np.empty((rows, 0), np.int64)


@Guard(recording.get, recording.set, False)
def beam_search(
    step: Step,
    state: Any,
    rows: int,
    start: int,
    end: int,
    max_length: int,
    beam_size: int = 4,
    alpha: float = 0.6,
) -> tuple[Array, Array]:
    """Search for the most probable texts, extending the best `beam_size` prefixes.

    They are ranked by log p(text) / ((5 + length) / 6)^alpha, because each further word
    makes a text less probable (Wu et al., Google's Neural Machine Translation System,
    2016).

    Args:
        step: (words, state) to (log-probabilities, state); see the module.
        state: The state for the first step: Tensors [rows, ...] in lists and tuples.
        rows: The number of texts.
        start: The word before the first.
        end: The word after the last; texts are padded with it.
        max_length: The largest number of words.
        beam_size: The number of prefixes kept for each text.
        alpha: The strength of the length correction; 0 turns it off.

    Returns:
        Words [rows, beam_size, length], the best first, and their scores.
    """
    if beam_size < 1:
        raise InvalidValueError.here(f"beam_size is {beam_size}, not 1 or more")
    state = reordered(state, np.repeat(np.arange(rows), beam_size))
    total = np.full((rows, beam_size), NEVER)
    # All beams start with the same prefix: only one may count, or they stay duplicates.
    total[:, 0] = 0.0
    texts = np.empty((rows, beam_size, 0), np.int64)
    words, ended = np.full((rows, beam_size), start), np.zeros((rows, beam_size), bool)
    while texts.shape[2] < max_length and not ended.all():
        log_probs, state = step(to_tensor(words.ravel()), state)
        scores = log_probs.numpy().reshape(rows, beam_size, -1)
        scores = total[..., None] + only_end(scores, ended, end)
        total, parent, words = best(scores, beam_size)
        state = reordered(
            state, (np.arange(rows)[:, None] * beam_size + parent).ravel()
        )
        texts = np.take_along_axis(texts, parent[..., None], axis=1)
        texts = np.concatenate([texts, words[..., None]], axis=2)
        ended = np.take_along_axis(ended, parent, axis=1) | (words == end)
    return sort_by_score(texts, total, end, alpha)


def only_end(scores: Array, ended: Array, end: int) -> Array:
    """Allow only `end` after a text's end, with log-probability 0."""
    fixed = np.full(scores.shape[-1], NEVER)
    fixed[end] = 0.0
    return np.where(ended[..., None], fixed, scores)


def best(scores: Array, count: int) -> tuple[Array, Array, Array]:
    """Select the highest of [rows, beams, words]: their values, beams and words."""
    rows, _, words = scores.shape
    flat = scores.reshape(rows, -1)
    # Stable, so that ties have the same order in every run.
    places = np.argsort(-flat, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(flat, places, axis=1), places // words, places % words


def sort_by_score(
    texts: Array, total: Array, end: int, alpha: float
) -> tuple[Array, Array]:
    """Sort texts by their length-corrected scores, the best first."""
    lengths = (texts != end).sum(axis=2) + 1
    scores = total / ((5.0 + lengths) / 6.0) ** alpha
    order = np.argsort(-scores, axis=1, kind="stable")
    chosen = np.take_along_axis(texts, order[..., None], axis=1)
    return chosen, np.take_along_axis(scores, order, axis=1)


def reordered(state: Any, order: Array) -> Any:
    """Index the rows of all Tensors in a nested state; rows may repeat.

    >>> reordered([to_tensor([5, 6])], np.array([1, 1, 0]))[0].tolist()
    [6, 6, 5]
    """
    if isinstance(state, (list, tuple)):
        parts = [reordered(part, order) for part in state]
        kind: Any = type(state)
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    return functions.index_select(state, to_tensor(order))
