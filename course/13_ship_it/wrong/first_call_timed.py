"""Times the first call, too.

zh: 把第一次调用也计了时。
task: measured
says: first
"""

INSTEAD = {"    call()\n    seconds": "    seconds", "range(times)": "range(times + 1)"}
