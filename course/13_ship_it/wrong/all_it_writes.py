"""Keeps all names that an operator writes.

zh: 留下算子写的全部名字。
task: prune
says: writes
"""

INSTEAD = {'"writes": writes': '"writes": one.output_arg_names'}
