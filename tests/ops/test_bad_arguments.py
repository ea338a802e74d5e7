"""Whatever a public function is given, it answers or says in words what is wrong.

For each function a call that it answers is looked for among likely arguments; then each
of its arguments becomes everything it should not be, one at a time.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core.errors import OpError, TeachgraphError
from teachgraph.core.op import Op
from tests.ops.spoiling import Call, is_told, spoilt
from tests.ops.values import integers, numbers

pytestmark = pytest.mark.further

F = tg.nn.functional
FUNCTIONS = {name: getattr(tg, name) for name in tg.functions.__all__}
FUNCTIONS |= {f"F.{name}": getattr(F, name) for name in F.__all__}
FUNCTIONS |= {f"linalg.{name}": getattr(tg.linalg, name) for name in tg.linalg.__all__}
FUNCTIONS = {name: call for name, call in FUNCTIONS.items() if not name.endswith("_")}
"""All but those that change their input: each is the one it is named after."""


def floats(*shape: int) -> Any:
    return tg.Tensor(numbers(*shape, low=0.1, high=0.9))


def ints(*shape: int) -> Any:
    return tg.Tensor(integers(*shape, below=2))


CHARACTERISTIC: dict[str, list[Any]] = {
    "axes": [[0], 0],
    "axis": [0, 1, -1],
    "axis1": [0],
    "data_format": ["NCHW", "NCL", "NCDHW"],
    "dim": [0],
    "dtype": ["float32", None],
    "equation": ["ij,jk->ik", "ij->ji"],
    "fill_value": [1.0],
    "kernel_size": [2],
    "kernel_sizes": [2],
    "mode": ["constant", "nearest", "raise", "upscale_in_train"],
    "reduction": ["mean", "none"],
    "value": [0.5, floats(3), floats(1, 3)],
    "scale": [2.0],
}
SIZES = [[3], [2, 3], [3, 3], [2, 3, 4], [2, 4, 2, 2], [1, 1, 4, 4], [1, 2, 2, 2, 2]]
TENSORS = [floats(*size) for size in SIZES] + [ints(*size) for size in SIZES[:3]]
LIKELY: list[Any] = [*TENSORS, 0, 1, 2, [1], [2, 3], [0, 1], [1, 1, 1, 1], 0.5]
LIKELY += [[floats(3), floats(3)], (ints(2),), "mean"]


def parameters(function: Any) -> list[inspect.Parameter]:
    """What a function is called with; an op as its kernel is."""
    target = function.kernel if isinstance(function, Op) else function
    found = inspect.signature(target).parameters.values()
    return [p for p in found if p.name != "name"]


def candidates(parameter: inspect.Parameter) -> list[Any]:
    """What an argument of this name is likely to be."""
    known = CHARACTERISTIC.get(parameter.name, [])
    if parameter.default is not parameter.empty:
        return [parameter.default]
    return known + (LIKELY if parameter.name != "equation" else [])


CALLS: dict[str, Call] = {
    "bmm": ([floats(2, 2, 3), floats(2, 3, 4)], {}),
    "increment": ([floats(1)], {}),
    "masked_select": ([floats(2), tg.Tensor(np.array([True, False]))], {}),
    "masked_fill": ([floats(2), tg.Tensor(np.array([True, False])), 0.5], {}),
    "randint": ([0, 5, [2]], {}),
    "randint_like": ([ints(3), 0, 5], {}),
    "scatter_nd": ([ints(2, 1), floats(2), [3]], {}),
    "shard_index": ([ints(3, 1), 4, 2, 0], {}),
    "slice": ([floats(3, 4), [0], [1], [2]], {}),
    "strided_slice": ([floats(3, 4), [0], [0], [3], [2]], {}),
    "linalg.lu_unpack": ([floats(2, 2), tg.Tensor(np.array([1, 2]))], {}),
    "F.affine_grid": ([floats(1, 2, 3), [1, 1, 2, 2]], {}),
    "F.bilinear": ([floats(2, 3), floats(2, 4), floats(5, 3, 4)], {}),
    "F.conv1d_transpose": ([floats(1, 2, 4), floats(2, 1, 2)], {}),
    "F.conv3d_transpose": ([floats(1, 2, 2, 2, 2), floats(2, 1, 2, 1, 2)], {}),
    "F.cosine_embedding_loss": ([floats(2, 3), floats(2, 3), floats(2)], {}),
    "F.ctc_loss": (
        [
            floats(4, 1, 3),
            tg.Tensor(np.array([[1, 2]], np.int32)),
            tg.Tensor(np.array([4])),
            tg.Tensor(np.array([2])),
        ],
        {},
    ),
    "F.dice_loss": ([floats(3, 2), ints(3, 1)], {}),
    "F.fold": ([floats(1, 4, 9), [4, 4], 2], {}),
    "F.hsigmoid_loss": ([floats(2, 3), ints(2, 1), 4, floats(3, 3)], {}),
    "F.interpolate": ([floats(1, 1, 2, 2), [4, 4]], {}),
    "F.max_unpool1d": ([floats(1, 1, 2), tg.Tensor(np.array([[[0, 3]]])), 2], {}),
    "F.max_unpool2d": (
        [floats(1, 1, 1, 1), tg.Tensor(np.zeros((1, 1, 1, 1), int)), 2],
        {},
    ),
    "F.max_unpool3d": (
        [floats(1, 1, 1, 1, 1), tg.Tensor(np.zeros((1, 1, 1, 1, 1), int)), 2],
        {},
    ),
    "F.scaled_dot_product_attention": ([floats(1, 2, 1, 3)] * 3, {}),
    "F.poisson_nll_loss": ([floats(2, 3), floats(2, 3)], {}),
    "F.upsample": ([floats(1, 1, 2, 2), [4, 4]], {}),
}
"""Calls that are too unlikely to be found."""


def one_of(values: Sequence[Any], draw: np.random.Generator) -> Any:
    return values[draw.integers(len(values))]


def likely(function: Any, draw: np.random.Generator) -> Call:
    """Arguments for each parameter that must be given."""
    positional, named = [], {}
    for p in parameters(function):
        if p.kind is p.VAR_KEYWORD:
            continue
        if p.kind is p.VAR_POSITIONAL:
            positional += [one_of(TENSORS, draw) for _ in range(draw.integers(1, 3))]
        elif p.kind is p.KEYWORD_ONLY:
            named[p.name] = one_of(candidates(p), draw)
        else:
            positional.append(one_of(candidates(p), draw))
    return positional, named


def answered(name: str, tries: int = 3000) -> Call | None:
    """A call that the function answers."""
    if name in CALLS:
        return CALLS[name]
    draw = np.random.default_rng(list(name.encode()))
    for _ in range(tries):
        call = likely(FUNCTIONS[name], draw)
        try:
            FUNCTIONS[name](*call[0], **call[1])
        except (TeachgraphError, TypeError):
            continue
        return call
    return None


def refusal(name: str, call: Call) -> Exception | None:
    """What the function raises, if it does not answer."""
    try:
        FUNCTIONS[name](*call[0], **call[1])
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_argument_is_refused_in_words(name: str) -> None:
    call = answered(name)
    assert call is not None, "no likely call is answered: give it one in CALLS"
    errors = [(bad, refusal(name, bad)) for bad in spoilt(call)]
    bare = name.rpartition(".")[2]
    found = [(bad, e) for bad, e in errors if e is not None and not is_told(bare, e)]
    assert found == []


@pytest.mark.parametrize("name", ["sort", "F.conv2d", "reshape", "sum"])
def test_what_is_no_tensor_is_called_so(name: str) -> None:
    positional, named = answered(name) or ([], {})
    with pytest.raises(TeachgraphError, match=f"{name.removeprefix('F.')}.*no tensor"):
        FUNCTIONS[name](3, *positional[1:], **named)


def test_a_wrong_signature_stays_pythons_own_error() -> None:
    with pytest.raises(TypeError, match=r"reshape\(\) missing 1 required") as caught:
        tg.reshape(floats(2))
    assert not isinstance(caught.value, TeachgraphError)


def test_an_error_names_function_arguments_and_line() -> None:
    with pytest.raises(OpError) as caught:
        F.cross_entropy(floats(2, 3), 5)
    message = str(caught.value)
    assert message.startswith("cross_entropy cannot take these inputs: ")
    assert "input: Tensor float64 [2, 3]" in message
    assert "label: int 5" in message
    assert message.count(f"at {__file__}:") == 1
