"""Checks of lesson 09: random sources are converted, run, and compared with Python."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from functools import wraps

import numpy as np

import teachgraph as paddle
from teachgraph.control_flow.ops import LoopError
from teachgraph.core.errors import ModeError
from teachgraph.course.bounds import rounds_at_most
from teachgraph.course.converting import Converter, both, either, repeated
from teachgraph.course.judging import Wrong, expect, kind_of, needs, quiz, untouched

CASES = 24
NAMES = ["a", "b", "c"]
MOST = 50
TARGETS = {
    "for k in range(3):\n    a = k": ["a", "k"],
    "with here as a:\n    b = a": ["a", "b"],
    "[a, (b, *c)] = n": ["a", "b", "c"],
    "a[b] = c\nc.n = a": [],
}
"""Statements that assign in other ways, and the names; a part of one is no name."""

TWELVE = [
    "if n > 3:\n    n = n * 2",
    "if n > 3:\n    n = n * 2\nelse:\n    n = n - 1",
    "if n > 3 and n < 9:\n    n = n + 100",
    "if n > 3:\n    if n > 5:\n        n = n + 1\n    n = n * 2",
    "if n > 9:\n    n = n + 1\nelif n > 4:\n    n = n + 2\nelse:\n    n = n + 3",
    "m = n + 1\nif n > 3:\n    m = m * m\nelse:\n    n = n * 3\nn = n + m",
    "while n > 1:\n    n = n // 2",
    "m = n * 0\nwhile m < n:\n    m = m + 2\nn = m",
    "m = n * 0\nwhile m < 6 and n > 1:\n    m = m + 1\n    n = n // 2\nn = m",
    (
        "m = n * 0\nwhile n > 1:\n    if n % 2 == 1:\n        n = 3 * n + 1\n"
        "    n, m = n // 2, m + 1"
    ),
    "if n > 4:\n    while n > 2:\n        n -= 1\nelse:\n    n = n + 7",
    "m = n * 0\nwhile m < 3:\n    while n > m:\n        n = n - 2\n    m = m + 1",
]


def statements(seed):
    """A random list of assignments to names, with something nested."""
    draw = np.random.default_rng(seed)

    def line(indent):
        name, other = draw.choice(NAMES, 2)
        form = ["{0} = {1} + 1", "{0} += {1}", "{0}, {1} = {1}, {0}", "{0} = abs({1})"]
        return indent + form[draw.integers(4)].format(name, other)

    lines = [line("") for _ in range(draw.integers(1, 3))]
    if seed % 3:
        test, name = draw.choice(NAMES, 2)
        lines += [
            f"if {test} > 1:",
            line("    "),
            "    while c < a:",
            f"        {name} = 2",
        ]
    return "\n".join(lines)


def stored(source):
    """The names on the left of an assignment, read from the text."""
    found = set()
    for line in source.splitlines():
        left, sign, _ = line.strip().partition("=")
        if sign and not left.startswith(("if", "while")):
            found |= {name.strip(" +-*/") for name in left.split(",")}
    return found


def run_assigned(mine, source):
    """The names that the learner finds."""
    with untouched(statements=(body := ast.parse(source).body)):
        found = mine.assigned(body)
    for one in found if isinstance(found, list | tuple) else []:
        expect(isinstance(one, str), "a_name", got=kind_of(one))
    return found


def run_condition(mine, source, values):
    """The converted condition's result, the order of questions, and Python's own."""
    asked = []

    def ask(name):
        asked.append(name)
        return values[name]

    test = ast.parse(source, mode="eval").body
    text = mine.condition_of(test)
    expect(text is not None, "nothing")
    expect(isinstance(text, str), "a_text", got=kind_of(text))
    expect(" and " not in text or " or " in source, "and_left", source=text)
    names = {"ask": ask, "both": both}
    wanted, first = eval(source, names), asked.copy()  # the source is the check's own
    asked.clear()
    try:
        got = eval(text, names)
    except SyntaxError:
        raise Wrong("no_source", source=text) from None
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise Wrong("fails", error=said, source=text) from None
    return {"got": got, "wanted": wanted, "asked": asked, "first": first, "text": text}


def rules(mine, task):
    """The learner's rule for the task; the other statement stays as it is."""
    name = {"convert_if": "If", "convert_while": "While"}[task]
    kept = {"If": keep_if, "While": keep_while}
    chosen = {**kept, name: a_text(getattr(mine, task))}
    return Converter(chosen["If"], chosen["While"])


def a_text(rule):
    """A rule of the learner's that must return the text of a statement."""

    def checked(node, block):
        text = rule(node, block)
        expect(text is not None, "nothing")
        expect(isinstance(text, str), "a_text", got=kind_of(text))
        return text

    return checked


def a_state(function):
    """A branch or a body that must return the state, a tuple."""

    def checked(*state):
        found = function(*state)
        expect(isinstance(found, tuple), "no_state", got=kind_of(found))
        return found

    return checked


def expect_call(functions, state):
    """Raise Wrong unless these are functions and a tuple, as the helpers take them."""
    for one in functions:
        expect(callable(one), "no_function", got=kind_of(one))
    expect(isinstance(state, tuple), "no_tuple", got=kind_of(state))


def keep_if(node, block):
    """An `if` as it is, its branches converted."""
    other = f"\nelse:\n{block(node.orelse)}" if node.orelse else ""
    return f"if {ast.unparse(node.test)}:\n{block(node.body)}{other}"


def keep_while(node, block):
    """A `while` as it is, its body converted."""
    return f"while {ast.unparse(node.test)}:\n{block(node.body)}"


@contextmanager
def failures_told(text):
    """Tell of an error in the converted source, which is in no cell, with that."""
    try:
        yield
    except (Wrong, ModeError):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Wrong("fails", error=said, source=text) from None


def run_rule(mine, task, source, numbers):
    """Values of the names after the converted source, and who was called how."""
    (node,) = ast.parse(source).body
    text = rules(mine, task).converted(node)
    calls = []

    @wraps(either)
    def decided(test, yes, no, state):
        calls.append("either")
        expect_call([yes, no], state)
        return either(test, a_state(yes), a_state(no), state)

    @wraps(repeated)
    def looped(condition, body, state):
        calls.append("repeated")
        expect_call([condition, body], state)
        turns = []

        @wraps(condition)
        def counted(*state):
            turns.append(1)
            expect(len(turns) < MOST, "endless", source=text)
            return condition(*state)

        return repeated(counted, a_state(body), state)

    decided.__qualname__, looped.__qualname__ = "either", "repeated"
    names = {"either": decided, "repeated": looped, "both": both, **numbers}
    try:
        code = compile(text, "converted", "exec")
    except SyntaxError as error:
        raise Wrong("no_source", line=error.lineno, source=text) from None
    with failures_told(text):
        exec(code, names)
    return {"values": [names[name] for name in numbers], "calls": calls, "text": text}


def run_program(mine, task, source, numbers):
    """Run the converted source as a program and return the results."""
    paddle.enable_static()
    chosen = rules(mine, task)
    if task == "convert_while":
        chosen = Converter(mine.convert_if, mine.convert_while)
    text = "\n".join(map(chosen.converted, ast.parse(source).body))
    main = paddle.static.Program()
    new = paddle.static.program_guard(main, paddle.static.Program())
    with new, rounds_at_most(MOST):
        names = {"either": either, "repeated": repeated, "both": both}
        names["n"] = paddle.static.data("n", [1], "int64")
        try:
            with failures_told(text):
                exec(text, names)
        except ModeError as error:
            raise Wrong("not_a_program", error=str(error).splitlines()[0]) from None
    exe, found = paddle.fluid.Executor(), []
    for number in numbers:
        try:
            (got,) = exe.run(main, {"n": np.array([number])}, [names["n"]])
        except LoopError:
            raise Wrong("endless", source=text) from None
        found.append(int(np.squeeze(got)))
    return found


def by_python(source, n):
    """The n that plain Python leaves."""
    names = {"n": n}
    exec(source, names)
    return names["n"]


def blocks(ask):
    """Main, the loop's body, two branches."""
    quiz(ask, "blocks", 4, three=3, two=2)


def written_out(ask):
    """Python's own loop is over when the program runs."""
    quiz(ask, "written_out", 3, one=1)


def refused(ask):
    """The return inside."""
    quiz(ask, "refused", 6, last=8, condition=5)


def assigned(ask):
    """Compare with the left sides of the text."""
    drawn = {source: sorted(stored(source)) for source in map(statements, range(CASES))}
    for source, wanted in (drawn | TARGETS).items():
        got = ask(run_assigned, source)
        expect(isinstance(got, (list, tuple)), "a_list", got=kind_of(got))
        facts = {"source": source, "got": got, "wanted": wanted}
        expect(len(set(got)) == len(got), "twice", **facts)
        missing = [name for name in wanted if name not in got]
        expect(not missing, "missing", names=", ".join(missing), **facts)
        read_only = [str(name) for name in got if name not in wanted]
        expect(not read_only, "only_read", names=", ".join(read_only), **facts)
        expect(list(got) == wanted, "sorted", **facts)


def condition_of(ask):
    """Compare with Python's own answers, and the order in which it asks."""
    sources = [
        "ask('a')",
        "ask('a') and ask('b')",
        "ask('a') and ask('b') and ask('c')",
        "ask('a') and (ask('b') and ask('c'))",
        "(ask('a') and ask('b')) and ask('c')",
        "ask('a') and (ask('b') or ask('c'))",
        "ask('a') or ask('b')",
        "not ask('a')",
    ]
    for source in sources:
        for bits in range(8):
            values = {name: bool(bits >> i & 1) for i, name in enumerate("abc")}
            seen = ask(run_condition, source, values)
            facts = {"source": source, "text": seen["text"]}
            expect(seen["got"] == seen["wanted"], "another", **facts)
            early = len(seen["asked"]) > len(seen["first"])
            expect(not early, "eager", **facts)
            expect(seen["asked"] == seen["first"], "order", **facts)


def source_of(kind, case):
    """A random `if` or `while` on three numbers, with nested ones now and then."""
    draw = np.random.default_rng(case)
    a, b, c = draw.permutation(NAMES).tolist()
    if kind == "convert_if":
        lines = [f"if {a} > {b}:", f"    {a} = {b} + 10"]
        if case % 2:
            lines += ["else:", f"    {c} = {c} * 3", f"    {b} += 1"]
        if case % 3 == 0:
            lines[1:1] = [f"    if {c} > 2:", f"        {c} = {a} + {b}"]
        if case % 5 == 0:
            lines[0] = f"if {a} > {b} and {c} < 3:"
        return "\n".join(lines)
    lines = [f"while {a} < 9:", f"    {a} = {a} + 2", f"    {b} = {a} + {c}"]
    if case % 3 == 0:
        lines += [f"    while {c} < {a}:", f"        {c} += 3"]
    if case % 5 == 0:
        lines[0] = f"while {a} < 9 and {b} < 20:"
    return "\n".join(lines)


def check_rule(ask, task, helper):
    """Compare random statements with Python, then twelve functions in programs."""
    for case in range(CASES):
        source = source_of(task, case)
        draw = np.random.default_rng(case + 100)
        numbers = dict(zip(NAMES, draw.integers(0, 6, 3).tolist(), strict=True))
        seen = ask(run_rule, task, source, numbers)
        names = dict(numbers)
        exec(source, names)
        wanted = [names[name] for name in NAMES]
        facts = {"source": source, "text": seen["text"]}
        expect(helper in seen["calls"], "no_call", **facts)
        given = ", ".join(f"{name} = {numbers[name]}" for name in NAMES)
        expect(
            seen["values"] == wanted,
            "another",
            given=given,
            got=seen["values"],
            wanted=wanted,
            **facts,
        )
    for source in TWELVE:
        if ("while" in source) == (task == "convert_while"):
            numbers = [0, 3, 4, 7, 10]
            got = ask(run_program, task, source, numbers)
            wanted = [by_python(source, n) for n in numbers]
            expect(got == wanted, "program", source=source, got=got, wanted=wanted)


@needs(assigned, condition_of)
def convert_if(ask):
    """Compare with Python's `if`."""
    check_rule(ask, "convert_if", "either")


@needs(assigned, condition_of, convert_if)
def convert_while(ask):
    """Compare with Python's `while`."""
    check_rule(ask, "convert_while", "repeated")
