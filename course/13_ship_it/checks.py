"""Checks of lesson 13: rows of real programs, files with defects, bytes, a false clock.

What a learner's bytes say is read here by a few lines of our own, so that no package of
ONNX is needed.
"""

from __future__ import annotations

import json
import os

import numpy as np

from teachgraph import fluid
from teachgraph.core import unique_name
from teachgraph.course.judging import (
    Wrong,
    array_of,
    expect,
    in_short,
    kind_of,
    lines_at_most,
    needs,
    quiz,
    untouched,
)
from teachgraph.static.pruning import pruned

CASES = 20
CANARY = "TEACHGRAPH_CANARY"
SINGS = f"__import__('os').environ.setdefault({CANARY!r}, 'sings')"
ONNX = {"mul": "MatMul", "elementwise_add": "Add", "relu": "Relu"}
ONNX["batch_norm"] = "BatchNormalization"


def program(seed):
    """A program that trains, and names of some of its values."""
    draw = np.random.default_rng(seed)
    main, startup = fluid.Program(), fluid.Program()
    with unique_name.guard(), fluid.program_guard(main, startup):
        found = [fluid.data(name="x", shape=[None, 3], dtype="float32")]
        for step in range(3 if seed == 0 else int(draw.integers(2, 8))):
            one = found[-1] if seed == 0 else found[draw.integers(len(found))]
            kind = [1, 2, 3][step] if seed == 0 else int(draw.integers(5))
            if kind == 0:
                found.append(fluid.layers.dropout(one, 0.1))
            elif kind == 1:
                found.append(fluid.layers.fc(one, 3))
            elif kind == 2:
                found.append(fluid.layers.batch_norm(one))
            elif kind == 3:
                found.append(fluid.layers.relu(one))
            else:
                other = found[draw.integers(len(found))]
                found.append(fluid.layers.elementwise_add(one, other))
        scores = fluid.layers.fc(found[-1], 2)
        made = [x.name for x in (*found[1:], scores)]
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(scores))
    few = draw.choice(made, min(len(made), 1 + seed % 3), replace=False)
    return main, [str(name) for name in few] if seed else [made[-1]]


def run_prune(mine, seed):
    """The learner's rows, and what they did to the program."""
    main, gives = program(seed)
    ops = main.global_block().ops
    before = [dict(one.attrs) for one in ops]
    given = list(gives)
    rows = mine.prune(ops, given)
    if rows is None:
        return None
    expect(given == gives, "changed_input", what="gives")
    expect(isinstance(rows, list), "a_list", got=kind_of(rows))
    for row in rows:
        expect(type(row) is dict, "a_dict", got=kind_of(row))
        keys = ", ".join(sorted(map(str, row)))
        wanted = {"type", "reads", "writes", "attrs"}
        expect({*row} == wanted, "keys", got=keys, wanted=", ".join(sorted(wanted)))
        expect(isinstance(row["type"], str), "a_type", got=in_short(row["type"]))
    facts = {"same": before == [one.attrs for one in ops], "rows": rows}
    facts["own"] = all(row["attrs"] is not one.attrs for row in rows for one in ops)
    return facts


def told(ops):
    """Operators in one line, as messages show them."""
    rows = [f"{', '.join(o['writes'])} = {o['type']}" for o in ops]
    return "; ".join(rows)


def operators_left(ask):
    """Two for each layer, and two between them."""
    quiz(ask, "operators_left", 6, loss=8, all=23)


def lines_printed(ask):
    """Each reading runs what the file asks for."""
    quiz(ask, "lines_printed", 3, never=0, once=1, saving=4)


def different_answers(ask):
    """A number minus itself is 0."""
    quiz(ask, "different_answers", 1, all=360, digits=10)


def prune(ask):
    """Compare with the framework's own pruning of its clone for a test."""
    for seed in range(CASES):
        main, gives = program(seed)
        ops = main.global_block().ops
        keep = pruned(main.clone(for_test=True), [], gives).global_block().ops
        wanted, needed = [], {*gives}
        for one in reversed(keep):
            writes = [name for name in one.output_arg_names if name in needed]
            needed.update(one.input_arg_names)
            wanted.append({"type": one.type, "reads": one.input_arg_names})
            wanted[-1].update(writes=writes, attrs=one.attrs)
        wanted.reverse()
        seen = ask(run_prune, seed)
        rows, gives = seen["rows"], ", ".join(gives)
        types = [row["type"] for row in rows]
        late = [t for t in types if t == "sgd" or t.endswith("_grad")]
        expect(not late, "training", names=", ".join(sorted({*late})), gives=gives)
        facts = {"gives": gives, "got": told(rows), "wanted": told(wanted)}
        backwards = [row["type"] for row in wanted[::-1]]
        same = types == [row["type"] for row in wanted]
        expect(same or types != backwards, "backwards")
        expect(len(rows) >= len(wanted), "missing", **facts)
        expect(len(rows) <= len(wanted), "too_many", **facts)
        expect(same, "differ", **facts)
        for row, right in zip(rows, wanted, strict=True):
            for key in ("reads", "writes"):
                texts = type(row[key]) is list and all(
                    isinstance(name, str) for name in row[key]
                )
                expect(texts, "names", key=key, type=row["type"])
            facts = {"type": row["type"], "got": row["reads"], "wanted": right["reads"]}
            expect(row["reads"] == right["reads"], "reads", **facts)
            facts |= {"got": row["writes"], "wanted": right["writes"]}
            expect(row["writes"] == right["writes"], "writes", **facts)
            test = right["attrs"].get("is_test", "none")
            is_test = row["attrs"].get("is_test", "none") == test
            expect(is_test or test == "none", "in_training", type=row["type"])
            expect(is_test, "no_such_attribute", type=row["type"])
            expect(row["attrs"] == plain(one_of(ops, right)), "attrs", type=row["type"])
        expect(seen["same"] and seen["own"], "changed")


def one_of(ops, row):
    """The attributes of the operator that a row is made of, in test mode."""
    for one in ops:
        if one.type == row["type"] and {*row["writes"]} <= {*one.output_arg_names}:
            test = {"is_test": True} if "is_test" in one.attrs else {}
            return {**one.attrs, **test}
    raise AssertionError(row)


def plain(attrs):
    """Attributes as they come out of a process."""
    return {name: value.item() if isinstance(value, np.generic) else value
            for name, value in attrs.items()}  # fmt: skip


def drawn(seed):
    """A model, names of weights, and types with a kernel."""
    draw = np.random.default_rng(seed)
    types = [f"op_{n}" for n in draw.permutation(6)[: draw.integers(1, 5)].tolist()]
    takes = [f"x_{n}" for n in range(int(draw.integers(1, 3)))]
    weights = [f"w_{n}" for n in range(int(draw.integers(4)))]
    known, rows = [*takes, *weights], []
    for step in range(int(draw.integers(7)) if seed else 2):
        reads = [known[i] for i in draw.integers(len(known), size=draw.integers(1, 4))]
        writes = [f"h_{step}", f"g_{step}"][: draw.integers(1, 3)]
        kind = types[draw.integers(len(types))]
        row = {"type": kind, "reads": reads, "writes": writes}
        rows.append({**row, "attrs": {"axis": int(draw.integers(3))}})
        known += writes
    gives = [known[i] for i in draw.integers(len(known), size=draw.integers(1, 3))]
    return {"takes": takes, "gives": gives, "ops": rows}, weights, types


def defect(kind, model, seed):
    """Put a defect into a model; return the name that should be told."""
    draw, rows = np.random.default_rng(seed), model["ops"]
    at = int(draw.integers(len(rows))) if rows else 0
    if kind == "type":
        text = ["relu", "mul", "print", "save", "__class__", "eval", "load", SINGS]
        name = text[draw.integers(len(text))] if seed else SINGS
        rows[at]["type"] = name
    elif kind == "nobody":
        name = "u_7"
        reads = rows[at]["reads"]
        reads.insert(int(draw.integers(len(reads) + 1)), name)
    elif kind == "later":
        name = rows[-1]["writes"][-1]
        rows[at]["reads"].append(name)
    else:
        name = ["y_9", "relu"][draw.integers(2)]
        model["gives"].insert(int(draw.integers(len(model["gives"]) + 1)), name)
    return name


def run_load(mine, text, weights, types):
    """Load a text: the model or the error, and the operators that ran meanwhile."""
    ran = []
    kernels = {t: lambda *_, t=t, **__: ran.append(t) for t in types}
    arrays = {name: np.ones(2, "float32") for name in weights}
    os.environ.pop(CANARY, None)
    said, kind, model = "", "", {}
    try:
        with lines_at_most(100_000):
            model = mine.load(text, arrays, kernels)
            expect([*arrays] == weights, "changed_input", what="weights")
            expect([*kernels] == types, "changed_input", what="kernels")
    except (NotImplementedError, NameError, SyntaxError, Wrong):
        raise
    except Exception as error:  # the learner's own: refused, or not in the right way
        said, kind = str(error), type(error).__name__
        kind = "" if isinstance(error, ValueError) else kind
    sang = os.environ.pop(CANARY, "")
    if model is None:
        return None
    facts = {"error": said, "kind": kind, "ran": len(ran), "sang": bool(sang)}
    return {**facts, "refused": bool(said or kind), "model": model}


def load(ask):
    """Load models without a defect, and with one of each kind."""
    expect(not ask(run_load, SINGS, [], [])["sang"], "ran_text")
    for seed in range(CASES):
        model, weights, types = drawn(seed)
        seen = ask(run_load, json.dumps(model), weights, types)
        error = f"{seen['kind'] or 'ValueError'}: {seen['error']}"
        text = json.dumps(model)
        expect(not seen["sang"], "ran_text")
        expect(not seen["refused"], "innocent", error=error, model=text)
        expect(not seen["ran"], "ran")
        got = seen["model"]
        expect(type(got) is dict, "a_model", got=kind_of(got))
        expect(got == model, "other_model", got=got, wanted=text)
    for seed in range(4 * CASES):
        model, weights, types = drawn(seed + 100)
        kind = ["type", "nobody", "later", "gives"][seed % 4]
        if not model["ops"] and kind != "gives":
            continue
        name = defect(kind, model, seed)
        seen = ask(run_load, json.dumps(model), weights, types)
        facts = {"name": name, "error": seen["error"], "model": json.dumps(model)}
        expect(not seen["sang"], "ran_text")
        expect(not seen["ran"], "ran")
        expect(seen["refused"], f"accepts_{kind}", **facts)
        expect(not seen["kind"], "other_error", **{**facts, "kind": seen["kind"]})
        expect(name in seen["error"], "no_name", **facts)
        expect(len(seen["error"]) < len(name) + 120, "whole_file", name=name)


def number(n):
    """A whole number as bytes: in groups of seven bits."""
    groups = [n >> 7 * k & 127 for k in range(max(1, -(-n.bit_length() // 7)))]
    return bytes([group | 128 for group in groups[:-1]] + groups[-1:])


def run_field(mine, number, value, text):
    """The bytes of a field, as a list."""
    given = value if isinstance(value, int) else bytes(value)
    with lines_at_most(100_000):
        found = mine.field(number, given.decode() if text else given)
    if found is None:
        return None
    expect(isinstance(found, bytes), "bytes", got=kind_of(found))
    return list(found)


def field(ask):
    """Compare byte for byte with an encoding of our own."""
    cases = [(1, "x"), (2, 5), (4, "MatMul"), (1, 300), (3, "图"), (5, b""), (2, 0)]
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        key = int(draw.integers(1, [16, 3000][seed % 2]))
        content = bytes(draw.integers(0, 256, int(draw.integers(400))).tolist())
        words = "".join(draw.choice([*"abc xyz", "图", "é"], draw.integers(1, 200)))
        cases += [(key, int(draw.integers(2 ** draw.integers(1, 40)))), (key, content)]
        cases.append((key, words))
    for key, value in cases:
        text = isinstance(value, str)
        content = value.encode() if text else value
        whole = isinstance(value, int)
        head = number(8 * key + 2 * (not whole))
        middle = b"" if whole else number(len(content))
        end = number(value) if whole else content
        got = ask(run_field, key, value if whole else list(content), text)
        wanted = list(head + middle + end)
        facts = {"number": key, "value": repr(value)[:30]}
        facts |= {"got": got[:12], "wanted": wanted[:12]}
        expect(len(got) >= len(head), "short", **facts)
        kind = bytes(got[: len(head)])
        other = number(8 * key + 2 * whole)
        expect(kind == head or kind != other, "kind", **facts)
        expect(kind == head, "key", **facts)
        expect(whole or got[len(head) :] != list(content), "no_count", **facts)
        after = got[len(head) : len(head) + len(middle)]
        characters = text and len(value) != len(content)
        expect(not characters or after == list(middle), "characters", **facts)
        expect(after == list(middle), "count", **facts)
        expect(got == wanted, "content", **facts)


def fields_in(message):
    """The (number, content) pairs of a message.

    Raises:
        ValueError: It is none.
    """
    at, pairs = 0, []

    def whole():
        nonlocal at
        n = shift = 0
        while True:
            if at >= len(message):
                raise ValueError("it ends too early")
            byte, at = message[at], at + 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    while at < len(message):
        key = whole()
        if key & 7 not in (0, 2):
            raise ValueError(f"a field of kind {key & 7}")
        content = whole()
        if key & 7 == 2:
            content, at = message[at : at + content], at + content
            if at > len(message):
                raise ValueError("it ends too early")
        pairs.append((key >> 3, content))
    return pairs


def run_node(mine, row):
    """The bytes of an operator, as a list."""
    with lines_at_most(100_000), untouched(row=row):
        found = mine.node(row)
    if found is None:
        return None
    expect(isinstance(found, bytes), "bytes", got=kind_of(found))
    return list(found)


@needs(field)
def node(ask):
    """Read the message."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        kind = [*ONNX][seed % 4]
        names = [f"{word}_{draw.integers(40)}" for word in draw.choice(["fc", "b"], 6)]
        count = {"relu": 1, "batch_norm": 5}.get(kind, 2)
        row = {"type": kind, "reads": names[:count], "writes": names[5:]}
        got = bytes(ask(run_node, {**row, "attrs": {"op_role": 0}}))
        try:
            pairs = fields_in(got)
        except ValueError as error:
            raise Wrong("no_message", error=str(error)) from None
        texts = [(n, str(content, "utf-8", "replace") if isinstance(content, bytes)
                  else content) for n, content in pairs]  # fmt: skip
        found = {n: [c for m, c in texts if m == n] for n in (1, 2, 4)}
        strange = sorted({n for n, _ in texts} - {1, 2, 4})
        expect(not strange, "strange_fields", got=strange)
        facts = {"type": kind, "wanted": row["reads"], "got": found[1]}
        expect(found[1] == row["reads"], "reads", **facts)
        facts |= {"wanted": row["writes"], "got": found[2]}
        expect(found[2] == row["writes"], "writes", **facts)
        facts |= {"wanted": ONNX[kind], "got": found[4]}
        expect(found[4] != [kind], "paddle_name", **facts)
        expect(found[4] == [ONNX[kind]], "op_type", **facts)


def run_measured(mine, durations, times):
    """The quartiles by a false clock, and what was called when."""
    events, now, left = [], [7.0], list(durations)

    def call():
        events.append("call")
        now[0] += left.pop(0) if left else 0.5

    def clock():
        events.append("clock")
        return now[0]

    with lines_at_most(200_000):
        found = mine.measured(call, clock, times)
    if found is None:
        return None
    found = array_of(found)
    expect(found.shape == (3,), "three", got=list(found.shape))
    return {"found": found.tolist(), "events": events}


def measured(ask):
    """Compare with the quartiles of durations that are known."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        times = int(draw.integers(3, 40))
        durations = [50.0, *draw.gamma(2.0, 0.1, times).tolist()]
        seen = ask(run_measured, durations, times)
        events, found = seen["events"], np.array(seen["found"])
        calls = events.count("call")
        expect("clock" in events, "no_clock")
        quartiles = lambda seconds: np.percentile(seconds, [25, 50, 75])
        facts = {"times": times, "calls": calls}
        expect(events[0] == "call", "first", **facts)
        expect(calls >= times + 1, "too_few", **facts)
        expect(calls <= times + 1, "too_many", **facts)
        right = ["call"] + ["clock", "call", "clock"] * times
        expect(events.count("clock") == 2 * times, "at_once", got=events.count("clock"))
        expect(events == right, "between")
        wanted = quartiles(durations[1:])
        facts = {"got": np.round(found, 3), "wanted": np.round(wanted, 3)}
        expect(np.allclose(found, wanted), "quartiles", **facts)
