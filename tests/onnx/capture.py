"""Ask PyTorch: small networks as it exports them, and what it computes with them.

    python -m tests.onnx.capture            compare; ends with 1 if anything differs
    python -m tests.onnx.capture --write    write the files
    python -m tests.onnx.capture --write lstm gru    write those of these

Run it at the root of the repository, in an environment that has `torch`, `onnx` and
`onnxscript`. Each network of `networks/` is exported by the older exporter and by the
newer one; `files/` holds the models, and beside them the inputs and answers.
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from tests.onnx.networks import flow, functions, sequences, vision
from tests.onnx.networks.case import Case, Plain

FILES = Path(__file__).parent / "files"
CASES = {**vision.CASES, **sequences.CASES, **functions.CASES, **flow.CASES}
BATCHES = (2, 3)
TOLERANCE = 1e-5

Array = np.ndarray[Any, Any]
Files = dict[str, Any]


def answers(module: Any, given: Mapping[int, Any]) -> dict[str, Array]:
    """What goes in and what comes out, batch by batch, each with its number."""
    found = {}
    for batch, inputs in given.items():
        with torch.no_grad():
            out = module(*(x.clone() for x in inputs))
        outputs = out if isinstance(out, tuple) else (out,)
        found |= {f"x{batch}.{i}": x.numpy() for i, x in enumerate(inputs)}
        found |= {f"y{batch}.{i}": y.numpy() for i, y in enumerate(outputs)}
    return found


def by_trace(case: Case, module: Any, inputs: Any) -> Any:
    """The model of the older exporter."""
    names = [f"x{i}" for i in range(len(inputs))]
    axes = {name: {0: "batch"} for name in names}
    how = {"input_names": names, "dynamic_axes": axes, "opset_version": case.opset}
    source = torch.jit.script(module) if case.scripted else module
    file = BytesIO()
    torch.onnx.export(source, inputs, file, dynamo=False, **how)
    return onnx.load_model_from_string(file.getvalue())


def by_dynamo(case: Case, module: Any, inputs: Any) -> Any:
    """The model of the newer exporter, without where it was exported."""
    batch = torch.export.Dim("batch", min=1, max=1024)
    sizes: Any = tuple({0: batch} for _ in inputs)
    sizes = (sizes,) if isinstance(module, Plain) else sizes
    program = torch.onnx.export(
        module, inputs, dynamo=True, dynamic_shapes=sizes, verbose=False
    )
    return without_traces(program.model_proto)


def without_traces(message: Any) -> Any:
    """A message none of whose parts tells of the machine it was made on."""
    for field, value in message.ListFields():
        if field.name == "metadata_props":
            message.ClearField(field.name)
        elif field.message_type is not None:
            parts = value if field.is_repeated else [value]
            for part in parts:
                without_traces(part)
    return message


def asked(name: str, case: Case) -> Files:
    """The models and the answers of a case, by the names of the files."""
    torch.manual_seed(7)
    module = case.build().eval()
    given = {batch: case.inputs(batch) for batch in BATCHES}
    found: Files = {f"{name}.npz": answers(module, given)}
    if case.opset:
        found[f"{name}.torchscript.onnx"] = by_trace(case, module, given[2])
    if case.dynamo:
        found[f"{name}.dynamo.onnx"] = by_dynamo(case, module, given[2])
    return found


def write(name: str, content: Any) -> None:
    """Write a file."""
    if name.endswith(".npz"):
        np.savez_compressed(FILES / name, **content)
    else:
        (FILES / name).write_bytes(content.SerializeToString(deterministic=True))


def same(name: str, content: Any) -> bool:
    """Whether a file says the same; numbers may differ in their last digits."""
    path = FILES / name
    if not path.exists():
        return False
    if name.endswith(".npz"):
        return close(dict(np.load(path)), content)
    told = onnx.load(path)
    return close(emptied(told), emptied(content)) and told == content


def close(told: Mapping[str, Array], found: Mapping[str, Array]) -> bool:
    """Whether two sets of arrays are equal but for rounding."""
    if told.keys() != found.keys():
        return False
    pairs = [(told[key], found[key]) for key in told]
    return all(
        a.dtype == b.dtype
        and a.shape == b.shape
        and np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
        for a, b in pairs
    )


def emptied(model: Any) -> dict[str, Array]:
    """The arrays of a model, which are taken out of it."""
    arrays = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.ClearField("float_data")
    return arrays


def main() -> int:
    """Compare, or write; 1 if something differs."""
    parser = argparse.ArgumentParser(description="Ask PyTorch for ONNX files.")
    parser.add_argument("--write", action="store_true", help="write the files")
    parser.add_argument("names", nargs="*", help="networks; by default all")
    asks = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    differ = []
    for name in asks.names or CASES:
        for file, content in asked(name, CASES[name]).items():
            if asks.write:
                write(file, content)
            elif not same(file, content):
                differ.append(file)
    print("\n".join(f"{file} differs" for file in differ) or "the same again")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
