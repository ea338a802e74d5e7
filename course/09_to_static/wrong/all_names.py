"""Takes what is read as well.

zh: 连只读的也算上。
task: assigned
says: only_read
"""

INSTEAD = {" and isinstance(part.ctx, ast.Store)": ""}
