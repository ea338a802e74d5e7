"""Paddle 1.x's feeders: feeds from samples, batches and generators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.core.errors import DataError, ModeError, at_user_line
from teachgraph.core.modes import chosen
from teachgraph.io import batch
from teachgraph.static import Program, Variable, default_main_program

__all__ = ["DataFeeder", "GeneratorLoader", "PyReader"]

Reader = Callable[[], Iterable[Any]]


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
            raise DataError(
                at_user_line(
                    f"a sample of {len(wrong[0])} values for {count} variables"
                )
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
    """Stack the values of one variable to an array of its shape and dtype."""
    array = np.stack([np.asarray(value, variable.dtype) for value in values])
    sizes = list(variable.shape[1:])
    return array if sizes.count(-1) > 0 else array.reshape([len(values), *sizes])


class GeneratorLoader:
    """Batches of a generator, as feeds or as lists.

    Args:
        feed_list: The variables of a program; not needed in a guard.
        capacity: Accepted for Paddle's sake: batches are computed on demand.
        use_double_buffer: Accepted for Paddle's sake.
        iterable: Must be True: the loader is used in a `for`.
        return_list: Yield lists of arrays, as always in a guard.
        use_multiprocess: Accepted for Paddle's sake.
        drop_last: Accepted for Paddle's sake: there is one device.

    Raises:
        ModeError: `iterable` is False: then operators of Paddle's read the batches.

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
        if not iterable:
            raise ModeError(
                at_user_line(
                    "a reader that is started in a program: give iterable=True, and "
                    "feed what a `for` over it gives"
                )
            )
        self.variables = list(feed_list or ())
        self.return_list = return_list
        self.reader: Reader | None = None

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
        """
        if self.reader is None:
            raise DataError(at_user_line("set a generator first: set_batch_generator"))
        return (self.as_batch(arrays) for arrays in self.reader())

    def as_batch(self, arrays: Any) -> Any:
        """Convert arrays to Tensors in a guard, else to a list of one device's feed."""
        if chosen() is False:
            return [to_tensor(array) for array in arrays]
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
