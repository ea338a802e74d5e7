"""Learning of word pieces by byte-pair encoding: the most frequent pair is merged.

Begin with single letters. Count each pair of neighbouring pieces, merge the most
frequent pair everywhere, and repeat until there are enough pieces. A piece inside a
word begins with ##.

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
    """Learn pieces from words: letters first, then in the order of merging.

    Of equally frequent pairs the first in the alphabet is merged, so the same words
    always give the same pieces.

    Args:
        words: The count of each word.
        size: The largest number of pieces; letters are never left out.
        min_count: Merge no pair that is rarer.

    >>> learn_pieces({"low": 5, "lower": 2, "new": 1}, size=9)
    ['##e', '##o', '##r', '##w', 'l', 'n', '##ow', 'low', '##er']
    """
    cuts = {word: _letters(word) for word in words}
    pieces = dict.fromkeys(sorted({piece for cut in cuts.values() for piece in cut}))
    while len(pieces) < size:
        counts = _pair_counts(cuts, words)
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[pair] < min_count:
            break
        cuts = {word: _apply_merge(cut, pair) for word, cut in cuts.items()}
        pieces[_merge(pair)] = None
    return list(pieces)


def _letters(word: str) -> list[str]:
    return [letter if i == 0 else INSIDE + letter for i, letter in enumerate(word)]


def _pair_counts(
    cuts: Mapping[str, list[str]], words: Mapping[str, int]
) -> Counter[Pair]:
    counts: Counter[Pair] = Counter()
    for word, cut in cuts.items():
        for pair in pairwise(cut):
            counts[pair] += words[word]
    return counts


def _merge(pair: Pair) -> str:
    return pair[0] + pair[1].removeprefix(INSIDE)


def _apply_merge(cut: list[str], pair: Pair) -> list[str]:
    """Merge each occurrence of the pair in a cut, from the left."""
    merged: list[str] = []
    for piece in cut:
        if merged and (merged[-1], piece) == pair:
            merged[-1] = _merge(pair)
        else:
            merged.append(piece)
    return merged
