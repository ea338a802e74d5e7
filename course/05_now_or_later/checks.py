"""Checks of lesson 05: a layer by hand, shapes by trial, and an op's second reader."""

from __future__ import annotations

import numpy as np

import teachgraph as paddle
from teachgraph import fluid
from teachgraph.course.judging import call, expect, kind_of, needs, quiz, untouched

CASES = 20

MAIN = [
    ["mul", {"X": ["x"], "Y": ["w"]}, 1],
    ["elementwise_add", {"X": [1], "Y": ["b"]}, 2],
    ["relu", {"X": [2]}, 3],
]
"""The operators that Paddle 2.6.2 writes; a number stands for a result."""

KERNELS = {
    "add": np.add,
    "matmul": np.matmul,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "rows": lambda x: x.sum(axis=1),
    "flat": lambda x: x.reshape(-1),
    "twice": lambda x: np.concatenate([x, x]),
    "under": lambda x, y: np.concatenate([x, y]),
    "pick": lambda x, labels: x[np.arange(len(labels)), labels],
    "scaled": lambda x, by: x * by,
}
TRIALS = [
    ["matmul", [[-1, 784], [784, 10]], {}, [-1, 10]],
    ["add", [[-1, 10], [10]], {}, [-1, 10]],
    ["softplus", [[2, 3]], {}, [2, 3]],
    ["add", [[-1, 2], [2]], {}, [-1, 2]],
    ["add", [[-1, 3], [3]], {}, [-1, 3]],
    ["matmul", [[-1, 2], [2, 3]], {}, [-1, 3]],
    ["rows", [[-1, 4]], {}, [-1]],
    ["flat", [[-1, 4]], {}, [-1]],
    ["flat", [[3, 4]], {}, [12]],
    ["twice", [[-1, 4]], {}, [-1, 4]],
    ["under", [[-1, 4], [3, 4]], {}, [-1, 4]],
    ["pick", [[-1, 10], [-1]], {}, [-1]],
    ["scaled", [[2, -1]], {"by": 3.0}, [2, -1]],
    ["softplus", [[]], {}, []],
]


def written(block):
    """The operators of a block: type, inputs by slot, output."""
    numbers, rows = {}, []
    for operator in block.ops:
        inputs = {
            slot: [numbers.get(name, name) for name in names]
            for slot, names in operator.inputs.items()
            if names
        }
        for name in operator.output_arg_names:  # one that is written again is another
            numbers[name] = len(rows) + 1
        rows.append([operator.type, inputs, len(rows) + 1])
    return rows


def build_dense(mine, width, size):
    """A learner's layer in new programs: both, and what it returns."""
    main, startup = fluid.Program(), fluid.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [-1, width])
    y = mine.dense(main.global_block(), startup.global_block(), x, size)
    expect(isinstance(y, paddle.static.Variable), "no_result")
    return main, startup, y


def run_dense(mine, width, size):
    """The operators and the parameters of a learner's layer."""
    main, startup, y = build_dense(mine, width, size)
    block, first = main.global_block(), startup.global_block()
    fills = [name for one in first.ops for name in one.output_arg_names]
    return {
        "main": written(block),
        "fills": fills,
        "kept": all(first.var(name).persistable for name in fills),
        "axes": [o.attrs.get("axis") for o in block.ops if o.type == MAIN[1][0]],
        "parameters": {p.name: list(p.shape) for p in main.all_parameters()},
        "writes": [name for one in block.ops for name in one.output_arg_names],
        "returns": y.name,
    }


def run_numbers(mine, rows, width, size):
    """The parameters as they begin, and the result for some rows."""
    main, startup, y = build_dense(mine, width, size)
    with fluid.scope_guard(fluid.Scope()):
        exe, feed = fluid.Executor(), {"x": np.asarray(rows, "float32")}
        begins = exe.run(startup, fetch_list=["w", "b"])
        return {"begins": begins, "y": exe.run(main, feed=feed, fetch_list=[y])[0]}


def run_infer(mine, kind, shapes, attrs):
    """The shape that is inferred, and the kernels' runs on anything but zeros."""
    handed = []

    def kernel(*arrays, **given_attrs):
        expect(not any(isinstance(x, list | tuple) for x in arrays), "separately")
        by_name = given_attrs == attrs and not any(isinstance(x, dict) for x in arrays)
        expect(by_name, "attributes")
        handed.extend(arrays)
        whole = all(array.dtype.kind in "iu" for array in map(np.asarray, arrays))
        expect(whole, "whole")
        return KERNELS[kind](*arrays, **attrs)

    given = [list(shape) for shape in shapes]
    with untouched(shapes=given, attrs=attrs):
        found = mine.infer_shape(kernel, given, attrs)
    expect(found is not None, "nothing")
    expect(isinstance(found, list | tuple), "a_list", got=kind_of(found))
    sizes = all(isinstance(n, int | np.integer) for n in found)
    expect(sizes, "sizes", got=str(found))
    return {"shape": [int(n) for n in found], "runs": len(handed) // len(shapes)}


def columns(x):
    """The columns of an array; a number has one."""
    return np.shape(x)[-1] if np.ndim(x) else 1


def run_append(mine, inputs, attrs):
    """An op appended to a program.

    Inputs are shapes: of data, of parameters after "w", of constants where a number.
    """
    main = mine.Program("main")

    def kernel(*arrays, more=0):
        """A column for each of the inputs' columns, and more."""
        rows = max(len(x) for x in arrays if np.ndim(x) == 2)
        return np.zeros((rows, sum(map(columns, arrays)) + more))

    taken = mine.Variable(main, "mix_0", [1])
    given = [
        value if isinstance(value, float) else variable(mine, main, f"v{i}", value)
        for i, value in enumerate(inputs)
    ]
    op = mine.Op("mix", kernel, None)
    out = mine.append(op, *given, **attrs)
    expect(out is not None, "nothing")
    expect(isinstance(out, mine.Variable), "a_variable", got=kind_of(out))
    expect(out is not taken and out not in given, "new")
    rows = main.ops
    return {
        "operators": len(rows),
        "op": rows[0].op is op if rows else False,
        "inserted": rows and getattr(rows[0], "program", None) is main,
        "inputs": rows[0].inputs == given if rows else False,
        "outputs": rows[0].outputs == [out] if rows else False,
        "attrs": rows[0].attrs if rows else {},
        "name": out.name,
        "known": main.variables.get(out.name) is out,
        "taken": main.variables.get("mix_0") is taken,
        "shape": list(out.shape),
        "stop": out.stop_gradient,
    }


def variable(mine, program, name, spec):
    """A variable by its shape; "w" before it makes it a parameter."""
    learns = spec[:1] == ["w"]
    return mine.Variable(program, name, spec[learns:], stop_gradient=not learns)


def six_lines(ask):
    """Writing needs no numbers."""
    found = ask(call, "six_lines")
    expect(isinstance(found, str) and len(found) == 6, "letters")
    found = found.lower()
    expect(found[1] == "l" and found[2] == "l", "layers")
    expect(found[3] == "n" and found[5] == "n", "runs")
    expect(found[4] == "l", "loop")
    expect(found == "nllnln", "wrong")


def relus(ask):
    """Python's loop ran while the program was written."""
    quiz(ask, "relus", 3, one=1)


def dense(ask):
    """Compare with the operators that Paddle writes, and with NumPy."""
    draw = np.random.default_rng(5)
    for case in range(CASES):
        width, size = 2 + case % 3, 1 + case % 4
        seen = ask(run_dense, width, size)
        shapes, fills = {"w": [width, size], "b": [size]}, seen["fills"]
        types = [row[0] for row in seen["main"]]
        expect("fill_constant" not in types, "filled_in_main")
        expect(sorted(fills) == ["b", "w"], "startup", got=fills)
        expect(seen["kept"], "kept")
        facts = {"got": seen["parameters"], "wanted": shapes}
        expect(seen["parameters"] == shapes, "parameters", **facts)
        expect(len(types) == 3, "three", got=len(types))
        expect(types == [row[0] for row in MAIN], "order", got=", ".join(types))
        over = sorted({"x", "w", "b"} & set(seen["writes"]))
        expect(not over, "overwrites", names=", ".join(over))
        expect(seen["main"] == MAIN, "slots")
        expect(seen["axes"] == [1], "axis")
        last = seen["writes"][-1]
        expect(seen["returns"] == last, "result", got=seen["returns"], wanted=last)
        rows = draw.uniform(-2, 2, (1 + case % 5, width))
        seen = ask(run_numbers, rows.tolist(), width, size)
        ones = all(np.array_equal(b, np.ones(b.shape)) for b in seen["begins"])
        expect(ones, "ones")
        wanted = np.maximum(rows.sum(axis=1, keepdims=True) + np.ones(size), 0)
        expect(np.allclose(seen["y"], wanted, atol=1e-5), "wrong")


def infer_shape(ask):
    """Compare with the table of shapes."""
    for kind, shapes, attrs, wanted in TRIALS:
        seen = ask(run_infer, kind, shapes, attrs)
        got = seen["shape"]
        facts = {"kernel": kind, "given": shapes, "got": got, "wanted": wanted}
        expect(-1 in got or -1 not in wanted, "lost", **facts)
        expect(got == wanted, "wrong", **facts)
        expect(seen["runs"] >= 1, "no_trial")
    draw = np.random.default_rng(6)
    for _ in range(CASES):
        inner, wide = (int(n) for n in draw.integers(1, 9, 2))
        seen = ask(run_infer, "matmul", [[-1, inner], [inner, wide]], {})
        facts = {"kernel": "matmul", "given": [[-1, inner], [inner, wide]]}
        expect(
            seen["shape"] == [-1, wide],
            "wrong",
            **facts,
            got=seen["shape"],
            wanted=[-1, wide],
        )


@needs(infer_shape)
def append(ask):
    """Look at the operator, and at the variable it writes."""
    draw = np.random.default_rng(7)
    for case in range(CASES):
        width = int(draw.integers(1, 5))
        kinds = [[-1, width], ["w", width], 2.5, ["w", 1], [-1, width]]
        inputs = [kinds[0]] + [kinds[i] for i in draw.integers(0, 5, 1 + case % 3)]
        if case % 4 == 1:
            inputs = [2.5, *inputs]
        seen = ask(run_append, inputs, {})
        learns = any(x[:1] == ["w"] for x in inputs if not isinstance(x, float))
        expect(seen["known"], "elsewhere")
        expect(seen["operators"] == 1, "one_operator", got=seen["operators"])
        expect(seen["op"] and seen["inputs"], "inputs")
        expect(seen["inserted"], "inserted")
        expect(seen["outputs"], "outputs")
        expect(seen["taken"] and seen["name"] == "mix_1", "name", got=seen["name"])
        wanted = [-1, sum(1 if isinstance(x, float) else x[-1] for x in inputs)]
        expect(seen["shape"] == wanted, "shape", got=seen["shape"], wanted=wanted)
        expect(seen["stop"] == (not learns), "stop", learns=learns)
    seen = ask(run_append, [[2, 2]], {"more": 1})
    expect(seen["attrs"] == {"more": 1}, "attrs")
    expect(seen["shape"] == [2, 3], "attrs_of_shape")


def shape_of_scores(ask):
    """A batch of any size, two scores a row."""
    found = ask(call, "shape_of_scores")
    expect(isinstance(found, list | tuple), "a_list")
    expect(list(found) != [2, 2], "batch")
    expect(list(found) != [-1, 3], "hidden")
    expect(list(found) == [-1, 2], "wrong")
