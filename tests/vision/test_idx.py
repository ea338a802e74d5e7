"""IDX files: what is right is read, what is not is named."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teachgraph.errors import DataError
from teachgraph.vision.datasets.idx import read_idx

HEADER = bytes([0, 0, 8, 1])


def written(tmp_path: Path, content: bytes, name: str = "file") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("shape", [(3, 4, 5), (0, 28, 28), (7,), (2, 3)])
def test_what_was_written_is_read(
    tmp_path: Path, to_idx: Any, pack: Any, shape: tuple[int, ...]
) -> None:
    array = np.random.default_rng(0).integers(0, 256, shape)
    read = read_idx(written(tmp_path, pack(to_idx(array))), len(shape))
    np.testing.assert_array_equal(read, array)
    assert read.dtype == "uint8"


def test_content_rather_than_name_tells_what_is_compressed(
    tmp_path: Path, to_idx: Any
) -> None:
    array = np.arange(5)
    plain = written(tmp_path, to_idx(array), "plain.gz")
    packed = written(tmp_path, gzip.compress(to_idx(array)), "packed")
    assert read_idx(plain, 1).tolist() == read_idx(packed, 1).tolist() == list(range(5))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "should start with 00 00 08 01, not with nothing"),
        (b"<!DOCTYPE html>", "should start with 00 00 08 01, not with 3c 21 44 4f"),
        (bytes([0, 0, 8, 3]) + bytes(12), "not with 00 00 08 03"),
        (bytes([0, 0, 13, 1]) + bytes(8), "not with 00 00 0d 01"),
        (HEADER + b"\0\0", "ends within its header of 8 bytes"),
        (HEADER + struct.pack(">I", 5) + b"abcd", "promises 5 = 5 bytes .* but has 4"),
        (HEADER + struct.pack(">I", 5) + b"abcdef", "promises 5 .* but has more"),
        (
            HEADER + struct.pack(">I", 2**32 - 1),
            "4,294,967,295 .* more than 1,073,741,824",
        ),
        (gzip.compress(HEADER + struct.pack(">I", 9) + b"ab"), "but has 2"),
        (gzip.compress(HEADER + struct.pack(">I", 2) + b"ab")[:-9], "cannot be read"),
        (b"\x1f\x8b nothing gzip ever wrote", "cannot be read"),
    ],
    ids=[
        "empty",
        "a web page",
        "images for labels",
        "floats",
        "half a header",
        "truncated",
        "too long",
        "absurd",
        "truncated before packing",
        "truncated after packing",
        "no gzip",
    ],
)
def test_a_bad_file_is_named_with_what_was_expected(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(DataError, match=says) as caught:
        read_idx(path, 1)
    assert str(path) in str(caught.value)


def test_a_flipped_bit_in_a_packed_file_is_noticed(tmp_path: Path, to_idx: Any) -> None:
    packed = bytearray(gzip.compress(to_idx(np.arange(200)), compresslevel=0))
    packed[100] ^= 1
    with pytest.raises(DataError, match="CRC check failed"):
        read_idx(written(tmp_path, bytes(packed)), 1)


def test_files_that_cannot_be_opened_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone.*No such file"):
        read_idx(tmp_path / "gone", 1)
    with pytest.raises(DataError, match="Is a directory"):
        read_idx(tmp_path, 1)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_forged_header_does_not_cost_memory(tmp_path: Path, pack: Any) -> None:
    forged = bytes([0, 0, 8, 3]) + struct.pack(">III", 1000, 1000, 1000) + b"few"
    path = written(tmp_path, pack(forged))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="1,000,000,000 bytes of data, but has 3"):
            read_idx(path, 3)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = gzip.compress(HEADER + struct.pack(">I", 10) + bytes(100_000_000))
    path = written(tmp_path, bomb)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="10 bytes of data, but has more"):
            read_idx(path, 1)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@given(
    content=st.one_of(
        st.binary(max_size=40),
        st.builds(
            lambda size, data: HEADER + struct.pack(">I", size) + data,
            st.integers(0, 12),
            st.binary(max_size=12),
        ),
    ),
    packed=st.booleans(),
)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, packed: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(gzip.compress(content) if packed else content)
    try:
        array = read_idx(path, 1)
    except DataError:
        return
    assert array.tobytes() == content[8:]
