"""The embedded digits are the real ones, enlarged as promised and split for good."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from teachgraph.errors import DataError
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import Digits, digits

MAKER = runpy.run_path(str(Path(__file__).with_name("make_digits.py")))


def test_the_embedded_data_are_scikit_learns() -> None:
    images, labels = MAKER["original"]()
    with np.load(MAKER["EMBEDDED"], allow_pickle=False) as embedded:
        assert sorted(embedded) == ["images", "labels"]
        np.testing.assert_array_equal(embedded["images"], images)
        np.testing.assert_array_equal(embedded["labels"], labels)
    assert MAKER["EMBEDDED"].stat().st_size < 100_000


def test_the_maker_writes_what_is_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "digits.npz"
    monkeypatch.setitem(MAKER["main"].__globals__, "EMBEDDED", made)
    MAKER["main"]()
    with np.load(made) as new, np.load(digits_file()) as embedded:
        for name in ("images", "labels"):
            np.testing.assert_array_equal(new[name], embedded[name])
            assert new[name].dtype == embedded[name].dtype == "uint8"
    assert list(tmp_path.iterdir()) == [made]


def digits_file() -> Path:
    return Path(digits.__file__).parent / "data" / "digits.npz"


def test_enlarging_is_the_bilinear_interpolation_others_compute() -> None:
    small, _ = MAKER["original"]()
    large = digits.enlarge(small[:50])
    for image, pixels in zip(large, small, strict=False):
        expected = ndimage.zoom(
            pixels * (255 / 16), 28 / 8, order=1, mode="nearest", grid_mode=True
        )
        assert np.abs(image - expected).max() <= 0.5 + 1e-9


def test_every_fifth_of_each_digit_is_for_testing() -> None:
    small, labels = MAKER["original"]()
    large = digits.enlarge(small)
    seen = dict.fromkeys(range(10), 0)
    parts: dict[str, list[int]] = {"train": [], "test": []}
    for number, label in enumerate(labels.tolist()):
        everybody_before = int((labels < label).sum())
        parts["train" if (everybody_before + seen[label]) % 5 else "test"].append(
            number
        )
        seen[label] += 1
    assert (len(parts["train"]), len(parts["test"])) == (1437, 360)
    for mode, chosen in parts.items():
        np.testing.assert_array_equal(Digits(mode).images, large[chosen])
        np.testing.assert_array_equal(Digits(mode).labels[:, 0], labels[chosen])
    counts = np.bincount(Digits("test").labels[:, 0])
    assert counts.min() >= 35
    assert counts.max() <= 37


def test_samples_are_what_paddles_mnist_gives() -> None:
    dataset = Digits(mode="test")
    image, label = dataset[7]
    assert (image.shape, image.dtype) == ((28, 28), "float32")
    assert (label.shape, label.dtype) == ((1,), "int64")
    np.testing.assert_array_equal(image, dataset.images[7])
    np.testing.assert_array_equal(label, dataset.labels[7])
    assert dataset.images.min() == 0
    assert dataset.images.max() == 255
    np.testing.assert_array_equal(dataset.images, np.rint(dataset.images))
    assert (dataset.images.dtype, dataset.labels.dtype) == ("float32", "int64")
    with pytest.raises(IndexError):
        dataset[360]


def test_changing_a_sample_does_not_change_the_data_set() -> None:
    dataset = Digits(mode="test")
    before = dataset.images[0].copy()
    image, label = dataset[0]
    image[:] = -1
    label[:] = -1
    np.testing.assert_array_equal(dataset[0][0], before)
    np.testing.assert_array_equal(dataset[0][1], [0])


def test_a_transform_sees_each_image_handed_out() -> None:
    dataset = Digits(
        mode="test", transform=lambda image: image.reshape(784) / 127.5 - 1
    )
    image, _ = dataset[0]
    assert (image.shape, image.dtype) == ((784,), "float32")
    assert image.min() == -1.0


def test_pillow_images_are_the_same_pixels() -> None:
    image, _ = Digits(mode="test", backend="pil")[3]
    assert isinstance(image, Image.Image)
    np.testing.assert_array_equal(np.asarray(image), Digits(mode="test").images[3])


def test_labels_belong_to_their_images() -> None:
    train, test = Digits("train"), Digits("test")
    means = np.stack(
        [train.images[train.labels[:, 0] == digit].mean(0) for digit in range(10)]
    )
    distance = ((test.images[:, None] - means) ** 2).sum((2, 3))
    assert (distance.argmin(1) == test.labels[:, 0]).mean() > 0.85


def test_a_loader_makes_batches_of_them() -> None:
    loader = DataLoader(Digits(), batch_size=256, shuffle=True)
    shapes = [(image.shape, label.shape) for image, label in loader]
    assert shapes == [([256, 28, 28], [256, 1])] * 5 + [([157, 28, 28], [157, 1])]


@pytest.mark.parametrize("mode", ["validation", None, 3])
def test_an_unknown_mode_is_refused(mode: str) -> None:
    with pytest.raises(DataError, match=f"'train' or 'test', but got {mode!r}"):
        Digits(mode=mode)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(DataError, match="but got 'tensor'"):
        Digits(backend="tensor")


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 no archive"])
def test_damaged_package_data_ask_for_a_new_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    (tmp_path / "data").mkdir()
    if content is not None:
        (tmp_path / "data" / "digits.npz").write_bytes(content)
    monkeypatch.setattr(digits.resources, "files", lambda package: tmp_path)
    with pytest.raises(DataError, match=r"digits\.npz.*install teachgraph again"):
        Digits()
