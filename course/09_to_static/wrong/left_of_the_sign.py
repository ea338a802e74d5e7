"""Takes every name on the left for an assigned one, also `a` and `b` in `a[b] = c`.

zh: 把左边的名字都当成被赋值的，连 `a[b] = c` 里的 `a` 和 `b` 也算。
task: assigned
says: only_read
"""


def assigned(statements):
    names = set()
    for statement in statements:
        for part in ast.walk(statement):
            single = getattr(part, "target", getattr(part, "optional_vars", None))
            for target in [*getattr(part, "targets", []), *filter(None, [single])]:
                names |= {x.id for x in ast.walk(target) if isinstance(x, ast.Name)}
    return sorted(names)
