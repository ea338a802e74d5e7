"""Paddle 1.x's datasets of text files, one record a line, for `train_from_dataset`.

A record has, for each variable in turn, a count and its numbers: `2 0.5 1.5 1 7` is
a pair of numbers, then a label.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.core.random import generator
from teachgraph.errors import DataError
from teachgraph.static import Variable

__all__ = ["DatasetFactory", "InMemoryDataset", "QueueDataset"]

Array = np.ndarray[Any, Any]
Record = list[Array]


class Files:
    """Text files whose records come in batches.

    Attributes:
        batch_size: The number of records in a batch.
        variables: The variables that they are fed to.
        files: The paths of the files.
    """

    def __init__(self) -> None:
        self.batch_size, self._command = 1, "cat"
        self.variables: list[Variable] = []
        self.files: list[Path] = []

    def set_batch_size(self, batch_size: int) -> None:
        """Set the number of records in a batch; the last one may have fewer."""
        if not isinstance(batch_size, int) or batch_size < 1:
            raise InvalidValueError.here(f"no batch has {batch_size} records")
        self.batch_size = batch_size

    def set_use_var(self, var_list: Sequence[Variable]) -> None:
        """Set the variables that a record has numbers for, in order."""
        if not all(isinstance(v, Variable) and v.is_data for v in var_list):
            raise InvalidValueError.here("set_use_var takes Variables of static.data")
        self.variables = list(var_list)

    def set_filelist(self, filelist: Iterable[Any]) -> None:
        """Set the files to read, in order."""
        self.files = [Path(name) for name in filelist]

    def set_thread(self, thread_num: int) -> None:
        """Accepted for Paddle's sake; one thread reads."""

    def set_pipe_command(self, pipe_command: str) -> None:
        """Set a command, run without a shell, that converts a file to such lines.

        Raises:
            InvalidValueError: It needs a shell.
        """
        if not pipe_command.strip() or set(pipe_command) & set("|&;<>`$\n"):
            raise InvalidValueError.here(
                f"a pipe command is one program and its arguments, as there is no "
                f"shell: {pipe_command!r}"
            )
        self._command = pipe_command

    def records(self) -> Iterator[Record]:
        """Yield the records of all files, in order.

        Raises:
            DataError: A file cannot be read, or a line does not fit the variables.
        """
        for path in self.files:
            for number, line in enumerate(lines_of(path, self._command), 1):
                if line.strip():
                    yield record_of(line, self.variables, f"{path.name}:{number}")

    def feeds(self) -> Iterator[dict[str, Array]]:
        """Yield the feed of each batch."""
        records = iter(self.records())
        while batch := list(islice(records, self.batch_size)):
            columns = zip(self.variables, zip(*batch, strict=True), strict=True)
            yield {v.name: stacked(v, column) for v, column in columns}


class QueueDataset(Files):
    """A dataset that streams its records from the files.

    In Paddle this is `paddle.distributed.QueueDataset`.
    """

    def local_shuffle(self) -> None:
        """Raise ModeError: the records are never all in memory."""
        raise ModeError.here(
            "QueueDataset does not support local shuffle, please use "
            "InMemoryDataset for local_shuffle"
        )

    global_shuffle = local_shuffle


class InMemoryDataset(Files):
    """A dataset in memory, which can be shuffled.

    In Paddle this is `paddle.distributed.InMemoryDataset`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._loaded: list[Record] = []

    def load_into_memory(self) -> None:
        """Read all files."""
        self._loaded = list(super().records())

    preload_into_memory = load_into_memory

    def wait_preload_done(self) -> None:
        """Do nothing: `preload` has read the files already."""

    def records(self) -> Iterator[Record]:
        """Yield the records in memory."""
        return iter(self._loaded)

    def local_shuffle(self) -> None:
        """Shuffle the records by the random generator of `teachgraph.seed`."""
        order = generator().permutation(len(self._loaded))
        self._loaded = [self._loaded[i] for i in order]

    def global_shuffle(self, fleet: Any = None, thread_num: int = 12) -> None:
        """Call `local_shuffle`: there is one machine."""
        self.local_shuffle()

    def get_memory_data_size(self, fleet: Any = None) -> int:
        """Return the number of records in memory."""
        return len(self._loaded)

    get_shuffle_data_size = get_memory_data_size

    def release_memory(self) -> None:
        """Forget the records."""
        self._loaded = []


class DatasetFactory:
    """Creates datasets by the name of their class.

    In Paddle this is `paddle.base.DatasetFactory`.

    >>> DatasetFactory().create_dataset("InMemoryDataset").get_memory_data_size()
    0
    """

    def create_dataset(self, datafeed_class: str = "QueueDataset") -> Any:
        """Create a dataset of the class of that name.

        Raises:
            InvalidValueError: There is none.
        """
        for kind in (QueueDataset, InMemoryDataset):
            if kind.__name__ == datafeed_class:
                return kind()
        raise InvalidValueError.here(f"datafeed class {datafeed_class} does not exist")


def lines_of(path: Path, command: str) -> list[str]:
    """Yield the lines of a file after the command.

    Raises:
        DataError: There is no such file or command, or the command fails.
    """
    words = shlex.split(command)
    try:
        if words == ["cat"]:
            return path.read_text("utf-8").splitlines()
        with path.open("rb") as file:
            done = subprocess.run(words, stdin=file, capture_output=True, check=True)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()[-500:]
        raise DataError.here(f"{command!r} failed: {said}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError.here(f"{path}: {error}") from None
    return done.stdout.decode(errors="replace").splitlines()


def record_of(line: str, variables: Sequence[Variable], where: str) -> Record:
    """Parse one line: the numbers of each variable.

    Raises:
        DataError: There are too few or too many, or a word is no number.
    """
    words, record = line.split(), list[Array]()
    for variable in variables:
        try:
            size, words = int(words[0]), words[1:]
            numbers, words = words[: max(size, 0)], words[max(size, 0) :]
            record.append(np.array(numbers, variable.dtype))
        except (IndexError, ValueError, OverflowError) as error:
            raise DataError.here(
                f"{where}: {variable.name!r} has no numbers: {error}"
            ) from None
        wanted = prod(variable.shape[1:])
        if len(numbers) != size or (wanted >= 0 and size != wanted):
            raise DataError.here(
                f"{where}: {variable.name!r} is to have {size} numbers and has "
                f"{len(numbers)}; its shape is {list(variable.shape)}"
            )
    if words:
        raise DataError.here(f"{where}: {len(words)} words are left over")
    return record


def stacked(variable: Variable, rows: Sequence[Array]) -> Array:
    """Stack the numbers of a batch in the shape of their variable.

    Raises:
        DataError: An unknown size is not the same in all records.
    """
    try:
        return np.stack(rows).reshape(len(rows), *variable.shape[1:])
    except ValueError as error:
        raise DataError.here(
            f"{variable.name!r}: a batch of unlike records: {error}"
        ) from None
