"""Loading of image files, and the image backend: arrays, Pillow images, Tensors."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.autograd.creation import tensor_of
from teachgraph.errors import DataError

__all__ = ["get_image_backend", "image_load", "pillow", "set_image_backend"]

BACKENDS = ("cv2", "pil", "tensor")
_chosen = ["cv2"]


def set_image_backend(backend: str) -> None:
    """Set the default form of loaded images: 'cv2', 'pil' or 'tensor'.

    'cv2' means arrays [H, W, C]: Paddle's name for them; OpenCV itself is not used, and
    the channels are red, green, blue. 'pil' means Pillow's images, 'tensor' Tensors
    [C, H, W].

    Raises:
        DataError: There is no such backend.

    In Paddle this is `paddle.vision.set_image_backend`; there the default is 'pil'.

    >>> set_image_backend("cv2")
    >>> get_image_backend()
    'cv2'
    """
    _chosen[0] = _checked(backend)


def get_image_backend() -> str:
    """Return the default form of loaded images; initially 'cv2'.

    In Paddle this is `paddle.vision.get_image_backend`.
    """
    return _chosen[0]


def image_load(path: str | os.PathLike[str], backend: str | None = None) -> Any:
    """Load an image: a file Pillow can read, or an array in a `.npy` file.

    Args:
        path: The file.
        backend: The form, by default the one set by `set_image_backend`.

    Returns:
        uint8 [H, W, C], [H, W] if it is grey; a Pillow image; or a Tensor [C, H, W].

    Raises:
        DataError: There is no such backend, or the file is not an image.
        ImportError: Pillow is needed and not installed.

    In Paddle this is `paddle.vision.image_load`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "dot.npy"), np.full((1, 1, 3), 255, "uint8"))
    ...     image_load(Path(folder, "dot.npy")).tolist()
    [[[255, 255, 255]]]
    """
    chosen = get_image_backend() if backend is None else _checked(backend)
    file = Path(path)
    if file.suffix == ".npy":
        array = _npy(file)
        return pillow().fromarray(array) if chosen == "pil" else _form(array, chosen)
    try:
        with pillow().open(file) as image:
            image.load()
            return image.copy() if chosen == "pil" else _form(_plain(image), chosen)
    except (OSError, ValueError, SyntaxError) as error:
        raise DataError(f"{file} cannot be read as a picture: {error}") from error


def pillow() -> Any:
    """Import Pillow's `PIL.Image`.

    Raises:
        ImportError: Pillow isn't installed.
    """
    try:
        return import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(
            "reading image files needs Pillow: pip install pillow"
        ) from error


def _checked(backend: str) -> str:
    if backend not in BACKENDS:
        raise DataError(
            f"Expected backend are one of {list(BACKENDS)}, but got {backend!r}"
        )
    return backend


def _npy(file: Path) -> np.ndarray[Any, Any]:
    """Load an image that is an array in a `.npy` file."""
    try:
        array: np.ndarray[Any, Any] = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{file} cannot be read as a picture: {error}") from error
    if array.ndim not in {2, 3}:
        raise DataError(
            f"{file} has an array of shape {array.shape}, not [H, W] or [H, W, C]"
        )
    return array


def _plain(image: Any) -> np.ndarray[Any, Any]:
    """Convert to an array; palette images become RGB, not palette indices."""
    return np.array(
        image if image.mode in {"L", "RGB", "RGBA"} else image.convert("RGB")
    )


def _form(array: np.ndarray[Any, Any], backend: str) -> Any:
    """Return the array itself, or a Tensor with the channels first."""
    if backend != "tensor":
        return array
    return tensor_of(np.ascontiguousarray(np.atleast_3d(array).transpose(2, 0, 1)))
