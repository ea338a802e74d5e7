"""Where two described programs differ, one record a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np

__all__ = ["ABSENT", "Difference", "differences"]

ABSENT = "absent"

Json = Any


class Difference(NamedTuple):
    """One thing that Paddle and we have otherwise.

    Attributes:
        program: The golden's name.
        kind: "variable", "variables" (which there are, and in what order), "operators",
            "attr", "input", "output" or "returned".
        where: The op's type, or the variable's name.
        what: The attribute, the slot, or the variable's fact.
        paddle: What Paddle has.
        ours: What we have.
    """

    program: str
    kind: str
    where: str
    what: str
    paddle: Any
    ours: Any


def differences(program: str, golden: Json, ours: Json) -> list[Difference]:
    """All differences of two captured programs, but for their values."""
    return [
        *of_programs(program, golden["startup"], ours["startup"]),
        *of_programs(program, golden["main"], ours["main"]),
        *of_returned(program, golden["returned"], ours["returned"]),
    ]


def of_programs(program: str, golden: Json, ours: Json) -> Iterator[Difference]:
    """Differences of two programs, block by block."""
    assert len(golden) == len(ours), "the programs have different numbers of blocks"
    for theirs, own in zip(golden, ours, strict=True):
        yield from of_operators(program, theirs["ops"], own["ops"])
        yield from of_variables(program, theirs["vars"], own["vars"])


def of_variables(program: str, golden: Json, ours: Json) -> Iterator[Difference]:
    """Differences in which variables there are, their order and their facts."""
    theirs = {v["name"]: v for v in golden}
    own = {v["name"]: v for v in ours}
    for name in theirs | own:
        if name not in theirs or name not in own:
            here, there = (name if name in d else ABSENT for d in (own, theirs))
            yield Difference(program, "variables", name, "name", there, here)
    common = [name for name in theirs if name in own]
    if (order := [name for name in own if name in theirs]) != common:
        yield Difference(program, "variables", "*", "order", common, order)
    for name in common:
        yield from of_facts(program, "variable", name, theirs[name], own[name])


def of_operators(program: str, golden: Json, ours: Json) -> Iterator[Difference]:
    """Differences of two lists of operators: of each pair, and which have no pair."""
    types, own = ([op["type"] for op in ops] for ops in (golden, ours))
    for change, a, b, c, d in SequenceMatcher(None, types, own, False).get_opcodes():
        if change == "equal":
            for theirs, mine in zip(golden[a:b], ours[c:d], strict=True):
                yield from of_operator(program, theirs, mine)
        else:
            yield Difference(program, "operators", "*", "types", types[a:b], own[c:d])


def of_operator(program: str, golden: Json, ours: Json) -> Iterator[Difference]:
    """Differences of two operators of one type."""
    for kind in ("inputs", "outputs"):
        full = [filled(op[kind]) for op in (golden, ours)]
        yield from of_facts(program, kind[:-1], golden["type"], *full)
    yield from of_facts(program, "attr", golden["type"], golden["attrs"], ours["attrs"])


def filled(slots: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The slots that hold something: Paddle also lists optional ones that do not."""
    return {slot: names for slot, names in slots.items() if names}


def of_facts(
    program: str, kind: str, where: str, golden: Json, ours: Json
) -> Iterator[Difference]:
    """Differences of two dictionaries."""
    for what in golden | ours:
        there, here = golden.get(what, ABSENT), ours.get(what, ABSENT)
        if not same(there, here):
            yield Difference(program, kind, where, what, there, here)


def same(one: Any, other: Any) -> bool:
    """Whether two attributes are equal, numbers in the float32 Paddle keeps them in."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.float32(one) == np.float32(other))
    return type(one) is type(other) and bool(one == other)


def of_returned(program: str, golden: Json, ours: Json) -> Iterator[Difference]:
    """Differences in what the builder got back."""
    if isinstance(golden, dict) and isinstance(ours, dict):
        yield from of_programs(program, golden["program"], ours["program"])
    elif (
        isinstance(golden, list) and isinstance(ours, list) and len(golden) == len(ours)
    ):
        for theirs, own in zip(golden, ours, strict=True):
            yield from of_returned(program, theirs, own)
    elif golden != ours:
        yield Difference(program, "returned", "*", "*", golden, ours)
