"""Keeps what is fetched, without what that reads.

zh: 只留下要取的，不管它读什么。
task: dead_code
says: missing
"""

INSTEAD = {"needed.update(x for x in one.inputs if isinstance(x, Variable))": "pass"}
