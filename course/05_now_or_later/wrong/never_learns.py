"""Lets no gradient back.

zh: 不让任何梯度回来。
task: append
says: stop
"""

INSTEAD = {"stop = all(": "stop = any("}
