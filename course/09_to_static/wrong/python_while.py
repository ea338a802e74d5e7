"""Leaves the while to Python.

zh: 把 while 留给 Python。
task: convert_while
says: no_call
"""


def convert_while(node, block):
    return ast.unparse(node)
