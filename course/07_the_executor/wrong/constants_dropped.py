"""Reads Variables only, and drops constants.

zh: 只读 Variable，丢掉常数。
task: interpret
says: raised
"""

INSTEAD = {
    "values[x.name] if isinstance(x, Variable) else x for x": "values[x.name] for x",
    "in operator.inputs": "in operator.inputs if isinstance(x, Variable)",
}
