"""Takes the parameters as they come.

zh: 按参数出现的次序来。
task: shard
says: uneven
"""

INSTEAD = {
    "sorted(sizes, key=sizes.get, reverse=True)": "sizes",
}
