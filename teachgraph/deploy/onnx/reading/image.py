"""Importers for images: resize, grid sampling, and pixels from channels."""

from __future__ import annotations

from typing import Any

from teachgraph.deploy.onnx.reading.elementwise import rounded
from teachgraph.deploy.onnx.reading.reader import Node, as_variable, is_traced, reads
from teachgraph.deploy.onnx.resample import WIDTH, ResizeMode, resample
from teachgraph.nn.functional import grid_sample
from teachgraph.nn.functional.grids import pixel_coordinates, pixels
from teachgraph.ops import functions as f


@reads("Resize", "Upsample")
def resize(node: Node) -> Any:
    """Resize an image."""
    x, old = node.x(), node.type == "Upsample" or node.opset < 11
    how = resize_mode(node, old)
    if how.mode not in ("nearest", *WIDTH) or (x.dtype.kind == "b"):
        node.refuse(f"mode={how.mode!r} of {x.dtype}")
    attrs: dict[str, Any] = {"policy": node.attr("keep_aspect_ratio_policy", "stretch")}
    attrs["axes"] = node.attr("axes", [])
    if how.place == "tf_crop_and_resize":
        attrs["roi"] = numbers(node, 1)
    if not old and node.has(3):
        attrs["sizes"] = numbers(node, 3)
    else:
        attrs["scales"] = node.attr("scales") or numbers(node, 1 if old else 2)
    x = as_variable(x)
    if any(map(is_traced, attrs.values())):
        shape = known_shape(node, x, attrs)
        return node.with_tensors("resample", [x], shape, **attrs, ways=[*how])
    return resample(x, **attrs, ways=[*how])


def resize_mode(node: Node, old: bool) -> ResizeMode:
    """Return the interpolation; before opset 11 there was no choice."""
    mode = str(node.attr("mode", "nearest"))
    if old:
        return ResizeMode(mode, "asymmetric", "floor")
    return ResizeMode(
        mode,
        node.attr("coordinate_transformation_mode", "half_pixel"),
        node.attr("nearest_mode", "round_prefer_floor"),
        node.attr("cubic_coeff_a", -0.75),
        bool(node.attr("exclude_outside", 0)),
        bool(node.attr("antialias", 0)),
        node.attr("extrapolation_value", 0.0),
    )


def numbers(node: Node, i: int) -> Any:
    """Return numbers of an input if they are known, else the Variable."""
    value = node.known(i)
    if value is not None:
        return value.tolist()
    variable = node.x(i)
    if variable.dtype.kind != "i" or -1 in node.partly(i):
        return variable
    return node.partly(i)


def known_shape(node: Node, x: Any, attrs: Any) -> list[int]:
    """Return the shape of the result, -1 for unknown sizes."""
    sizes = attrs.get("sizes")
    if sizes is None or attrs["axes"] or attrs["policy"] != "stretch":
        return [-1] * len(x.shape)
    return node.partly(3) if is_traced(sizes) else [*sizes]


@reads("GridSample")
def sampled(node: Node) -> Any:
    """Sample an image at the coordinates of a grid."""
    x, grid, mode = node.x(), node.x(1), node.attr("mode", "linear")
    if mode in ("bicubic", "cubic") or len(x.shape) != 4:
        node.refuse(f"mode={mode!r} in {len(x.shape) - 2} dimensions")
    padding, corners = node.attr("padding_mode", "zeros"), node.attr("align_corners", 0)
    if mode != "nearest":
        return grid_sample(x, grid, "bilinear", padding, bool(corners))
    how: Any = {"padding_mode": padding, "align_corners": bool(corners)}
    # ONNX rounds a half to the even pixel, Paddle away from 0.
    column, row = (
        rounded(pixel_coordinates(f.squeeze(part, [-1]), size, **how))
        for part, size in zip(f.split(grid, 2, axis=-1), x.shape[:1:-1], strict=True)
    )
    return pixels(x, [row, column])


@reads("DepthToSpace")
def depth_to_space(node: Node) -> Any:
    """Move blocks of channels to pixels."""
    x, block = node.x(), node.attr("blocksize")
    batch, depth, height, width = known_sizes(node, x)
    inner = depth // block**2
    if node.attr("mode", "DCR") == "DCR":
        parts = f.reshape(x, [batch, block, block, inner, height, width])
        parts = f.transpose(parts, [0, 3, 4, 1, 5, 2])
    else:
        parts = f.reshape(x, [batch, inner, block, block, height, width])
        parts = f.transpose(parts, [0, 1, 4, 2, 5, 3])
    return f.reshape(parts, [batch, inner, height * block, width * block])


@reads("SpaceToDepth")
def space_to_depth(node: Node) -> Any:
    """Move blocks of pixels to channels."""
    x, block = node.x(), node.attr("blocksize")
    batch, depth, height, width = known_sizes(node, x)
    parts = f.reshape(x, [batch, depth, height // block, block, width // block, block])
    crd = node.attr("mode", "DCR") == "CRD"
    parts = f.transpose(parts, [0, 1, 3, 5, 2, 4] if crd else [0, 3, 5, 1, 2, 4])
    return f.reshape(parts, [batch, depth * block**2, height // block, width // block])


def known_sizes(node: Node, x: Any) -> list[int]:
    """Return the shape of an image, of which only the batch size may be unknown."""
    if -1 in x.shape[1:]:
        node.refuse("an image whose size is not known")
    return list(x.shape)
