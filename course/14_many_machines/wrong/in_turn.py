"""Hands them out in turn.

zh: 轮流分发。
task: shard
says: uneven
"""


def shard(sizes, servers):
    return {name: number % servers for number, name in enumerate(sizes)}
