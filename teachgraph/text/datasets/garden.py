"""`Garden`: a short story as a data set for language models."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError
from teachgraph.io.checks import positive
from teachgraph.io.dataset import Dataset
from teachgraph.text.vocab import Vocab

__all__ = ["Garden"]

Ids = NDArray[np.int64]


class Garden(Dataset[tuple[Ids, Ids]]):
    """Windows of a story with a small vocabulary, for next-token prediction.

    Sample i is (x, y), both int64 [length]: the ids of consecutive letters or words,
    and at each position the id that follows, y[t] = x[t + 1]. The first nine tenths of
    the story are for training, the rest for testing.

    The story was written for this package, for learners and their models.

    Args:
        mode: 'train' or 'test'.
        level: 'char' for letters, 'word' for words and punctuation marks.
        length: The number of tokens in a sample.
        step: The offset from the start of one sample to the start of the next.
        transform: Called with each sample.

    Attributes:
        text: The part of the story, as text.
        vocab: The letters or words; the same for both modes.
        ids: The part of the story, as ids.

    Raises:
        DataError: An unknown mode or level, or samples longer than the story.

    >>> dataset = Garden(length=10)
    >>> x, y = dataset[0]
    >>> dataset.read(x), dataset.read(y)
    ('Behind the', 'ehind the ')
    >>> Garden(level="word", length=5).read(Garden(level="word", length=5)[0][1])
    'the old house there is'
    """

    def __init__(
        self,
        mode: str = "train",
        level: str = "char",
        length: int = 32,
        step: int = 1,
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        if mode not in {"train", "test"}:
            raise DataError(f"mode should be 'train' or 'test', but got {mode!r}")
        if level not in {"char", "word"}:
            raise DataError(f"level should be 'char' or 'word', but got {level!r}")
        self.level = level
        self.length = positive("length", length)
        self.step = positive("step", step)
        self.transform = transform
        tokens = self.split(story())
        self.vocab = Vocab.of([tokens], specials=(), unknown=None)
        cut = len(tokens) * 9 // 10
        part = tokens[:cut] if mode == "train" else tokens[cut:]
        self.ids = self.vocab.to_indices(part)
        self.text = self.read(self.ids)
        if length >= len(self.ids):
            raise DataError(
                f"length={length} is not less than the {len(self.ids)} tokens"
            )

    def __getitem__(self, index: int) -> Any:
        """Return the window of ids, and the ids that follow each of them."""
        start = range(len(self))[index] * self.step
        window = self.ids[start : start + self.length + 1]
        sample = window[:-1].copy(), window[1:].copy()
        return sample if self.transform is None else self.transform(sample)

    def __len__(self) -> int:
        """Return the number of samples."""
        return (len(self.ids) - self.length - 1) // self.step + 1

    def split(self, text: str) -> list[str]:
        """Split a text into letters or words; punctuation and newlines are words."""
        if self.level == "char":
            return list(text)
        for mark in (",", ".", "\n"):
            text = text.replace(mark, f" {mark} ")
        return [word for word in text.split(" ") if word]

    def read(self, ids: Any) -> str:
        """Decode ids to text."""
        tokens = self.vocab.to_tokens(ids)
        if self.level == "char":
            return "".join(tokens)
        text = " ".join(tokens)
        for mark in (",", ".", "\n"):
            text = text.replace(f" {mark}", mark)
        return text.replace("\n ", "\n")


def story() -> str:
    """Read the whole story."""
    source = resources.files("teachgraph.text.datasets") / "data" / "garden.txt"
    return source.read_text("utf-8")
