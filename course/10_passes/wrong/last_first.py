"""Gives the operators in reverse order.

zh: 按相反的顺序给出算子。
task: dead_code
says: missing
"""

INSTEAD = {"kept[::-1]": "kept"}
