"""Begins every round with the first h.

zh: 每一轮都从最初的 h 开始。
task: unrolled
says: chained
"""


def unrolled(body, h, weights, rounds):
    for _ in range(rounds):
        last = body(h, *weights)
    return last
