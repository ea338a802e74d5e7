"""Pass `softmax_cross_entropy`: fuse softmax and cross entropy, which is more exact."""

from __future__ import annotations

from teachgraph.passes.identities import attr, shape_of
from teachgraph.passes.pattern import Match, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import NewOperator, Replacement, Rule
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def along_the_last(operator: Operator) -> bool:
    """True for a softmax over the last dimension."""
    return attr(operator, "axis") in (-1, len(shape_of(operator)) - 1)


def to_fused_loss(match: Match) -> Replacement:
    """Rewrite to one op, which also returns the probabilities for other readers.

    cross_entropy2 has another output, the likelihood of the label, which the op has
    not: only the backward may read that.
    """
    loss, likelihood = match.root.output("Y"), match.root.outputs.get("MatchX", [])
    if not all(map(match.only_for_backward, likelihood)):
        return None
    inputs = {"Logits": [match["logits"]], "Label": [match["label"]]}
    outputs = {"Softmax": match.operator("softmax").output("Out"), "Loss": loss}
    attrs = {"ignore_index": match.attr("loss", "ignore_index")}
    return [NewOperator("softmax_with_cross_entropy", inputs, outputs, attrs)]


RULES = [
    Rule(
        node(
            "cross_entropy2",
            name="loss",
            X=node("softmax", where=along_the_last, X="logits", shared=True),
            Label="label",
        ),
        to_fused_loss,
    )
]

by_rules(
    "softmax_cross_entropy",
    "Join softmax and cross_entropy2 into softmax_with_cross_entropy.",
    RULES,
)
