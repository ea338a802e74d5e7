"""Gives every part the name of the whole.

zh: 给每一份都用整个的名字。
task: append_backward
says: clash
"""

INSTEAD = {"new_part(x, parts[x], expected[x])": "new_part(x, parts[x], 1)"}
