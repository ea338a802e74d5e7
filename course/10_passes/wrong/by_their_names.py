"""Takes operators of one name for the same.

zh: 把同名的算子当作相同的。
task: common_subexpressions
says: differs
"""

INSTEAD = {"signature(new)": "new.op.name"}
