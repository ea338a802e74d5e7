"""Layers for programs: each appends its operators under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import prod
from operator import index
from typing import Any

from teachgraph.core import dtypes, ops, unique_name
from teachgraph.core.build import append, new_parameter
from teachgraph.core.errors import DTypeError, InvalidValueError, ProgramError
from teachgraph.core.program import Program, marks
from teachgraph.core.threads import Guard
from teachgraph.ops import activation as activations
from teachgraph.ops import functions, metric, naming, sort
from teachgraph.ops.indexing import set_item
from teachgraph.ops.initializer import Constant, XavierUniform, global_default
from teachgraph.ops.param_attr import ParamAttr, WeightNormParamAttr
from teachgraph.static.program import default_main_program, default_startup_program
from teachgraph.static.variable import Variable
from teachgraph.static.weight_norm import normalised

__all__ = [
    "accuracy",
    "auc",
    "create_global_var",
    "create_parameter",
    "data",
    "fc",
    "name_scope",
    "setitem",
]


def data(
    name: str, shape: Sequence[int | None], dtype: Any = "float32", lod_level: int = 0
) -> Variable:
    """A variable that each run is fed.

    Args:
        name: What the feed calls it.
        shape: None or -1 for a size that may differ from run to run.
        dtype: Type of the elements; a feed must have it exactly.
        lod_level: Accepted for Paddle's sake; must be 0.

    Raises:
        TypeError: `shape` is no list or tuple, or the dtype is unknown.
        ProgramError: The name stands for something else already.

    In Paddle this is `paddle.static.data` and `fluid.data`.
    """
    if not isinstance(shape, (list, tuple)):
        raise no_shape(shape)
    if lod_level:
        raise ProgramError("lod_level: sequences are padded here, not level-of-detail")
    block = default_main_program().global_block()
    return block.create_var(
        name, shape, dtypes.convert(dtype), stop_gradient=True, is_data=True
    )


def no_shape(shape: Any) -> TypeError:
    """The error for what is no shape, in Paddle's words."""
    return TypeError(
        "The type of 'shape' in paddle.static.data must be (list, tuple), but "
        f"received {type(shape)}."
    )


def parameter(
    layer: str, suffix: str, shape: Sequence[int], dtype: Any, attr: Any, default: Any
) -> Variable | None:
    """A layer's parameter, or None where its attr is False."""
    wanted = ParamAttr.of(attr)
    if wanted is False:
        return None
    name = wanted.name or unique_name.generate(f"{layer}.{suffix}")
    initializer = wanted.initializer or global_default(is_bias=suffix == "b") or default
    if isinstance(wanted, WeightNormParamAttr):
        return normalised(layer, name, shape, dtype, wanted, initializer)
    return new_parameter.call(name, shape, dtype, wanted, initializer)  # type: ignore[return-value]


def fc(
    x: Any,
    size: int,
    num_flatten_dims: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    activation: str | None = None,
    name: str | None = None,
) -> Variable:
    """A fully connected layer: out = activation(x1 W1 + x2 W2 + ... + b).

    Args:
        x: One variable or several; each is flattened to a matrix.
        size: How many units.
        num_flatten_dims: How many leading dimensions of x stay rows; a negative number
            counts from the last one.
        weight_attr: About the weights, or a list with one for each input; they start
            Xavier-uniform.
        bias_attr: About the bias, which starts at 0; False for none.
        activation: The type of an op to apply, such as "relu".
        name: Instead of `fc_N`.

    Raises:
        TypeError: `x` is no Variable.
        UnknownOpError: There is no such activation.

    In Paddle this is `paddle.static.nn.fc` and `fluid.layers.fc`.
    """
    inputs = list(x) if isinstance(x, (list, tuple)) else [x]
    for value in inputs:
        if not isinstance(value, Variable):
            raise DTypeError.here(f"fc: x must be a Variable, got {type(value)}")
    act = activations.activation(activation)
    with naming.layer("fc", name) as layer:
        rows = [n % len(v.shape) if (n := num_flatten_dims) < 0 else n for v in inputs]
        each = weight_attr if isinstance(weight_attr, (list, tuple)) else [weight_attr]
        attrs = list(each) if len(each) == len(inputs) else [*each] * len(inputs)
        products = [
            product(value, size, count, attr, layer.name)
            for value, count, attr in zip(inputs, rows, attrs, strict=True)
        ]
        out = products[0] if len(products) == 1 else ops.sum_(*products)
        bias = parameter(layer.name, "b", [size], out.dtype, bias_attr, Constant(0.0))
        if bias is not None:
            out = ops.elementwise_add(out, bias, axis=rows[0])
        return act(out)  # type: ignore[no-any-return]


def product(x: Variable, size: int, rows: int, attr: Any, layer: str) -> Variable:
    """One input times its weight."""
    columns = prod(x.shape[rows:])
    if min(x.shape[rows:], default=1) < 0:
        raise unknown_columns(x, rows)
    weight = parameter(layer, "w", [columns, size], x.dtype, attr, XavierUniform())
    out: Variable = ops.mul(x, weight, x_num_col_dims=rows)
    return out


def unknown_columns(x: Variable, rows: int) -> ProgramError:
    """The error for an input of `fc` whose weight would have no size."""
    return ProgramError.here(
        f"fc: the sizes of {x.name!r} after the first {rows} must be known, got "
        f"{list(x.shape)}"
    )


def accuracy(
    input: Variable, label: Variable, k: int = 1, correct: Any = None, total: Any = None
) -> Variable:
    """The share of rows whose label is among the k largest entries.

    Args:
        input: Scores or probabilities [N, C].
        label: The right classes, integers [N, 1].
        k: How many guesses count.
        correct: A variable to write the number of such rows to.
        total: A variable to write the number of rows to.

    In Paddle this is `paddle.static.accuracy` and `fluid.layers.accuracy`.
    """
    with naming.layer("accuracy"):
        best, indices = sort.top_k_v2(input, k=k)
        share, *counts = metric.accuracy(best, indices, label)
    for count, out in zip(counts, (correct, total), strict=True):
        if out is not None:
            functions.assign(count, out)
    return share  # type: ignore[no-any-return]


def auc(
    input: Variable,
    label: Variable,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    topk: int = 1,
    slide_steps: int = 1,
    ins_tag_weight: Any = None,
) -> tuple[Variable, Variable, list[Variable]]:
    """Area under the ROC curve: how often a positive row outranks a negative one.

    Args:
        input: Probabilities [N, 2], of which the second column counts.
        label: Integers [N, 1], 0 or 1.
        curve: "ROC", the only one there is.
        num_thresholds: How finely probabilities are told apart.
        topk: Accepted for Paddle's sake.
        slide_steps: How many batches the second result is of; 0 for all.
        ins_tag_weight: Accepted for Paddle's sake.

    Returns:
        The area under the curve of all rows so far, that of the last batches, and the
        variables that count positives and negatives: of the batches, then of all.

    In Paddle this is `paddle.static.auc` and `fluid.layers.auc`.
    """
    size = num_thresholds + 1
    shapes = [[(1 + slide_steps) * size + 1] if slide_steps else [1, size], [1, size]]
    counts = [
        create_global_var(shape, 0, "int64", persistable=True)
        for shape in shapes
        for _ in range(2)
    ]
    with naming.layer("auc") as layer:
        names = [layer(), layer()]
    areas = []
    for name, pair, steps in (
        (names[1], counts[:2], slide_steps),
        (names[0], counts[2:], 0),
    ):
        attrs = {"curve": curve, "num_thresholds": num_thresholds, "slide_steps": steps}
        with naming.called(name):
            areas.append(metric.auc(input, label, *pair, **attrs)[0])
    return areas[1], areas[0], counts


def setitem(x: Variable, index: Any, value: Any) -> Variable:
    """A copy of `x` in which x[index] is the value: `x[index] = value` in a program.

    Args:
        x: The variable.
        index: Integers, slices, None, `...`, lists, masks, or a tuple of these.
        value: A number, list, array or Variable, which broadcasts to that part.

    Raises:
        InvalidValueError: An item of the index has an unsupported type.
        OutOfRangeError: An integer is out of range, or there are too many items.
        ShapeError: The value does not broadcast to that part.

    In Paddle this is `paddle.static.setitem`.

    >>> import teachgraph as tg
    >>> from teachgraph import static
    >>> tg.enable_static()
    >>> with static.program_guard(static.Program()):
    ...     y = setitem(static.data("x", [2]), 0, 5.0)
    ...     static.Executor().run(feed={"x": [1.0, 2.0]}, fetch_list=[y])[0].tolist()
    [5.0, 2.0]
    >>> tg.disable_static()
    """
    result: Variable = set_item(x, index, value)
    return result


def create_global_var(
    shape: Sequence[int],
    value: float,
    dtype: Any,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Variable:
    """A variable in both programs that starts as `value`, such as a learning rate.

    In Paddle this is `paddle.static.create_global_var`.
    """
    name = name or unique_name.generate("_generated_var")
    sizes = [index(size) for size in shape]
    return initialised(name, sizes, value, dtypes.convert(dtype), persistable)


def initialised(
    name: str, shape: Sequence[int], value: float, dtype: Any, persistable: bool = True
) -> Variable:
    """A variable in both programs, and the operator that makes it start as `value`."""
    facts = {"persistable": persistable, "stop_gradient": True}
    main = default_main_program().global_block()
    variable = main.create_var(name, shape, dtype, **facts)
    startup = default_startup_program().global_block()
    fill, attrs = Constant(value).operation(shape, dtype)
    append(startup, fill, (), attrs, [startup.create_var(name, shape, dtype, **facts)])
    return variable


def create_parameter(
    shape: Sequence[int],
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Variable:
    """A parameter of the program.

    Args:
        shape: Its sizes.
        dtype: Type of its elements.
        name: Instead of `create_parameter_N.w_0`.
        attr: About it, as for a layer.
        is_bias: Whether it starts at 0, if nobody says otherwise, or Xavier-uniform.
        default_initializer: What it starts as, if `attr` does not say.

    Raises:
        TypeError: There is no shape.
        ProgramError: A size is not positive, or `attr` is False.

    In Paddle this is `paddle.static.create_parameter`.
    """
    default = default_initializer or (Constant(0.0) if is_bias else XavierUniform())
    with naming.layer("create_parameter") as layer:
        param_attr = ParamAttr(name=name) if attr is None else attr
        suffix = "b" if is_bias else "w"
        variable = parameter(layer.name, suffix, shape, dtype, param_attr, default)
    if variable is None:
        raise ProgramError.here("create_parameter: attr is False: none is made")
    return variable


def within_name_scope(program: Program, scope: str) -> Guard[str]:
    """Give operators appended to a program this name scope, inside a `with` block."""
    here = program, "name_scope"
    return Guard(partial(getattr, *here), partial(setattr, *here), scope)


def in_child_scope(program: Program, name: str) -> Guard[str]:
    """Give operators appended to a program its next name scope of this name."""
    return within_name_scope(program, child_scope(program, name))


def child_scope(program: Program, name: str) -> str:
    """Paddle's next name scope in the present one: `/s/`, `/s_1/`, ..."""
    path = f"{program.name_scope}{name}"
    count = program.name_scopes[path]
    program.name_scopes[path] += 1
    return f"{path}_{count}/" if count else f"{path}/"


def marked(**attrs: Any) -> Guard[Any]:
    """Give appended operators these attributes, in a `with`; None takes one away."""
    inner = {**(marks.get() or {}), **attrs}
    inner = {name: value for name, value in inner.items() if value is not None}
    return Guard(marks.get, marks.set, inner)


@contextmanager
def name_scope(prefix: str) -> Iterator[None]:
    """Inside, operators carry a name scope: a word about where they belong.

    Raises:
        InvalidValueError: The word is empty, or none.

    In Paddle this is `paddle.static.name_scope`.

    >>> from teachgraph import static
    >>> with static.program_guard(static.Program()) as _, name_scope("encoder"):
    ...     x = static.data("x", [2]) * 2.0
    >>> x.op.attr("op_namescope")
    '/encoder/'
    """
    if not isinstance(prefix, str) or not prefix:
        reason = f"name_scope: namescope prefix can not be empty, got {prefix!r}"
        raise InvalidValueError.here(reason)
    main, startup = default_main_program(), default_startup_program()
    scope = child_scope(main, prefix)
    with within_name_scope(main, scope), within_name_scope(startup, scope):
        yield
