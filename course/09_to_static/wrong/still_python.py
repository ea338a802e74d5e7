"""Leaves the if to Python.

zh: 把 if 留给 Python。
task: convert_if
says: no_call
"""


def convert_if(node, block):
    return ast.unparse(node)
