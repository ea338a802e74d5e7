"""Gives all to the first.

zh: 全给了第一个。
task: shard
says: uneven
"""

INSTEAD = {
    "homes[name] = loads.index(min(loads))": "homes[name] = 0",
}
