"""Paddle 1.x's ways to feed programs: generators of samples or batches, made feeds."""

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
    """Makes feeds of lists of samples.

    A sample is a tuple with a value for each variable; values of one variable are
    stacked, and shaped as the variable says: of [-1, 1, 28, 28] a value may be a list
    of 784 numbers.

    Args:
        feed_list: Variables, or their names.
        place: Accepted for Paddle's sake.
        program: Whose names they are; by default the default main program's.

    In Paddle 1.x this is `fluid.DataFeeder`.
    """

    def __init__(
        self, feed_list: Sequence[Any], place: Any, program: Program | None = None
    ) -> None:
        block = (default_main_program() if program is None else program).global_block()
        self.variables: list[Variable] = [
            block.var(given) if isinstance(given, str) else given for given in feed_list
        ]

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """The feed of one batch.

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
        """The feed of each batch of several, one for each device."""
        return (self.feed(samples) for samples in iterable)

    def decorate_reader(
        self,
        reader: Reader,
        multi_devices: bool,
        num_places: int | None = None,
        drop_last: bool = True,
    ) -> Reader:
        """A reader of feeds, of a reader of batches; there is one device."""
        return lambda: (self.feed(samples) for samples in reader())


def stacked(variable: Variable, values: Sequence[Any]) -> Any:
    """Values of one variable as an array of its shape and dtype."""
    array = np.stack([np.asarray(value, variable.dtype) for value in values])
    sizes = list(variable.shape[1:])
    return array if sizes.count(-1) > 0 else array.reshape([len(values), *sizes])


class GeneratorLoader:
    """Batches that a generator makes, as feeds or as lists.

    Args:
        feed_list: The variables of a program; not needed in a guard.
        capacity: Accepted for Paddle's sake: batches are made when they are asked for.
        use_double_buffer: Accepted for Paddle's sake.
        iterable: Whether a `for` goes over it; there is no other way here.
        return_list: Give lists of arrays; in a guard it is always so.
        use_multiprocess: Accepted for Paddle's sake.
        drop_last: Accepted for Paddle's sake: there is one device.

    Raises:
        ModeError: It is not iterable: then Paddle's operators would ask for batches.

    In Paddle 1.x this is what `fluid.io.DataLoader.from_generator` returns.
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
        """A batch of samples as arrays."""
        if self.variables:
            return list(DataFeeder(self.variables, None).feed(samples).values())
        return [np.stack(column) for column in zip(*samples, strict=True)]

    def __iter__(self) -> Iterator[Any]:
        """One epoch.

        Raises:
            DataError: No generator was set.
        """
        if self.reader is None:
            raise DataError(at_user_line("set a generator first: set_batch_generator"))
        return (self.given(arrays) for arrays in self.reader())

    def given(self, arrays: Any) -> Any:
        """A batch as it was asked for; in a program a list of one, for one device."""
        if chosen() is False:
            return [to_tensor(array) for array in arrays]
        if self.return_list:
            return [list(arrays)]
        names = [variable.name for variable in self.variables]
        return [dict(zip(names, arrays, strict=True))]

    __call__ = __iter__


class PyReader(GeneratorLoader):
    """The same, by its older name: `fluid.io.PyReader`."""

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
