"""Each op that is exported does in ONNX Runtime what it does here, in every case.

The cases are those by which the ops and the functions made of them are tested. What
ONNX has no like for is refused with the name of the op.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import UnknownOpError
from teachgraph.core.op import find
from teachgraph.deploy.onnx import export
from teachgraph.deploy.onnx.writing import CONVERTERS
from tests.onnx.test_export import close, session, single
from tests.ops.contract import Case
from tests.ops.table import TABLE
from tests.oracle.functions import FUNCTIONS

WHILE_TRAINING = {"batch_norm", "dropout"}
"""What is exported is for use, and they do something else then; see the models."""

RUNTIME = {
    "arg_max of empty": "gives too many dimensions",
    "arg_min of empty": "gives too many dimensions",
    "dot of empty": "keeps the dimension that is summed over",
    "dot of no rows": "keeps the dimension that is summed over",
    "nanmedian of all": "sorts NaN among the numbers",
    "nanmedian of rows": "sorts NaN among the numbers",
    "nanquantile of rows": "sorts NaN among the numbers",
    "reshape_as of empty": "takes a size of 0 for one to keep",
    "rnn_gru of empty": "ends the process",
    "rnn_lstm of empty": "ends the process",
    "rnn_simple of empty": "ends the process",
}
"""Where ONNX Runtime differs from ONNX or from us, and in what."""

EXPORTED = [row for row in TABLE.values() if row.op in set(CONVERTERS) - WHILE_TRAINING]


def flat(values: Any) -> list[Any]:
    """All results, those of lists too."""
    if not isinstance(values, (list, tuple)):
        return [] if values is None else [values]
    return [one for part in values for one in flat(part)]


def given(case: Case) -> list[Any]:
    return [None if x is None else single(np.asarray(x)) for x in case.inputs]


def program_of(function: Any, inputs: list[Any], attrs: Any) -> tuple[Any, list[Any]]:
    """The program of a call, and its results."""
    main = static.Program()
    tg.enable_static()
    with static.program_guard(main, static.Program()), tg.unique_name.guard():
        fed = [
            None if x is None else static.data(f"x{i}", x.shape, x.dtype)
            for i, x in enumerate(inputs)
        ]
        results = flat(function(*fed, **attrs))
    tg.disable_static()
    return main, results


def same_in_runtime(path: Path, inputs: list[Any], wanted: Iterable[Any]) -> None:
    model = session(path.with_suffix(".onnx"))
    feed = {
        name: inputs[int(name[1:])] for name in (i.name for i in model.get_inputs())
    }
    for got, want in zip(model.run(None, feed), map(np.asarray, wanted), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        close(got, want)


def told(label: str, error: Exception) -> str:
    return f"{label}: {type(error).__name__}: {error}"


@pytest.mark.parametrize("row", EXPORTED, ids=lambda row: row.op)
def test_an_op_is_the_same_in_onnx_runtime(row: Any, tmp_path: Path) -> None:
    op, path, wrong = find(row.op), tmp_path / "f", []
    first = next((i for i, n in enumerate(op.outputs) if n in ("y", "out")), 0)
    for case in row.cases:
        label, inputs = f"{row.op} of {case.label}", given(case)
        if label in RUNTIME:
            continue
        try:
            wanted = flat(op(*inputs, **case.attrs))[first : first + 1]
            main, results = program_of(op, inputs, case.attrs)
            chosen = results[first : first + 1]
            export(main, path, output_spec=chosen, opset_version=18)
            same_in_runtime(path, inputs, wanted)
        except UnknownOpError as error:
            wrong += [] if "cannot" in str(error) else [told(label, error)]
        except Exception as error:
            wrong.append(told(label, error))
    assert wrong == []


@pytest.mark.parametrize(
    "function", FUNCTIONS.values(), ids=lambda function: function.op
)
def test_a_function_is_the_same_or_its_op_is_named(
    function: Any, tmp_path: Path
) -> None:
    path, wrong = tmp_path / "f", []
    for case in function.cases:
        label, inputs = f"{function.op} of {case.label}", given(case)
        if label in RUNTIME or not function.static:
            continue

        def call(*values: Any, **attrs: Any) -> Any:
            return function.ours(tg, *values, **attrs)

        try:
            tensors = [None if x is None else tg.to_tensor(x) for x in inputs]
            wanted = [getattr(v, "data", v) for v in flat(call(*tensors, **case.attrs))]
            main, results = program_of(call, inputs, case.attrs)
            export(main, path, output_spec=results, opset_version=18)
            same_in_runtime(path, inputs, wanted)
        except UnknownOpError as error:
            named = any(op.type in str(error) for op in main.global_block().ops)
            wrong += [] if named else [told(label, error)]
        except Exception as error:
            wrong.append(told(label, error))
    assert wrong == []
