"""The floors of the house hold: no import goes up, and none in a circle."""

import ast
import sys
from collections.abc import Iterable

import pytest

from tests.floors import (
    FACES,
    FLOOR,
    PACKAGE,
    ROOT,
    Import,
    across,
    components,
    drawing,
    foreign,
    found_in,
    imports,
    modules,
    room,
    upward,
)

KNOWN: dict[tuple[str, str], str] = {}
"""Arrows up that are still there, each with what is to be said for it."""

HIDDEN = {
    ("static/__init__", "planning/executor"): "heavy: floor 3, for who runs programs",
    ("static/__init__", "passes/__init__"): "heavy: floor 3, for who asks for passes",
    ("static/__init__", "io/inference"): "heavy: floor 4, for who saves models",
    ("static/__init__", "io/programs"): "heavy: floor 4, for who saves programs",
    ("static/nn/__init__", "nn/parametric/__init__"): "heavy: floor 4, layers",
    (
        "vision/__init__",
        "vision/models",
    ): "heavy: they import most of the package",
    ("vision/__init__", "vision/ops"): "heavy: they import layers",
}
"""Imports in strings, each with its reason; `__init__` and `extensions` have theirs."""

TABLES = {"__init__", "extensions"}
MOST_AT_THE_TOP = 8
MOST_IN_A_CIRCLE = 3


def drawn(arrows: Iterable[Import]) -> str:
    return "\n".join(map(str, arrows))


def test_every_room_has_its_floor() -> None:
    assert {room(module) for module in modules()} - set(FACES) <= set(FLOOR)
    assert set(FACES) <= set(modules())


def test_no_import_goes_up() -> None:
    new = [arrow for arrow in upward() if (arrow.source, arrow.target) not in KNOWN]
    assert not new, f"a room imports from floors below only:\n{drawn(new)}"


def test_what_is_known_to_go_up_still_does() -> None:
    found = {(arrow.source, arrow.target) for arrow in upward()}
    assert KNOWN.keys() <= found, "take it off the list"


def test_no_circle_closes_among_the_rooms_of_a_floor() -> None:
    arrows = [(room(arrow.source), room(arrow.target)) for arrow in across()]
    circles = components(arrows)
    closing = [
        arrow
        for arrow in across()
        if any({room(arrow.source), room(arrow.target)} <= circle for circle in circles)
    ]
    assert not circles, drawn(closing)


def test_no_circle_in_a_room_is_of_more_than_three_files() -> None:
    inside = [arrow for arrow in imports() if room(arrow.source) == room(arrow.target)]
    circles = components((arrow.source, arrow.target) for arrow in inside)
    large = [sorted(circle) for circle in circles if len(circle) > MOST_IN_A_CIRCLE]
    closing = [a for a in inside if any({a.source, a.target} <= {*c} for c in large)]
    assert not large, drawn(closing)


def test_few_modules_stand_beside_the_packages() -> None:
    top = sorted(path.name for path in (ROOT / PACKAGE).glob("*.py"))
    assert len(top) <= MOST_AT_THE_TOP, top


def test_the_core_imports_numpy_and_the_standard_library_and_itself() -> None:
    allowed = {"numpy", PACKAGE, *sys.stdlib_module_names}
    others = [
        f"{PACKAGE}/{module}.py:{line} imports {name}"
        for module, tree in modules().items()
        if room(module) == "core"
        for name, line in foreign(tree)
        if name not in allowed
    ]
    assert not others, "\n".join(others)


def test_an_import_hides_in_a_string_only_if_optional_or_heavy() -> None:
    hidden = [arrow for arrow in imports() if arrow.how == "in a string"]
    new = [
        arrow
        for arrow in hidden
        if arrow.source not in TABLES and (arrow.source, arrow.target) not in HIDDEN
    ]
    assert not new, drawn(new)
    found = {(arrow.source, arrow.target) for arrow in hidden}
    assert HIDDEN.keys() <= found, "take it off the list"


SOURCE = '''
from typing import TYPE_CHECKING
from teachgraph.nn import Layer
from teachgraph import ops as functions
if TYPE_CHECKING:
    import teachgraph.core.tape
def later():
    from teachgraph.nn import layer
    return import_module("teachgraph.core.tape"), "teachgraph.core.tapes"
class Late:
    TABLE = {"layer": "teachgraph.nn.layer:Layer"}
    """See teachgraph.core.tape."""
'''


def test_imports_are_found_wherever_they_are_written() -> None:
    known = ("__init__", "core/tape", "nn/__init__", "nn/layer", "ops/__init__")
    assert list(found_in(ast.parse(SOURCE), known)) == [
        ("nn/__init__", 3, "at the top"),
        ("ops/__init__", 4, "at the top"),
        ("core/tape", 6, "for types"),
        ("nn/layer", 8, "in a function"),
        ("core/tape", 9, "in a string"),
        ("nn/layer", 11, "in a string"),
    ]


@pytest.mark.parametrize(
    ("arrows", "circles"),
    [
        ("ab bc", []),
        ("ab ba", ["ab"]),
        ("ab bc ca cd", ["abc"]),
        ("ab ba bc cd dc", ["ab", "cd"]),
        ("aa ab", []),
    ],
)
def test_circles_are_strongly_connected_components(
    arrows: str, circles: list[str]
) -> None:
    pairs = [(source, target) for source, target in arrows.split()]
    assert sorted("".join(sorted(circle)) for circle in components(pairs)) == circles


def test_the_drawing_shows_the_core_below_everything() -> None:
    *_, floor, core = drawing().splitlines()
    assert floor == "floor 0"
    assert core.strip().startswith("core (")
