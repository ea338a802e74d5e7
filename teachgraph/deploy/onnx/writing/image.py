"""Images of another size, pixels and channels exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachgraph.deploy.onnx.resample import Ways
from teachgraph.deploy.onnx.writing.window import channels_first, last, shown
from teachgraph.deploy.onnx.writing.writer import Step, writes

METHODS = {"bilinear": "linear", "linear": "linear", "trilinear": "linear"}
METHODS |= {"nearest": "nearest", "bicubic": "cubic"}


@writes(*(f"{method}_interp_v2" for method in METHODS))
def resize(step: Step) -> None:
    """An image of another size."""
    method = METHODS[step.attrs["interp_method"]]
    ndim, dims = step.ndim, step.ndim - 2
    x = channels_first(step, step.get(), ndim)
    given = [step.attrs[name] for name in ("out_d", "out_h", "out_w")][-dims:]
    if dims == 1:
        given = [step.attrs["out_w"]]
    attrs: dict[str, Any] = {"mode": method, "cubic_coeff_a": -0.75}
    attrs["coordinate_transformation_mode"] = coordinates(step, method)
    if method == "nearest":
        attrs["nearest_mode"] = (
            "round_prefer_ceil" if step.attrs["align_corners"] else "floor"
        )
    scales, sizes = "", ""
    if all(n > 0 for n in given):
        start = step.put("Shape", x, start=0, end=2)
        sizes = step.put("Concat", start, step.ints(*given), axis=0)
    else:
        scale = list(step.attrs["scale"])
        scale = scale * dims if len(scale) == 1 else scale
        scales = step.constant([1.0, 1.0, *scale], "float32")
    inputs = [x, "", scales] + ([sizes] if sizes else [])
    shown(step, "Resize", "out", *inputs, ndim=ndim, **attrs)


def coordinates(step: Step, method: str) -> str:
    """Where an element of the result lies in the image."""
    if step.attrs["align_corners"]:
        return "align_corners"
    half = method == "cubic" or (method == "linear" and step.attrs["align_mode"] == 0)
    return "half_pixel" if half else "asymmetric"


@writes("pixel_shuffle")
def pixel_shuffle(step: Step) -> None:
    """Channels become pixels."""
    if last(step):
        step.refuse("only with the channels first")
    step.give(
        "DepthToSpace", step.get(), mode="CRD", blocksize=step.attrs["upscale_factor"]
    )


@writes("resample")
def resample(step: Step) -> None:
    """What ONNX itself brought in."""
    attrs = step.attrs
    scales, sizes = "", ""
    if len(attrs["sizes"]):
        sizes = step.ints(*attrs["sizes"])
    else:
        scales = step.constant(attrs["scales"], "float32")
    back(step, step.get(), attrs, scales, sizes)


def back(step: Step, x: str, attrs: Mapping[str, Any], scales: str, sizes: str) -> None:
    """The node with all of its ways; those of opset 18 only where they are needed."""
    ways = Ways(*attrs["ways"])
    how: dict[str, Any] = {"antialias": int(ways.antialias)}
    how |= {"axes": list(attrs.get("axes", ()))}
    policy = attrs.get("policy", "stretch")
    how |= {"keep_aspect_ratio_policy": "" if policy == "stretch" else policy}
    how = {name: value for name, value in how.items() if value}
    if how and step.writer.opset < 18:
        step.refuse(f"{', '.join(how)} of Resize needs opset_version=18")
    roi = attrs.get("roi", ())
    inputs = [x, step.constant(roi, "float32") if len(roi) else "", scales]
    step.give(
        "Resize",
        *([*inputs, sizes] if sizes else inputs),
        mode=ways.mode,
        coordinate_transformation_mode=ways.place,
        nearest_mode=ways.nearest,
        cubic_coeff_a=ways.cubic,
        exclude_outside=int(ways.outside),
        extrapolation_value=ways.beyond,
        **how,
    )
