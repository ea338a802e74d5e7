"""Writes the old Variables.

zh: 写的是旧的 Variable。
task: again
says: new
"""

INSTEAD = {"Variable(x.program, name, x.shape)": "x"}
