"""Takes the smallest first.

zh: 从最小的开始。
task: shard
says: uneven
"""

INSTEAD = {
    ", reverse=True)": ")",
}
