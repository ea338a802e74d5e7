"""Leaves the constants out of the operator.

zh: 算子记录里漏了常数。
task: append
says: inputs
"""

INSTEAD = {
    "Operator(op, inputs, [out], attrs)": "Operator(op, variables, [out], attrs)"
}
