"""Keeps every output in the scope.

zh: 把每个输出都留在 scope 里。
task: run_once
says: leaks
"""

INSTEAD = {" and x.persistable": ""}
