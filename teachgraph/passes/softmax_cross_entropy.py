"""Join softmax and the cross entropy of its result, which is also more exact."""

from __future__ import annotations

from teachgraph.passes.identities import attr, shape_of
from teachgraph.passes.pattern import Match, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import Found, Rule, Step
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def along_the_last(operator: Operator) -> bool:
    """Softmax over classes in the last dimension."""
    return attr(operator, "axis") in (-1, len(shape_of(operator)) - 1)


def joined(match: Match) -> Found:
    """One op, which also gives the probabilities to whoever else reads them.

    The likelihood of the label, which cross_entropy2 gives besides, does not come with
    it: only the way back may read that.
    """
    loss, kept = match.root.output("Y"), match.root.outputs.get("MatchX", [])
    if not all(map(match.spare, kept)):
        return None
    inputs = {"Logits": [match["logits"]], "Label": [match["label"]]}
    outputs = {"Softmax": match.operator("softmax").output("Out"), "Loss": loss}
    attrs = {"ignore_index": match.attr("loss", "ignore_index")}
    return [Step("softmax_with_cross_entropy", inputs, outputs, attrs)]


RULES = [
    Rule(
        node(
            "cross_entropy2",
            name="loss",
            X=node("softmax", where=along_the_last, X="logits", shared=True),
            Label="label",
        ),
        joined,
    )
]

by_rules(
    "softmax_cross_entropy",
    "Join softmax and cross_entropy2 into softmax_with_cross_entropy.",
    RULES,
)
