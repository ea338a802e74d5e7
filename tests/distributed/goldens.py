"""Programs of the real transpilers, and ours for the very same input.

The goldens are Paddle 1.8.5's: see `capture.py`. Each holds the programs that went in,
which are built here operator by operator, and those that came out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.distributed import DistributeTranspiler, DistributeTranspilerConfig
from teachgraph.distributed.geo import GeoSgdTranspiler
from teachgraph.static import Program
from teachgraph.static.program import default_main_program

FOLDER = Path(__file__).parent / "transpiled"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))

DTYPES = {"fp32": "float32", "fp64": "float64"}

Json = Any


def golden(name: str) -> Json:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def rebuilt(blocks: Json) -> Program:
    """The program that went in."""
    program = Program()
    for number, block in enumerate(blocks):
        target = program._create_block(block["parent"]) if number else program.block(0)
        for v in block["vars"]:
            add_variable(target, v)
        for op in block["ops"]:
            attrs = {"op_role": 0, **op["attrs"]}
            parts = dict(op["inputs"]), dict(op["outputs"]), attrs
            target.insert(len(target.ops), op["type"], *parts)
    program.current_block_idx = 0
    return program


def add_variable(block: Any, v: Json) -> None:
    dtype = DTYPES.get(v.get("dtype"), v.get("dtype")) or "float32"
    if v.get("parameter"):
        block.create_parameter(v["name"], v["shape"], dtype)
        return
    kind = v.get("type", "LOD_TENSOR")
    facts = {"persistable": v.get("persistable", False), "type": kind}
    block.create_var(v["name"], v.get("shape"), dtype, **facts)


def transpiled(case: Json) -> dict[str, Program]:
    """Run our transpiler on what went into Paddle's."""
    main, startup = rebuilt(case["in"]["main"]), rebuilt(case["in"]["startup"])
    config = DistributeTranspilerConfig()
    for name, value in case["config"].items():
        setattr(config, name, value)
    if "collective_mode" in case["config"]:
        config.mode = "collective"
    kind = GeoSgdTranspiler if config.geo_sgd_mode else DistributeTranspiler
    transpiler = kind(config)
    transpiler.transpile(program=main, startup_program=startup, **case["arguments"])
    if config.mode == "collective":
        return {"main": main, "startup": startup}
    found = {}
    for endpoint in case["arguments"]["pservers"].split(","):
        found[endpoint], its = transpiler.get_pserver_programs(endpoint)
        found[f"{endpoint} startup"] = its
    found["main"], found["startup"] = transpiler.get_trainer_program(), startup
    assert default_main_program() is not main
    return found


def described(program: Program) -> Json:
    """A program as the goldens have it."""
    return [
        {
            "parent": block.parent_idx,
            "vars": [described_variable(v) for v in block.vars.values()],
            "ops": [described_operator(op) for op in block.ops],
        }
        for block in program.blocks
    ]


def described_variable(v: Any) -> Json:
    facts: Json = {"name": v.name}
    if v.type != "LOD_TENSOR":
        facts["type"] = v.type
    if v.persistable:
        facts["persistable"] = True
    if v.type in {"LOD_TENSOR", "SELECTED_ROWS"}:
        back = {value: key for key, value in DTYPES.items()}
        dtype = str(v.dtype)
        facts |= {"shape": list(v.shape), "dtype": back.get(dtype, dtype)}
    return facts | ({"parameter": True} if hasattr(v, "trainable") else {})


def described_operator(op: Any) -> Json:
    return {
        "type": op.type,
        "inputs": {slot: names for slot, names in op.inputs.items() if names},
        "outputs": {slot: names for slot, names in op.outputs.items() if names},
        "attrs": op.attrs,
    }


def differences(theirs: Json, ours: Json) -> Iterator[str]:
    """Differences of two programs, a line for each place."""
    theirs, ours = numbered(theirs), numbered(ours)
    if len(theirs) != len(ours):
        yield f"{len(theirs)} blocks, ours {len(ours)}"
        return
    for number, (one, two) in enumerate(zip(theirs, ours, strict=True)):
        where = f"block {number}"
        if one["parent"] != two["parent"]:
            yield f"{where} in {one['parent']}, ours in {two['parent']}"
        yield from of_operators(where, one["ops"], two["ops"])
        yield from of_variables(where, one["vars"], two["vars"])


def of_operators(where: str, theirs: Json, ours: Json) -> Iterator[str]:
    types, own = ([op["type"] for op in ops] for ops in (theirs, ours))
    if types != own:
        yield f"{where} is {types}, ours {own}"
        return
    for at, (one, two) in enumerate(zip(theirs, ours, strict=True)):
        for side in ("inputs", "outputs"):
            if one[side] != two[side]:
                yield f"{where} #{at} {one['type']} {one[side]}, ours {two[side]}"
        attrs, mine = one["attrs"], two["attrs"]
        for name in sorted(n for n in {*attrs, *mine} if not n.startswith("geo_")):
            if not same(attrs.get(name), mine.get(name)):
                kinds = f"{attrs.get(name)!r}, ours {mine.get(name)!r}"
                yield f"{where} #{at} {one['type']} {name}={kinds}"


def of_variables(where: str, theirs: Json, ours: Json) -> Iterator[str]:
    one, two = ({v["name"]: v for v in side} for side in (theirs, ours))
    for name in sorted({*one, *two}):
        if one.get(name) != two.get(name):
            yield f"{where} {one.get(name)}, ours {two.get(name)}"


def same(one: Any, other: Any) -> bool:
    """Equal, or both false or empty; numbers in the float32 Paddle keeps them in."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return [*one] == [*other]
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.float32(one) == np.float32(other))
    silent = None, False, 0, "", "/", []
    return bool(one == other) or (one in silent and other in silent)


def numbered(program: Json) -> Json:
    """The program with its control variables, named at random, numbered."""
    names = {
        name: f"__control_var@{at}"
        for at, name in enumerate(
            v["name"] for v in program[0]["vars"] if "__control_var" in v["name"]
        )
    }
    text = json.dumps(program, default=list)
    for name, number in names.items():
        text = text.replace(json.dumps(name), json.dumps(f"~{number}"))
    return json.loads(text.replace("~", ""))
