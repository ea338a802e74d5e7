"""Pass `attention_fuse`: fuse matmul, scale, mask, softmax and matmul into attention.

The reshapes and transposes around it, which split the heads and merge them, are fused
into the same op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from teachgraph.passes.identities import attr
from teachgraph.passes.pattern import Match, Node, any_operator, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import NewOperator, Replacement, Rule
from teachgraph.passes.softmax_cross_entropy import along_the_last
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def keys_transposed(operator: Operator) -> bool:
    """True for a product Q K'."""
    return bool(attr(operator, "trans_y")) and not attr(operator, "trans_x")


def not_transposed(operator: Operator) -> bool:
    """True for a product of two stacks of matrices, neither of them transposed."""
    return not attr(operator, "trans_x") and not attr(operator, "trans_y")


def only_scales(operator: Operator) -> bool:
    """True for a `scale` by a factor without a bias."""
    return bool(attr(operator, "bias") == 0)


def scores(scaled: str) -> Node:
    """Pattern of Q K', with a factor before the product, after it, or none."""
    q: Node | str = "q"
    if scaled == "before":
        q = node("scale", name="factor", where=only_scales, X="q")
    product = node("matmul_v2", name="scores", where=keys_transposed, X=q, Y="k")
    if scaled == "after":
        return node("scale", name="factor", where=only_scales, X=product)
    return product


def attention(scaled: str, masked: bool) -> Node:
    """Pattern of softmax(s Q K' + mask) V."""
    inside = scores(scaled)
    if masked:
        inside = node("elementwise_add", name="sum", symmetric=True, X=inside, Y="mask")
    weights = node("softmax", where=along_the_last, X=inside)
    return node("matmul_v2", name="out", where=not_transposed, X=weights, Y="v")


def to_attention(scaled: str, masked: bool) -> Callable[[Match], Replacement]:
    """Return the rewrite into one op."""

    def rewrite(match: Match) -> Replacement:
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
        return [NewOperator("fused_dot_product_attention", inputs, outputs, attrs)]

    return rewrite


def swaps_heads_and_steps(operator: Operator) -> bool:
    """True for a transpose of [N, L, H, D] to [N, H, L, D], or its inverse."""
    return list(attr(operator, "axis")) == [0, 2, 1, 3]


def by_head(name: str) -> Node:
    """Pattern that splits [N, L, H D] into heads."""
    parted = node("reshape2", name=f"heads of {name}", X=name)
    return node(
        "transpose2", name=f"turned {name}", where=swaps_heads_and_steps, X=parted
    )


def without_mask(operator: Operator) -> bool:
    """True for attention without a mask."""
    return not operator.inputs.get("Mask")


def attention_by_head(masked: bool) -> Node:
    """Pattern of the attention of each head of [N, L, H D]."""
    slots: dict[str, Node | str] = {name.upper(): by_head(name) for name in "qkv"}
    if masked:
        slots["Mask"] = "mask"
    inner = Node(
        ("fused_dot_product_attention",),
        slots,
        name="attention",
        where=any_operator if masked else without_mask,
    )
    back = node("transpose2", name="back", where=swaps_heads_and_steps, X=inner)
    return node("reshape2", name="out", X=back)


def with_heads(match: Match) -> Replacement:
    """Rewrite to attention by heads, if all inputs have as many."""
    attention, out = match.operator("attention"), match.root
    shapes = [match.attr(f"heads of {name}", "shape") for name in "qkv"]
    parts = all(
        parts_columns(match.spec(name).shape, shape)
        for name, shape in zip("qkv", shapes, strict=True)
    )
    heads = {shape[2] for shape in shapes if len(shape) == 4}
    wide = shapes[2][2] * shapes[2][3] if parts else 0
    joined = list(attr(out, "shape"))
    if not parts or len(heads) > 1 or attention.attrs.get("num_heads"):
        return None
    if len(joined) != 3 or joined[:2] != [0, 0] or joined[2] not in (wide, -1):
        return None
    inputs = {slot: [match[slot.lower()]] for slot in attention.inputs}
    attrs = {**attention.own_attrs, "num_heads": heads.pop()}
    return [NewOperator(attention.type, inputs, {"Out": out.output("Out")}, attrs)]


def parts_columns(old: Sequence[int], shape: Sequence[int]) -> bool:
    """True if a reshape of [N, L, H D] only splits the last dimension."""
    if len(old) != 3 or len(shape) != 4 or 0 in old:
        return False
    kept = all(
        new == 0 or new == size != -1 for new, size in zip(shape, old[:2], strict=False)
    )
    return kept and min(shape[2:]) > 0 and shape[2] * shape[3] == old[2]


RULES = [
    Rule(attention(scaled, masked), to_attention(scaled, masked))
    for scaled in ("before", "after", "")
    for masked in (True, False)
] + [Rule(attention_by_head(masked), with_heads) for masked in (True, False)]

by_rules(
    "attention_fuse",
    "Join matmul, scale, mask, softmax and matmul into one attention.",
    RULES,
)
