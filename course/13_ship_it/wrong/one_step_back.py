"""Keeps only who writes what is asked for.

zh: 只留下直接写出所要的值的算子。
task: prune
says: missing
"""

INSTEAD = {"needed.update(one.input_arg_names)": "pass"}
