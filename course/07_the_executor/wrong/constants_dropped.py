"""Reads Variables only, and drops constants.

zh: 只读 Variable，丢掉常数。
task: interpret
says: raised
"""

INSTEAD = {
    "memory[x.name] if isinstance(x, Variable) else np.asarray(x)": "memory[x.name]",
    "in operator.inputs": "in operator.inputs if isinstance(x, Variable)",
}
