"""Returns after the first operator.

zh: 在第一个算子之后就返回。
task: interpret
says: calls
"""

INSTEAD = {"    return memory": "        return memory"}
