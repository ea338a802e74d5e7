"""Removes what is not pure, if nobody reads it.

zh: 没有人读的不纯算子也去掉。
task: dead_code
says: dropout
"""

INSTEAD = {" or not pure(one)": ""}
