"""Begins each round with the first h.

zh: 每一轮都从第一个 h 开始。
task: unrolled
says: chained
"""

INSTEAD = {
    "    h = body(h": "    last = body(h",
    "return h": "return last if rounds else h",
}
