"""`Vocab`: a two-way mapping between tokens and ids."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from teachgraph.errors import DataError
from teachgraph.io.files import written_whole

__all__ = ["Vocab"]


class Vocab:
    """Vocabulary: token i has the id i.

    Args:
        tokens: The tokens, all different.
        unknown: The token that replaces unknown ones; None to refuse them.

    Raises:
        DataError: A token occurs twice or is no text, or `unknown` is none of them.

    In PaddleNLP this is `paddlenlp.data.Vocab`.

    >>> vocab = Vocab.of([["to", "be", "or", "not", "to", "be"]], specials=["<unk>"])
    >>> vocab.tokens
    ['<unk>', 'be', 'to', 'not', 'or']
    >>> vocab.to_indices(["to", "sleep"]), vocab.to_tokens([2, 0])
    (array([2, 0]), ['to', '<unk>'])
    """

    def __init__(self, tokens: Iterable[str], unknown: str | None = "<unk>") -> None:
        self.tokens = list(tokens)
        if not all(isinstance(token, str) for token in self.tokens):
            raise DataError("the tokens of a vocabulary should be text")
        self.index = {token: i for i, token in enumerate(self.tokens)}
        if len(self.index) != len(self.tokens):
            twice = Counter(self.tokens).most_common(1)[0][0]
            raise DataError(f"{twice!r} comes more than once in the vocabulary")
        if unknown is not None and unknown not in self.index:
            raise DataError(f"unknown={unknown!r} is not in the vocabulary")
        self.unknown = unknown

    @classmethod
    def of(
        cls,
        sentences: Iterable[Iterable[str]],
        min_count: int = 1,
        max_size: int | None = None,
        specials: Iterable[str] = ("<pad>", "<s>", "</s>", "<unk>"),
        unknown: str | None = "<unk>",
    ) -> Vocab:
        """Build the vocabulary of some sentences, the most frequent tokens first.

        Args:
            sentences: Each a sequence of tokens; text is a sequence of characters.
            min_count: Leave out rarer tokens.
            max_size: The largest number of tokens, the special ones included.
            specials: Tokens that come before all others.
            unknown: The token that replaces unknown ones; None to refuse them.
        """
        first = list(dict.fromkeys(specials))
        counts = Counter(token for sentence in sentences for token in sentence)
        often = sorted(
            (token for token, count in counts.items() if count >= min_count),
            key=lambda token: (-counts[token], token),
        )
        rest = [token for token in often if token not in set(first)]
        return cls((first + rest)[:max_size], unknown)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the tokens in their order."""
        return iter(self.tokens)

    def __contains__(self, token: object) -> bool:
        """True if the token has an id of its own."""
        return token in self.index

    def __getitem__(self, token: str) -> int:
        """Return the token's id, or that of the unknown token.

        Raises:
            DataError: There is neither such a token nor an unknown one.
        """
        number = self.index.get(token)
        if number is not None:
            return number
        if self.unknown is None:
            raise DataError(f"{token!r} is not in the vocabulary of {len(self)} tokens")
        return self.index[self.unknown]

    def to_indices(self, tokens: Iterable[str]) -> NDArray[np.int64]:
        """Encode tokens as ids, int64 [N]."""
        return np.array([self[token] for token in tokens], "int64")

    def to_tokens(self, indices: ArrayLike) -> list[str]:
        """Decode a 1-D array of ids to tokens.

        Raises:
            DataError: An id is out of range.
        """
        numbers = np.asarray(indices).reshape(-1).tolist()
        for number in numbers:
            if not 0 <= number < len(self):
                raise DataError(f"there is no token {number} among {len(self)}")
        return [self.tokens[number] for number in numbers]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vocabulary to a JSON file atomically."""
        content: dict[str, Any] = {"unknown": self.unknown, "tokens": self.tokens}
        with written_whole(Path(path)) as file:
            file.write(json.dumps(content, ensure_ascii=False, indent=0).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Vocab:
        """Read what `save` wrote.

        Raises:
            DataError: The file can't be read, or is no vocabulary.
        """
        try:
            content = json.loads(Path(path).read_bytes())
            return cls(content["tokens"], content["unknown"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path} is not a vocabulary: {error}") from error
