"""Pass `layer_norm`: fuse a layer normalisation written in single ops into one op."""

from __future__ import annotations

from collections.abc import Callable

from teachgraph.passes.identities import attr, shape_of
from teachgraph.passes.pattern import Match, Node, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import NewOperator, Replacement, Rule
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def over_the_last(operator: Operator) -> bool:
    """True for a mean over the last dimension that keeps it with size 1."""
    ndim = len(shape_of(operator))
    dims = [axis % ndim for axis in attr(operator, "dim")] if ndim else []
    return dims == [ndim - 1] and bool(attr(operator, "keep_dim"))


def adds_epsilon(operator: Operator) -> bool:
    """True for the sum of a value and an epsilon."""
    return bool(attr(operator, "scale") == 1 and attr(operator, "bias") > 0)


def mean(x: Node | str, name: str) -> Node:
    """Pattern of the mean over the last dimension."""
    return node("reduce_mean", name=name, where=over_the_last, X=x)


def variance(squares: str) -> Node:
    """Pattern of mean (x - mean)^2 + epsilon."""
    square = (
        node("square", name="squares", X="centred")
        if squares == "square"
        else node("elementwise_mul", name="squares", X="centred", Y="centred")
    )
    moment = mean(square, "variance")
    return node("scale", name="shifted", where=adds_epsilon, X=moment)


def normalised(root: str, squares: str) -> Node:
    """Pattern of (x - mean) / sqrt(variance + epsilon), in one of its spellings."""
    centred = node("elementwise_sub", name="centred", X="x", Y=mean("x", "mean"))
    below = node(root, name="root", X=variance(squares))
    if root == "sqrt":
        return node("elementwise_div", name="normal", X=centred, Y=below)
    return node("elementwise_mul", name="normal", symmetric=True, X=centred, Y=below)


def with_vectors(normal: Node, vectors: str) -> Node:
    """Add a scale and a bias to the pattern, as the letters "s" and "b" say."""
    if "s" in vectors:
        normal = node("elementwise_mul", name="by", symmetric=True, X=normal, Y="scale")
    if "b" in vectors:
        normal = node("elementwise_add", name="and", symmetric=True, X=normal, Y="bias")
    return normal


def into_layer_norm(vectors: str) -> Callable[[Match], Replacement]:
    """Return the rewrite, for a scale and bias with an element for each column."""

    def rewrite(match: Match) -> Replacement:
        x, graph = match.spec("x"), match.graph
        slots = {"s": "scale", "b": "bias"}
        inputs = {"X": [match["x"]]}
        for letter in vectors:
            name = slots[letter]
            vector = match.spec(name)
            if vector.shape != x.shape[-1:] or vector.dtype != x.dtype:
                return None
            inputs[name.capitalize()] = [match[name]]
        rows = x.shape[:-1]
        outputs = {
            "Mean": [graph.new(f"{match['x']}.mean", rows, x.dtype)],
            "Variance": [graph.new(f"{match['x']}.variance", rows, x.dtype)],
            "Y": match.root.output("Out"),
        }
        attrs = {
            "epsilon": match.attr("shifted", "bias"),
            "begin_norm_axis": len(rows),
        }
        return [NewOperator("layer_norm", inputs, outputs, attrs)]

    return rewrite


RULES = [
    Rule(with_vectors(normalised(root, squares), vectors), into_layer_norm(vectors))
    for vectors in ("sb", "s", "b", "")
    for root in ("sqrt", "rsqrt")
    for squares in ("square", "product")
]

by_rules(
    "layer_norm",
    "Put layer_norm where mean, difference, square, mean, root and quotient stand.",
    RULES,
)
