"""BERT's tokenizer: encodes text as the ids of word pieces, and decodes ids."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from teachgraph.errors import DataError
from teachgraph.io.files import written_whole
from teachgraph.text.wordpiece import learn_pieces

__all__ = ["BertTokenizer"]

PAD, UNKNOWN, START, END, MASK = SPECIALS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
)
Batch = dict[str, NDArray[np.int64]]


class BertTokenizer:
    """WordPiece tokenizer: splits words greedily into the longest known pieces.

    A text becomes `[CLS] text [SEP]`, a pair `[CLS] first [SEP] second [SEP]`.

    Args:
        vocab: A file with one piece per line, as BERT's `vocab.txt`, or the pieces.
            Among them must be [PAD], [UNK], [CLS], [SEP] and [MASK].
        do_lower_case: Ignore capitals and accents, as BERT's uncased models do.

    Raises:
        DataError: The file can't be read, a piece comes twice, a special one is
            missing.
        ImportError: The library `tokenizers` isn't installed.

    In PaddleNLP this is `paddlenlp.transformers.BertTokenizer`.

    >>> tokenizer = BertTokenizer.trained(["low lower", "low new"], vocab_size=40)
    >>> batch = tokenizer(["low new", "lower"])
    >>> batch["input_ids"].shape, batch["attention_mask"].tolist()
    ((2, 6), [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0]])
    >>> tokenizer.decode(batch["input_ids"][0])
    'low new'
    """

    def __init__(
        self,
        vocab: str | os.PathLike[str] | Iterable[str],
        do_lower_case: bool = True,
    ) -> None:
        is_path = isinstance(vocab, str | os.PathLike)
        self.vocab = _read(Path(vocab)) if is_path else list(vocab)  # type: ignore[arg-type]
        self.index = {piece: i for i, piece in enumerate(self.vocab)}
        if len(self.index) != len(self.vocab):
            twice = Counter(self.vocab).most_common(1)[0][0]
            raise DataError(f"the vocabulary has {twice!r} more than once")
        if missing := [piece for piece in SPECIALS if piece not in self.index]:
            raise DataError(f"the vocabulary lacks {', '.join(missing)}")
        self.do_lower_case = do_lower_case
        self.engine = _engine(self.index, do_lower_case)

    @classmethod
    def trained(
        cls,
        texts: Iterable[str],
        vocab_size: int = 1000,
        min_frequency: int = 2,
        do_lower_case: bool = True,
    ) -> BertTokenizer:
        """Create a tokenizer with pieces learned from texts; see `learn_pieces`.

        Args:
            texts: The training texts.
            vocab_size: The largest number of pieces, the five special ones included.
            min_frequency: Do not join a pair of pieces that is rarer.
            do_lower_case: Ignore capitals and accents.

        Raises:
            DataError: `vocab_size` is smaller than the number of letters.
        """
        bare = _engine({piece: i for i, piece in enumerate(SPECIALS)}, do_lower_case)
        words: Counter[str] = Counter()
        for text in texts:
            plain = bare.normalizer.normalize_str(text)
            words.update(w for w, _ in bare.pre_tokenizer.pre_tokenize_str(plain))
        pieces = learn_pieces(words, vocab_size - len(SPECIALS), min_frequency)
        if len(pieces) + len(SPECIALS) > vocab_size:
            raise DataError(
                f"vocab_size={vocab_size} is too small: the letters and special pieces "
                f"alone are {len(pieces) + len(SPECIALS)}"
            )
        return cls([*SPECIALS, *pieces], do_lower_case)

    def __call__(
        self,
        text: str | Sequence[str | tuple[str, str]],
        text_pair: str | Sequence[str] | None = None,
        max_length: int | None = None,
        padding: bool | str = True,
        truncation: bool = True,
    ) -> Batch:
        """Encode one text or several as the ids of their pieces.

        Args:
            text: A text, or a list of texts, or of pairs of texts.
            text_pair: The second text of each pair, if `text` has only the first.
            max_length: The largest number of pieces, special ones included.
            padding: True pads to the longest text, 'max_length' to `max_length`, False
                does not pad: then all must have the same length.
            truncation: Truncate longer texts, of a pair the longer one first; otherwise
                they are an error.

        Returns:
            'input_ids', the ids; 'token_type_ids', 0 in the first text and 1 in the
            second; 'attention_mask', 1 for a piece and 0 for padding. Each int64
            [N, L], or [L] for one text.

        Raises:
            DataError: There is no text, a text is too long, or lengths differ without
                padding.
        """
        single = isinstance(text, str)
        texts: list[Any] = [text] if single else list(text)
        if text_pair is not None:
            pairs = [text_pair] if isinstance(text_pair, str) else list(text_pair)
            if len(pairs) != len(texts):
                raise DataError(f"{len(texts)} texts, but {len(pairs)} second ones")
            texts = list(zip(texts, pairs, strict=True))
        rows = self._encoded(texts, max_length if truncation else None)
        length = _length(rows, max_length, padding)
        batch = {
            "input_ids": _padded([row.ids for row in rows], length, self.pad_token_id),
            "token_type_ids": _padded([row.type_ids for row in rows], length, 0),
            "attention_mask": _padded([row.attention_mask for row in rows], length, 0),
        }
        return {name: rows[0] for name, rows in batch.items()} if single else batch

    def tokenize(self, text: str) -> list[str]:
        """Split a text into pieces, without special ones.

        >>> BertTokenizer([*SPECIALS, "play", "##ing"]).tokenize("Playing chess")
        ['play', '##ing', '[UNK]']
        """
        pieces: list[str] = self.engine.encode(text, add_special_tokens=False).tokens
        return pieces

    def decode(self, ids: ArrayLike, skip_special_tokens: bool = True) -> str:
        """Decode a 1-D array of ids to text.

        Raises:
            DataError: An id is out of range.
        """
        numbers = np.asarray(ids, "int64").reshape(-1).tolist()
        if outside := [n for n in numbers if not 0 <= n < len(self)]:
            raise DataError(f"there is no piece {outside[0]} among {len(self)}")
        text: str = self.engine.decode(numbers, skip_special_tokens=skip_special_tokens)
        return text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the pieces to a file atomically, one per line."""
        with written_whole(Path(path)) as file:
            file.write("".join(f"{piece}\n" for piece in self.vocab).encode())

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.vocab)

    @property
    def vocab_size(self) -> int:
        """Number of pieces."""
        return len(self)

    @property
    def pad_token_id(self) -> int:
        """Id of [PAD]."""
        return self.index[PAD]

    @property
    def unk_token_id(self) -> int:
        """Id of [UNK]."""
        return self.index[UNKNOWN]

    @property
    def cls_token_id(self) -> int:
        """Id of [CLS]."""
        return self.index[START]

    @property
    def sep_token_id(self) -> int:
        """Id of [SEP]."""
        return self.index[END]

    @property
    def mask_token_id(self) -> int:
        """Id of [MASK]."""
        return self.index[MASK]

    def _encoded(self, texts: list[Any], limit: int | None) -> list[Any]:
        if not texts:
            raise DataError("at least one text is needed")
        if limit is None:
            self.engine.no_truncation()
        else:
            least = 3 if isinstance(texts[0], tuple) else 2
            if limit < least:
                raise DataError(f"max_length should be at least {least}, not {limit}")
            self.engine.enable_truncation(limit)
        try:
            rows: list[Any] = self.engine.encode_batch(texts)
        except TypeError as error:
            raise DataError(
                f"texts should be text, or pairs of texts: {error}"
            ) from None
        return rows


def _read(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    lines = lines[:-1] if lines[-1] == "" else lines
    return [line.removesuffix("\r") for line in lines]


def _length(rows: list[Any], max_length: int | None, padding: bool | str) -> int:
    """Compute the common length of the padded rows."""
    lengths = [len(row.ids) for row in rows]
    longest = max(lengths)
    if max_length is not None and longest > max_length:
        raise DataError(
            f"a text has {longest} pieces, more than max_length={max_length}; "
            "truncation=True cuts it"
        )
    if padding == "max_length":
        if max_length is None:
            raise DataError("padding='max_length' needs max_length")
        return max_length
    if padding not in {True, False, "longest"}:
        raise DataError(
            f"padding should be a bool, 'longest' or 'max_length', not {padding!r}"
        )
    if not padding and min(lengths) != longest:
        raise DataError(
            f"texts of {min(lengths)} to {longest} pieces make no array; padding=True "
            "makes them equally long"
        )
    return longest


def _padded(rows: list[list[int]], length: int, filler: int) -> NDArray[np.int64]:
    full = [row + [filler] * (length - len(row)) for row in rows]
    return np.array(full, "int64").reshape(len(rows), length)


def _engine(index: dict[str, int], lower: bool) -> Any:
    """Build the tokenizer of the library `tokenizers` for these pieces."""
    try:
        library = import_module("tokenizers")
    except ImportError as error:
        raise ImportError(
            "BertTokenizer needs the library tokenizers: pip install tokenizers"
        ) from error
    engine = library.Tokenizer(library.models.WordPiece(index, unk_token=UNKNOWN))
    engine.normalizer = library.normalizers.BertNormalizer(lowercase=lower)
    engine.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    engine.post_processor = library.processors.BertProcessing(
        (END, index[END]), (START, index[START])
    )
    engine.decoder = library.decoders.WordPiece()
    engine.add_special_tokens(list(SPECIALS))
    return engine
