"""Checks of lesson 11: lifetimes of random programs, plans, segments computed again.

Programs are plain data, as `random_programs` says.
"""

from __future__ import annotations

import numpy as np

from teachgraph.course.judging import (
    close,
    expect,
    kind_of,
    lines_at_most,
    needs,
    quiz,
    untouched,
)
from teachgraph.course.random_programs import drawn, written
from teachgraph.planning.arena import Span, pack_spans

CASES = 24
PLANS = 200
LINES = 200_000

UNREAD = [[[0], [1]], [[0], [2]], [[2], [3]]], [3]
READ_TWICE = [[[0], [1]], [[1, 1], [2]], [[1, 2], [3]], [[3], [4]]], [4]
FETCHED = [[[0], [1]], [[1], [2]], [[2], [3]]], [1, 3]
TRAINS = [[[-1, 0], [1]], [[-1, 1, 0.5], [-1]], [[1], [2, ""]]], [2, -1]

TRIPLE = [[8, 0, 1], [4, 1, 2], [8, 2, 3]]
GAPS = [[64, 0, 1], [32, 1, 3], [16, 0, 2], [48, 2, 4], [16, 3, 4], [64, 4, 5]]
SEPARATE = [[8, 0, 1], [16, 2, 3], [8, 4, 5]]
AT_ONCE = [[8, 0, 3], [16, 0, 3], [24, 0, 3]]


def run_lifetimes(mine, rows, fetch):
    """The lifetimes, by name."""
    main, found = written(mine, rows)
    fetched = [found[one] for one in fetch]
    with lines_at_most(LINES), untouched(ops=main.ops, fetch=fetched):
        lives = mine.lifetimes(main.ops, fetched)
    if lives is None:
        return None
    expect(isinstance(lives, dict), "a_dict", got=kind_of(lives))
    keys = all(isinstance(x, mine.Variable) for x in lives)
    expect(keys, "keys")
    for life in lives.values():
        pair = isinstance(life, tuple) and len(life) == 2
        whole = pair and all(isinstance(step, int | np.integer) for step in life)
        expect(whole, "pairs")
    return {x.name: [int(step) for step in life] for x, life in lives.items()}


def by_hand(rows, fetch):
    """The lifetimes, as the text says."""
    names = {0: "x", -1: "w"}
    lives = {}
    for step, (_, writes) in enumerate(rows):
        for one in writes:
            if one not in ("", -1):
                read = [at for at, (reads, _) in enumerate(rows) if one in reads]
                end = len(rows) - 1 if one in fetch else max([step, *read])
                lives[names.get(one, f"value{one}")] = [step, end]
    return lives


def told(rows, fetch):
    """A program in one line, as the messages show it."""
    names = {0: "x", -1: "w", "": "_", 0.5: "0.5"}
    text = lambda ones: ", ".join(names.get(one, f"value{one}") for one in ones)
    steps = [f"{text(writes)} = op({text(reads)})" for reads, writes in rows]
    return f"{'; '.join(steps)}; fetch {text(fetch)}"


def spans(seed):
    """Sizes and lifetimes of random buffers."""
    draw = np.random.default_rng(seed)
    count, steps = int(draw.integers(3, 30)), int(draw.integers(2, 30))
    starts = draw.integers(0, steps, count)
    lengths = draw.integers(0, 1 + steps // 3, count)
    sizes = 8 * draw.integers(1, 40, count)
    return np.stack([sizes, starts, starts + lengths], axis=1).tolist()


def run_meet(mine, a, b):
    """Do two buffers meet?"""
    pair = [mine.Buffer(name, *span) for name, span in (("a", a), ("b", b))]
    with lines_at_most(LINES):
        found = mine.meet(*pair)
    if found is None:
        return None
    expect(isinstance(found, (bool, np.bool_)), "a_truth", got=kind_of(found))
    return bool(found)


def run_first_fit(mine, rows):
    """The offsets of buffers, and the peak that is said."""
    buffers = [mine.Buffer(f"b{n}", *row) for n, row in enumerate(rows)]
    given = list(buffers)
    for one in buffers:
        one.offset = 13
    with lines_at_most(LINES):
        peak = mine.first_fit(buffers)
    if peak is None:
        return None
    whole = isinstance(peak, (int, np.integer))
    expect(whole, "a_number", got=kind_of(peak))
    return {
        "offsets": [one.offset for one in given],
        "peak": int(peak),
        "lives": [[one.size, one.start, one.end] for one in given],
        "given": [one is two for one, two in zip(buffers, given, strict=True)],
    }


def overlap(rows, offsets):
    """A pair of buffers that share a byte in a step, None if there is none."""
    for i, (size, start, end) in enumerate(rows):
        for k, (other, first, last) in enumerate(rows[:i]):
            at_once = start <= last and first <= end
            low = offsets[i] < offsets[k] + other
            if at_once and low and offsets[k] < offsets[i] + size:
                return {"a": rows[k], "b": rows[i]}
    return None


def run_again(mine, steps):
    """Copies of a random segment, and what they compute."""
    main = mine.Program()
    found = [mine.Variable(main, f"h_{n}", [2]) for n in range(2)]
    for n, (kind, inputs) in enumerate(steps):
        new = mine.Variable(main, f"v_{n}", [2])
        given = [found[i] if isinstance(i, int) else i for i in inputs]
        op = {"add": mine.add, "mul": mine.mul, "softplus": mine.smooth}[kind]
        main.insert(mine.Operator(op, given, [new]))
        found.append(new)
    kept = [(list(one.inputs), list(one.outputs)) for one in main.ops]
    with lines_at_most(LINES), untouched(operators=(operators := list(main.ops))):
        pair = mine.again(operators)
    if pair is None:
        return None
    mine.again(list(main.ops))  # another call takes no name of the first one's
    expect(isinstance(pair, (tuple, list)) and len(pair) == 2, "a_pair")
    copies, same = pair
    expect(isinstance(copies, list), "a_list")
    expect(all(isinstance(one, mine.Operator) for one in copies), "a_list")
    expect(isinstance(same, dict), "a_dict")
    expect(len(main.ops) == len(kept), "inserted")
    now = [(list(one.inputs), list(one.outputs)) for one in main.ops]
    expect(kept == now, "changed")
    old, new = found[2:], [one.outputs[0] for one in copies]
    return {
        "count": len(copies),
        "new": not {*new} & {*found},
        "variables": all(isinstance(x, mine.Variable) for x in new),
        "names": len({x.name for x in (*new, *found)}) == len(new) + len(found),
        "known": all(main.variables.get(x.name) is x for x in (*new, *found)),
        "lasts": any(x.persistable for x in new),
        "shapes": [list(x.shape) for x in new],
        "same": [same.get(x) is y for x, y in zip(old, new, strict=False)],
        "extra": len(same) - len(old),
        "before": values(mine, main.ops, old),
        "after": values(mine, copies, new),
    }


def values(mine, ops, wanted):
    """The values of the wanted Variables: nothing is there but h_0 and h_1."""
    memory = {"h_0": np.array([0.5, -1.0]), "h_1": np.array([2.0, 0.25])}
    for one in ops:
        arrays = []
        for x in one.inputs:
            known = isinstance(x, mine.Variable)
            if known and x.name not in memory:
                return [x.name]
            arrays.append(memory[x.name] if known else np.asarray(x))
        memory[one.outputs[0].name] = one.op.kernel(*arrays, **one.attrs)
    return [memory[x.name] for x in wanted]


def highest(ask):
    """The most bytes are needed where the first relu's gradient is written."""
    mistakes = {
        "there": "relu",
        "as_many": "relu_grad",
        "after": "elementwise_add_grad",
    }
    quiz(ask, "highest", "mul_grad", **mistakes)


def three_buffers(ask):
    """a and c share their bytes."""
    quiz(ask, "three_buffers", 12, all_three=20, one=8)


def two_checkpoints(ask):
    """Stretches of four, three and two layers."""
    quiz(ask, "two_checkpoints", [4, 7], thirds=[3, 6])


def lifetimes(ask):
    """Compare with the lifetimes by hand."""
    examples = [UNREAD, READ_TWICE, FETCHED, TRAINS]
    for rows, fetch in [*examples, *map(drawn, range(CASES))]:
        seen, wanted = ask(run_lifetimes, rows, fetch), by_hand(rows, fetch)
        program = told(rows, fetch)
        expect("w" not in seen, "parameter", program=program)
        expect("x" not in seen, "data", program=program)
        missing = [name for name in wanted if name not in seen]
        expect(not missing, "missing", names=", ".join(missing), program=program)
        for name, (start, end) in wanted.items():
            facts = {"name": name, "program": program, "got": seen[name]}
            expect(seen[name][0] == start, "begins", wanted=start, **facts)
            fetched = any(name == f"value{one}" for one in fetch)
            ends = seen[name][1] == end
            expect(ends or not fetched, "fetched", wanted=end, **facts)
            expect(ends, "ends", wanted=end, **facts)


def meet(ask):
    """Compare with the steps, one by one."""
    pairs = [([0, 1], [1, 2]), ([0, 1], [2, 3]), ([0, 5], [2, 3]), ([3, 3], [3, 3])]
    draw = np.random.default_rng(11)
    for _ in range(CASES):
        steps = draw.integers(0, 6, (2, 2))
        pairs.append(tuple(sorted(life) for life in steps.tolist()))
    for a, b in pairs:
        for one, other in ((a, b), (b, a)):
            found = ask(run_meet, [8, *one], [16, *other])
            common = {*range(one[0], one[1] + 1)} & {*range(other[0], other[1] + 1)}
            facts = {"a": one, "b": other}
            expect(found or not common, "both", step=min(common, default=0), **facts)
            expect(common or not found, "none", **facts)


@needs(meet)
def first_fit(ask):
    """Look for overlaps, and compare the peak with ours."""
    for rows in [[], TRIPLE, SEPARATE, AT_ONCE, GAPS, *map(spans, range(PLANS))]:
        seen = ask(run_first_fit, rows)
        expect(seen["lives"] == rows and all(seen["given"]), "changed")
        offsets = seen["offsets"]
        expect(all(offset >= 0 for offset in offsets), "below")
        pair = overlap(rows, offsets)
        expect(pair is None, "overlap", **(pair or {}))
        tops = [offset + row[0] for offset, row in zip(offsets, rows, strict=True)]
        peak = max(tops, default=0)
        expect(seen["peak"] == peak, "peak", got=seen["peak"], wanted=peak)
        floors = {0, *tops}
        expect(all(offset in floors for offset in offsets), "floats")
        places = pack_spans([Span(*row) for row in rows])
        best = max((p + r[0] for p, r in zip(places, rows, strict=True)), default=0)
        if not is_first_fit(rows, offsets):  # equals may come in any order
            small = len(rows) < 4
            expect(not small or peak <= best, "higher", got=peak, wanted=best)
            ratio = f"{peak / max(best, 1):.2f}"
            expect(peak <= 1.1 * best, "ratio", got=ratio, count=len(rows))


def is_first_fit(rows, offsets):
    """Tell whether each buffer lies as low as it can beside the larger ones."""
    left, placed = list(zip(rows, offsets, strict=True)), []
    while left:
        largest = max(row[0] for row, _ in left)
        lowest = [
            (row, offset)
            for row, offset in left
            if row[0] == largest and offset == lowest_place(row, placed)
        ]
        if not lowest:
            return False
        left.remove(lowest[0])
        placed.append(lowest[0])
    return True


def lowest_place(row, placed):
    """The lowest offset at which a buffer overlaps with none of those placed."""
    size, start, end = row
    meeting = [
        (offset, offset + other)
        for (other, first, last), offset in placed
        if start <= last and first <= end
    ]
    return min(
        place
        for place in (0, *(above for _, above in meeting))
        if all(place + size <= low or high <= place for low, high in meeting)
    )


def again(ask):
    """Look at the copies, and compute them."""
    for case in range(CASES):
        draw = np.random.default_rng(case)
        steps = []
        for n in range(case % 6):
            kind = ["add", "mul", "softplus"][draw.integers(3)]
            recent = int(draw.integers(max(0, n - 1), n + 2))
            inputs = [recent, [0.5, int(draw.integers(n + 2))][draw.integers(2)]]
            steps.append([kind, inputs[: 1 if kind == "softplus" else 2]])
        seen = ask(run_again, steps)
        facts = {"got": seen["count"], "wanted": len(steps)}
        expect(seen["count"] == len(steps), "count", **facts)
        expect(seen["new"] and seen["variables"], "new")
        expect(seen["names"] and seen["known"], "names")
        expect(not seen["lasts"], "lasts")
        expect(seen["shapes"] == [[2]] * len(steps), "shapes")
        expect(all(seen["same"]) and not seen["extra"], "same")
        late = [one for one in seen["after"] if isinstance(one, str)]
        expect(not late, "reads", names=", ".join(late))
        expect(close(seen["after"], seen["before"]), "differs")
