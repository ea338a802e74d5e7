"""Images: resized, read at other places, pixels and channels exchanged."""

from __future__ import annotations

from typing import Any

from teachgraph.deploy.onnx.reading.elementwise import rounded
from teachgraph.deploy.onnx.reading.reader import Node, as_variable, reads, traced
from teachgraph.deploy.onnx.resample import WIDTH, Ways, resample
from teachgraph.nn.functional import grid_sample
from teachgraph.nn.functional.grids import pixels, places
from teachgraph.ops import functions as f


@reads("Resize", "Upsample")
def resize(node: Node) -> Any:
    """An image of another size."""
    x, old = node.x(), node.type == "Upsample" or node.opset < 11
    ways = ways_of(node, old)
    if ways.mode not in ("nearest", *WIDTH) or (x.dtype.kind == "b"):
        node.refuse(f"mode={ways.mode!r} of {x.dtype}")
    given: dict[str, Any] = {"policy": node.attr("keep_aspect_ratio_policy", "stretch")}
    given["axes"] = node.attr("axes", [])
    if ways.place == "tf_crop_and_resize":
        given["roi"] = numbers(node, 1)
    if not old and node.has(3):
        given["sizes"] = numbers(node, 3)
    else:
        given["scales"] = node.attr("scales") or numbers(node, 1 if old else 2)
    x = as_variable(x)
    if any(map(traced, given.values())):
        return node.late("resample", [x], later(node, x, given), **given, ways=[*ways])
    return resample(x, **given, ways=[*ways])


def ways_of(node: Node, old: bool) -> Ways:
    """How elements are found; before opset 11 there was one way."""
    mode = str(node.attr("mode", "nearest"))
    if old:
        return Ways(mode, "asymmetric", "floor")
    return Ways(
        mode,
        node.attr("coordinate_transformation_mode", "half_pixel"),
        node.attr("nearest_mode", "round_prefer_floor"),
        node.attr("cubic_coeff_a", -0.75),
        bool(node.attr("exclude_outside", 0)),
        bool(node.attr("antialias", 0)),
        node.attr("extrapolation_value", 0.0),
    )


def numbers(node: Node, i: int) -> Any:
    """Constant numbers, or a Variable, of which those known that stay as they are."""
    value = node.known(i)
    if value is not None:
        return value.tolist()
    given = node.x(i)
    if given.dtype.kind != "i" or -1 in node.partly(i):
        return given
    return node.partly(i)


def later(node: Node, x: Any, given: Any) -> list[int]:
    """What is known of the result's shape."""
    sizes = given.get("sizes")
    if sizes is None or given["axes"] or given["policy"] != "stretch":
        return [-1] * len(x.shape)
    return node.partly(3) if traced(sizes) else [*sizes]


@reads("GridSample")
def sampled(node: Node) -> Any:
    """The image at the places of a grid; ONNX rounds a half to the even pixel."""
    x, grid, mode = node.x(), node.x(1), node.attr("mode", "linear")
    if mode in ("bicubic", "cubic") or len(x.shape) != 4:
        node.refuse(f"mode={mode!r} in {len(x.shape) - 2} dimensions")
    padding, corners = node.attr("padding_mode", "zeros"), node.attr("align_corners", 0)
    if mode != "nearest":
        return grid_sample(x, grid, "bilinear", padding, bool(corners))
    how: Any = {"padding_mode": padding, "align_corners": bool(corners)}
    column, row = (
        rounded(places(f.squeeze(part, [-1]), size, **how))
        for part, size in zip(f.split(grid, 2, axis=-1), x.shape[:1:-1], strict=True)
    )
    return pixels(x, row, column)


@reads("DepthToSpace")
def depth_to_space(node: Node) -> Any:
    """Channels become pixels."""
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
    """Pixels become channels."""
    x, block = node.x(), node.attr("blocksize")
    batch, depth, height, width = known_sizes(node, x)
    parts = f.reshape(x, [batch, depth, height // block, block, width // block, block])
    crd = node.attr("mode", "DCR") == "CRD"
    parts = f.transpose(parts, [0, 1, 3, 5, 2, 4] if crd else [0, 3, 5, 1, 2, 4])
    return f.reshape(parts, [batch, depth * block**2, height // block, width // block])


def known_sizes(node: Node, x: Any) -> list[int]:
    """The shape of an image; its batch may be any."""
    if -1 in x.shape[1:]:
        node.refuse("an image whose size is not known")
    return list(x.shape)
