"""Images come out as Pillow makes them, and what is drawn stays within its limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageEnhance, ImageOps

import teachgraph as tg
import teachgraph.core.random
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.errors import DataError
from teachgraph.vision import (
    get_image_backend,
    image_load,
    set_image_backend,
    transforms,
)
from teachgraph.vision.datasets import Digits
from teachgraph.vision.transforms import functional as F

NEAREST, BILINEAR = Image.Resampling.NEAREST, Image.Resampling.BILINEAR
NOISE = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype("uint8")
PHOTO = np.asarray(Image.fromarray(NOISE).resize((14, 11), BILINEAR))
COUNT = np.arange(30, dtype="uint8").reshape(5, 6) * 8


@pytest.mark.parametrize("size", [(5, 6), (20, 9), (6, 23), (11, 14), (1, 1), (40, 40)])
def test_resizing_is_pillows(size: tuple[int, int]) -> None:
    image = Image.fromarray(PHOTO)
    for name, method, tolerance in (("nearest", NEAREST, 0), ("bilinear", BILINEAR, 1)):
        expected = np.asarray(image.resize(size[::-1], method)).astype(int)
        found = F.resize(PHOTO, size, name)
        assert (found.dtype, found.shape) == ("uint8", expected.shape)
        assert np.abs(found - expected).max() <= tolerance


def test_one_number_is_the_shorter_side() -> None:
    assert F.resize(PHOTO, 22).shape == (22, 28, 3)
    assert F.resize(PHOTO.transpose(1, 0, 2), 5).shape == (6, 5, 3)
    assert F.resize(PHOTO, 11) is PHOTO


def test_floats_are_not_rounded() -> None:
    found = F.resize(np.array([[0.0, 1.0]], "float32"), (1, 4))
    np.testing.assert_allclose(found, [[0, 0.25, 0.75, 1]])
    assert found.dtype == "float32"


@pytest.mark.parametrize("angle", [0, 30, 90, 180, -50, 270, 400, 45.5])
@pytest.mark.parametrize("expand", [False, True])
def test_turning_is_pillows(angle: float, expand: bool) -> None:
    image = Image.fromarray(PHOTO)
    for name, method, tolerance in (("nearest", NEAREST, 0), ("bilinear", BILINEAR, 1)):
        turned = image.rotate(angle, method, expand, fillcolor=(9, 8, 7))
        found = F.rotate(PHOTO, angle, name, expand, fill=(9, 8, 7))
        assert np.abs(found - np.asarray(turned).astype(int)).max() <= tolerance


def test_turning_around_another_point_is_pillows() -> None:
    turned = Image.fromarray(PHOTO).rotate(20, NEAREST, center=(2, 3))
    np.testing.assert_array_equal(F.rotate(PHOTO, 20, center=(2, 3)), turned)


def test_affine_maps_are_paddles() -> None:
    np.testing.assert_array_equal(
        F.affine(COUNT, 30, (1, 0), 1.2, (10, 5)),
        [
            [0, 48, 48, 56, 16, 16],
            [96, 96, 104, 64, 64, 72],
            [144, 152, 160, 112, 120, 72],
            [200, 200, 160, 168, 168, 128],
            [0, 208, 216, 216, 176, 184],
        ],
    )
    np.testing.assert_allclose(
        F.affine(COUNT, -20, (0, -1), 0.9, (-15, 0), "bilinear"),
        [
            [6, 32, 58, 84, 109, 0],
            [51, 77, 103, 128, 154, 180],
            [0, 122, 147, 173, 199, 225],
            [0, 168, 192, 205, 0, 0],
            [0, 0, 0, 0, 0, 0],
        ],
        atol=1,
    )


@pytest.mark.parametrize("factor", [0, 0.3, 1, 1.7, 3])
def test_colours_are_pillows(factor: float) -> None:
    image = Image.fromarray(PHOTO)
    for ours, theirs in (
        (F.adjust_brightness, ImageEnhance.Brightness),
        (F.adjust_contrast, ImageEnhance.Contrast),
        (F.adjust_saturation, ImageEnhance.Color),
    ):
        expected = np.asarray(theirs(image).enhance(factor)).astype(int)
        assert np.abs(ours(PHOTO, factor) - expected).max() <= 1


def test_grey_is_pillows() -> None:
    grey = np.asarray(ImageOps.grayscale(Image.fromarray(PHOTO))).astype(int)
    assert np.abs(F.to_grayscale(PHOTO)[:, :, 0] - grey).max() <= 1
    three = F.to_grayscale(PHOTO, 3)
    assert three.shape == PHOTO.shape
    assert (np.ptp(three, axis=2) == 0).all()


def test_hues_turn_as_in_the_colour_circle_of_the_standard_library() -> None:
    import colorsys

    for turn in (0.2, -0.4, 0.5, 0.0):
        found = F.adjust_hue(PHOTO, turn)
        for row, column in np.ndindex(PHOTO.shape[:2]):
            hue, saturation, value = colorsys.rgb_to_hsv(*PHOTO[row, column] / 255)
            expected = colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)
            assert np.abs(found[row, column] / 255 - expected).max() < 0.6 / 255


@given(
    top=st.integers(-4, 14),
    left=st.integers(-4, 16),
    height=st.integers(1, 15),
    width=st.integers(1, 15),
)
def test_cutting_is_pillows_outside_too(
    top: int, left: int, height: int, width: int
) -> None:
    box = (left, top, left + width, top + height)
    expected = np.asarray(Image.fromarray(PHOTO).crop(box))
    np.testing.assert_array_equal(F.crop(PHOTO, top, left, height, width), expected)


def test_frames() -> None:
    line = np.array([[1, 2, 3]])
    assert F.pad(line, (2, 0)).tolist() == [[0, 0, 1, 2, 3, 0, 0]]
    assert F.pad(line, (1, 0, 2, 1), fill=9).tolist() == [
        [9, 1, 2, 3, 9, 9],
        [9, 9, 9, 9, 9, 9],
    ]
    for mode, expected in (
        ("edge", [1, 1, 1, 2, 3, 3, 3]),
        ("reflect", [3, 2, 1, 2, 3, 2, 1]),
        ("symmetric", [2, 1, 1, 2, 3, 3, 2]),
    ):
        assert F.pad(line, (2, 0), padding_mode=mode).tolist() == [expected]
    framed = F.pad(PHOTO, 1, fill=(1, 2, 3))
    assert framed[0, 0].tolist() == framed[-1, -1].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(framed[1:-1, 1:-1], PHOTO)


STEPS: list[Callable[[Any], Any]] = [
    lambda image: F.resize(image, 7),
    lambda image: F.center_crop(image, 5),
    lambda image: F.pad(image, 2),
    F.hflip,
    F.vflip,
    lambda image: F.rotate(image, 33),
    lambda image: F.adjust_brightness(image, 1.2),
    lambda image: F.adjust_hue(image, 0.1),
    F.to_grayscale,
]


@pytest.mark.parametrize("step", STEPS)
def test_every_kind_of_image_goes_as_what_it_came(step: Callable[[Any], Any]) -> None:
    array = step(PHOTO)
    image = step(Image.fromarray(PHOTO))
    tensor = step(tg.to_tensor(PHOTO.transpose(2, 0, 1).copy()))
    assert isinstance(image, Image.Image)
    np.testing.assert_array_equal(np.asarray(image), array.squeeze())
    assert isinstance(tensor, tg.Tensor)
    np.testing.assert_array_equal(tensor.numpy().transpose(1, 2, 0), array)
    assert tensor.dtype == array.dtype == "uint8"
    flat = step(COUNT)
    assert flat.ndim == 2
    np.testing.assert_array_equal(np.asarray(step(Image.fromarray(COUNT))), flat)


def test_an_image_given_stays_as_it_is() -> None:
    before = PHOTO.copy()
    for step in STEPS:
        result = step(PHOTO)
        if result is not PHOTO:
            result[:] = 0
    F.erase(PHOTO, 0, 0, 3, 3, 0, inplace=True)
    np.testing.assert_array_equal(PHOTO, before)


def test_tensors_are_scaled_and_their_channels_first() -> None:
    tensor = F.to_tensor(PHOTO)
    np.testing.assert_allclose(
        tensor.numpy(), PHOTO.transpose(2, 0, 1) / 255, rtol=1e-6
    )
    assert tensor.dtype == "float32"
    assert F.to_tensor(Image.fromarray(COUNT)).shape == [1, 5, 6]
    assert F.to_tensor(COUNT, "HWC").shape == [5, 6, 1]
    assert float(F.to_tensor(np.full((1, 1), 7.0, "float32")).max()) == 7.0


@pytest.mark.parametrize("rgb", [False, True])
def test_normalising_is_channel_by_channel(rgb: bool) -> None:
    mean, std = [10.0, 20.0, 30.0], [1.0, 2.0, 4.0]
    expected = (PHOTO[:, :, ::-1] if rgb else PHOTO).astype("float64")
    expected = (expected - mean) / std
    found = F.normalize(PHOTO, mean, std, "HWC", rgb)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.dtype == "float32"
    first = transforms.Normalize(mean, std, to_rgb=rgb)(PHOTO.transpose(2, 0, 1))
    np.testing.assert_allclose(first, expected.transpose(2, 0, 1), rtol=1e-6)
    pillow = transforms.Normalize(mean, std, to_rgb=rgb)(Image.fromarray(PHOTO))
    np.testing.assert_allclose(pillow, first)
    tensor = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize(0.5, 0.5)]
    )(PHOTO)
    np.testing.assert_allclose(
        tensor.numpy(), PHOTO.transpose(2, 0, 1) / 127.5 - 1, atol=1e-6
    )


def test_a_compose_is_what_it_says_and_names_the_one_that_fails() -> None:
    chain = transforms.Compose([transforms.Resize(4), transforms.Transpose()])
    assert chain(PHOTO).shape == (3, 4, 5)
    assert repr(chain) == "Compose(Resize, Transpose)"
    with pytest.raises(DTypeError, match="got str") as caught:
        chain("no image")
    assert caught.value.__notes__ == ["in transform 0 of a Compose: Resize"]


def test_fields_of_a_sample_are_changed_in_step() -> None:
    class MaskedCrop(transforms.RandomCrop):
        _apply_mask = transforms.RandomCrop._apply_image

    places = np.arange(100).reshape(10, 10)
    crop = MaskedCrop(4, keys=("image", "mask"))
    image, mask, label = crop((places, places * 2, "label"))
    np.testing.assert_array_equal(mask, image * 2)
    assert (image.shape, label) == ((4, 4), "label")
    with pytest.raises(NotImplementedError, match="Resize has no _apply_mask"):
        transforms.Resize(3, keys=("image", "mask"))((places, places))
    assert transforms.Resize(3, keys=(None, "image"))((5, places))[0] == 5


DRAWING = [
    transforms.RandomCrop(5, padding=2),
    transforms.RandomResizedCrop(6),
    transforms.RandomHorizontalFlip(),
    transforms.RandomVerticalFlip(),
    transforms.RandomRotation(40),
    transforms.RandomAffine(10, (0.2, 0.1), (0.8, 1.2), (-5, 5, -3, 3)),
    transforms.ColorJitter(0.4, 0.4, 0.4, 0.2),
    transforms.BrightnessTransform(0.5),
    transforms.RandomErasing(1, value="random"),
]


@pytest.mark.parametrize("transform", DRAWING, ids=lambda t: type(t).__name__)
def test_the_one_seed_decides_what_is_drawn(transform: Any) -> None:
    def several(seed: int) -> list[bytes]:
        teachgraph.core.random.seed(seed)
        return [transform(PHOTO).tobytes() for _ in range(8)]

    assert several(1) == several(1) != several(2)
    assert len(set(several(1))) > 1


def test_flips_are_as_likely_as_asked() -> None:
    teachgraph.core.random.seed(0)
    flip = transforms.RandomHorizontalFlip(prob=0.3)
    line = np.array([[1, 2]])
    share = np.mean([flip(line)[0, 0] == 2 for _ in range(2000)])
    assert abs(share - 0.3) < 0.04


def test_pieces_are_cut_everywhere_and_whole() -> None:
    teachgraph.core.random.seed(0)
    places = np.arange(20).reshape(4, 5)
    corners = set()
    for _ in range(200):
        piece = transforms.RandomCrop((3, 2))(places)
        start = int(piece[0, 0])
        np.testing.assert_array_equal(
            piece, start + np.add.outer(5 * np.arange(3), np.arange(2))
        )
        corners.add(start)
    assert corners == {0, 1, 2, 3, 5, 6, 7, 8}


def test_what_is_too_small_is_framed_if_needed() -> None:
    small = np.ones((2, 9))
    framed = transforms.RandomCrop((6, 9), pad_if_needed=True, fill=5)(small)
    assert framed.shape == (6, 9)
    assert sorted(np.unique(framed)) == [1, 5]
    with pytest.raises(InvalidValueError, match="6 x 9 can't be cut from 2 x 9"):
        transforms.RandomCrop((6, 9))(small)


def test_resized_crops_keep_to_their_limits() -> None:
    teachgraph.core.random.seed(0)
    crop = transforms.RandomResizedCrop(4, scale=(0.2, 0.5), ratio=(0.5, 2))
    for _ in range(200):
        top, left, height, width = crop._get_params((np.zeros((40, 60)),))
        assert 0 <= top <= 40 - height
        assert 0 <= left <= 60 - width
        assert 0.18 < height * width / 2400 < 0.53
        assert 0.47 < width / height < 2.1
    wide = transforms.RandomResizedCrop(4, scale=(1, 1), ratio=(1, 1))
    assert wide._get_params((np.zeros((10, 30)),)) == (0, 10, 10, 10)


def test_erasing_keeps_to_its_limits_and_leaves_the_rest() -> None:
    teachgraph.core.random.seed(0)
    image = np.ones((30, 30, 3), "float32")
    for _ in range(100):
        erased = transforms.RandomErasing(1, (0.1, 0.2), (0.5, 2), (0, 2, 3))(image)
        rows, columns = np.nonzero(erased[:, :, 0] == 0)
        height, width = np.ptp(rows) + 1, np.ptp(columns) + 1
        assert len(rows) == height * width
        assert 0.08 < height * width / 900 < 0.23
        assert 0.45 < height / width < 2.3
        assert erased[rows[0], columns[0]].tolist() == [0, 2, 3]
    assert transforms.RandomErasing(0)(image) is image
    tensor = transforms.RandomErasing(1)(tg.to_tensor(image.transpose(2, 0, 1)))
    assert tensor.shape == [3, 30, 30]
    assert 0 < float(tensor.numpy().mean()) < 1


def test_factors_lie_around_one_and_hues_around_zero() -> None:
    assert transforms.BrightnessTransform(0.25).value == (0.75, 1.25)
    assert transforms.ContrastTransform(3).value == (0, 4)
    assert transforms.HueTransform(0.25).value == (-0.25, 0.25)
    assert transforms.ColorJitter()(PHOTO) is PHOTO


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: transforms.Resize(0), "one or two positive integers"),
        (lambda: transforms.Resize((1, 2, 3)), "one or two positive integers"),
        (lambda: transforms.Resize(3, "lanczos"), "'nearest' or 'bilinear', got 'lan"),
        (lambda: F.pad(PHOTO, (1, 2, 3)), "1, 2 or 4 integers"),
        (lambda: F.pad(PHOTO, 1, 0, "wrap"), "padding_mode should be one of"),
        (lambda: F.adjust_hue(PHOTO, 0.6), r"hue_factor:0.6 is not in \[-0.5, 0.5\]"),
        (lambda: F.adjust_contrast(PHOTO, -1), "a factor should be from 0 on"),
        (lambda: F.affine(COUNT, 0, (0, 0), 0, 0), "scale should be positive"),
        (lambda: F.to_grayscale(PHOTO, 2), "should be either 1 or 3"),
        (lambda: F.to_tensor(PHOTO, "NCHW"), "'CHW' or 'HWC', not 'NCHW'"),
        (lambda: transforms.HueTransform(0.7), r"within \[0, 0.5\], but got 0.7"),
        (lambda: transforms.RandomRotation(-3), "degrees should be a number from 0"),
        (lambda: transforms.RandomRotation((3, 1)), "or an interval"),
        (lambda: transforms.RandomHorizontalFlip(2), "prob should be between 0 and 1"),
        (lambda: transforms.RandomErasing(value="red"), "value must be 'random'"),
        (lambda: transforms.RandomAffine(1, (2, 0)), "two shares between 0 and 1"),
        (lambda: transforms.Transpose((0, 1)), "order should be of 0, 1 and 2"),
        (lambda: transforms.Normalize(0, 0), "std should not be 0"),
        (lambda: transforms.ToTensor(keys="image"), "keys should be a list or tuple"),
    ],
)
def test_settings_of_no_sense_are_refused(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(InvalidValueError, match=says):
        call()


def test_what_is_no_image_is_refused() -> None:
    with pytest.raises(DTypeError, match="a Pillow image, but got list"):
        F.hflip([[1, 2]])
    with pytest.raises(ShapeError, match=r"2 or 3 dimensions, but got \(4,\)"):
        F.hflip(np.zeros(4))
    with pytest.raises(ShapeError, match="3 channels needs 1 or 3 means"):
        F.normalize(PHOTO, [0, 0], [1, 1], "HWC")


def test_pictures_are_loaded_in_the_form_that_was_chosen(tmp_path: Path) -> None:
    Image.fromarray(PHOTO).save(tmp_path / "a.png")
    np.save(tmp_path / "b.npy", COUNT)
    assert get_image_backend() == "cv2"
    np.testing.assert_array_equal(image_load(tmp_path / "a.png"), PHOTO)
    np.testing.assert_array_equal(image_load(str(tmp_path / "b.npy")), COUNT)
    try:
        set_image_backend("pil")
        for name, pixels in (("a.png", PHOTO), ("b.npy", COUNT)):
            image = image_load(tmp_path / name)
            assert isinstance(image, Image.Image)
            np.testing.assert_array_equal(np.asarray(image), pixels)
        assert isinstance(Digits("test")[0][0], Image.Image)
    finally:
        set_image_backend("cv2")
    tensor = image_load(tmp_path / "a.png", backend="tensor")
    np.testing.assert_array_equal(tensor.numpy(), PHOTO.transpose(2, 0, 1))


def test_what_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"no picture")
    (tmp_path / "a.npy").write_bytes(b"no array")
    np.save(tmp_path / "b.npy", np.zeros(3))
    for name in ("a.png", "a.npy", "b.npy", "missing.png", "missing.npy"):
        with pytest.raises(DataError, match=name):
            image_load(tmp_path / name)
    with pytest.raises(DataError, match=r"one of \['cv2', 'pil', 'tensor'\]"):
        set_image_backend("gif")


def test_a_data_set_hands_out_what_its_transforms_make() -> None:
    chain = transforms.Compose(
        [
            transforms.RandomCrop(28, padding=2),
            transforms.ToTensor(),
            transforms.Normalize(127.5, 127.5),
        ]
    )
    image, _ = Digits("test", transform=chain)[0]
    assert image.shape == [1, 28, 28]
    assert float(image.min()) == -1.0
