"""A Program as a document: JSON that says all of it and can run nothing.

The document has a format's name and a version, then block after block its variables
and operators. Arrays among the attributes are in base64, numbers that JSON has not are
in words. `deserialize` reads it back.
"""

from __future__ import annotations

import base64
import json
import math
from pathlib import PurePath
from typing import Any

import numpy as np

from teachgraph.core.errors import ProgramError
from teachgraph.core.program import Block, Operator, Program, Variable
from teachgraph.regularizer import L1Decay, L2Decay
from teachgraph.static.variable import Parameter

__all__ = ["CALLS_PYTHON", "FORMAT", "VERSION", "document_of", "program_bytes"]

FORMAT = "teachgraph.program"
VERSION = 1

CALLS_PYTHON = ("py_func",)
"""Types of operators that call a function of this process."""

OWN_TO_PROCESS = ("backward_id",)
"""Attributes that number such a function: a `pylayer` is saved without its gradient."""

Json = Any


def program_bytes(program: Program) -> bytes:
    """A program as the bytes of its document.

    Raises:
        ProgramError: It calls a function of Python's, which no document can hold.
    """
    return json.dumps(document_of(program), allow_nan=False, indent=1).encode()


def document_of(program: Program) -> Json:
    """A program as lists and dicts of numbers and text."""
    places = {
        operator: [block.idx, index]
        for block in program.blocks
        for index, operator in enumerate(block.ops)
    }
    return {
        "format": FORMAT,
        "version": VERSION,
        "random_seed": program.random_seed,
        "blocks": [block_document(block, places) for block in program.blocks],
    }


def block_document(block: Block, places: dict[Operator, list[int]]) -> Json:
    """One block."""
    return {
        "parent": block.parent_idx,
        "forward": block.forward_block_idx,
        "backward": block.backward_block_idx,
        "vars": [variable_document(v) for v in block.vars.values()],
        "ops": [operator_document(op, places) for op in block.ops],
    }


def variable_document(v: Variable) -> Json:
    """One variable; a parameter with what it knows of its training."""
    facts: Json = {
        "name": v.name,
        "shape": list(v.shape),
        "dtype": str(v.dtype),
        "persistable": v.persistable,
        "stop_gradient": v.stop_gradient,
        "is_data": v.is_data,
    }
    if v.type != Variable.type:
        facts["type"] = v.type
    if not isinstance(v, Parameter):
        return facts
    training = {
        "learning_rate": float(v.optimize_attr["learning_rate"]),
        "regularizer": regularizer_document(v),
        "need_clip": v.need_clip,
    }
    return facts | {"parameter": training}


def regularizer_document(parameter: Parameter) -> Json:
    """A parameter's own decay: its kind and strength.

    Raises:
        ProgramError: It is of a kind that no document can hold.
    """
    decay = parameter.regularizer
    if decay is None:
        return None
    for kind in (L1Decay, L2Decay):
        if isinstance(decay, kind):
            return {"type": kind.__name__, "coeff": decay.coeff}
    raise ProgramError.here(
        f"{parameter.name}: its regularizer is a {type(decay).__name__}; a "
        "document can hold L1Decay and L2Decay"
    )


def operator_document(operator: Operator, places: dict[Operator, list[int]]) -> Json:
    """One operator, with the user's line and the operator it goes back over.

    Raises:
        ProgramError: It is a `py_func`.
    """
    if operator.type in CALLS_PYTHON:
        raise ProgramError.here(
            f"a {operator.type} calls a function of this process, which no "
            "document can hold: save the program without it, or write the "
            "function as ops",
            operator.callsite,
        )
    document: Json = {
        "type": operator.type,
        "inputs": operator.inputs,
        "outputs": operator.outputs,
        "attrs": {
            name: attribute(operator, name)
            for name in operator.attrs
            if name not in OWN_TO_PROCESS
        },
    }
    if (where := operator.callsite) is not None:
        document["line"] = [PurePath(where.file).name, where.line, where.function]
    if operator.twin in places:
        document["twin"] = places[operator.twin]
    return document


def attribute(operator: Operator, name: str) -> Json:
    """An attribute's value as JSON.

    Raises:
        ProgramError: It is of a kind that no document can hold.
    """
    try:
        return attribute_document(operator.attrs[name])
    except TypeError as error:
        raise ProgramError.here(
            f"{operator.type}: the attribute {name!r} {error}", operator.callsite
        ) from None


def attribute_document(value: Any) -> Json:
    """A value as JSON; what JSON has not, as an object that says its kind.

    >>> attribute_document((1, float("inf")))
    {'tuple': [1, {'float': 'inf'}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        # JSON has no infinity and no NaN.
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, (list, tuple)):
        items = [attribute_document(item) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, np.ndarray):
        return array_document(value)
    raise TypeError(f"is a {type(value).__name__}, which no document can hold")


def array_document(array: np.ndarray[Any, Any]) -> Json:
    """An array: what its bytes mean, and they, lowest first."""
    ordered = array.astype(array.dtype.newbyteorder("<"))
    return {
        "array": base64.b64encode(ordered.tobytes()).decode(),
        "dtype": str(array.dtype.newbyteorder("=")),
        "shape": list(array.shape),
    }
