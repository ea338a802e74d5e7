"""Functions whose sizes, axes or counts are Variables: called when the program runs.

`tile(x, n)` cannot become a `tile` operator whose attribute is n. The operator
`call_function` takes x and n, and calls `tile` with the values they have by then; its
gradient calls it once more, on Tensors, and goes back over their tape.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextvars import Context
from itertools import product
from math import prod
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import random as generators
from teachgraph.core import unique_name
from teachgraph.core.backward import Backward, Parts
from teachgraph.core.build import TRIAL_SIZES, agreed
from teachgraph.core.errors import ProgramError
from teachgraph.core.modes import using
from teachgraph.core.op import op
from teachgraph.core.program import (
    EMPTY,
    Operator,
    OpRole,
    Spec,
    Variable,
    current_block,
)
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.number_arguments import call_later, number_functions

__all__ = ["call_function", "call_function_grad"]

Arguments = dict[str, Any]
MOST_TRIALS, ENOUGH = 96, 12


@op
def call_function(*x: Any, function: str, arguments: str, outputs: int = 1) -> Any:
    """Call a function of tensors with the values that its Variables have by now."""
    tensors = [Tensor.results(np.asarray(value)) for value in x]
    results = Context().run(called, function, json.loads(arguments), tensors)
    return arrays_of(results)


@op
def call_function_grad(
    *x: Any, function: str, arguments: str, outputs: int = 1, wanted: Sequence[int] = ()
) -> Any:
    """Return the gradients of the wanted inputs: x are these, then dout of each output.

    The function is called again, on Tensors.
    """
    count = len(x) - outputs
    tensors = [Tensor.results(np.asarray(v), stop_gradient=False) for v in x[:count]]
    for position in {*range(count)} - {*wanted}:
        tensors[position].stop_gradient = True

    def gradients() -> list[Any]:
        results = called(function, json.loads(arguments), tensors)
        for result, dout in zip(result_list(results), x[count:], strict=True):
            if dout is not None and not result.stop_gradient:
                # The results may share a graph, which the first pass would free.
                result.backward(dout, retain_graph=True)
        return [tensors[i].grad for i in wanted]

    grads = Context().run(gradients)
    parts = [
        np.zeros_like(x[i]) if grad is None else grad.data
        for i, grad in zip(wanted, grads, strict=True)
    ]
    return parts[0] if len(parts) == 1 else tuple(parts)


def called(function: str, arguments: Arguments, tensors: Sequence[Any]) -> Any:
    """Call a function; in its arguments `{"x": i}` stands for a tensor."""
    inputs, attrs = filled(arguments, tensors)
    with using(static=False):
        return number_functions[function].call(*inputs, **attrs)


def filled(arguments: Any, tensors: Sequence[Any]) -> Any:
    """Put tensors in their places."""
    if isinstance(arguments, list):
        return [filled(part, tensors) for part in arguments]
    if not isinstance(arguments, dict):
        return arguments
    if [*arguments] == ["x"]:
        return tensors[arguments["x"]]
    return {name: filled(part, tensors) for name, part in arguments["named"].items()}


def result_list(results: Any) -> Sequence[Any]:
    """Return the results of a function as a sequence."""
    return results if isinstance(results, (list, tuple)) else [results]


def arrays_of(results: Any) -> Any:
    """Return the arrays of Tensors, as a kernel returns its outputs."""
    arrays = tuple(tensor.data for tensor in result_list(results))
    return arrays[0] if len(arrays) == 1 else arrays


@call_later.wrap
def appending(inner: Any) -> Any:
    """Append the operator that calls the function when the program runs."""

    def append(name: str, inputs: Sequence[Any], attrs: Arguments) -> Any:
        variables: list[Variable] = []
        arguments = [template(inputs, variables), {"named": template(attrs, variables)}]
        text = json.dumps(arguments)
        specs, many = inferred(name, arguments, variables)
        block = current_block()
        out = [
            block.create_var(
                unique_name.generate(f"{name.rsplit('.', maxsplit=1)[-1]}.tmp"),
                *spec,
                stop_gradient=all(v.stop_gradient for v in variables)
                or not is_floating(spec.dtype),
            )
            for spec in specs
        ]
        block.insert(
            len(block.ops),
            call_function.type,
            {"X": [v.name for v in variables]},
            {"Out": [v.name for v in out]},
            {"function": name, "arguments": text, "outputs": len(out)},
        )
        return out if many else out[0]

    return append


def template(value: Any, found: list[Variable]) -> Any:
    """Return arguments as JSON takes them, the Variables among them counted.

    Raises:
        ProgramError: One is neither a number nor text nor a Variable.
    """
    if isinstance(value, Variable):
        names = [v.name for v in found]
        if value.name not in names:
            found.append(value)
            names.append(value.name)
        return {"x": names.index(value.name)}
    if isinstance(value, (list, tuple)):
        return [template(part, found) for part in value]
    if isinstance(value, dict):
        return {name: template(part, found) for name, part in value.items()}
    if isinstance(value, (np.dtype, type)):
        return str(np.dtype(value))
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ProgramError.here(f"a {type(value).__name__} beside sizes that are Variables")


def inferred(
    name: str, arguments: Any, inputs: Sequence[Variable]
) -> tuple[list[Spec], bool]:
    """Infer the specs of the outputs, and whether the function returns a sequence.

    The function is tried with small numbers: what all results agree on is known.

    Raises:
        ProgramError: The length of a Tensor of sizes is unknown.
        Exception: The function takes none of the numbers; the reason of the last one.
    """
    numbers = dict.fromkeys(numbers_among(name, arguments))
    for position in numbers:
        if -1 in inputs[position].shape:
            raise ProgramError.here(
                f"{name}: {inputs[position].name!r} holds an unknown number of "
                "sizes, so the result would have an unknown number of dimensions"
            )
    results: list[list[tuple[Spec, set[int]]]] = []
    many, reason = False, None
    for values in candidates(inputs, [*numbers]):
        if len(results) == ENOUGH:
            break
        # Trials draw from a generator of their own: the user's must not advance.
        before = generators.generator()
        generators.current[0] = np.random.default_rng(0)
        try:
            tensors = [Tensor.results(value) for value in values]
            result = Context().run(called, name, arguments, tensors)
        except Exception as error:
            reason = error
            continue
        finally:
            generators.current[0] = before
        many = isinstance(result, (list, tuple))
        chosen = {int(n) for i in numbers for n in np.ravel(values[i])}
        results.append([spec_with_chosen(r.data, chosen) for r in result_list(result)])
    if not results:
        assert reason is not None
        raise reason
    return agreement(results), many


def spec_with_chosen(array: Any, chosen: set[int]) -> tuple[Spec, set[int]]:
    """Return a spec, and the sizes in it that may be due to the chosen numbers."""
    return Spec(array.shape, array.dtype), chosen


def agreement(results: Sequence[Any]) -> list[Spec]:
    """Return the specs that trials agree on, of the lowest rank that occurs.

    What has been found once only is unknown where it equals a number that was chosen.
    """
    agreements = []
    counts = {len(trial) for trial in results}
    results = [trial for trial in results if len(trial) == min(counts)]
    for trials in zip(*results, strict=True):
        rank = min(len(spec.shape) for spec, _ in trials)
        specs = [spec for spec, _ in trials if len(spec.shape) == rank]
        if len(specs) == 1:
            shape = [-1 if n in trials[0][1] else n for n in specs[0].shape]
            specs = [Spec(tuple(shape), specs[0].dtype)]
        agreements.append(agreed(specs))
    return agreements


def numbers_among(name: str, arguments: Any) -> Iterator[int]:
    """Find the Variables that stand for numbers, by their positions."""
    function = number_functions[name]
    inputs, attrs = arguments[0], arguments[1]["named"]
    for parameter, value in [
        *zip(function.parameters, inputs, strict=False),
        *attrs.items(),
    ]:
        if parameter in function.numbers:
            yield from positions(value)


def positions(value: Any) -> Iterator[int]:
    """Find the Variables in an argument."""
    if isinstance(value, list):
        for part in value:
            yield from positions(part)
    elif isinstance(value, dict):
        yield value["x"]


def candidates(
    inputs: Sequence[Variable], numbers: Sequence[int]
) -> Iterator[list[np.ndarray[Any, Any]]]:
    """Values to try a function on: for numbers those that are likely to be taken."""
    known = all(-1 not in v.shape for v in inputs)
    for size in TRIAL_SIZES[:1] if known else TRIAL_SIZES:
        shapes = [tuple(size if n == -1 else n for n in v.shape) for v in inputs]
        sizes = [n for i, s in enumerate(shapes) if i not in numbers for n in s]
        whole = [prod(s) for i, s in enumerate(shapes) if i not in numbers]
        quotients = [n // m for n in whole for m in sizes if m]
        pool = [*dict.fromkeys([1, 2, 0, 3, 4, *sizes, *quotients])]
        count = sum(prod(shapes[i]) for i in numbers)
        for choice in choices(pool, count):
            left = iter(choice)
            yield [
                np.array([next(left) for _ in range(prod(shape))], v.dtype).reshape(
                    shape
                )
                if i in numbers
                else np.broadcast_to(np.array(is_floating(v.dtype), v.dtype), shape)
                for i, (v, shape) in enumerate(zip(inputs, shapes, strict=True))
            ]


def choices(pool: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    """Choose so many numbers from a pool: all there are if they are few."""
    draw = random.Random(0)  # noqa: S311  a search, the same each time
    if len(pool) ** count > MOST_TRIALS:
        yield from (draw.choices(pool, k=count) for _ in range(MOST_TRIALS))
        yield from ([n] * count for n in pool)
        return
    every = [*product(pool, repeat=count)]
    draw.shuffle(every)
    yield from every


@call_function.grad_builder
def build_grad(backward: Backward, operator: Operator, parts: Parts) -> None:
    """Append the operator that calls the function again and goes back over it."""
    arriving = [backward.names.get(n, EMPTY) for n in operator.output_arg_names]
    wanted = sorted(parts)
    attrs = {n: operator.attrs[n] for n in ("function", "arguments", "outputs")}
    attrs |= {"wanted": wanted, "op_role": int(OpRole.BACKWARD)}
    slots = {"X": [*operator.input_arg_names, *arriving]}
    outputs = {"Out": [parts[position] for position in wanted]}
    block = backward.block
    block.insert(len(block.ops), call_function_grad.type, slots, outputs, attrs)
