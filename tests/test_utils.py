"""Paddle's `utils`."""

from __future__ import annotations

from typing import Any

import pytest

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.tape import backward_pass
from teachgraph.core.tensor import run_op
from teachgraph.utils import deprecated, require_version, try_import
from teachgraph.utils.observe import Observer, watch


def test_names_are_those_that_programs_use() -> None:
    with tg.utils.unique_name.guard():
        assert tg.utils.unique_name.generate("fc") == "fc_0"
        assert tg.unique_name.generate("fc") == "fc_1"


def test_what_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(ImportError, match="pip install no_such_module"):
        try_import("no_such_module")
    with pytest.raises(ImportError, match="bring your own"):
        try_import("no_such_module", "bring your own")


def test_a_deprecated_function_warns_and_works_or_refuses() -> None:
    old = deprecated(update_to="new", reason="slow")(lambda x: x + 1)
    with pytest.warns(DeprecationWarning, match=r"use new instead \(slow\)"):
        assert old(1) == 2
    with pytest.raises(RuntimeError, match="use new instead"):
        deprecated(update_to="new", level=2)(lambda: None)()


@pytest.mark.parametrize(
    "versions", [("2.7",), ("1.0", "2.6.1"), ("3",), ("two",), ("2.0", "x")]
)
def test_a_version_that_is_not_followed_is_refused(versions: tuple[str, ...]) -> None:
    with pytest.raises(InvalidValueError, match=r"2\.6\.2"):
        require_version(*versions)


def test_a_version_needs_no_zeros() -> None:
    require_version("2.6.2.0", "2.6.2")
    require_version("0")


def test_ops_and_the_tape_are_wrapped_while_somebody_watches() -> None:
    plain = [*run_op.wrappers], [*backward_pass.wrappers]
    with watch(Observer()), watch(Observer()):
        assert len(run_op.wrappers) == len(plain[0]) + 1
        assert len(backward_pass.wrappers) == len(plain[1]) + 1
    assert (run_op.wrappers, backward_pass.wrappers) == plain


def test_an_observer_that_comes_in_a_backward_pass_goes_again() -> None:
    x = tg.to_tensor(2.0, stop_gradient=False)
    y = x * x
    observers = []

    def come(gradient: Any) -> None:
        observers.append(watch(Observer()))
        observers[-1].__enter__()

    y.register_hook(come)
    wrappers = [*run_op.wrappers, *backward_pass.wrappers]
    y.backward()
    observers[0].__exit__(None, None, None)
    assert x.grad is not None
    assert x.grad.item() == 4.0
    assert [*run_op.wrappers, *backward_pass.wrappers] == wrappers
