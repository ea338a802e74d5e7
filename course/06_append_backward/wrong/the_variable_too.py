"""Adds the variable to the parts of its gradient.

zh: 把变量本身也加进了梯度。
task: joined
says: others
"""

INSTEAD = {"parts, whole)": "[x, *parts], whole)"}
