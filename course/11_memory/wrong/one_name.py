"""Gives the new Variable the old name.

zh: 给新的 Variable 用旧名字。
task: again
says: names
"""

INSTEAD = {"x.program.new_name(x.name)": "x.name"}
