"""Looks at assignments only; `for` and `with` assign, too.

zh: 只看赋值语句；`for` 和 `with` 也会赋值。
task: assigned
says: missing
"""


def assigned(statements):
    names = set()
    for statement in statements:
        for part in ast.walk(statement):
            targets = getattr(part, "targets", [])
            if isinstance(part, ast.AugAssign):
                targets = [part.target]
            for target in targets:
                names |= {
                    one.id
                    for one in ast.walk(target)
                    if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                }
    return sorted(names)
