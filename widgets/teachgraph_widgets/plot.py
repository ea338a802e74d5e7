"""`tg.plot`: curves of a training and the timeline of a profile, with matplotlib.

Each function draws into the axes it is given, or into new ones, and returns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, cast

from teachgraph.cli.ipython import LabMissingError
from teachgraph.core.errors import InvalidValueError
from teachgraph_widgets.events import TrainEvent
from teachgraph_widgets.folded import fold
from teachgraph_widgets.lettering import printable
from teachgraph_widgets.log import clean
from teachgraph_widgets.monitoring import Monitor
from teachgraph_widgets.profiler import Profiler
from teachgraph_widgets.still_charts import goes_far
from teachgraph_widgets.validate import validate

__all__ = ["gradient_norms", "learning_rate", "loss", "timeline"]

COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    *("#e69f00", "#56b4e9", "#004d40", "#5a636e"),
)
KINDS = {
    "op": "#0072b2",
    "grad": "#cc79a7",
    "run": "#5a636e",
    "pass": "#d55e00",
    "user": "#009e73",
}
WORDS = {"op": "operator", "grad": "its gradient", "pass": "reverse pass"}
MOST_LAYERS = 8


def loss(source: Any, ax: Any = None) -> Any:
    """Draw the loss by step; a wide range is on a logarithmic scale.

    A cross marks each step whose loss was not finite.

    Args:
        source: A monitor, its `history`, or its event log.
        ax: Matplotlib's axes; by default new ones.

    Raises:
        InvalidValueError: The source has no training steps.
        LabMissingError: Matplotlib is not installed.
    """
    steps = training(source)
    known = [(e["step"], e["loss"]) for e in steps if e["loss"] is not None]
    bad = [e["step"] for e in steps if e["loss"] is None]
    ax = curves({"loss": known}, "loss", ax)
    if goes_far([loss for _, loss in known]):
        ax.set_yscale("log")
    if bad:
        top, across = [0.97] * len(bad), ax.get_xaxis_transform()
        look = {"color": "#d55e00", "label": "not finite", "transform": across}
        ax.plot(bad, top, "x", **look)
        ax.legend(frameon=False)
    return ax


def learning_rate(source: Any, ax: Any = None) -> Any:
    """Draw the learning rate by step; the monitor needs its `optimizer` for that.

    Raises:
        InvalidValueError: The source has no learning rate.
    """
    points = [(e["step"], e["rate"]) for e in training(source) if "rate" in e]
    ax = curves({"learning rate": points}, "learning rate", ax)
    ax.set_ylim(bottom=0.0)
    return ax


def gradient_norms(source: Any, ax: Any = None) -> Any:
    """Draw the gradient norm of each layer by step, on a logarithmic scale.

    The monitor needs its `model` for that. At most 8 layers are drawn; the legend says
    of how many.

    Raises:
        InvalidValueError: The source has no norms.
    """
    events = training(source)
    layers = dict.fromkeys(layer for e in events for layer in e["norms"])
    points = {
        layer: [(e["step"], norm) for e in events if (norm := e["norms"].get(layer))]
        for layer in list(layers)[:MOST_LAYERS]
    }
    ax = curves(points, "norm of the gradient", ax)
    if len(layers) > len(points):
        ax.get_legend().set_title(f"first {len(points)} of {len(layers)}")
    ax.set_yscale("log")
    return ax


def timeline(profile: Profiler, ax: Any = None) -> Any:
    """Draw the timeline of a profile: one bar per span, nested ones below.

    Raises:
        InvalidValueError: The profile has no spans.
    """
    if not isinstance(profile, Profiler) or not profile.spans:
        raise InvalidValueError.here("a timeline is drawn of a profile")
    ax = new_axes() if ax is None else ax
    for kind in dict.fromkeys(span.kind for span in profile.spans):
        spans = [span for span in profile.spans if span.kind == kind]
        starts = [span.start * 1e3 for span in spans]
        widths = [span.seconds * 1e3 for span in spans]
        depths = [span.depth for span in spans]
        look = {"color": KINDS.get(kind, "#dddddd"), "edgecolor": "white"}
        ax.barh(
            depths, widths, left=starts, height=0.9, label=WORDS.get(kind, kind), **look
        )
    ax.invert_yaxis()
    ax.set_yticks(range(max(span.depth for span in profile.spans) + 1))
    ax.set_xlabel("ms")
    ax.set_ylabel("depth: in how many others it ran")
    ax.legend(frameon=False)
    return ax


def training(source: Any) -> Sequence[TrainEvent]:
    """Return the training steps of a monitor, its history, or a log."""
    if isinstance(source, (list, tuple)) and all(map(is_point, source)):
        nothing: dict[str, Any] = {"norms": {}, "metrics": {}}
        return cast("Sequence[TrainEvent]", [nothing | point for point in source])
    log = source.events if isinstance(source, Monitor) else source
    if not isinstance(log, dict):
        kind = type(source).__name__
        message = f"curves are drawn of a monitor, its history or log, got {kind}"
        raise InvalidValueError.here(message)
    return fold(validate(log)).training


def is_point(point: Any) -> bool:
    """True for a point of a monitor's history."""
    return isinstance(point, dict) and {"step", "loss"} <= point.keys()


def curves(
    points: dict[str, list[tuple[int, float]]], label: str, ax: Any = None
) -> Any:
    """Draw curves over the steps."""
    if not any(points.values()):
        raise InvalidValueError.here(f"no {label} was noted: see tg.monitor")
    ax = new_axes() if ax is None else ax
    for (name, curve), colour in zip(points.items(), COLOURS, strict=False):
        steps, values = zip(*curve, strict=True) if curve else ((), ())
        # Matplotlib reads `$` as a formula, and hides labels that begin with `_`.
        text = printable(clean(name)).replace("$", r"\$").lstrip("_")
        ax.plot(steps, values, color=colour, label=text)
    ax.set_xlabel("step")
    ax.set_ylabel(label)
    if len(points) > 1:
        # Beside them: within the axes it would hide the end of a curve.
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def new_axes() -> Any:
    """Return the axes of a new figure."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        message = f'curves need matplotlib ({error}): pip install "teachgraph[lab]"'
        raise LabMissingError(message) from None
    return pyplot.subplots(layout="constrained")[1]
