"""A small language model: what it learns in each language, and its texts."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

from teachgraph.course import language
from teachgraph.course.attention_picture import AttentionPicture
from teachgraph.course.rehearse import solved
from teachgraph.course.source import read
from teachgraph.course.table import find


@pytest.mark.slow
@pytest.mark.parametrize(("edition", "bar"), [("en", 11.6), ("zh", 24.0)])
def test_the_model_of_the_lesson_beats_counting_on_texts_it_never_saw(
    edition: str, bar: float
) -> None:
    corpus = language.corpus(edition)
    with solved(read(find("16"))) as names:
        predict, attention = names["predict"], names["attention"]
        model = language.train(corpus, predict, attention, 200)
    perplexity = corpus.perplexity(model)
    assert perplexity < bar < 0.8 * corpus.counting()
    assert corpus.perplexity(model, corpus.train[:20]) < perplexity


@pytest.mark.parametrize("edition", ["en", "zh"])
def test_no_text_is_both_learnt_and_measured_with(edition: str) -> None:
    corpus = language.corpus(edition)
    texts = corpus.train + corpus.held_out
    assert len({*texts}) == len(texts)
    assert all(text and "." not in text for text in texts)


def test_each_poem_is_a_quatrain_of_five_characters() -> None:
    corpus = language.corpus("zh")
    for poem in corpus.train + corpus.held_out:
        assert [poem[place] for place in (5, 11, 17, 23)] == [*"，。，。"]
        assert all("\u4e00" <= one <= "\u9fff" for one in poem if one not in "，。")
        assert len(poem) == 24


@pytest.mark.parametrize("edition", ["en", "zh"])
def test_a_batch_says_what_follows_each_token(edition: str) -> None:
    corpus = language.corpus(edition)
    texts = corpus.train[:3]
    batch = corpus.pack(texts)
    for index, text in enumerate(texts):
        rows = batch.texts == index
        numbers = [corpus.number.get(one, len(corpus.alphabet) - 1) for one in text]
        assert batch.tokens[rows].tolist() == [0, *numbers]
        assert batch.following[rows].tolist() == [*numbers, 0]
        assert batch.places[rows].tolist() == [*range(len(text) + 1)]


def test_what_is_written_ends_and_has_no_rare_character() -> None:
    corpus = language.corpus("zh")
    draw = np.random.default_rng(0)
    choose = lambda scores: draw.integers(len(scores) - 1)  # noqa: E731
    best = lambda scores: int(scores[1:].argmax()) + 1  # noqa: E731
    assert all(len(text) <= 24 for text in corpus.write(corpus.guess, choose, 20))
    (longest,) = corpus.write(corpus.guess, best)
    assert len(longest) == 24
    assert language.RARE not in longest


class Texts(HTMLParser):
    """The tags and the texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.reached: list[str] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if ("tabindex", "0") in attrs:
            self.reached.append(str(dict(attrs)["aria-label"]))

    def handle_data(self, data: str) -> None:
        self.words += data


def test_attention_is_drawn_with_tokens_as_text_and_reached_by_keys() -> None:
    shares = np.array([[1.0, 0.0], [0.25, 0.75]])
    tokens = [".", "<script>alert(1)</script>"]
    drawn = Texts(AttentionPicture(tokens, {"A": shares})._repr_html_())
    assert "script" not in drawn.tags
    assert drawn.words.count(tokens[1]) == 2
    assert "25%" in drawn.words
    assert drawn.reached == [
        ". looks at: head A: . 100%",
        f"{tokens[1]} looks at: head A: . 25%, {tokens[1]} 75%",
    ]
