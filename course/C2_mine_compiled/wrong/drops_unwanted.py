"""Leaves out what nobody wants.

zh: 漏掉没有人要的输出。
task: call_line
says: writes
"""

INSTEAD = {"x in operator.outputs": "x in operator.outputs if x is not None"}
