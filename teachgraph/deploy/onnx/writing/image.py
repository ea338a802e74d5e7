"""Converters for images: resize, and pixels from channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachgraph.core import dtypes
from teachgraph.deploy.onnx.resample import ResizeMode
from teachgraph.deploy.onnx.writing.window import (
    channels_first,
    in_layout,
    is_channels_last,
)
from teachgraph.deploy.onnx.writing.writer import Step, writes

METHODS = {"bilinear": "linear", "linear": "linear", "trilinear": "linear"}
METHODS |= {"nearest": "nearest", "bicubic": "cubic"}


@writes(*(f"{method}_interp_v2" for method in METHODS))
def resize(step: Step) -> None:
    """Export the resize of an image."""
    method = METHODS[step.attrs["interp_method"]]
    if step.variable("x").dtype == dtypes.int64:
        step.refuse("of int64: ONNX Runtime resizes no such images")
    ndim, dims = step.ndim, step.ndim - 2
    x = channels_first(step, step.get(), ndim)
    wanted = [step.attrs[name] for name in ("out_d", "out_h", "out_w")][-dims:]
    if dims == 1:
        wanted = [step.attrs["out_w"]]
    attrs: dict[str, Any] = {"mode": method, "cubic_coeff_a": -0.75}
    attrs["coordinate_transformation_mode"] = coordinates(step, method)
    if method == "nearest":
        attrs["nearest_mode"] = (
            "round_prefer_ceil" if step.attrs["align_corners"] else "floor"
        )
    scales, sizes = "", ""
    if all(n > 0 for n in wanted):
        start = step.put("Shape", x, start=0, end=2)
        sizes = step.put("Concat", start, step.ints(*wanted), axis=0)
    else:
        scale = list(step.attrs["scale"])
        scale = scale * dims if len(scale) == 1 else scale
        scales = step.constant([1.0, 1.0, *scale], "float32")
    inputs = [x, "", scales] + ([sizes] if sizes else [])
    in_layout(step, "Resize", "out", *inputs, ndim=ndim, **attrs)


def coordinates(step: Step, method: str) -> str:
    """Return the coordinate transformation of a resize."""
    if step.attrs["align_corners"]:
        return "align_corners"
    half = method == "cubic" or (method == "linear" and step.attrs["align_mode"] == 0)
    return "half_pixel" if half else "asymmetric"


@writes("pixel_shuffle")
def pixel_shuffle(step: Step) -> None:
    """Export blocks of channels as pixels."""
    if is_channels_last(step):
        step.refuse("only with the channels first")
    step.give(
        "DepthToSpace", step.get(), mode="CRD", blocksize=step.attrs["upscale_factor"]
    )


@writes("resample")
def resample(step: Step) -> None:
    """Export the op of an imported `Resize`."""
    attrs = step.attrs
    scales, sizes = "", ""
    if len(attrs["sizes"]):
        sizes = step.ints(*attrs["sizes"])
    else:
        scales = step.constant(attrs["scales"], "float32")
    resize_node(step, step.get(), attrs, scales, sizes)


def resize_node(
    step: Step, x: str, attrs: Mapping[str, Any], scales: str, sizes: str
) -> None:
    """Append a `Resize` with all attributes; those of opset 18 only if needed."""
    how = ResizeMode(*attrs["ways"])
    newer: dict[str, Any] = {"antialias": int(how.antialias)}
    newer |= {"axes": list(attrs.get("axes", ()))}
    policy = attrs.get("policy", "stretch")
    newer |= {"keep_aspect_ratio_policy": "" if policy == "stretch" else policy}
    newer = {name: value for name, value in newer.items() if value}
    if newer and step.writer.opset < 18:
        step.refuse(f"{', '.join(newer)} of Resize needs opset_version=18")
    roi = attrs.get("roi", ())
    inputs = [x, step.constant(roi, "float32") if len(roi) else "", scales]
    step.give(
        "Resize",
        *([*inputs, sizes] if sizes else inputs),
        mode=how.mode,
        coordinate_transformation_mode=how.place,
        nearest_mode=how.nearest,
        cubic_coeff_a=how.cubic,
        exclude_outside=int(how.outside),
        extrapolation_value=how.beyond,
        **newer,
    )
