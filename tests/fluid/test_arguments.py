"""What Paddle 1.8.5's `fluid` takes, ours takes: by name, in order, by default.

`tests/oracle/fluid_arguments.py` asked it. What we lack stands here with its reason.
"""

from __future__ import annotations

import json
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

import pytest

from teachgraph import fluid
from teachgraph.fluid.aliases import arguments, renamed
from teachgraph.ops.left_out_1x import LEFT_OUT_1X
from tests.oracle.held import ours, words

FILE = Path(__file__).with_name("arguments.json")
ARGUMENTS: dict[str, str | None] = json.loads(FILE.read_text("utf-8"))

REST = {
    "there are no complex numbers here": "ComplexVariable",
    "there is one machine without a GPU": "CUDAPinnedPlace cuda_pinned_places",
    "tensors carry no levels of detail here": (
        "LoDTensorArray create_lod_tensor create_random_int_lodtensor"
    ),
    "data sets that Paddle's own trainers read": (
        "DataFeedDesc io.DataLoader.from_dataset"
    ),
    "time is taken by observers, never by the framework: see `teachgraph_widgets`": (
        "profiler.cuda_profiler profiler.profiler profiler.reset_profiler "
        "profiler.start_profiler profiler.stop_profiler"
    ),
    "libraries of C++, and which Paddle there is": "load_op_library require_version",
    "not built yet": "Variable.clear_gradient",
}
"""Names left out that are none of `fluid`'s modules; `fluid` itself says why."""

LEFT_OUT = words(REST) | {
    f"{module}.{name}".removeprefix("fluid.")
    for module, reasons in LEFT_OUT_1X.items()
    for name in words(reasons)
    if module != "fluid.lod_tensor"  # the names that `fluid` lacks, again
}

OTHER_ARGUMENTS = {
    "made by functions, never by hand: fluid.data, TracedLayer.trace": (
        "Variable dygraph.TracedLayer"
    ),
    "methods of 2.x's Layer, which is the same class": (
        "dygraph.DataParallel.load_dict dygraph.DataParallel.set_dict "
        "dygraph.Layer.create_variable dygraph.Layer.load_dict "
        "dygraph.Layer.named_sublayers dygraph.Layer.set_dict dygraph.Layer.sublayers "
        "optimizer.RecomputeOptimizer.load"
    ),
    "2.x's name for what is a decorator in both": "dygraph.no_grad",
    "counters of names here, a prefix there": "unique_name.guard unique_name.switch",
}

OTHER_ORDER = {"2.x's argument stands before the name": "layers.prelu"}

OTHER_DEFAULTS = {
    "what has no default there may be left out here": "name_scope",
    "made by functions, never by hand": "Variable",
    "None is the dtype in use, float32 unless it was changed": (
        "dygraph.Layer.create_parameter"
    ),
}

UNKNOWN = ...
"""A default of Paddle's that has no literal."""


def parameters(taken: Signature) -> dict[str, Parameter]:
    """What a function takes besides the object that it is a method of."""
    return {name: p for name, p in taken.parameters.items() if name != "self"}


HERE = {
    path: (parameters(arguments(text)), parameters(signature(thing)))
    for path, text in ARGUMENTS.items()
    if text is not None and (thing := ours(fluid, path)) is not None
}


def open_ended(found: dict[str, Parameter]) -> bool:
    """Whether it takes any name."""
    return any(p.kind is Parameter.VAR_KEYWORD for p in found.values())


def test_what_is_missing_is_what_is_left_out() -> None:
    missing = {path for path in ARGUMENTS if ours(fluid, path) is None}
    whole = {path for path in missing if path.rpartition(".")[0] not in missing}
    assert whole == LEFT_OUT


@pytest.mark.parametrize("module", LEFT_OUT_1X)
def test_whoever_asks_is_told_the_reason(module: str) -> None:
    here = import_module(f"teachgraph.{module}")
    for reason, names in LEFT_OUT_1X[module].items():
        for name in names.split():
            with pytest.raises(AttributeError) as caught:
                getattr(here, name)
            assert str(caught.value).endswith(f"which paddle.{module} has: {reason}")


def test_most_is_there() -> None:
    assert len(LEFT_OUT) < 0.25 * len(ARGUMENTS)


def test_every_argument_is_taken_by_its_name() -> None:
    lacking = {
        path
        for path, (wanted, found) in HERE.items()
        if not open_ended(found) and not wanted.keys() <= found.keys()
    }
    assert lacking == words(OTHER_ARGUMENTS)


def test_arguments_stand_in_the_same_order() -> None:
    moved = {
        path
        for path, (wanted, found) in HERE.items()
        if not open_ended(found)
        and wanted.keys() <= found.keys()
        and [*found][: len(wanted)] != [*wanted]
    }
    assert moved == words(OTHER_ORDER)


def same(mine: Any, yours: Any) -> bool:
    """Whether one default is the other; a tuple is as good as a list."""
    return bool((list(mine) if isinstance(yours, list) else mine) == yours)


def test_what_is_not_given_is_the_same() -> None:
    other = {
        path
        for path, (wanted, found) in HERE.items()
        for name, given in wanted.items()
        if given.default not in (Parameter.empty, UNKNOWN)
        and name in found
        and not same(found[name].default, given.default)
    }
    assert other == words(OTHER_DEFAULTS)


@pytest.mark.parametrize(
    ("args", "named", "told"),
    [
        ((), {"base": 2}, "missing a required argument: 'exponent'"),
        ((3, 2, 1), {}, "too many positional arguments"),
        ((3,), {"exponent": 2}, "multiple values for argument 'exponent'"),
        ((3,), {"mod": 2}, "unexpected keyword argument 'mod'"),
    ],
)
def test_a_renamed_function_refuses_other_arguments(
    args: Any, named: Any, told: str
) -> None:
    power = renamed(pow, "exponent, base=2", exponent="exp")
    with pytest.raises(TypeError, match=told):
        power(*args, **named)
