"""`and`, `or`, `not`, `0 < t < 10` and `is None`: calls, since they have no hooks."""

from __future__ import annotations

import ast

from teachgraph.jit.transform.names import Fresh, call, lazily

__all__ = ["logical"]

NAMES = {ast.And: "convert_logical_and", ast.Or: "convert_logical_or"}


def logical(function: ast.FunctionDef, fresh: Fresh) -> ast.FunctionDef:
    """Decide conditions at run time; the second part only if it is needed."""
    changed = Logical().visit(function)
    assert isinstance(changed, ast.FunctionDef)
    return changed


class Logical(ast.NodeTransformer):
    """Replace the operators by calls."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        # `:=` in a lambda would assign to a variable of the lambda.
        if any(
            isinstance(n, ast.NamedExpr) for v in node.values[1:] for n in ast.walk(v)
        ):
            return node
        *others, last = node.values
        for value in reversed(others):
            last = call(NAMES[type(node.op)], value, lazily(last))
            ast.copy_location(last, node)
        return last

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return ast.copy_location(call("convert_logical_not", node.operand), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) > 1:
            return ast.copy_location(chained(node), node)
        of_none = getattr(node.comparators[0], "value", "") is None
        if not (of_none and isinstance(node.ops[0], (ast.Is, ast.IsNot))):
            return node
        is_none: ast.expr = ast.copy_location(call("convert_is_none", node.left), node)
        if isinstance(node.ops[0], ast.IsNot):
            is_none = ast.copy_location(call("convert_logical_not", is_none), node)
        return is_none


def chained(node: ast.Compare) -> ast.expr:
    """Turn `a < b < c` into `a < b and b < c`, with `b` computed once."""
    first, *others = node.ops
    middle, *rest = node.comparators
    head = ast.Compare(node.left, [first], [middle])
    # A name or a constant can be read twice; anything else must be evaluated once.
    if not isinstance(middle, (ast.Name, ast.Constant)):
        signs = [ast.Constant(SIGNS[type(op)]) for op in node.ops]
        later = [lazily(value) for value in node.comparators]
        pairs = [
            ast.Tuple([sign, value], ast.Load())
            for sign, value in zip(signs, later, strict=True)
        ]
        return call("convert_chain", node.left, *pairs)
    again = ast.Name(middle.id, ast.Load()) if isinstance(middle, ast.Name) else middle
    tail: ast.expr = ast.Compare(again, others, rest)
    if len(others) > 1:
        tail = chained(ast.Compare(again, others, rest))
    return call("convert_logical_and", head, lazily(tail))


SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
