"""Short texts for a small language model, as tokens and in batches.

English names for the English edition of lesson 16, quatrains of the Tang for the
Chinese one. A text is cut into letters or characters; "." begins and ends each. The
model trains on the learner's own framework.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from teachgraph.course import mine

__all__ = ["Batch", "Corpus", "corpus", "first_weights", "train"]

Array = np.ndarray[Any, Any]

FOLDER = Path(__file__).parent / "texts"
END, RARE = ".", "□"
"""The token around each text, and the one in the place of rare characters."""

Model = Callable[["Batch"], tuple[Any, Any]]
"""Of a batch, the scores of each row and the shares of each head."""

HELD_OUT = 10
"""One text in this number is held out of the training."""

RATE = 0.005
"""The learning rate."""

LEAST = 3
"""A character that occurs less often is no token, but `RARE`."""


class Batch(NamedTuple):
    """Texts one after the other: one row for each token, and the token to predict.

    Attributes:
        tokens: The number of each token, [rows].
        following: The number of the token that follows it, [rows].
        texts: The number of the text that it belongs to, [rows].
        places: Its place in that text, from 0, [rows].
    """

    tokens: Array
    following: Array
    texts: Array
    places: Array


@dataclass(frozen=True)
class Corpus:
    """Texts to train on, others to measure with, and the tokens they consist of.

    Attributes:
        train: The texts to train on.
        held_out: The others.
        size: The number of texts in a batch.
    """

    train: list[str]
    held_out: list[str]
    size: int

    @cached_property
    def alphabet(self) -> list[str]:
        """All tokens, by their number: "." first, then what is not rare."""
        count = Counter("".join(self.train))
        common = sorted(one for one, times in count.items() if times >= LEAST)
        return [END, *common, *([RARE] if len(common) < len(count) else [])]

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each token."""
        return {token: number for number, token in enumerate(self.alphabet)}

    @property
    def longest(self) -> int:
        """The number of tokens of the longest text, with the one that begins it."""
        return 1 + max(map(len, self.train + self.held_out))

    def tokens(self, text: str) -> list[int]:
        """The numbers of a text's tokens, with the one that begins it.

        >>> corpus("en").tokens("abe")
        [0, 1, 2, 5]
        """
        rare = len(self.alphabet) - 1
        return [0, *(self.number.get(one, rare) for one in text)]

    def pack(self, texts: Sequence[str]) -> Batch:
        """One batch of texts.

        >>> corpus("en").pack(["ab", "c"])[2:]
        (array([0, 0, 0, 1, 1]), array([0, 1, 2, 0, 1]))
        """
        rows = []
        for index, text in enumerate(texts):
            tokens = self.tokens(text)
            for place, token in enumerate(tokens):
                following = (*tokens, 0)[place + 1]
                rows.append((token, following, index, place))
        return Batch(*np.array(rows).T)

    def batches(self, steps: int, seed: int = 0) -> Iterator[Batch]:
        """Batches of texts to train on, drawn at random."""
        draw = np.random.default_rng(seed)
        for _ in range(steps):
            chosen = draw.integers(0, len(self.train), self.size)
            yield self.pack([self.train[one] for one in chosen])

    def guess(self, batch: Batch) -> tuple[Array, dict[str, Array]]:
        """A model that knows nothing: all tokens alike, all shares alike."""
        shares = np.tri(len(batch.tokens))
        shares /= shares.sum(axis=1, keepdims=True)
        scores = np.zeros((len(batch.tokens), len(self.alphabet)))
        return scores, {"A": shares, "B": shares}

    def perplexity(self, model: Model, texts: Sequence[str] | None = None) -> float:
        """The perplexity of a model: e to the power of its mean loss for a token.

        Args:
            model: Of a batch it gives scores [rows, tokens], and something more.
            texts: By default those that are held out.

        >>> corpus("en").perplexity(corpus("en").guess)
        27.0
        """
        texts, losses, rows = texts or self.held_out, 0.0, 0
        for start in range(0, len(texts), self.size):
            batch = self.pack(texts[start : start + self.size])
            scores = numbers(model(batch)[0])
            log_total = np.logaddexp.reduce(scores, axis=1)
            chosen = scores[np.arange(len(scores)), batch.following]
            losses += float((log_total - chosen).sum())
            rows += len(scores)
        return round(float(np.exp(losses / rows)), 2)

    def counting(self) -> float:
        """The perplexity of counting: how frequent each token is, and nothing else."""
        count = np.bincount(self.pack(self.train).following) + 1.0
        logs = np.log(count)
        return self.perplexity(
            lambda batch: (np.tile(logs, (len(batch.tokens), 1)), None)
        )

    def write(
        self, model: Model, choose: Callable[[Array], int], count: int = 1
    ) -> list[str]:
        """New texts, token by token, each until the model ends it.

        Args:
            model: Of a batch it gives scores [rows, tokens], and something more.
            choose: Of one row of scores it gives the number of a token.
            count: How many texts.
        """
        texts = []
        for _ in range(count):
            text = ""
            while len(text) < self.longest - 1:
                scores = numbers(model(self.pack([text]))[0])[-1]
                scores[[token == RARE for token in self.alphabet]] = -1e9
                token = int(choose(scores))
                if token == 0:
                    break
                text += self.alphabet[token]
            texts.append(text)
        return texts


def numbers(scores: Any) -> Array:
    """A copy of what a model gave: an array, or a Tensor of the learner's."""
    return np.array(scores.data)


@cache
def corpus(language: str) -> Corpus:
    """The texts of a language: names for "en", poems for "zh".

    >>> for language in ("en", "zh"):
    ...     texts = corpus(language)
    ...     print(len(texts.train), len(texts.held_out), len(texts.alphabet))
    1485 165 27
    97 10 210
    """
    if language == "zh":
        lines = (FOLDER / "poems.txt").read_text("utf-8").splitlines()
        texts, size = [line.split()[-1] for line in lines], 3
    else:
        texts, size = (FOLDER / "names.txt").read_text("utf-8").split(), 16
    order = np.random.default_rng(0).permutation(len(texts))
    mixed = [texts[one] for one in order]
    held_out = len(texts) // HELD_OUT
    return Corpus(mixed[held_out:], mixed[:held_out], size)


def first_weights(
    of: Corpus, width: int = 32, heads: str = "AB", seed: int = 0
) -> dict[str, Array]:
    """The first weights of a model with attention, by name.

    Args:
        of: The texts it is to learn.
        width: The numbers in a row.
        heads: A letter for each head: its weights are "qA", "kA", "vA" and "oA".
        seed: Decides the weights.
    """
    draw = np.random.default_rng(seed)
    narrow = width // len(heads)

    def weights(rows: int, columns: int, spread: float | None = None) -> Array:
        spread = 1.0 / np.sqrt(rows) if spread is None else spread
        return draw.normal(0.0, spread, (rows, columns))

    return {
        "tokens": weights(len(of.alphabet), width, 0.5),
        "places": weights(of.longest, width, 0.5),
        **{one + head: weights(width, narrow) for head in heads for one in "qkv"},
        **{"o" + head: weights(narrow, width) for head in heads},
        "wide": weights(width, 2 * width),
        "bias": np.zeros(2 * width),
        "narrow": weights(2 * width, width, 0.05),
        "last": weights(width, len(of.alphabet), 0.05),
    }


def train(
    of: Corpus, predict: Callable[..., Any], look: Callable[..., Any], steps: int
) -> Model:
    """Train a model on the learner's tape, with their Adam.

    Args:
        of: The texts.
        predict: Of a batch, weights by name and `look` it gives scores and shares.
        look: Attention, or what stands in its place.
        steps: The number of batches.

    Returns:
        The model: of a batch it gives scores and shares.
    """
    names = (mine.shown[0] if mine.shown else mine.show()).names
    weights = {
        name: names["Tensor"](array, stop_gradient=False)
        for name, array in first_weights(of).items()
    }
    state: dict[Any, Any] = {}
    for step, batch in enumerate(of.batches(steps), start=1):
        scores, _ = predict(batch, weights, look)
        loss = names["cross_entropy"](scores, batch.following)
        for weight, gradient in names["backward"](loss).items():
            moments = state.get(weight, (0.0, 0.0))
            weight.data, *state[weight] = names["adam"](
                weight.data, gradient, *moments, step, RATE
            )
    return lambda batch: predict(batch, weights, look)
