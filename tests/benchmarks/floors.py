"""Floors of convolutional networks: the products and bytes that a step must have.

python -m tests.benchmarks.floors --threads 1 --cpu vgg lenet

For each network it prints, in milliseconds of a training step:

- the matrix products of its convolutions alone, forward and backward, with columns
  made beforehand, each in the shapes that take least: of an image, of all images, or of
  a row of outputs, so small that OpenBLAS does not pack their operands; depthwise
  convolutions are none;
- the columns, as fast as NumPy copies: each of those products has its own, of windows
  one row tall;
- the other bytes moved, as fast: each op reads its inputs and writes its outputs, its
  rule reads upstream gradient and inputs, and writes their gradients;
- our step, and PyTorch's.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

import teachgraph as tg
from teachgraph.ops.wide_columns import parts_of
from teachgraph.utils.observe import Observer, watch
from tests.benchmarks import families
from tests.benchmarks.models import MODELS, commands, measured
from tests.benchmarks.peers import EAGER, TORCH

NETWORKS = ("resnet18 b8", "vgg", "lenet", "mobilenet")

Shape = tuple[int, ...]
Product = list[tuple[Any, Any]]
"""Pairs of operands, each an array or a shape, whose products take the place of one."""

Clock = Callable[[], float]


class Convolution(NamedTuple):
    """Sizes of a convolution in a training step.

    Attributes:
        both: True if the image has a gradient too, not the filter alone.
    """

    image: tuple[int, ...]
    filters: tuple[int, ...]
    output: tuple[int, ...]
    groups: int
    both: bool

    def products(
        self, batch: int, parts: int, inner: int, columns: int
    ) -> list[tuple[Shape, Shape]]:
        """Shapes of the forward product and of those of the gradients."""
        outputs = self.filters[0] // self.groups
        rows, seen = (batch, parts, outputs, inner), (batch, parts, inner, columns)
        upstream = (batch, parts, outputs, columns)
        of_input = [(transposed(rows), upstream)] if self.both else []
        return [(rows, seen), *of_input, (upstream, transposed(seen))]

    def im2col(self) -> list[list[Product]]:
        """Its products: image by image, and of all images at once."""
        inner, images = math.prod(self.filters[1:]), self.image[0]
        places = math.prod(self.output[2:])
        ways = (
            self.products(images, self.groups, inner, places),
            self.products(1, self.groups, inner, images * places),
        )
        return [[[shapes] for shapes in way] for way in ways]

    def in_rows(self) -> list[Product]:
        """Its products by rows: small ones of a row of outputs, or of the window's."""
        images, channels, *sizes = self.image
        tall, inner = self.filters[2], channels * self.filters[3]
        if self.groups > 1 or tall == 1 or sizes != [*self.output[2:]]:
            return []
        pairs = [self.filters[:2], self.filters[1::-1]][: 1 + self.both]
        *_, of_filter = self.products(images, 1, inner, math.prod(sizes))
        return [*map(self.of_output_rows, pairs), [of_filter] * tall]

    def of_output_rows(self, channels: Sequence[int]) -> Product:
        """Parts of a filter, and the columns of each row, which share their lines."""
        outputs, inner = channels
        tall, wide, height, width = *self.filters[2:], *self.output[2:]
        depth = inner * tall * wide
        rows = (self.image[0], height + tall - 1, inner * wide * width)
        lines = np.ones(rows, np.float32)
        steps = *lines.strides[:2], 4 * width, 4
        columns = as_strided(lines, (len(lines), height, depth, width), steps)
        parts = parts_of(outputs, depth * width)
        return [(np.ones((parts, 1, 1, outputs // parts, depth), np.float32), columns)]

    def columns(self) -> int:
        """Bytes of its products' columns; a window of one element needs none."""
        inner = self.filters[1] * math.prod(self.filters[3:])
        window = math.prod(self.filters[2:])
        places, depthwise = math.prod(self.output[2:]), self.filters[1] == 1
        size = 4 * self.image[0] * self.groups * inner * places
        return 0 if window == 1 or depthwise else (2 + self.both) * size


def transposed(shape: Sequence[int]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])


class Work(Observer):
    """Counts the convolutions of a step, and the bytes its ops must move."""

    def __init__(self) -> None:
        self.convolutions: Counter[Convolution] = Counter()
        self.bytes = 0

    def op_end(
        self,
        op: str,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        attrs: Mapping[str, Any],
        node: Any | None,
    ) -> None:
        tensors = [x for x in inputs if isinstance(x, tg.Tensor)]
        read, written = (
            sum(x.numpy().nbytes for x in each) for each in (tensors, outputs)
        )
        self.bytes += 3 * read + 2 * written
        if op == "conv2d":
            image, filters = tensors[:2]
            convolution = Convolution(
                tuple(image.shape),
                tuple(filters.shape),
                tuple(outputs[0].shape),
                attrs["groups"],
                not image.stop_gradient,
            )
            self.convolutions[convolution] += 1


class Floors(NamedTuple):
    """Seconds of the parts of a step that NumPy cannot leave out."""

    products: float
    columns: float
    moved: float


def floors_of(name: str, clock: Clock) -> Floors:
    """Watch a step, and time its products and copies alone."""
    step = families.eager(tg, name)
    step()
    with watch(Work()) as work:
        step()
    convolutions, speed = work.convolutions.items(), copied_per_second(clock)
    products = sum(count * least(each, clock) for each, count in convolutions)
    columns = sum(count * each.columns() for each, count in convolutions)
    return Floors(products, 2 * columns / speed, work.bytes / speed)


def least(convolution: Convolution, clock: Clock) -> float:
    """Seconds of its products, each in the way that takes least."""
    ways = [*convolution.im2col(), convolution.in_rows()]
    seconds = [[time_of(product, clock) for product in way] for way in ways if way]
    return float(sum(map(min, zip(*seconds, strict=True))))


def time_of(product: Product, clock: Clock) -> float:
    """Seconds of all its pairs."""
    return sum(seconds_of(operand(a), operand(b), clock) for a, b in product)


def operand(given: Any) -> Any:
    """An array, or ones of a shape."""
    return np.ones(given, np.float32) if isinstance(given, tuple) else given


def seconds_of(a: Any, b: Any, clock: Clock) -> float:
    out = np.matmul(a, b)
    return fastest(lambda: np.matmul(a, b, out=out), clock)


def copied_per_second(clock: Clock) -> float:
    """Bytes read and written by copies of 4 MB, as large as an activation."""
    x = np.ones(1 << 20, np.float32)
    out = np.empty_like(x)
    return 2 * x.nbytes / fastest(lambda: np.copyto(out, x), clock)


def fastest(run: Callable[[], Any], clock: Clock, runs: int = 9) -> float:
    """Seconds of the fastest of several runs."""
    took = math.inf
    for _ in range(runs):
        start = clock()
        run()
        took = min(took, clock() - start)
    return took


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", help=", ".join(NETWORKS))
    parser.add_argument("--seconds", type=float, default=10, help="for each step")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--cpu", action="store_true", help="count CPU time")
    asked: Any = parser.parse_args(arguments)
    clock = "process_time" if asked.cpu else "perf_counter"
    if openblas() is None:
        parser.error("the threads of NumPy's BLAS cannot be set")
    here = commands()
    steps_of = [side for side in (EAGER, TORCH) if side in here]
    titles = map(column, [*Floors._fields, *steps_of])
    print(f"{'ms':42} threads{''.join(titles)}")
    for name in asked.networks or NETWORKS:
        for threads in asked.threads:
            limit_blas(threads)
            floors = floors_of(name, getattr(time, clock))
            sides = [[*here[side], clock, str(threads)] for side in steps_of]
            took = [*floors, *measured(sides, name, asked.seconds)]
            cells = "".join(f"{1e3 * seconds:9.2f}" for seconds in took)
            print(f"{MODELS[name].about:42} {threads:>7}{cells}", flush=True)


def limit_blas(threads: int) -> None:
    """Limit the threads of products."""
    openblas().scipy_openblas_set_num_threads64_(threads)


@cache
def openblas() -> Any:
    """Load the OpenBLAS which NumPy's wheels bring, if its threads can be set."""
    try:
        library = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
        library.scipy_openblas_set_num_threads64_  # noqa: B018  looks the name up
    except (AttributeError, ImportError, OSError):
        return None
    return library


def column(side: str) -> str:
    return f"{side.removesuffix(', eager'):>9}"


if __name__ == "__main__":
    main()
