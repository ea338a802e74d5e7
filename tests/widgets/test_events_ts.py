"""The page's schema is the recorder's schema."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest
from teachgraph_widgets import events, typescript


def test_the_committed_file_is_current() -> None:
    expected = typescript.generate(typescript.SOURCE.read_text("utf-8"))
    assert typescript.TARGET.read_text("utf-8") == expected, (
        "run `python -m teachgraph_widgets.typescript`"
    )


def test_every_event_has_an_interface_and_a_row_in_the_table() -> None:
    text = typescript.TARGET.read_text("utf-8")
    for event in get_args(events.AnyEvent):
        (kind,) = get_args(get_type_hints(event)["kind"])
        assert f"export interface {event.__name__} extends Event" in text
        assert f'\n  {kind}: "' in text


def test_optional_nullable_and_nested_types() -> None:
    source = '''
VERSION = 7
class Event(TypedDict):
    seq: int
class Ran(Event):
    """An op ran."""
    kind: Literal["ran"]
    norm: float | None
    slots: NotRequired[dict[str, list[str]]]
    heat: list[list[float | None]]
'''
    text = typescript.generate(source)
    assert "export const VERSION = 7;" in text
    assert "/** An op ran. */\nexport interface Ran extends Event {" in text
    assert '  kind: "ran";' in text
    assert "  norm: number | null;" in text
    assert "  slots?: Record<string, string[]>;" in text
    assert "  heat: ((number | null)[])[];" in text
    assert '\n  ran: "norm:float? slots?:str[]{} heat:float?[][]",' in text


def test_a_type_the_log_does_not_use_is_refused() -> None:
    with pytest.raises(TypeError, match=r"tuple\[int\]"):
        typescript.generate("VERSION = 1\nclass E(TypedDict):\n    pair: tuple[int]\n")
