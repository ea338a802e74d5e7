"""Generator of English-German sentence pairs: numbers, dates and simple sentences.

Each rule yields a pair of sentences of the same meaning. German puts ones before tens,
has three genders and two cases here, keeps its verb in second place and puts "not" and
participles at the end: a translator must learn word order, not only words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

__all__ = ["Pair", "dates", "numbers", "sentences"]

Pair = tuple[str, str]


class Noun(NamedTuple):
    """English, German, and the gender: m, f or n."""

    english: str
    german: str
    gender: str


class Verb(NamedTuple):
    """English: sees, see, seen; German: sieht, gesehen."""

    sees: str
    see: str
    seen: str
    sieht: str
    gesehen: str


SMALL = [
    ("zero", "null"),
    ("one", "eins"),
    ("two", "zwei"),
    ("three", "drei"),
    ("four", "vier"),
    ("five", "fünf"),
    ("six", "sechs"),
    ("seven", "sieben"),
    ("eight", "acht"),
    ("nine", "neun"),
    ("ten", "zehn"),
    ("eleven", "elf"),
    ("twelve", "zwölf"),
    ("thirteen", "dreizehn"),
    ("fourteen", "vierzehn"),
    ("fifteen", "fünfzehn"),
    ("sixteen", "sechzehn"),
    ("seventeen", "siebzehn"),
    ("eighteen", "achtzehn"),
    ("nineteen", "neunzehn"),
]
TENS = {
    2: ("twenty", "zwanzig"),
    3: ("thirty", "dreißig"),
    4: ("forty", "vierzig"),
    5: ("fifty", "fünfzig"),
    6: ("sixty", "sechzig"),
    7: ("seventy", "siebzig"),
    8: ("eighty", "achtzig"),
    9: ("ninety", "neunzig"),
}
ENGLISH_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
    "twenty": "twentieth",
    "thirty": "thirtieth",
}
GERMAN_ORDINALS = {
    "eins": "erste",
    "drei": "dritte",
    "sieben": "siebte",
    "acht": "achte",
}
MONTHS = [
    ("january", "januar"),
    ("february", "februar"),
    ("march", "märz"),
    ("april", "april"),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august", "august"),
    ("september", "september"),
    ("october", "oktober"),
    ("november", "november"),
    ("december", "dezember"),
]
BEINGS = [
    Noun("dog", "hund", "m"),
    Noun("cat", "katze", "f"),
    Noun("child", "kind", "n"),
    Noun("man", "mann", "m"),
    Noun("woman", "frau", "f"),
    Noun("horse", "pferd", "n"),
]
THINGS = [
    Noun("apple", "apfel", "m"),
    Noun("flower", "blume", "f"),
    Noun("house", "haus", "n"),
    Noun("tree", "baum", "m"),
    Noun("clock", "uhr", "f"),
    Noun("book", "buch", "n"),
]
ADJECTIVES = [
    ("", ""),
    ("small", "klein"),
    ("old", "alt"),
    ("beautiful", "schön"),
    ("new", "neu"),
]
VERBS = [
    Verb("sees", "see", "seen", "sieht", "gesehen"),
    Verb("finds", "find", "found", "findet", "gefunden"),
    Verb("draws", "draw", "drawn", "zeichnet", "gezeichnet"),
    Verb("buys", "buy", "bought", "kauft", "gekauft"),
]
SUBJECT_ARTICLES = {"m": "der", "f": "die", "n": "das"}
OBJECT_ARTICLES = {"m": "den", "f": "die", "n": "das"}


def numbers() -> Iterator[Pair]:
    """Yield 0 to 999 in words; German ones split into parts, for a small vocabulary.

    >>> list(numbers())[342]
    ('three hundred and forty two', 'drei hundert zwei und vierzig')
    """
    for number in range(1000):
        yield _number(number)


def dates() -> Iterator[Pair]:
    """Yield the days of the year.

    >>> list(dates())[20]
    ('the twenty first of january', 'der ein und zwanzigste januar')
    """
    lengths = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    for (english, german), length in zip(MONTHS, lengths, strict=True):
        for day in range(1, length + 1):
            nth, te = _ordinal(day)
            yield f"the {nth} of {english}", f"der {te} {german}"


def sentences() -> Iterator[Pair]:
    """Yield subject-verb-object sentences: positive, negated, with "today", perfect.

    >>> for english, german in list(sentences())[4:8]:
    ...     print(english, "|", german)
    the dog finds the apple | der hund findet den apfel
    the dog does not find the apple | der hund findet den apfel nicht
    today the dog finds the apple | heute findet der hund den apfel
    the dog has found the apple | der hund hat den apfel gefunden
    """
    parts = product(ADJECTIVES, BEINGS, ADJECTIVES, THINGS, VERBS)
    for how, being, what_kind, thing, verb in parts:
        who, wer = _subject(being, how)
        what, was = _object(thing, what_kind)
        yield f"{who} {verb.sees} {what}", f"{wer} {verb.sieht} {was}"
        yield f"{who} does not {verb.see} {what}", f"{wer} {verb.sieht} {was} nicht"
        yield f"today {who} {verb.sees} {what}", f"heute {verb.sieht} {wer} {was}"
        yield f"{who} has {verb.seen} {what}", f"{wer} hat {was} {verb.gesehen}"


def _number(number: int) -> Pair:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_hundred(rest)
    english, german = SMALL[hundreds]
    english, german = f"{english} hundred", f"{_ein(german)} hundert"
    if rest:
        more, mehr = _below_hundred(rest)
        return f"{english} and {more}", f"{german} {mehr}"
    return english, german


def _below_hundred(number: int) -> Pair:
    tens, ones = divmod(number, 10)
    if tens < 2:
        return SMALL[number]
    english, german = TENS[tens]
    if not ones:
        return english, german
    one, eins = SMALL[ones]
    return f"{english} {one}", f"{_ein(eins)} und {german}"


def _ein(german: str) -> str:
    return "ein" if german == "eins" else german


def _ordinal(day: int) -> Pair:
    english, german = _below_hundred(day)
    *before, last = english.split()
    nth = ENGLISH_ORDINALS.get(last, f"{last}th")
    ending = "te" if day < 20 else "ste"
    return " ".join([*before, nth]), GERMAN_ORDINALS.get(german, german + ending)


def _subject(noun: Noun, adjective: Pair) -> Pair:
    ending = "e"
    return _phrase(noun, adjective, SUBJECT_ARTICLES[noun.gender], ending)


def _object(noun: Noun, adjective: Pair) -> Pair:
    ending = "en" if noun.gender == "m" else "e"
    return _phrase(noun, adjective, OBJECT_ARTICLES[noun.gender], ending)


def _phrase(noun: Noun, adjective: Pair, article: str, ending: str) -> Pair:
    english, german = adjective
    words = ["the", english, noun.english]
    worte = [article, german and german + ending, noun.german]
    return " ".join(filter(None, words)), " ".join(filter(None, worte))
