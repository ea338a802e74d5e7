"""Paddle 1.x's `fluid.io`: variables and models, a file or a folder at a time.

Every file is one that `paddle.load` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from teachgraph import io
from teachgraph.core.errors import DataError, InvalidValueError, at_user_line
from teachgraph.core.modes import chosen as chosen_mode
from teachgraph.fluid.feeding import GeneratorLoader, PyReader
from teachgraph.io import batch, default_collate_fn, saving
from teachgraph.io.inference import (
    file_of,
    listed,
    model_bytes,
    model_from_bytes,
    normalize_program,
)
from teachgraph.io.programs import (
    array_of,
    arrays_in,
    is_persistable,
    load,
    load_program_state,
    persistables,
    save,
    set_program_state,
    set_state,
    write,
)
from teachgraph.reader import (
    ComposeNotAligned,
    buffered,
    cache,
    chain,
    compose,
    firstn,
    map_readers,
    shuffle,
    xmap_readers,
)
from teachgraph.static import Parameter, Program, Variable, default_main_program

__all__ = [
    "ComposeNotAligned",
    "DataLoader",
    "PyReader",
    "batch",
    "buffered",
    "cache",
    "chain",
    "compose",
    "default_collate_fn",
    "firstn",
    "get_program_parameter",
    "get_program_persistable_vars",
    "is_persistable",
    "load",
    "load_inference_model",
    "load_params",
    "load_persistables",
    "load_program_state",
    "load_vars",
    "map_readers",
    "save",
    "save_inference_model",
    "save_params",
    "save_persistables",
    "save_vars",
    "set_program_state",
    "shuffle",
    "xmap_readers",
]


class DataLoader(io.DataLoader):
    """Batches of a data set, or of a generator: `fluid.io.DataLoader`.

    Unlike 2.x's it gives feeds, unless inside a guard or told otherwise.
    """

    def __init__(
        self,
        dataset: Any,
        feed_list: Sequence[Variable] | None = None,
        places: Any = None,
        return_list: bool = False,
        batch_sampler: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[Any], Any] | None = None,
        num_workers: int = 0,
        use_buffer_reader: bool = True,
        use_shared_memory: bool = True,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
    ) -> None:
        super().__init__(
            dataset,
            feed_list,
            places,
            return_list or chosen_mode() is False,
            batch_sampler,
            batch_size,
            shuffle,
            drop_last,
            collate_fn,
            num_workers,
            timeout=timeout,
            worker_init_fn=worker_init_fn,
        )

    @staticmethod
    def from_generator(
        feed_list: Sequence[Variable] | None = None,
        capacity: int | None = None,
        use_double_buffer: bool = True,
        iterable: bool = True,
        return_list: bool = False,
        use_multiprocess: bool = False,
        drop_last: bool = True,
    ) -> GeneratorLoader:
        """A loader of what a generator makes, which is set afterwards.

        >>> loader = DataLoader.from_generator(return_list=True)
        >>> batches = lambda: iter([([1], [2]), ([3], [4])])
        >>> list(loader.set_batch_generator(batches))
        [[[[1], [2]]], [[[3], [4]]]]
        """
        return GeneratorLoader(feed_list, return_list=return_list, iterable=iterable)


MODEL = "__model__"
"""What the document of a model is called in its folder."""

Predicate = Callable[[Variable], bool]


def get_program_parameter(program: Program) -> list[Parameter]:
    """The parameters of a program."""
    return program.all_parameters()


def get_program_persistable_vars(program: Program) -> list[Variable]:
    """The variables of a program that outlive a run."""
    return persistables(program)


def chosen(
    main_program: Program | None,
    vars: Iterable[Variable | str] | None,
    predicate: Predicate | None,
) -> list[Variable]:
    """The variables that are named, or else those the predicate is true of."""
    program = default_main_program() if main_program is None else main_program
    if vars is None:
        return persistables(program, predicate or is_persistable)
    block = program.global_block()
    return [block.var(v) if isinstance(v, str) else v for v in vars]


def is_parameter(variable: Variable) -> bool:
    """Whether an optimizer may update it."""
    return isinstance(variable, Parameter)


def save_vars(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    vars: Iterable[Variable | str] | None = None,
    predicate: Predicate | None = None,
    filename: str | None = None,
) -> None:
    """Write variables to a folder, each to a file of its own or all to one.

    Args:
        executor: Accepted for Paddle's sake; values are those of the scope in use.
        dirname: The folder, made if need be.
        main_program: Whose variables; by default the default main program's.
        vars: Which; or else
        predicate: those it is true of; by default all that outlive a run.
        filename: One file for all.

    Raises:
        NotInitializedError: A variable has no value; nothing is written then.

    In Paddle this is `fluid.io.save_vars`.
    """
    values = {v.name: array_of(v) for v in chosen(main_program, vars, predicate)}
    if filename is not None:
        saving.save(values, Path(dirname) / filename)
        return
    for name, value in values.items():
        saving.save(value, file_of(dirname, name))


def load_vars(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    vars: Iterable[Variable | str] | None = None,
    predicate: Predicate | None = None,
    filename: str | None = None,
) -> None:
    """Put into the scope what `save_vars` wrote, all or nothing.

    Raises:
        InvalidValueError: There is no such file.
        DataError: A file is damaged, or lacks a variable.
        ShapeError: A value is of another shape than its variable.

    In Paddle this is `fluid.io.load_vars`.
    """
    wanted = chosen(main_program, vars, predicate)
    if filename is None:
        values = {
            v.name: saving.load(file_of(dirname, v.name), return_numpy=True)
            for v in wanted
        }
    else:
        values = arrays_in(Path(dirname) / filename)
    if missing := [v.name for v in wanted if v.name not in values]:
        raise DataError(at_user_line(f"{Path(dirname)} lacks {missing}"))
    program = default_main_program() if main_program is None else main_program
    set_state(program, {v.name: values[v.name] for v in wanted})


def save_params(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """`save_vars` of the parameters."""
    save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """`save_vars` of all that outlives a run: what optimizers remember, too."""
    save_vars(executor, dirname, main_program, None, None, filename)


def load_params(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """`load_vars` of the parameters."""
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """`load_vars` of all that outlives a run."""
    load_vars(executor, dirname, main_program, None, None, filename)


def save_inference_model(
    dirname: Any,
    feeded_var_names: Sequence[str],
    target_vars: Sequence[Variable],
    executor: Any,
    main_program: Program | None = None,
    model_filename: str | None = None,
    params_filename: str | None = None,
    export_for_deployment: bool = True,
    program_only: bool = False,
) -> list[str]:
    """Write a model for use to a folder: `__model__` and its parameters.

    Args:
        dirname: The folder, made if need be.
        feeded_var_names: Names of what is fed.
        target_vars: What is wanted.
        executor: Accepted for Paddle's sake; values are those of the scope in use.
        main_program: By default the default main program.
        model_filename: Instead of `__model__`.
        params_filename: One file for all parameters, instead of one for each.
        export_for_deployment: Accepted for Paddle's sake.
        program_only: Whether to leave the parameters out.

    Returns:
        The names of what is fetched.

    Raises:
        InvalidValueError: A feed is no name or not needed, or a target no Variable.
        NotInitializedError: A parameter has no value.
        ProgramError: The program calls a function of Python's.

    In Paddle 1.x this is `fluid.io.save_inference_model`.
    """
    program = default_main_program() if main_program is None else main_program
    names = (
        [feeded_var_names] if isinstance(feeded_var_names, str) else feeded_var_names
    )
    if not all(isinstance(name, str) for name in names):
        raise InvalidValueError(
            at_user_line("'feeded_var_names' should be a list of str.")
        )
    feeds = [program.global_block().var(name) for name in names]
    targets = listed("target_vars", target_vars)
    fetches = [v.name for v in targets]
    normal = normalize_program(program, feeds, targets)
    content = model_bytes(normal, list(names), fetches)
    if not program_only:
        save_persistables(executor, dirname, normal, params_filename)
    write(Path(dirname) / (model_filename or MODEL), content)
    return fetches


def load_inference_model(
    dirname: Any,
    executor: Any,
    model_filename: str | None = None,
    params_filename: str | None = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """Read a model for use, its parameters into the scope in use.

    Returns:
        [the Program, the names that are fed, the Variables to fetch].

    Raises:
        InvalidValueError: There is no such folder.
        DataError: A file is damaged, or lacks a parameter.

    In Paddle 1.x this is `fluid.io.load_inference_model`.
    """
    path = Path(dirname) / (model_filename or MODEL)
    if not path.is_file():
        raise InvalidValueError(at_user_line(f"There is no model in {dirname!s}"))
    program, feeds, fetches = model_from_bytes(path.read_bytes())
    load_persistables(executor, dirname, program, params_filename)
    return [program, feeds, fetches]
