"""Checks of lesson 14: the list of a trainer by its rules, then a run beside one."""

from __future__ import annotations

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.course import machines
from teachgraph.course.judging import Wrong, array_of, expect, kind_of, quiz, untouched
from teachgraph.distributed.errors import DistributedError

CASES = 20
STEPS = 3


def first(found):
    """The first of some names or rows, as messages show it."""
    return str(found[0]) if found else ""


def widths_of(seed):
    """The layers of a random network."""
    draw = np.random.default_rng(seed)
    return draw.integers(1, 4, draw.integers(1, 4)).tolist()


def run_for_a_trainer(mine, widths):
    """The list, with operators by their place, and the facts about the program."""
    main, _, _ = machines.network(widths)
    ops = list(main.global_block().ops)
    with untouched(ops=(given := list(ops))):
        rows = mine.for_a_trainer(given)
    if rows is None:
        return None
    expect(type(rows) is list, "a_list", got=kind_of(rows))
    found = []
    for row in rows:
        place = next((at for at, op in enumerate(ops) if op is row), None)
        message = type(row) is tuple and all(type(x) is str for x in row)
        expect(message or place is not None, "row", got=repr(row)[:60])
        found.append(list(row) if message else place)
    updates = [op for op in ops if op.type == "sgd"]
    written = {n: at for at, op in enumerate(ops) for n in op.output_arg_names}
    gradients = [op.inputs["Grad"][0] for op in updates]
    return {
        "rows": found,
        "types": [op.type for op in ops],
        "gradients": gradients,
        "writers": [written[name] for name in gradients],
        "params": [op.inputs["Param"][0] for op in updates],
    }


def run_together(mine, widths, trainers):
    """The parameters of the trainers after some steps."""
    try:
        return machines.together(STEPS, mine.for_a_trainer, widths, trainers)
    except (DistributedError, InvalidValueError) as error:
        raise Wrong("refused", error=str(error).splitlines()[0]) from None


def run_average(mine, gradients, rows):
    """The mean."""
    with untouched(gradients=gradients, rows=rows):
        whole = mine.average(gradients, rows)
    return array_of(whole) if whole is not None else None


def run_shard(mine, sizes, servers):
    """The server of each parameter."""
    with untouched(sizes=sizes):
        homes = mine.shard(sizes, servers)
    if type(homes) is not dict:
        return homes
    return {name: plain(home) for name, home in homes.items()}


def plain(number):
    """A whole number of NumPy's, as argmin gives it, as one of Python's."""
    return int(number) if isinstance(number, np.integer) else number


def messages_of_a_step(ask):
    """4 gradients and 4 parameters, for each of two."""
    quiz(ask, "messages_of_a_step", 16, gradients=8, barriers=20)


def slope_of_all(ask):
    """(3 x 2 + 10) / 4."""
    quiz(ask, "slope_of_all", 4.0, sum=12.0, plain=6.0)


def through_the_line(ask):
    """There and back, for each trainer."""
    quiz(ask, "through_the_line", 2000, one_way=1000, one_trainer=200)


def for_a_trainer(ask):
    """Hold the list to the rules; then run it beside one process."""
    for seed in range(CASES):
        widths = widths_of(seed)
        seen = ask(run_for_a_trainer, widths)
        rows, types = seen["rows"], seen["types"]
        kept = [row for row in rows if type(row) is int]
        expect(all(types[at] != "sgd" for at in kept), "sgd_stays")
        others = [at for at, kind in enumerate(types) if kind != "sgd"]
        lost = [types[at] for at in others if at not in kept]
        expect(not lost, "lost", op=lost[0] if lost else "")
        expect(kept == others, "order")
        messages(rows, seen)
    for widths, trainers in (([2, 1], 2), ([1], 4)):
        alone = machines.alone(STEPS, widths)
        for weights in ask(run_together, widths, trainers):
            off = max(abs(alone[name] - weights[name]).max() for name in alone)
            expect(off < 1e-6, "differs", off=f"{off:.1g}")


def messages(rows, seen):
    """Hold the messages to their rules."""
    places = {}
    for at, row in enumerate(rows):
        if type(row) is list:
            places.setdefault(tuple(row), []).append(at)
    sent = [row[1] for row in places if len(row) == 2 and row[0] == "send"]
    received = [row[1] for row in places if len(row) == 2 and row[0] == "recv"]
    known = {("send_barrier",), ("fetch_barrier",)}
    known |= {("send", name) for name in sent} | {("recv", name) for name in received}
    unknown = [row for row in places if row not in known]
    expect(not unknown, "message", got=first(unknown))
    wrong = sorted({*sent} - {*seen["gradients"]})
    expect(not wrong, "no_gradient", name=first(wrong))
    missing = [name for name in seen["gradients"] if name not in sent]
    expect(not missing, "not_sent", name=first(missing))
    twice = [row for row, where in places.items() if len(where) > 1]
    expect(not twice, "twice", row=first(twice))
    for name, writer in zip(seen["gradients"], seen["writers"], strict=True):
        at, there = places["send", name][0], rows.index(writer)
        expect(at > there, "too_soon", name=name)
        between = rows[there + 1 : at]
        expect(not [one for one in between if type(one) is int], "late", name=name)
    expect(("send_barrier",) in places, "no_barrier")
    barrier = places["send_barrier",][0]
    last = max(places["send", name][0] for name in sent)
    expect(barrier > last, "barrier_too_soon")
    missing = [name for name in seen["params"] if name not in received]
    expect(not missing, "not_received", name=first(missing))
    wrong = sorted({*received} - {*seen["params"]})
    expect(not wrong, "no_parameter", name=first(wrong))
    earliest = min(places["recv", name][0] for name in received)
    expect(earliest > barrier, "before_barrier")
    end = places.get(("fetch_barrier",), [0])[0]
    expect(end == len(rows) - 1, "fetch_barrier")


def average(ask):
    """Compare with the mean over all rows, one by one."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        rows = draw.integers(1, 6, draw.integers(1, 6)).tolist()
        shape = draw.integers(1, 4, draw.integers(0, 3)).tolist()
        each = [draw.normal(size=(count, *shape)) for count in rows]
        gradients = [np.asarray(one.mean(axis=0)) for one in each]
        whole = ask(run_average, gradients, rows)
        wanted = np.concatenate(each).mean(axis=0)
        facts = {"got": list(np.shape(whole)), "wanted": list(wanted.shape)}
        expect(np.shape(whole) == wanted.shape, "shape", **facts)
        right = np.allclose(whole, wanted)
        expect(right or not np.allclose(whole, sum(gradients)), "sum")
        plain = sum(gradients) / len(gradients)
        expect(right or not np.allclose(whole, plain), "plain", rows=rows)
        expect(right, "wrong", rows=rows)


def shard(ask):
    """Compare the fullest server with that of the rule."""
    for seed in range(CASES):
        draw = np.random.default_rng(seed)
        servers = int(draw.integers(1, 5))
        count = int(draw.integers(servers, 12))
        sizes = {f"w{k}": int(4 * draw.integers(1, 100) ** 2) for k in range(count)}
        homes = ask(run_shard, sizes, servers)
        expect(type(homes) is dict, "a_dict", got=kind_of(homes))
        missing = [name for name in sizes if name not in homes]
        expect(not missing, "missing", name=first(missing))
        expect(set(homes) == set(sizes), "names")
        for name, home in homes.items():
            whole = type(home) is int and 0 <= home < servers
            expect(whole, "number", got=str(home), servers=servers, name=name)
        loads = loads_of(sizes, homes, servers)
        best = loads_of(sizes, by_rule(sizes, servers), servers)
        expect(max(loads) <= max(best), "uneven", loads=loads, best=best)


def loads_of(sizes, homes, servers):
    """The bytes of each server."""
    return [sum(sizes[n] for n in sizes if homes[n] == k) for k in range(servers)]


def by_rule(sizes, servers):
    """The largest first, each to the emptiest."""
    homes, loads = {}, np.zeros(servers)
    for size, name in sorted(((size, name) for name, size in sizes.items()))[::-1]:
        homes[name] = int(loads.argmin())
        loads[homes[name]] += size
    return homes
