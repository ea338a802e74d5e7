"""Returns the parts of the tree and not their names.

zh: 返回的是树的部分，而不是它们的名字。
task: assigned
says: a_name
"""


def assigned(statements):
    parts = [part for one in statements for part in ast.walk(one)]
    return [
        p for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)
    ]
