"""Calls the kernel itself, and takes every result for a tuple.

zh: 自己调用核函数，把每个结果都当作元组。
task: interpret
says: wrong
"""

INSTEAD = {
    "compute(operator, arrays)": "operator.op.kernel(*arrays, **operator.attrs)",
}
