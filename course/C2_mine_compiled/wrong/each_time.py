"""Takes each run for a new source.

zh: 以为每次运行都写一遍源码。
task: times_written
says: each_run
"""


def times_written():
    return 402
