"""Paddle 1.x's feeders: feeds from samples, batches and generators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from teachgraph.autograd.creation import tensor_of
from teachgraph.core.errors import FeedError, ModeError, at_user_line
from teachgraph.core.modes import chosen
from teachgraph.errors import DataError
from teachgraph.fluid.core import EOFException
from teachgraph.io import batch
from teachgraph.planning import executor
from teachgraph.static import Program, Variable, default_main_program

__all__ = ["DataFeeder", "GeneratorLoader", "PyReader", "loaders", "started"]

Reader = Callable[[], Iterable[Any]]

loaders: WeakKeyDictionary[Program, list[GeneratorLoader]] = WeakKeyDictionary()
"""The loaders that feed a program by themselves."""


def started(program: Program) -> dict[str, Any]:
    """Take the next batch of each loader that feeds a program by itself.

    Raises:
        EOFException: One has no more.
        ModeError: One was not started.
    """
    feeds = [loader.next_feed() for loader in loaders.get(program, ())]
    return {name: array for feed in feeds for name, array in feed.items()}


def with_loaders(fed: Callable[..., Any]) -> Callable[..., Any]:
    """Feed a program what its own loaders give, besides what a run is given."""

    def fed_by_loaders(program: Any, feed: Any) -> Any:
        feeds = fed(program, feed)
        own = getattr(program, "program", program) or default_main_program()
        if not isinstance(own, Program) or not isinstance(feeds, Mapping):
            return feeds  # the executor refuses it
        return {**feeds, **started(own)}

    return fed_by_loaders


class DataFeeder:
    """Converts lists of samples to feeds.

    A sample is a tuple with a value for each variable; values of one variable are
    stacked, and reshaped to the variable's sizes: for [-1, 1, 28, 28] a value may be a
    list of 784 numbers.

    Args:
        feed_list: Variables, or their names.
        place: Accepted for Paddle's sake.
        program: The program of the names; by default the default main program.

    In Paddle 1.x this is `fluid.DataFeeder`.
    """

    def __init__(
        self, feed_list: Sequence[Any], place: Any, program: Program | None = None
    ) -> None:
        block = (default_main_program() if program is None else program).global_block()
        self.variables: list[Variable] = [
            block.var(one) if isinstance(one, str) else one for one in feed_list
        ]

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Return the feed of one batch.

        Raises:
            DataError: A sample has not a value for each variable.
        """
        samples = list(iterable)
        count = len(self.variables)
        if wrong := [s for s in samples if len(s) != count]:
            raise DataError.here(
                f"a sample of {len(wrong[0])} values for {count} variables"
            )
        columns = zip(*samples, strict=True)
        pairs = zip(self.variables, columns, strict=True)
        return {variable.name: stacked(variable, column) for variable, column in pairs}

    def feed_parallel(
        self, iterable: Iterable[Any], num_places: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the feed of each batch, one for each device."""
        return (self.feed(samples) for samples in iterable)

    def decorate_reader(
        self,
        reader: Reader,
        multi_devices: bool,
        num_places: int | None = None,
        drop_last: bool = True,
    ) -> Reader:
        """Convert a reader of batches to a reader of feeds."""
        return lambda: (self.feed(samples) for samples in reader())


def stacked(variable: Variable, values: Sequence[Any]) -> Any:
    """Stack the values of one variable to an array of its shape and dtype.

    Raises:
        FeedError: They have another number of elements.
    """
    array = np.stack([np.asarray(value, variable.dtype) for value in values])
    shape = list(variable.shape)
    # Paddle's samples may be flat, or one may be the whole: the variable's sizes say.
    if array.ndim == len(shape) or shape.count(-1) > 1:
        return array
    try:
        return array.reshape(shape)
    except ValueError:
        raise FeedError.here(
            f"Reshape error. What is defined in data layer is {shape}, but receive "
            f"{list(array.shape)}"
        ) from None


class GeneratorLoader:
    """Batches of a generator, as feeds or as lists.

    Args:
        feed_list: The variables of a program; not needed in a guard.
        capacity: Accepted for Paddle's sake: batches are computed on demand.
        use_double_buffer: Accepted for Paddle's sake.
        iterable: Whether the loader is used in a `for`; if not, it feeds the default
            main program, from `start()` on, until a run raises `core.EOFException`.
        return_list: Yield lists of arrays, as always in a guard.
        use_multiprocess: Accepted for Paddle's sake.
        drop_last: Accepted for Paddle's sake: there is one device.

    In Paddle 1.x `fluid.io.DataLoader.from_generator` returns it.
    """

    def __init__(
        self,
        feed_list: Sequence[Variable] | None = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> None:
        self.variables = list(feed_list or ())
        self.return_list = return_list
        self.reader: Reader | None = None
        self.iterable = iterable
        self.batches: Iterator[Any] | None = None
        if not iterable:
            executor.feeding.wrap(with_loaders)
            loaders.setdefault(default_main_program(), []).append(self)

    def set_sample_generator(
        self,
        reader: Reader,
        batch_size: int,
        drop_last: bool = True,
        places: Any = None,
    ) -> GeneratorLoader:
        """Take batches of a generator of samples."""
        return self.set_sample_list_generator(batch(reader, batch_size, drop_last))

    def set_sample_list_generator(
        self, reader: Reader, places: Any = None
    ) -> GeneratorLoader:
        """Take the batches of a generator of lists of samples."""
        return self.set_batch_generator(lambda: map(self.columns, reader()))

    def set_batch_generator(
        self, reader: Reader, places: Any = None
    ) -> GeneratorLoader:
        """Take batches as a generator gives them: an array for each variable."""
        self.reader = reader
        return self

    def columns(self, samples: Sequence[Sequence[Any]]) -> list[Any]:
        """Convert a batch of samples to arrays."""
        if self.variables:
            return list(DataFeeder(self.variables, None).feed(samples).values())
        return [np.stack(column) for column in zip(*samples, strict=True)]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over one epoch.

        Raises:
            DataError: No generator was set.
            ModeError: The loader is not iterable.
        """
        if not self.iterable:
            message = "this DataLoader is not iterable: start() it, and run the program"
            raise ModeError.here(message)
        return (self.as_batch(arrays) for arrays in self.epoch())

    def epoch(self) -> Iterable[Any]:
        """Call the generator.

        Raises:
            DataError: None was set.
        """
        if self.reader is None:
            raise DataError.here("set a generator first: set_batch_generator")
        return self.reader()

    def start(self) -> None:
        """Begin an epoch: each run of the program takes a batch.

        Raises:
            DataError: No generator was set.
            ModeError: The loader is iterable.
        """
        if self.iterable:
            message = "an iterable DataLoader is used in a `for`, and not started"
            raise ModeError.here(message)
        self.batches = iter(self.epoch())

    def reset(self) -> None:
        """End the epoch; `start()` begins the next one."""
        self.batches = None

    def next_feed(self) -> dict[str, Any]:
        """Take the next batch, as a feed.

        Raises:
            EOFException: There are no more.
            ModeError: No epoch has begun.
        """
        if self.batches is None:
            raise ModeError.here("start() the DataLoader before the run")
        for arrays in self.batches:
            names = [variable.name for variable in self.variables]
            return dict(zip(names, arrays, strict=True))
        message = "the DataLoader has no more batches: reset() it, and start() again"
        raise EOFException(at_user_line(message))

    def as_batch(self, arrays: Any) -> Any:
        """Convert arrays to Tensors in a guard, else to a list of one device's feed."""
        if chosen() is False:
            return [tensor_of(array) for array in arrays]
        if self.return_list:
            return [list(arrays)]
        names = [variable.name for variable in self.variables]
        return [dict(zip(names, arrays, strict=True))]

    __call__ = __iter__


class PyReader(GeneratorLoader):
    """The older name of `GeneratorLoader`: `fluid.io.PyReader`."""

    def __init__(
        self,
        feed_list: Sequence[Variable] | None = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
    ) -> None:
        super().__init__(feed_list, capacity, use_double_buffer, iterable, return_list)

    def decorate_sample_generator(
        self,
        sample_generator: Reader,
        batch_size: int,
        drop_last: bool = True,
        places: Any = None,
    ) -> None:
        """Take batches of a generator of samples."""
        self.set_sample_generator(sample_generator, batch_size, drop_last)

    def decorate_sample_list_generator(
        self, reader: Reader, places: Any = None
    ) -> None:
        """Take the batches of a generator of lists of samples."""
        self.set_sample_list_generator(reader)

    def decorate_batch_generator(self, reader: Reader, places: Any = None) -> None:
        """Take batches as a generator gives them."""
        self.set_batch_generator(reader)
