"""Puts the last round first.

zh: 把最后一轮排在最前。
task: run_rounds
says: order
"""

INSTEAD = {"scopes.append(scope)": "scopes.insert(0, scope)"}
