"""Join the parts of attention: a product, a scale, a mask, softmax and a product."""

from __future__ import annotations

from collections.abc import Callable

from teachgraph.passes.identities import attr
from teachgraph.passes.pattern import Match, Node, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import Found, Rule, Step
from teachgraph.passes.softmax_cross_entropy import along_the_last
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def by_turned_keys(operator: Operator) -> bool:
    """Q K'."""
    return bool(attr(operator, "trans_y")) and not attr(operator, "trans_x")


def as_they_are(operator: Operator) -> bool:
    """A product of two stacks of matrices, neither of them transposed."""
    return not attr(operator, "trans_x") and not attr(operator, "trans_y")


def only_scales(operator: Operator) -> bool:
    """A factor, and nothing added."""
    return bool(attr(operator, "bias") == 0)


def scores(scaled: str) -> Node:
    """Q K', where a factor may stand before the product or after it."""
    q: Node | str = "q"
    if scaled == "before":
        q = node("scale", name="factor", where=only_scales, X="q")
    product = node("matmul_v2", name="scores", where=by_turned_keys, X=q, Y="k")
    if scaled == "after":
        return node("scale", name="factor", where=only_scales, X=product)
    return product


def attention(scaled: str, masked: bool) -> Node:
    """softmax(s Q K' + mask) V."""
    inside = scores(scaled)
    if masked:
        inside = node("elementwise_add", name="sum", symmetric=True, X=inside, Y="mask")
    weights = node("softmax", where=along_the_last, X=inside)
    return node("matmul_v2", name="out", where=as_they_are, X=weights, Y="v")


def joined(scaled: str, masked: bool) -> Callable[[Match], Found]:
    """The rewrite into one op."""

    def rewrite(match: Match) -> Found:
        names = ["q", "k", "v", *(["mask"] if masked else [])]
        specs = [match.spec(name) for name in names]
        if any(s.dtype != specs[0].dtype or s.dtype.kind != "f" for s in specs):
            return None
        if min(len(s.shape) for s in specs[:3]) < 2 or 0 in specs[1].shape:
            return None
        if masked and match.attr("sum", "axis") != -1:
            return None
        inputs = {name.capitalize(): [match[name]] for name in names}
        factor = match.attr("factor", "scale") if scaled else 1.0
        outputs = {"Out": match.root.output("Out")}
        attrs = {"scaling_factor": factor}
        return [Step("fused_dot_product_attention", inputs, outputs, attrs)]

    return rewrite


RULES = [
    Rule(attention(scaled, masked), joined(scaled, masked))
    for scaled in ("before", "after", "")
    for masked in (True, False)
]

by_rules(
    "attention_fuse",
    "Join matmul, scale, mask, softmax and matmul into one attention.",
    RULES,
)
