"""Paddle 1.x's `fluid.io`: saves and loads variables and models.

Every file is one that `paddle.load` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachgraph import io
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import chosen as chosen_mode
from teachgraph.errors import DataError
from teachgraph.fluid.feeding import GeneratorLoader, PyReader
from teachgraph.io import BatchSampler, Dataset, batch, default_collate_fn, saving
from teachgraph.io.inference import (
    checksums_in,
    file_of,
    model_bytes,
    model_in,
    model_parts,
    normalize_program,
    variable_list,
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
from teachgraph.io.together import (
    finish_saves,
    newest,
    refuse_mixture,
    with_checksums,
    write_together,
)
from teachgraph.ops.left_out import absent
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
    "BatchSampler",
    "ComposeNotAligned",
    "DataLoader",
    "Dataset",
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
    """Batches of a dataset, or of a generator: `fluid.io.DataLoader`.

    Unlike 2.x's it yields feeds, unless inside a guard or with `return_list`.
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
        """Create a loader of a generator, which is set afterwards.

        >>> loader = DataLoader.from_generator(return_list=True)
        >>> batches = lambda: iter([([1], [2]), ([3], [4])])
        >>> list(loader.set_batch_generator(batches))
        [[[[1], [2]]], [[[3], [4]]]]
        """
        return GeneratorLoader(feed_list, return_list=return_list, iterable=iterable)


MODEL = "__model__"
"""The name of a model's document in its folder."""

Predicate = Callable[[Variable], bool]


def get_program_parameter(program: Program) -> list[Parameter]:
    """List the parameters of a program."""
    return program.all_parameters()


def get_program_persistable_vars(program: Program) -> list[Variable]:
    """List the persistable variables of a program."""
    return persistables(program)


def selected_variables(
    main_program: Program | None,
    vars: Iterable[Variable | str] | None,
    predicate: Predicate | None,
) -> list[Variable]:
    """Select variables by name, or else those for which the predicate is true."""
    program = default_main_program() if main_program is None else main_program
    if vars is None:
        return persistables(program, predicate or is_persistable)
    block = program.global_block()
    return [block.var(v) if isinstance(v, str) else v for v in vars]


def is_parameter(variable: Variable) -> bool:
    """True for a Parameter."""
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
        dirname: The folder, created if need be.
        main_program: The program; by default the default main program.
        vars: The variables, or else
        predicate: a test of them; by default all persistable ones.
        filename: One file for all.

    Raises:
        NotInitializedError: A variable has no value; nothing is written then.

    In Paddle this is `fluid.io.save_vars`.
    """
    wanted = selected_variables(main_program, vars, predicate)
    if files := contents(wanted, dirname, filename):
        write_together(files)


def contents(
    variables: Iterable[Variable], dirname: Any, filename: str | None
) -> dict[Path, bytes]:
    """The contents of the files of some variables, by their paths.

    Raises:
        NotInitializedError: A variable has no value.
    """
    values = {v.name: array_of(v) for v in variables}
    if filename is not None:
        return {Path(dirname) / filename: saving.serialize(values)}
    return {file_of(dirname, n): saving.serialize(x) for n, x in values.items()}


def load_vars(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    vars: Iterable[Variable | str] | None = None,
    predicate: Predicate | None = None,
    filename: str | None = None,
) -> None:
    """Load the variables that `save_vars` wrote into the scope, all or none.

    Raises:
        InvalidValueError: There is no such file.
        DataError: A file is damaged, or lacks a variable.
        ShapeError: A value has another shape than its variable.

    In Paddle this is `fluid.io.load_vars`.
    """
    wanted = selected_variables(main_program, vars, predicate)
    if filename is None:
        values = {
            v.name: saving.load(file_of(dirname, v.name), return_numpy=True)
            for v in wanted
        }
    else:
        values = arrays_in(Path(dirname) / filename)
    if missing := [v.name for v in wanted if v.name not in values]:
        raise DataError.here(f"{Path(dirname)} lacks {missing}")
    program = default_main_program() if main_program is None else main_program
    set_state(program, {v.name: values[v.name] for v in wanted})


def save_params(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """Call `save_vars` for the parameters."""
    save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """Call `save_vars` for all persistable variables, also optimizers' state."""
    save_vars(executor, dirname, main_program, None, None, filename)


def load_params(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """Call `load_vars` for the parameters."""
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(
    executor: Any,
    dirname: Any,
    main_program: Program | None = None,
    filename: str | None = None,
) -> None:
    """Call `load_vars` for all persistable variables."""
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
    """Write an inference model to a folder: `__model__` and its parameters.

    Args:
        dirname: The folder, created if need be.
        feeded_var_names: The names of the fed variables.
        target_vars: The Variables to fetch.
        executor: Accepted for Paddle's sake; values are those of the scope in use.
        main_program: By default the default main program.
        model_filename: Instead of `__model__`.
        params_filename: One file for all parameters, instead of one for each.
        export_for_deployment: Accepted for Paddle's sake.
        program_only: True to write no parameters.

    Returns:
        The names of the fetched variables.

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
        raise InvalidValueError.here("'feeded_var_names' should be a list of str.")
    feeds = [program.global_block().var(name) for name in names]
    targets = variable_list("target_vars", target_vars)
    fetches = [v.name for v in targets]
    normal = normalize_program(program, feeds, targets)
    content = model_bytes(normal, list(names), fetches)
    model = Path(dirname) / (model_filename or MODEL)
    if program_only:
        write(model, content)
        return fetches
    kept = selected_variables(normal, None, is_persistable)
    files = contents(kept, dirname, params_filename)
    by_name = {path.name: values for path, values in files.items()}
    write_together({model: with_checksums(content, by_name), **files})
    return fetches


def load_inference_model(
    dirname: Any,
    executor: Any,
    model_filename: str | None = None,
    params_filename: str | None = None,
    pserver_endpoints: Any = None,
) -> list[Any]:
    """Load an inference model, its parameters into the scope in use.

    Returns:
        [the Program, the names of the fed variables, the Variables to fetch].

    Raises:
        InvalidValueError: There is no such folder.
        DataError: A file is damaged, or lacks a parameter.

    In Paddle 1.x this is `fluid.io.load_inference_model`.
    """
    path = Path(dirname) / (model_filename or MODEL)
    if not path.is_file():
        raise InvalidValueError.here(f"There is no model in {dirname!s}")
    finish_saves(path.parent)
    top = model_parts(newest(path).read_bytes())
    sums = checksums_in(top)
    refuse_mixture(sums, {name: path.with_name(name) for name in sums}, path)
    program, feeds, fetches = model_in(top)
    load_persistables(executor, dirname, program, params_filename)
    return [program, feeds, fetches]


if not TYPE_CHECKING:
    __getattr__ = absent("fluid.io")
