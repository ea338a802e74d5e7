"""A vocabulary numbers tokens for good, and says which it doesn't know."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachgraph.errors import DataError
from teachgraph.text import Vocab

SENTENCES = [["b", "a", "b", "c"], ["a", "b", "d"]]


def test_the_most_frequent_come_first_after_the_special_ones() -> None:
    vocab = Vocab.of(SENTENCES)
    assert vocab.tokens == ["<pad>", "<s>", "</s>", "<unk>", "b", "a", "c", "d"]
    assert list(Vocab.of(SENTENCES, min_count=2, specials=["<unk>"])) == [
        "<unk>",
        "b",
        "a",
    ]
    assert len(Vocab.of(SENTENCES, max_size=6)) == 6
    assert Vocab.of(["hello"], specials=(), unknown=None).tokens == ["l", "e", "h", "o"]


@given(st.lists(st.text(), unique=True), st.data())
def test_numbers_lead_back_to_their_tokens(
    tokens: list[str], data: st.DataObject
) -> None:
    vocab = Vocab(tokens, unknown=None)
    some = data.draw(st.lists(st.sampled_from(tokens))) if tokens else []
    numbers = vocab.to_indices(some)
    assert numbers.dtype == "int64"
    assert numbers.tolist() == [tokens.index(token) for token in some]
    assert vocab.to_tokens(numbers) == some


def test_unknown_tokens_have_the_unknown_ones_number_or_none() -> None:
    vocab = Vocab(["x", "<unk>"])
    assert vocab.to_indices(["y", "x"]).tolist() == [1, 0]
    assert "y" not in vocab
    assert "x" in vocab
    with pytest.raises(DataError, match="'y' is not in the vocabulary of 1 tokens"):
        Vocab(["x"], unknown=None)["y"]
    for number in (-1, 2):
        with pytest.raises(DataError, match=f"no token {number} among 2"):
            vocab.to_tokens(np.array([0, number]))


def test_a_saved_vocabulary_comes_back(tmp_path: Path) -> None:
    vocab = Vocab(["\n", "ü", '"', "<unk>"])
    vocab.save(tmp_path / "vocab.json")
    again = Vocab.load(str(tmp_path / "vocab.json"))
    assert (again.tokens, again.unknown) == (vocab.tokens, "<unk>")
    assert [path.name for path in tmp_path.iterdir()] == ["vocab.json"]


@pytest.mark.parametrize(
    "content", [None, "", "[]", '{"tokens": [1], "unknown": null}']
)
def test_what_is_no_vocabulary_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "vocab.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(DataError, match=r"vocab\.json is not a vocabulary"):
        Vocab.load(path)


def test_tokens_must_differ_and_hold_the_unknown_one() -> None:
    with pytest.raises(DataError, match="'a' comes more than once"):
        Vocab(["a", "b", "a"], unknown=None)
    with pytest.raises(DataError, match="unknown='<unk>' is not in the vocabulary"):
        Vocab(["a"])
