"""Leaves out what nobody reads.

zh: 漏掉没有人读的值。
task: lifetimes
says: missing
"""

INSTEAD = {
    "return lives": "return {x: life for x, life in lives.items() if life[0] < life[1]}"
}
