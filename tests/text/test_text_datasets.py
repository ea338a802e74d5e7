"""The texts that come along are right, always the same, and ready for a model."""

from __future__ import annotations

import numpy as np
import pytest

from teachgraph.errors import DataError
from teachgraph.io import DataLoader
from teachgraph.text.datasets import EnglishGerman, Garden
from teachgraph.text.datasets.grammar import dates, numbers, sentences

UNITS = [
    "null",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
]


def value(german: str) -> int:
    """What a German number in words is worth, read from the words alone."""
    words = german.replace("eins", "ein").split()
    worth = {w.replace("eins", "ein"): i for i, w in enumerate(UNITS)}
    for i, stem in enumerate(
        ["drei", "vier", "fünf", "sech", "sieb", "acht", "neun"], 3
    ):
        worth[stem + "zehn"] = 10 + i
        worth[stem + ("ßig" if i == 3 else "zig")] = 10 * i
    worth["zwanzig"] = 20
    total = 0
    for word in words:
        if word == "hundert":
            total *= 100
        elif word != "und":
            total += worth[word]
    return total


def english_value(text: str) -> int:
    small = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ]
    tens = [
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
    ]
    total = 0
    for word in text.split():
        if word == "hundred":
            total *= 100
        elif word in small:
            total += small.index(word)
        elif word in tens:
            total += 20 + 10 * tens.index(word)
    return total


def test_numbers_mean_the_same_in_both_languages() -> None:
    pairs = list(numbers())
    assert [english_value(english) for english, _ in pairs] == list(range(1000))
    assert [value(german) for _, german in pairs] == list(range(1000))
    assert pairs[17] == ("seventeen", "siebzehn")
    assert pairs[101] == ("one hundred and one", "ein hundert eins")


def test_dates_are_the_days_of_a_leap_year() -> None:
    pairs = list(dates())
    assert len(set(pairs)) == len(pairs) == 366
    for pair in (
        ("the first of january", "der erste januar"),
        ("the third of february", "der dritte februar"),
        ("the seventh of may", "der siebte mai"),
        ("the eighth of june", "der achte juni"),
        ("the twelfth of july", "der zwölfte juli"),
        ("the twentieth of march", "der zwanzigste märz"),
        ("the twenty second of april", "der zwei und zwanzigste april"),
        ("the thirty first of december", "der ein und dreißigste dezember"),
    ):
        assert pair in pairs


def test_sentences_keep_to_german_grammar() -> None:
    pairs = dict(sentences())
    assert len(pairs) == 5 * 6 * 5 * 6 * 4 * 4
    for english, german in {
        "the small dog sees the old tree": "der kleine hund sieht den alten baum",
        "the cat does not buy the new clock": "die katze kauft die neue uhr nicht",
        "today the old man draws the house": "heute zeichnet der alte mann das haus",
        "the woman has found the beautiful book": (
            "die frau hat das schöne buch gefunden"
        ),
    }.items():
        assert pairs[english] == german


def test_the_corpus_is_split_without_overlap_and_new_sentences_have_old_words() -> None:
    train, test = EnglishGerman("train"), EnglishGerman("test")
    assert (len(train), len(test)) == (810, 90)
    assert not set(train.pairs) & set(test.pairs)
    assert train.source_vocab.tokens == test.source_vocab.tokens
    for side in (0, 1):
        known = {word for pair in train.pairs for word in pair[side].split()}
        new = {word for pair in test.pairs for word in pair[side].split()} - known
        assert not new
    assert EnglishGerman().pairs == train.pairs
    kinds = [sum(english.startswith("the ") for english, _ in test.pairs), len(test)]
    assert 0.3 < kinds[0] / kinds[1] < 0.8


def test_samples_are_what_a_translator_is_taught() -> None:
    dataset = EnglishGerman(size=300)
    source, target = dataset[4]
    english, german = dataset.pairs[4]
    words = english.split()
    tokens = dataset.source_vocab.to_tokens(source)
    filler = ["<pad>"] * (dataset.source_length - len(words) - 1)
    assert tokens == [*words, "</s>", *filler]
    tokens = dataset.target_vocab.to_tokens(target)
    assert tokens[: len(german.split()) + 2] == ["<s>", *german.split(), "</s>"]
    assert set(tokens[len(german.split()) + 2 :]) <= {"<pad>"}
    assert (source.dtype, target.dtype) == ("int64", "int64")
    assert all(dataset.read(dataset[i][1]) == dataset.pairs[i][1] for i in range(270))
    np.testing.assert_array_equal(dataset.encode(english.upper()), source)
    for sources, targets in DataLoader(dataset, batch_size=90):
        assert sources.shape == [90, dataset.source_length]
        assert targets.shape == [90, dataset.target_length]


def test_kinds_can_be_chosen() -> None:
    days = EnglishGerman(size=366, kinds=["dates"])
    assert len(days) == 329
    assert all(english.startswith("the ") for english, _ in days.pairs)
    swapped = EnglishGerman(size=5, transform=lambda pair: pair[::-1])
    assert len(swapped[0][0]) == swapped.target_length


def test_the_story_is_cut_into_what_comes_next() -> None:
    train, test = Garden(length=20), Garden("test", length=20)
    whole = train.text + test.text
    assert whole.startswith("Behind the old house there is a garden.")
    assert whole.endswith("the old house is quiet.\n")
    assert 0.88 < len(train.text) / len(whole) < 0.92
    assert len(train) == len(train.text) - 20
    for index in (0, 57, len(train) - 1):
        x, y = train[index]
        assert train.read(x) == train.text[index : index + 20]
        assert train.read(y) == train.text[index + 1 : index + 21]
        assert (x.dtype, y.shape) == ("int64", (20,))
    with pytest.raises(IndexError):
        train[len(train)]


def test_the_story_is_cut_into_words_too() -> None:
    dataset = Garden(level="word", length=6, step=3)
    first = [dataset.read(dataset[i][0]) for i in (0, 1, 2)]
    assert first == [
        "Behind the old house there is",
        "house there is a garden.",
        "a garden. In the garden",
    ]
    assert len(dataset.vocab) < 100
    parts = [Garden(mode, "word").ids for mode in ("train", "test")]
    letters = [Garden(mode).text for mode in ("train", "test")]
    assert dataset.read(np.concatenate(parts)) == "".join(letters)


def test_every_letter_and_word_has_a_number_in_both_parts() -> None:
    for level in ("char", "word"):
        train, test = Garden("train", level, 5), Garden("test", level, 5)
        assert train.vocab.tokens == test.vocab.tokens
        assert max(train.ids.max(), test.ids.max()) == len(train.vocab) - 1


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: EnglishGerman("all"), "mode should be 'train' or 'test'"),
        (lambda: EnglishGerman(kinds=["poems"]), "there is no 'poems'"),
        (lambda: EnglishGerman(kinds=[]), "size should be 1 to 0"),
        (lambda: EnglishGerman(size=0), "size should be 1 to"),
        (lambda: EnglishGerman(size=400, kinds=["dates"]), "1 to 366, but got 400"),
        (lambda: EnglishGerman().encode("the " * 30), "30 words"),
        (lambda: Garden("all"), "mode should be 'train' or 'test'"),
        (lambda: Garden(level="line"), "'char' or 'word', but got 'line'"),
        (lambda: Garden(length=0), "length should be a positive integer"),
        (lambda: Garden("test", length=500), "length=500"),
    ],
)
def test_what_there_is_not_is_refused(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(DataError, match=says):
        make()
