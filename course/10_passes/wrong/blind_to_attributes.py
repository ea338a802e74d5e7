"""Takes operators for equal by name and inputs alone.

zh: 只看名字和输入就认为算子相等。
task: common_subexpressions
says: differs
"""

INSTEAD = {
    "signature(new)": "(new.op.name, *new.inputs)",
}
