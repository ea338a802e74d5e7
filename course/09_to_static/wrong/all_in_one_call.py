"""Hands all parts to one call of `both`, which takes two.

zh: 把所有部分交给一次 `both` 调用，而它只接受两个。
task: condition_of
says: fails
"""


def condition_of(test):
    if not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)):
        return ast.unparse(test)
    parts = [condition_of(value) for value in test.values]
    return f"both({', lambda: '.join(parts)})"
