"""`tg.figure(obj)`: a small graph as a figure for a paper, drawn by Graphviz."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.cli.ipython import LabMissingError
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.tape import Edge, Output
from teachgraph.nn.layer import Layer
from teachgraph.static.program import Program
from teachgraph_widgets.folded import shape_text
from teachgraph_widgets.history import past_of
from teachgraph_widgets.lettering import printable
from teachgraph_widgets.log import clean
from teachgraph_widgets.programs import op_role, variable_role
from teachgraph_widgets.stamps import FILLS, LIGHT_LETTERS

__all__ = ["figure"]

MOST_NODES = 300
LETTERS = {"backward": "∂", "optimize": "Δ"}


def figure(thing: Any, *, backward: bool = True) -> Any:
    r"""Draw a small graph: `.source` is its DOT, `.render("net")` writes a PDF.

    Args:
        thing: A Program, or a Tensor (its tape).
        backward: Whether to draw a program's gradient and optimizer operators.

    Returns:
        A `graphviz.Digraph`.

    Raises:
        InvalidValueError: `thing` is neither, or has more than 300 nodes: `tg.show`
            draws any number.
        LabMissingError: The package `graphviz` is not installed.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0], stop_gradient=False)
    >>> x.name = "x"
    >>> print(tg.figure(x * 2.0).source)  # doctest: +ELLIPSIS
    digraph {
        ...
        v0 [label="D x\n[1]" fillcolor="#56b4e9" ...]
        o1 [label="ƒ scale" fillcolor="#0072b2" ...]
        v0 -> o1
        ...
    """
    try:
        graphviz = import_module("graphviz")
    except ImportError as error:
        message = f'figures need graphviz ({error}): pip install "teachgraph[lab]"'
        raise LabMissingError(message) from None
    drawing = Drawing(graphviz)
    if isinstance(thing, Program):
        drawing.program(thing, backward)
    elif isinstance(thing, Tensor):
        drawing.tape(thing)
    else:
        kind = type(thing).__name__
        message = f"a figure is drawn of a Program or a Tensor, got {kind}"
        if isinstance(thing, Layer):
            message += ": give what it computes"
        raise InvalidValueError.here(message)
    return drawing.graph


class Drawing:
    """A graph under construction: variables round, operators square, one colour a role.

    Each node has its role's letter as well: colour is never the only mark.
    """

    def __init__(self, graphviz: Any) -> None:
        self.escape = graphviz.escape
        nodes = {"fontname": "Helvetica", "fontsize": "10", "style": "filled"}
        self.graph = graphviz.Digraph(node_attr=nodes, edge_attr={"arrowsize": "0.6"})
        self.count = 0

    def node(self, letter: str, label: str, shape: str = "") -> str:
        """Add a node and return its name."""
        if self.count >= MOST_NODES:
            limit = f"a figure has at most {MOST_NODES} nodes: tg.show draws any number"
            raise InvalidValueError.here(limit)
        is_op = letter in "ƒ∂Δ"
        name = f"{'o' if is_op else 'v'}{self.count}"
        self.count += 1
        text = self.escape(f"{letter} {printable(clean(label, 60))}")
        text += f"\\n{shape}" if shape else ""
        ink = "#ffffff" if letter in LIGHT_LETTERS else "#111111"
        form = "box" if is_op else "ellipse"
        look = {"fillcolor": FILLS[letter], "fontcolor": ink, "shape": form}
        self.graph.node(name, text, **look)
        return name

    def program(self, program: Program, backward: bool) -> None:
        """Draw the global block of a program."""
        block, names = program.global_block(), dict[str, str]()

        def variable(name: str) -> str:
            if name not in names:
                var = block._find_var_recursive(name)
                letter = "T" if var is None else variable_role(var)
                shape = "" if var is None else shape_text(list(var.shape))
                names[name] = self.node(letter, name, shape)
            return names[name]

        for operator in block.ops:
            role = op_role(operator.role)
            if role in LETTERS and not backward:
                continue
            read = [variable(name) for name in operator.input_arg_names]
            op_node = self.node(LETTERS.get(role, "ƒ"), operator.type)
            for name in read:
                self.graph.edge(name, op_node)
            for name in operator.output_arg_names:
                # An in-place output closes a cycle: without `constraint`, Graphviz
                # would rank the variable below the operators that read it.
                back = {"constraint": "false"} if variable(name) in read else {}
                self.graph.edge(op_node, variable(name), **back)

    def tape(self, tensor: Tensor) -> None:
        """Draw the tape that leads to a tensor."""
        past, names = past_of(tensor, ()), dict[int, str]()
        if past.left_out:  # so that the next node is refused as one too many
            self.count = MOST_NODES
        for leaf in past.leaves:
            letter = "D" if type(leaf) is Tensor else "P"
            shape = shape_text(leaf.shape)
            names[id(leaf)] = self.node(letter, leaf.label or "·", shape)
        for node in past.nodes:
            names[id(node)] = self.node("ƒ", node.op.type)
            for edge in node.edges:
                if edge is not None:
                    self.graph.edge(names[id(source(edge))], names[id(node)])
        last = self.node("T", tensor.label or "result", shape_text(tensor.shape))
        self.graph.edge(names[id(source(tensor.edge))], last)


def source(edge: Edge) -> Any:
    """Return the node or leaf that an edge leads to."""
    return edge.node if isinstance(edge, Output) else edge
