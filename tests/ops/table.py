"""One row an op: what drives every test of every op, and what PyTorch is asked.

A new op is a new row, in the file of its family.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.ops.contract import Case, Row, Wrong

FAMILIES = [
    import_module(f"tests.ops.rows.{path.stem}")
    for path in sorted(Path(__file__).with_name("rows").glob("*.py"))
]

TABLE: dict[str, Row] = {row.op: row for family in FAMILIES for row in family.ROWS}

ELSEWHERE = {
    "uniform_random": "random: test_random.py tests its distribution and its seeds",
    "gaussian_random": "random: test_random.py tests its distribution and its seeds",
    "fused_update": "joins updates that have rows: passes/test_optimizer_fuse.py",
    "seed": "a number drawn for dropout: tests/static/test_recomputing.py",
    **dict.fromkeys(
        (
            "bernoulli",
            "dirichlet",
            "gaussian_like",
            "multinomial",
            "orthogonal_random",
            "poisson",
            "randint",
            "randint_like",
            "randperm",
            "truncated_gaussian_random",
            "uniform_like",
        ),
        "random: test_random.py tests its distribution and its seeds",
    ),
    "warpctc": "it has one derivative, and no second: test_ctc.py",
    **dict.fromkeys(
        (
            "array_zeros_like",
            "conditional_block",
            "conditional_block_grad",
            "create_array",
            "fill_constant_batch_size_like",
            "lod_array_length",
            "merge_lod_tensor",
            "place_in_array",
            "read_from_array",
            "recurrent",
            "recurrent_grad",
            "rnn_memory_helper",
            "select_input",
            "select_output",
            "split_lod_tensor",
            "while",
            "while_grad",
            "write_away",
            "write_to_array",
            "write_zeros",
        ),
        "control flow, of blocks and arrays of a program: tests/executor",
    ),
    **dict.fromkeys(("assert", "print"), "it acts, and computes nothing: tests/static"),
    **dict.fromkeys(
        (
            "fail_unless",
            "fill_sizes",
            "print_text",
            "array_place",
            "drop_from_array",
            "insert_into_array",
            "join_arrays",
            "shares",
            "sizes_of_array",
            "slice_array",
            "tensor_array_to_tensor",
            "unslice_array",
        ),
        "what functions are converted to: tests/jit",
    ),
    **dict.fromkeys(
        ("call_function", "call_function_grad"),
        "they call another function, whose numbers come as tensors: tests/static",
    ),
    "with_tensor_attributes": (
        "it runs another op, whose attributes come as tensors: tests/onnx"
    ),
    **dict.fromkeys(
        ("resample", "resample_back", "suppressed"),
        "ops of ONNX that Paddle has not, held to its node tests: tests/onnx",
    ),
    "py_func": "its kernel is the user's: test_py_func.py",
    "pylayer": "its gradient is the user's: tests/static/test_pylayer.py",
    "no_gradient_saved": "it refuses to run: tests/static/test_pylayer.py",
}
"""Ops that have no row, and why."""


def cases() -> list[tuple[Row, Case]]:
    """Every case of every row."""
    return [(row, case) for row in TABLE.values() for case in row.cases]


def mistakes() -> list[tuple[Row, Wrong]]:
    """Every call that must be refused."""
    return [(row, wrong) for row in TABLE.values() for wrong in row.wrong]


def name(row: Row, case: Case | Wrong) -> str:
    """What a test report calls a case."""
    return f"{row.op}: {case.label}"
