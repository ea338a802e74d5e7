"""Search in Chinese pages without a dictionary: every two characters are a word.

The page's script splits a query as the index was split; letters and digits are words as
in any other language.
"""

from __future__ import annotations

import re

from sphinx.search import SearchLanguage

HAN = r"\u4e00-\u9fff"
"""The range of Chinese characters, in Python's regular expressions and JavaScript's."""

WORDS = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")
HAN_WORD = re.compile(rf"[{HAN}]+")


class SearchChinese(SearchLanguage):
    """Words of two characters, one behind another.

    >>> SearchChinese({}).split("反向传播 backward")
    ['反向', '向传', '传播', 'backward']
    """

    lang = "zh"
    language_name = "Chinese"
    stopwords = frozenset()
    js_splitter_code = """
function splitQuery(query) {
  const words = query.match(/[HAN]+|[^\\s\\p{P}HAN]+/gu) || [];
  return words.flatMap((word) =>
    /[HAN]/.test(word) && word.length > 2
      ? [...word].slice(1).map((letter, i) => word[i] + letter)
      : [word]);
}
""".replace("HAN", HAN)

    def split(self, input: str) -> list[str]:
        """Split a text into words."""
        return [part for word in WORDS.findall(input) for part in pairs(word)]

    def stem(self, word: str) -> str:
        """Leave a word as it is."""
        return word.lower()

    def word_filter(self, word: str) -> bool:
        """Keep every word."""
        return bool(word)


def pairs(word: str) -> list[str]:
    """Every two neighbours of a Chinese word; any other word as it is."""
    if len(word) < 3 or not HAN_WORD.fullmatch(word):
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]
