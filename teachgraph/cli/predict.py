"""`teachgraph predict model --input x.npy`: run a saved model on arrays from files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from zipfile import ZipFile

import numpy as np

from teachgraph.cli.progress import Bar
from teachgraph.cli.short_errors import short_errors
from teachgraph.core.errors import FeedError, InvalidValueError
from teachgraph.deploy.inference import InferenceModel
from teachgraph.errors import DataError
from teachgraph.io.files import written_whole

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]

Array = np.ndarray[Any, Any]

ABOUT = """\
Predict with a model that jit.save or static.save_inference_model wrote.

  teachgraph predict runs/lenet --input images.npy --output scores.npy
  teachgraph predict runs/bert --input words=words.npy --input mask=mask.npy
  teachgraph predict runs/lenet --input images.npy --batch 64 --output scores.npz
"""


def add_arguments(subparsers: Subparsers) -> None:
    """Add `predict` to the command line that `subparsers` belongs to."""
    about = "Predict with a saved model, from .npy or .npz files."
    parser = subparsers.add_parser(
        "predict",
        help=about,
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="what its files begin with, or its folder")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help=".npy, or .npz of all inputs by name; once for each input",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help=".npy of one result, .npz of several; by default they are printed",
    )
    parser.add_argument(
        "--batch", type=positive, metavar="N", help="run so many rows at a time"
    )
    parser.set_defaults(run=run)


def positive(text: str) -> int:
    """Parse an integer from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text}")
    return int(text)


@short_errors("predict")
def run(args: argparse.Namespace) -> int:
    """Run the model.

    Returns:
        0, or 2 if it cannot be done; then no file has changed.
    """
    check_output(args.output)
    model = InferenceModel(args.model)
    feed = fitted(model, inputs_of(args.input, model.inputs))
    outputs = results(model, feed, args.batch)
    if args.output is None:
        show(outputs)
    else:
        write(args.output, outputs)
    return 0


def check_output(path: Path | None) -> None:
    """Refuse an output file of an unknown kind, before the work.

    Raises:
        InvalidValueError: The file is neither .npy nor .npz.
    """
    if path is not None and path.suffix not in (".npy", ".npz"):
        raise InvalidValueError(f"{path} is neither .npy nor .npz")


def inputs_of(files: Sequence[str], names: Sequence[str]) -> dict[str, Array]:
    """Read the inputs by name; files without a name go to the remaining inputs."""
    by_name: dict[str, Array] = {}
    unnamed: list[Array] = []
    for word in files:
        name, sign, path = word.partition("=")
        arrays = read(Path(path if sign else word))
        if isinstance(arrays, dict):
            by_name |= arrays
        elif sign:
            by_name[name] = arrays
        else:
            unnamed.append(arrays)
    left = [name for name in names if name not in by_name]
    by_name |= dict(zip(left, unnamed, strict=False))
    if len(unnamed) > len(left) or set(by_name) != set(names):
        lacking = [name for name in names if name not in by_name]
        raise FeedError(
            f"the model takes {', '.join(names) or 'nothing'}: "
            + (f"give --input {lacking[0]}=FILE" if lacking else "there is too much")
        )
    return by_name


def read(path: Path) -> Array | dict[str, Array]:
    """Read the array of a file, or the arrays by name.

    Raises:
        DataError: It holds something else; nothing in it is run.
    """
    try:
        content = np.load(path, allow_pickle=False)
        return content if isinstance(content, np.ndarray) else dict(content)
    except (ValueError, EOFError) as error:
        raise DataError(f"{path} holds no arrays: {error}") from None


def fitted(model: InferenceModel, feed: Mapping[str, Array]) -> dict[str, Array]:
    """Cast the arrays to the dtypes of the inputs, if these are of the same kind."""
    fitting = {}
    for name, array in feed.items():
        dtype = model.predictor.get_input_handle(name).type()
        alike = np.can_cast(array.dtype, dtype, "same_kind")
        fitting[name] = array.astype(dtype, copy=False) if alike else array
    return fitting


def results(
    model: InferenceModel, feed: Mapping[str, Array], batch: int | None
) -> dict[str, Array]:
    """Run the model, in batches if asked for; return its outputs by name."""
    rows = {len(array) if array.ndim else 0 for array in feed.values()}
    if batch is None or rows <= {0}:
        return dict(zip(model.outputs, as_list(model(feed)), strict=True))
    if len(rows) > 1:
        raise FeedError(f"the inputs have {sorted(rows)} rows, so --batch cannot part")
    (count,) = rows
    bar, parts = Bar("predict", count), []
    for start in range(0, count, batch):
        part = {name: array[start : start + batch] for name, array in feed.items()}
        parts.append(as_list(model(part)))
        bar.update(len(next(iter(part.values()))))
    bar.close()
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return dict(zip(model.outputs, joined, strict=True))


def as_list(outputs: Any) -> list[Array]:
    """Return one output or several as a list."""
    return outputs if isinstance(outputs, list) else [outputs]


def show(outputs: Mapping[str, Array]) -> None:
    """Print the outputs."""
    for name, array in outputs.items():
        print(f"{name} {array.dtype} {list(array.shape)}")
        print(array)


def write(path: Path, outputs: Mapping[str, Array]) -> None:
    """Write the outputs, all or none.

    Raises:
        InvalidValueError: Several results cannot stand in one .npy.
    """
    if path.suffix == ".npy" and len(outputs) != 1:
        raise InvalidValueError(f"{len(outputs)} results need .npz, not {path}")
    with written_whole(path) as file:
        if path.suffix == ".npy":
            (array,) = outputs.values()
            np.save(file, array)
        else:
            write_members(file, outputs)
    print(f"Wrote {path}")


def write_members(file: BinaryIO, outputs: Mapping[str, Array]) -> None:
    """Write an .npz, also with a name like `file`, an argument of `np.savez`."""
    with ZipFile(file, "w") as archive:
        for name, array in outputs.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.save(member, array)
