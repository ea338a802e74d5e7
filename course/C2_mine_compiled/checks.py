"""Checks of C2: lines of Python are run one by one, and the names alive are compared.

Programs are plain data, as `random_programs` says.
"""

from __future__ import annotations


from teachgraph.course.judging import (
    expect,
    kind_of,
    lines_at_most,
    needs,
    quiz,
    untouched,
)
from teachgraph.course.random_programs import drawn, written

CASES = 30
LINES = 200_000

UNREAD = [[[0], [1]], [[0], [2]], [[2], [3]]], [3]
FETCHED = [[[0], [1]], [[1], [2]], [[2], [3]]], [1, 3]
TOGETHER = [[[0], [1, 2]], [[1, 2], [3]], [[3], [4]]], [4]
TRAINS = [[[-1, 0], [1]], [[-1, 1, 0.5], [-1]], [[1], ["", 2]]], [2]


def built(mine, rows):
    """The program, its Variables by position, and a short name for each."""
    main, found = written(mine, rows)
    return main, found, {x: short(one) for one, x in found.items() if x is not None}


def draw_case(seed):
    """A random program that fetches what it computes."""
    return drawn(seed, of_all=False)


def short(position):
    """The name in the source."""
    return {0: "v0", -1: "w0", "": "_"}.get(position, f"v{position}")


class Run:
    """Runs lines of Python; notes what each call gets, and which names there are."""

    def __init__(self, rows):
        self.rows, self.calls = rows, []
        self.names = {f"f{k}": self.operator(k) for k in range(len(rows))}
        self.names.update(v0="x", w0="w", __builtins__={})

    def operator(self, number):
        """The function of an operator: its results are texts."""
        count = len(self.rows[number][1])

        def call(*given):
            self.calls.append([number, list(given), self.alive()])
            results = tuple(f"{number}:{k}" for k in range(count))
            return results if count > 1 else results[0]

        return call

    def alive(self):
        """The names that there are now, but for operators and what is not computed."""
        kept = {"v0", "w0", "_", "__builtins__"}
        names = [n for n, value in self.names.items() if value is not None]
        return sorted(n for n in names if n not in kept and n[0] != "f")

    def line(self, text):
        """Run a line: what went wrong, an empty text if nothing did."""
        try:
            exec(text, self.names)
        except SyntaxError:
            return "syntax"
        except NameError as error:
            return str(error.name or "")
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""


def run_line(mine, rows, number):
    """The line for one operator, run on its own."""
    main, _, names = built(mine, rows)
    with lines_at_most(LINES), untouched(names=names):
        text = mine.call_line(number, main.ops[number], names)
    if text is None:
        return None
    expect(isinstance(text, str), "a_text", got=kind_of(text))
    run = Run(rows)
    for one in {one for reads, _ in rows for one in reads if one != 0.5}:
        run.names[short(one)] = f"value of {short(one)}"
    before = dict(run.names)
    wrong = run.line(text)
    after = {n: v for n, v in run.names.items() if before.get(n) is not v}
    return {"text": text, "wrong": wrong, "calls": run.calls, "after": after}


def run_body(mine, rows, fetch):
    """All lines of a program, run one by one."""
    main, found, names = built(mine, rows)
    ops, fetched = list(main.ops), [found[i] for i in fetch]
    with lines_at_most(LINES), untouched(ops=ops, fetch=fetched, names=names):
        lines = mine.body_lines(ops, fetched, names)
    if lines is None:
        return None
    expect(isinstance(lines, list), "a_list", got=kind_of(lines))
    texts = all(isinstance(line, str) for line in lines)
    expect(texts, "texts")
    run = Run(rows)
    for line in lines:
        wrong = run.line(line)
        if wrong:
            return {"lines": lines, "wrong": wrong, "line": line}
    facts = {"left": run.alive(), "lasts": run.names.get("w0") is not None}
    return {"lines": lines, "wrong": "", "calls": run.calls, **facts}


def values_before(rows, number):
    """The value of each position before an operator runs: `operator:output`."""
    values = {0: "x", -1: "w"}
    for at, (_, writes) in enumerate(rows[:number]):
        values.update({one: f"{at}:{k}" for k, one in enumerate(writes) if one != ""})
    return values


def alive_before(rows, fetch, number):
    """The names of the computed values that are still needed, by their lifetimes."""
    alive = []
    for at, (_, writes) in enumerate(rows[:number]):
        for one in writes:
            later = any(one in reads for reads, _ in rows[number:])
            if one not in ("", -1) and (later or one in fetch) and at < number:
                alive.append(short(one))
    return sorted(alive)


def kernels_called(ask):
    """dropout, linear, softplus, linear."""
    quiz(ask, "kernels_called", 4, all_of_test=7, without_dropout=3)


def values_at_once(ask):
    """The one that is read and the one that is written."""
    quiz(ask, "values_at_once", 2, only_one=1, kept=4)


def times_written(ask):
    """startup, main and test."""
    quiz(ask, "times_written", 3, only_main=1, each_run=402)


def call_line(ask):
    """Run the line of each operator."""
    for rows, _ in [TRAINS, TOGETHER, *map(draw_case, range(CASES))]:
        for number, (reads, writes) in enumerate(rows):
            seen = ask(run_line, rows, number)
            read = [short(one) for one in reads if one != 0.5]
            text = seen["text"]
            wanted = f"{', '.join(map(short, writes))} = f{number}({', '.join(read)})"
            facts = {"got": text, "wanted": wanted}
            expect(seen["wrong"] != "syntax", "syntax", **facts)
            expect(not seen["wrong"], "raises", said=seen["wrong"], **facts)
            expect(len(seen["calls"]) == 1, "one_call", **facts)
            ((called, given, _),) = seen["calls"]
            expect(called == number, "number", **facts)
            values = [f"value of {name}" for name in read]
            initial = {"value of v0": "x", "value of w0": "w"}
            expect(
                given in (values, [initial.get(v, v) for v in values]), "reads", **facts
            )
            last = {short(one): f"{number}:{k}" for k, one in enumerate(writes)}
            expect(seen["after"] == last, "writes", **facts)


@needs(call_line)
def body_lines(ask):
    """Run the lines, and look at the names that are there."""
    examples = [UNREAD, FETCHED, TOGETHER, TRAINS]
    for rows, fetch in [*examples, *map(draw_case, range(CASES))]:
        seen = ask(run_body, rows, fetch)
        facts = {
            "lines": "; ".join(seen["lines"]),
            "fetch": ", ".join(map(short, fetch)),
        }
        expect(seen["wrong"] != "syntax", "syntax", line=seen.get("line"), **facts)
        wrong = seen["wrong"]
        expect(not wrong, "early", name=wrong, line=seen.get("line"), **facts)
        called = [number for number, _, _ in seen["calls"]]
        expect(called == list(range(len(rows))), "calls", **facts)
        left = alive_before(rows, fetch, len(rows))
        gone = [name for name in left if name not in seen["left"]]
        expect(not gone, "fetched", names=", ".join(gone), **facts)
        expect(seen["lasts"], "lasting", **facts)
        for number, given, alive in seen["calls"]:
            values = values_before(rows, number)
            wanted = [values[one] for one in rows[number][0] if one != 0.5]
            expect(given == wanted, "reads", number=number, **facts)
            needed = alive_before(rows, fetch, number)
            late = [name for name in alive if name not in needed]
            expect(not late, "late", names=", ".join(late), number=number, **facts)
        late = [name for name in seen["left"] if name not in left]
        expect(not late, "late", names=", ".join(late), number="end", **facts)
