"""`EnglishGerman`: a data set of sentence pairs for translation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph.errors import DataError
from teachgraph.io.dataset import Dataset
from teachgraph.text.datasets.grammar import Pair, dates, numbers, sentences
from teachgraph.text.vocab import Vocab

__all__ = ["EnglishGerman"]

PAD, START, END, UNKNOWN = SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
Ids = NDArray[np.int64]
STRIDE = 7919
"""A prime: steps of it visit every pair, and neighbours in the list are far apart."""


class EnglishGerman(Dataset[tuple[Ids, Ids]]):
    """Generated numbers, dates and simple sentences in English and German.

    Sample i is (source, target), int64 [S] and [T]: the ids of the English words and
    `</s>`, padded with `<pad>`; `<s>`, the ids of the German words, `</s>` and `<pad>`.
    A decoder takes `target[:-1]` and learns `target[1:]`. About a tenth is for testing;
    no pair occurs twice, so a test sentence is new, but all its words are known from
    training.

    Args:
        mode: 'train' or 'test'.
        size: The total number of pairs, of each kind about a third.
        kinds: One or more of 'numbers', 'dates' and 'sentences'.
        transform: Called with each sample.

    Attributes:
        pairs: The sentences as text.
        source_vocab: The English words; the same for both modes.
        target_vocab: The German words.

    Raises:
        DataError: An unknown mode or kind, or more pairs than the grammar can make.

    >>> dataset = EnglishGerman(mode="test")
    >>> dataset.pairs[0]
    ('the small horse draws the new book', 'das kleine pferd zeichnet das neue buch')
    >>> source, target = dataset[0]
    >>> dataset.source_vocab.to_tokens(source[5:]), dataset.read(target[:4])
    (['new', 'book', '</s>', '<pad>', '<pad>'], 'das kleine pferd')
    """

    KINDS: dict[str, Callable[[], Iterable[Pair]]] = {  # noqa: RUF012  a table
        "numbers": numbers,
        "dates": dates,
        "sentences": sentences,
    }

    def __init__(
        self,
        mode: str = "train",
        size: int = 900,
        kinds: Sequence[str] = ("numbers", "dates", "sentences"),
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        if mode not in {"train", "test"}:
            raise DataError(f"mode should be 'train' or 'test', but got {mode!r}")
        everything = _chosen(size, [self._all(kind) for kind in kinds])
        self.transform = transform
        self.source_vocab, self.target_vocab = (
            Vocab.of((pair[side].split() for pair in everything), specials=SPECIALS)
            for side in (0, 1)
        )
        self.source_length = 1 + max(len(pair[0].split()) for pair in everything)
        self.target_length = 2 + max(len(pair[1].split()) for pair in everything)
        train, test = _split(everything)
        self.pairs = train if mode == "train" else test

    def __getitem__(self, index: int) -> Any:
        """Return source and target of pair `index`."""
        english, german = self.pairs[index]
        source = _ids(self.source_vocab, [*english.split(), END], self.source_length)
        words = [START, *german.split(), END]
        target = _ids(self.target_vocab, words, self.target_length)
        return (
            (source, target)
            if self.transform is None
            else self.transform((source, target))
        )

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    def encode(self, english: str) -> Ids:
        """Encode any English sentence as a source.

        Raises:
            DataError: The sentence has too many words.
        """
        words = [*english.lower().split(), END]
        if len(words) > self.source_length:
            raise DataError(
                f"{len(words) - 1} words, at most {self.source_length - 1} fit"
            )
        return _ids(self.source_vocab, words, self.source_length)

    def read(self, target: Any) -> str:
        """Decode a target to German text, up to its `</s>`.

        >>> dataset = EnglishGerman()
        >>> dataset.read(dataset[5][1]) == dataset.pairs[5][1]
        True
        """
        tokens = self.target_vocab.to_tokens(target)
        tokens = tokens[: tokens.index(END)] if END in tokens else tokens
        return " ".join(token for token in tokens if token not in {START, PAD})

    def _all(self, kind: str) -> list[Pair]:
        if kind not in self.KINDS:
            raise DataError(f"kinds are {', '.join(self.KINDS)}; there is no {kind!r}")
        return list(self.KINDS[kind]())


def _chosen(size: int, kinds: Sequence[Sequence[Pair]]) -> list[Pair]:
    """Choose `size` pairs, from all kinds in turn, each visited in steps of STRIDE."""
    if not kinds or not 1 <= size <= sum(map(len, kinds)):
        raise DataError(f"size should be 1 to {sum(map(len, kinds))}, but got {size}")
    orders = [
        [kind[step * STRIDE % len(kind)] for step in range(len(kind))] for kind in kinds
    ]
    longest = max(map(len, orders))
    turns = (order[i] for i in range(longest) for order in orders if i < len(order))
    return list(islice(turns, size))


def _split(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Split into train and test, 9 to 1; test pairs have only words of train."""
    train: list[Pair] = []
    test: list[Pair] = []
    known: set[str] = set()
    for pair in pairs:
        words = {*pair[0].split(), *pair[1].split()}
        if 9 * len(test) < len(train) and words <= known:
            test.append(pair)
        else:
            train.append(pair)
            known |= words
    return train, test


def _ids(vocab: Vocab, words: list[str], length: int) -> Ids:
    return vocab.to_indices(words + [PAD] * (length - len(words)))
