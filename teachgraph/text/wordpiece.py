"""Which pieces words are best cut into: learned by joining what often stands together.

Begin with single letters. Count how often each two neighbouring pieces meet, join the
pair that meets most often, everywhere, and repeat until there are enough pieces. A
piece inside a word begins with ##.

Source: R. Sennrich et al. (2016), Neural Machine Translation of Rare Words with Subword
Units; M. Schuster and K. Nakajima (2012) for the pieces' notation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

__all__ = ["learn_pieces"]

INSIDE = "##"
Pair = tuple[str, str]


def learn_pieces(words: Mapping[str, int], size: int, min_count: int = 2) -> list[str]:
    """The pieces to cut these words into, letters first, then in the order of joining.

    Of pairs that meet equally often the first in the alphabet is joined, so the same
    words always give the same pieces.

    Args:
        words: How often each word occurs.
        size: How many pieces at most; letters are never left out.
        min_count: Join no pair that meets more rarely.

    >>> learn_pieces({"low": 5, "lower": 2, "new": 1}, size=9)
    ['##e', '##o', '##r', '##w', 'l', 'n', '##ow', 'low', '##er']
    """
    cuts = {word: _letters(word) for word in words}
    pieces = dict.fromkeys(sorted({piece for cut in cuts.values() for piece in cut}))
    while len(pieces) < size:
        meetings = _meetings(cuts, words)
        if not meetings:
            break
        pair = min(meetings, key=lambda pair: (-meetings[pair], pair))
        if meetings[pair] < min_count:
            break
        cuts = {word: _joined(cut, pair) for word, cut in cuts.items()}
        pieces[_one(pair)] = None
    return list(pieces)


def _letters(word: str) -> list[str]:
    return [letter if i == 0 else INSIDE + letter for i, letter in enumerate(word)]


def _meetings(cuts: Mapping[str, list[str]], words: Mapping[str, int]) -> Counter[Pair]:
    meetings: Counter[Pair] = Counter()
    for word, cut in cuts.items():
        for pair in pairwise(cut):
            meetings[pair] += words[word]
    return meetings


def _one(pair: Pair) -> str:
    return pair[0] + pair[1].removeprefix(INSIDE)


def _joined(cut: list[str], pair: Pair) -> list[str]:
    """The cut with the pair joined wherever it stands, from the left."""
    joined: list[str] = []
    for piece in cut:
        if joined and (joined[-1], piece) == pair:
            joined[-1] = _one(pair)
        else:
            joined.append(piece)
    return joined
