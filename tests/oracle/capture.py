"""Ask PyTorch what ops and functions should give, and compare with what it said before.

    python -m tests.oracle.capture           compare; ends with 1 if anything differs
    python -m tests.oracle.capture --write   write the answers
    python -m tests.oracle.capture --write relu tanh   write those of these

Run it at the root of the repository, in an environment that has `torch` (the version in
`REQUIREMENT`) and NumPy; it needs nothing of the project but its tables: the ops of
`tests/ops` and the functions of `functions/`. The answers are beside it in `torch/` and
`torch_functions/`, and the tests read those, so no test needs PyTorch.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.contract import Case, Row
from tests.ops.table import TABLE
from tests.oracle.answers import (
    FOLDER,
    FUNCTIONS,
    TOLERANCE,
    load,
    question,
    read,
    upstream,
    weights,
    written,
)
from tests.oracle.functions import FUNCTIONS as KNOWN
from tests.oracle.functions import Function

REQUIREMENT = "torch==2.13.0"


def tensors(torch: Any, case: Case) -> list[Any]:
    """The inputs, those with a gradient as leaves."""
    variables = case.variables()
    return [
        None if x is None else torch.tensor(x.copy(), requires_grad=i in variables)
        for i, x in enumerate(case.inputs)
    ]


def arrays(values: Sequence[Any]) -> list[Any]:
    """PyTorch's tensors as arrays."""
    return [value.detach().numpy(force=True) for value in values]


def gradients(
    torch: Any, outputs: Sequence[Any], inputs: Sequence[Any], given: Sequence[Any]
) -> list[Any]:
    """Gradients that can be differentiated again, zeros where there are none."""
    live = [
        (out, torch.tensor(u) if isinstance(u, np.ndarray) else u)
        for out, u in zip(outputs, given, strict=True)
        if out.requires_grad
    ]
    if not live:
        return [torch.zeros_like(x) for x in inputs]
    roots, seeds = zip(*live, strict=True)
    found = torch.autograd.grad(
        roots, inputs, seeds, create_graph=True, allow_unused=True
    )
    return [
        torch.zeros_like(x) if dx is None else dx
        for x, dx in zip(inputs, found, strict=True)
    ]


def answer(torch: Any, row: Row | Function, case: Case) -> dict[str, Any]:
    """What PyTorch gives for one case."""
    inputs = tensors(torch, case)
    assert row.twin is not None
    result = row.twin(torch, *inputs, **case.attrs)
    outputs = result if isinstance(result, (tuple, list)) else [result]
    told = {"question": question(case), "outputs": list(map(written, arrays(outputs)))}
    if not row.gradient or case.differs:
        return told
    floating = [out for out in outputs if out.is_floating_point()]
    leaves = [inputs[i] for i in case.variables()]
    given = [torch.tensor(u, requires_grad=True) for u in upstream(arrays(outputs))]
    first = gradients(torch, floating, leaves, given)
    second = gradients(torch, first, [*leaves, *given], weights(arrays(first)))
    told["first"] = list(map(written, arrays(first)))
    told["second"] = list(map(written, arrays(second)))
    return told


def captured(torch: Any, row: Row | Function) -> dict[str, Any]:
    """What PyTorch gives for every case."""
    cases = {case.label: answer(torch, row, case) for case in row.cases}
    return {"oracle": f"torch {torch.__version__.split('+')[0]}", "cases": cases}


def as_text(answers: dict[str, Any]) -> str:
    """JSON with one fact a line, so that a change can be read."""

    def line(value: Any) -> str:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))

    def block(told: dict[str, Any]) -> str:
        return ",\n".join(f"  {line(fact)}: {line(v)}" for fact, v in told.items())

    cases = ",\n".join(
        f"{line(label)}: {{\n{block(told)}}}"
        for label, told in answers["cases"].items()
    )
    return f'{{"oracle": {line(answers["oracle"])}, "cases": {{\n{cases}\n}}}}\n'


def differences(op: str, now: dict[str, Any], folder: Path) -> list[str]:
    """Where the committed answers are not what PyTorch says now."""
    try:
        before = load(op, folder)
    except FileNotFoundError:
        return [f"{op}: no answers are there"]
    if set(before["cases"]) != set(now["cases"]) or before["oracle"] != now["oracle"]:
        return [f"{op}: other cases, or of {before['oracle']}"]
    return [
        f"{op}, {label}: {fact}"
        for label, told in now["cases"].items()
        for fact in told
        if not same(told[fact], before["cases"][label].get(fact))
    ]


def same(now: Any, before: Any) -> bool:
    """Whether two answers agree, to the last digits that machines may differ in."""
    if isinstance(now, str) or before is None:
        return bool(now == before)
    return len(now) == len(before) and all(
        a[0] == b[0] and np.allclose(read(a), read(b), **TOLERANCE)
        for a, b in zip(now, before, strict=True)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the answers")
    parser.add_argument("names", nargs="*", help="by default all")
    options = parser.parse_args()
    import torch

    if f"torch=={torch.__version__.split('+')[0]}" != REQUIREMENT:
        print(f"The answers are of {REQUIREMENT}, this is torch {torch.__version__}.")
        return 1
    ops = {name: row for name, row in TABLE.items() if row.twin is not None}
    found = [
        *compared(torch, ops, FOLDER, options),
        *compared(torch, KNOWN, FUNCTIONS, options),
    ]
    print(*(found or ["PyTorch agrees."]), sep="\n")
    return 1 if found else 0


def compared(
    torch: Any,
    known: Mapping[str, Row | Function],
    folder: Path,
    options: argparse.Namespace,
) -> list[str]:
    """Ask PyTorch about all that is known, or what was asked for; what differs."""
    found: list[str] = []
    folder.mkdir(exist_ok=True)
    for name, row in known.items():
        if options.names and name not in options.names:
            continue
        now = captured(torch, row)
        if options.write:
            (folder / f"{name}.json").write_text(as_text(now), "utf-8")
        found += differences(name, now, folder)
    stray = {path.stem for path in folder.glob("*.json")} - set(known)
    return found + [f"{name}: answers that nobody asks for" for name in stray]


if __name__ == "__main__":
    sys.exit(main())
