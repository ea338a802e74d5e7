"""Counts parameters instead of bytes.

zh: 数的是参数，不是字节。
task: shard
says: uneven
"""

INSTEAD = {
    "+= sizes[name]": "+= 1",
}
