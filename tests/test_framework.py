"""Flags, lone parameters, and how Tensors are printed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.autograd import printing
from teachgraph.core.errors import InvalidValueError


@pytest.fixture
def plain() -> Iterator[None]:
    before = printing.options
    yield
    printing.options = before


def test_a_parameter_without_a_layer_is_trained() -> None:
    start = tg.nn.initializer.Constant(3.0)
    weight = tg.create_parameter([2], "float64", default_initializer=start)
    (weight * weight).sum().backward()
    tg.optimizer.SGD(0.5, parameters=[weight]).step()
    assert weight.tolist() == [0.0, 0.0]
    assert tg.create_parameter([3], is_bias=True).tolist() == [0.0] * 3


def test_a_parameter_of_a_program_is_in_it() -> None:
    main, startup = tg.static.Program(), tg.static.Program()
    tg.enable_static()
    try:
        with tg.static.program_guard(main, startup):
            weight = tg.create_parameter([2, 2], "float32", name="lone")
            out = weight * 2.0
    finally:
        tg.disable_static()
    run = tg.static.Executor().run
    run(startup)
    value, doubled = run(main, {}, [weight, out])
    assert weight.name == "lone"
    np.testing.assert_array_equal(doubled, 2.0 * value)


def test_a_flag_has_nan_looked_for_until_it_is_taken_back() -> None:
    flag = "FLAGS_check_nan_inf"
    assert tg.get_flags([flag]) == {flag: False}
    negative = tg.to_tensor([-1.0])
    tg.set_flags({flag: 1})
    try:
        assert tg.get_flags(flag) == {flag: True}
        with pytest.raises(FloatingPointError, match="sqrt made 1 NaN"):
            tg.sqrt(negative)
    finally:
        tg.set_flags({flag: False})
    assert np.isnan(tg.sqrt(negative).numpy()).all()
    with tg.check_nan_inf():
        assert tg.get_flags(flag) == {flag: True}
    assert tg.get_flags(flag) == {flag: False}


def test_other_flags_are_told_but_not_changed() -> None:
    tg.set_flags({"FLAGS_use_mkldnn": 0})
    with pytest.raises(InvalidValueError, match="cannot be changed"):
        tg.set_flags({"FLAGS_use_mkldnn": 1, "FLAGS_check_nan_inf": 1})
    assert tg.get_flags("FLAGS_check_nan_inf") == {"FLAGS_check_nan_inf": False}
    with pytest.raises(InvalidValueError, match="no flag"):
        tg.get_flags("FLAGS_of_convenience")
    assert tg.disable_signal_handler() is None


@pytest.mark.usefixtures("plain")
def test_tensors_are_printed_as_asked_and_arrays_as_ever() -> None:
    values = np.array([1.23456, 2.0, 3.0, 4.0, 5.0, 6.0], "float32")
    before = repr(values)
    tg.set_printoptions(precision=3, threshold=5, edgeitems=2, sci_mode=True)
    assert "[1.235e+00, 2.000e+00, ..., 5.000e+00, 6.000e+00]" in repr(
        tg.to_tensor(values)
    )
    tg.set_printoptions(sci_mode=False, threshold=100, linewidth=30)
    assert "\n" in repr(tg.to_tensor(values)).split("[1.235")[1]
    assert repr(values) == before
    with pytest.raises(InvalidValueError, match="precision"):
        tg.set_printoptions(precision=-1)
