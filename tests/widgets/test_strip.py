"""A strip of thumbnails: every op a dot, below all that it reads, at one scale."""

from __future__ import annotations

from base64 import b64decode
from re import findall, search
from xml.etree import ElementTree as ET

import pytest
from teachgraph_widgets.strip import strip, thumbnail

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError

SVG = "{http://www.w3.org/2000/svg}"


def leaf() -> tg.Tensor:
    return tg.to_tensor([1.0, 2.0], stop_gradient=False)


def chain(length: int) -> tg.Tensor:
    """A state to which a few layers add what they compute."""
    x = leaf()
    for _ in range(length):
        x = x + tg.tanh(x)
    return x


def test_each_op_has_a_dot_and_the_legend_has_one_for_each_type() -> None:
    found = strip(chain(1), chain(3), names=["one", "three"])
    assert repr(found) == "one: 2 ops\nthree: 6 ops"
    dots = ET.fromstring(found.svg()).iter(f"{SVG}circle")  # noqa: S314  our own
    fills = [dot.attrib["fill"] for dot in dots]
    assert len(fills) == 2 + 6 + 2
    assert len({*fills}) == 2


def test_an_op_lies_below_all_that_it_reads() -> None:
    x = leaf()
    shared = tg.tanh(x)
    loss = (shared * shared + tg.tanh(x * 2.0)).sum()
    one = thumbnail(loss, "a diamond")
    assert len({*one.places}) == len(one.places) == len(one.types)
    for above, below in one.edges:
        assert one.places[above][1] < one.places[below][1]
    assert one.types[-1] == "reduce_sum"
    assert one.rows == 4


def test_a_way_past_other_ops_is_bent_around_them() -> None:
    (drawn,) = findall(r'<path d="([^"]*)"', strip(chain(2)).svg())
    # The first layer reads a leaf, which has no dot.
    assert drawn.count("Q") == 1
    assert drawn.count("L") == 3


def test_it_is_an_image_with_words_and_names_are_no_markup() -> None:
    html = strip(chain(1), names=["<b>&\x00"])._repr_html_()
    assert "<b>" not in html
    found = search(r"base64,([^\"]+)", html)
    assert found
    texts = ET.fromstring(b64decode(found[1])).iter(f"{SVG}text")  # noqa: S314
    assert [text.text for text in texts][:2] == ["<b>&�", "2 ops"]
    assert "2 ops" in html


def test_a_tensor_without_a_tape_has_an_empty_thumbnail() -> None:
    assert repr(strip(tg.to_tensor(1.0))) == "1: 0 ops"
    assert "0 ops" in strip(tg.to_tensor(1.0)).svg()


def test_there_is_a_caption_for_each_tensor_or_none() -> None:
    with pytest.raises(InvalidValueError, match="caption for each"):
        strip()
    with pytest.raises(InvalidValueError, match="caption for each"):
        strip(chain(1), names=["a", "b"])
