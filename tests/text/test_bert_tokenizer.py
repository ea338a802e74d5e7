"""BERT's tokenizer: pieces as BERT's paper cuts them, evened out, and read back."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachgraph.errors import DataError
from teachgraph.text import BertTokenizer, learn_pieces
from teachgraph.text.bert import SPECIALS
from teachgraph.text.datasets import EnglishGerman

PIECES = [*SPECIALS, "un", "##aff", "##able", "runn", "##ing", "the", ",", "runs"]
ENGLISH = [pair[0] for pair in EnglishGerman().pairs]


@pytest.fixture
def tokenizer() -> BertTokenizer:
    return BertTokenizer(PIECES)


def longest_first(word: str, pieces: set[str]) -> list[str]:
    """The algorithm of BERT's paper, letter by letter."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in pieces:
                found.append(piece)
                start = end
                break
        else:
            return ["[UNK]"]
    return found


def test_words_are_cut_into_the_longest_pieces(tokenizer: BertTokenizer) -> None:
    pieces = tokenizer.tokenize("UNAFFABLE, the running únruns")
    assert pieces == ["un", "##aff", "##able", ",", "the", "runn", "##ing", "[UNK]"]


@given(st.lists(st.text("abcde", min_size=1, max_size=8), min_size=1, max_size=5))
def test_cutting_is_the_papers(words: list[str]) -> None:
    pieces = ["a", "b", "c", "ab", "##a", "##b", "##c", "##cab", "##d", "abba"]
    tokenizer = BertTokenizer([*SPECIALS, *pieces])
    expected = [p for word in words for p in longest_first(word, set(pieces))]
    assert tokenizer.tokenize(" ".join(words)) == expected


def test_texts_are_numbered_and_evened_out(tokenizer: BertTokenizer) -> None:
    batch = tokenizer(["the runs", "the"])
    assert {name: rows.tolist() for name, rows in batch.items()} == {
        "input_ids": [[2, 10, 12, 3], [2, 10, 3, 0]],
        "token_type_ids": [[0, 0, 0, 0], [0, 0, 0, 0]],
        "attention_mask": [[1, 1, 1, 1], [1, 1, 1, 0]],
    }
    assert {rows.dtype.name for rows in batch.values()} == {"int64"}
    assert tokenizer("the")["input_ids"].tolist() == [2, 10, 3]
    long = tokenizer("the", max_length=5, padding="max_length")
    assert long["attention_mask"].tolist() == [1, 1, 1, 0, 0]


def test_pairs_have_two_kinds_of_pieces(tokenizer: BertTokenizer) -> None:
    expected = {
        "input_ids": [[2, 10, 3, 12, 12, 3]],
        "token_type_ids": [[0, 0, 0, 1, 1, 1]],
        "attention_mask": [[1] * 6],
    }
    for batch in (tokenizer([("the", "runs runs")]), tokenizer(["the"], ["runs runs"])):
        assert {name: rows.tolist() for name, rows in batch.items()} == expected
    single = tokenizer("the", "runs")
    assert single["token_type_ids"].tolist() == [0, 0, 0, 1, 1]


def test_what_is_too_long_is_cut_or_an_error(tokenizer: BertTokenizer) -> None:
    cut = tokenizer(["the the the the", "runs"], max_length=4)
    assert cut["input_ids"].tolist() == [[2, 10, 10, 3], [2, 12, 3, 0]]
    pair = tokenizer([("the " * 5, "runs")], max_length=6)
    assert pair["input_ids"].tolist() == [[2, 10, 10, 3, 12, 3]]
    with pytest.raises(DataError, match="6 pieces, more than max_length=4"):
        tokenizer("the the the the", max_length=4, truncation=False)
    assert tokenizer("the the the")["input_ids"].shape == (5,)


def test_what_was_encoded_can_be_read(tokenizer: BertTokenizer) -> None:
    ids = tokenizer("unaffable the", max_length=9, padding="max_length")["input_ids"]
    assert tokenizer.decode(ids) == "unaffable the"
    assert tokenizer.decode(ids[:2], skip_special_tokens=False) == "[CLS] un"
    with pytest.raises(DataError, match="no piece 13 among 13"):
        tokenizer.decode([13])


def test_special_numbers_are_those_of_the_pieces(tokenizer: BertTokenizer) -> None:
    found = [
        tokenizer.pad_token_id,
        tokenizer.unk_token_id,
        tokenizer.cls_token_id,
        tokenizer.sep_token_id,
        tokenizer.mask_token_id,
    ]
    assert found == [0, 1, 2, 3, 4]
    assert tokenizer("the [MASK]")["input_ids"].tolist() == [2, 10, 4, 3]
    assert len(tokenizer) == tokenizer.vocab_size == 13


def test_capitals_count_if_asked() -> None:
    tokenizer = BertTokenizer([*SPECIALS, "The", "the"], do_lower_case=False)
    assert tokenizer.tokenize("The the THE") == ["The", "the", "[UNK]"]


def test_a_saved_vocabulary_comes_back(
    tokenizer: BertTokenizer, tmp_path: Path
) -> None:
    tokenizer.save(tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_text() == "\n".join(PIECES) + "\n"
    again = BertTokenizer(tmp_path / "vocab.txt")
    assert again.vocab == PIECES
    assert BertTokenizer(str(tmp_path / "vocab.txt")).vocab == PIECES
    windows = tmp_path / "windows.txt"
    windows.write_bytes("\r\n".join(PIECES).encode())
    assert BertTokenizer(windows).vocab == PIECES


def test_it_can_be_sent_to_another_process(tokenizer: BertTokenizer) -> None:
    copy = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301  made in this line
    assert copy("the")["input_ids"].tolist() == [2, 10, 3]


def test_learned_pieces_are_always_the_same_and_know_their_texts() -> None:
    first = BertTokenizer.trained(ENGLISH, vocab_size=200)
    assert BertTokenizer.trained(reversed(ENGLISH), vocab_size=200).vocab == first.vocab
    assert len(first) == 200
    assert tuple(first.vocab[:5]) == SPECIALS
    batch = first(ENGLISH)
    assert not (batch["input_ids"] == first.unk_token_id).any()
    for ids, text in zip(batch["input_ids"], ENGLISH, strict=True):
        assert first.decode(ids) == text
    letters = BertTokenizer.trained(ENGLISH, vocab_size=60)
    assert letters(ENGLISH)["input_ids"].shape[1] > batch["input_ids"].shape[1]


def test_pieces_are_joined_most_frequent_first() -> None:
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    pieces = learn_pieces(words, size=11)
    assert pieces[:7] == ["##g", "##n", "##s", "##u", "b", "h", "p"]
    assert pieces[7:] == ["##ug", "##un", "hug", "pun"]
    assert learn_pieces(words, size=3) == pieces[:7]
    assert learn_pieces({"ab": 1}, size=9) == ["##b", "a"]
    assert learn_pieces({"ab": 1}, size=9, min_count=1) == ["##b", "a", "ab"]
    assert learn_pieces({"aaaa": 2}, size=9) == ["##a", "a", "##aa", "##aaa", "aaaa"]


@pytest.mark.parametrize(
    ("vocab", "says"),
    [
        (SPECIALS[1:], r"lacks \[PAD\]"),
        ([*SPECIALS, "a", "a"], "'a' more than once"),
        ("nowhere.txt", "nowhere.txt cannot be read"),
    ],
)
def test_vocabularies_that_are_none_are_refused(vocab: Any, says: str) -> None:
    with pytest.raises(DataError, match=says):
        BertTokenizer(vocab)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"text": []}, "at least one text"),
        ({"text": [3]}, "texts should be text"),
        ({"text": ["the", "the the"], "padding": False}, "make no array"),
        ({"text": "the", "padding": "max_length"}, "needs max_length"),
        ({"text": "the", "padding": "some"}, "not 'some'"),
        ({"text": "the", "max_length": 1}, "max_length should be at least 2"),
        ({"text": ["the"], "text_pair": ["a", "b"]}, "1 texts, but 2 second ones"),
    ],
)
def test_what_makes_no_batch_is_refused(
    tokenizer: BertTokenizer, arguments: Any, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        tokenizer(**arguments)


def test_too_few_pieces_for_the_letters_are_refused() -> None:
    with pytest.raises(DataError, match="the letters and special pieces alone are 8"):
        BertTokenizer.trained(["abc"], vocab_size=7)


def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ImportError, match="pip install tokenizers"):
        BertTokenizer(PIECES)


def test_numbers_fit_an_embedding(tokenizer: BertTokenizer) -> None:
    import teachgraph as tg

    ids = tokenizer(["the runs", "the"])["input_ids"]
    table = np.arange(26, dtype="float32").reshape(13, 2)
    vectors = tg.nn.functional.embedding(tg.to_tensor(ids), tg.to_tensor(table))
    np.testing.assert_array_equal(vectors.numpy(), table[ids])
