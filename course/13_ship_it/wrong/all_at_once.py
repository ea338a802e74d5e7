"""Reads the clock before and after all calls.

zh: 只在所有调用的前后读钟。
task: measured
says: at_once
"""


def measured(call, clock=perf_counter, times=200):
    call()
    begin = clock()
    for _ in range(times):
        call()
    return [(clock() - begin) / times] * 3
