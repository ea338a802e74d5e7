"""Pass `fc_fuse`: fuse a product, a bias and an activation into one `fc`."""

from __future__ import annotations

from collections.abc import Callable

from teachgraph.ops.fused import ACTIVATIONS
from teachgraph.passes.identities import attr
from teachgraph.passes.pattern import Match, Node, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import NewOperator, Replacement, Rule
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def plain_product(operator: Operator) -> bool:
    """True for a product of a matrix, or a stack of them, and one matrix."""
    turned = attr(operator, "trans_x") or attr(operator, "trans_y")
    return not turned and attr(operator, "y_num_col_dims") in (1, None)


def not_approximate(operator: Operator) -> bool:
    """True for an activation that `fc` has as well."""
    return not attr(operator, "approximate")


def product() -> Node:
    """Pattern of X W, by either op."""
    return node("mul", "matmul_v2", name="product", where=plain_product, X="x", Y="w")


def biased() -> Node:
    """Pattern of X W + b."""
    return node("elementwise_add", name="sum", X=product(), Y="b")


def into_fc(activated: bool) -> Callable[[Match], Replacement]:
    """Return the rewrite into an `fc`, if the shapes are those of a layer."""

    def rewrite(match: Match) -> Replacement:
        x, w, bias = (match.spec(name) for name in "xwb")
        columns = match.attr("product", "x_num_col_dims") or len(x.shape) - 1
        one_dtype = x.dtype == w.dtype == bias.dtype and x.dtype.kind == "f"
        if not one_dtype or len(w.shape) != 2 or columns < 1:
            return None
        if bias.shape != w.shape[1:] or match.attr("sum", "axis") not in (-1, columns):
            return None
        attrs = {
            "in_num_col_dims": columns,
            "activation_type": match.root.type if activated else "",
        }
        inputs = {"Input": [match["x"]], "W": [match["w"]], "Bias": [match["b"]]}
        return [NewOperator("fc", inputs, {"Out": match.root.output("Out")}, attrs)]

    return rewrite


def activation_of_fc(match: Match) -> Replacement:
    """Fuse an activation into the `fc` before it."""
    layer = match.operator("fc")
    if layer.attr("activation_type"):
        return None
    attrs = {**layer.own_attrs, "activation_type": match.root.type}
    return [NewOperator("fc", layer.inputs, {"Out": match.root.output("Out")}, attrs)]


RULES = [
    Rule(
        node(*ACTIVATIONS, name="act", where=not_approximate, X=biased()),
        into_fc(activated=True),
    ),
    Rule(biased(), into_fc(activated=False)),
    Rule(
        node(*ACTIVATIONS, name="act", where=not_approximate, X=node("fc", Input="x")),
        activation_of_fc,
    ),
]

by_rules("fc_fuse", "Join a product, a bias and an activation into one fc.", RULES)
