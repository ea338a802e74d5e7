"""Folders of pictures are data sets, in the order of names, by class or not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from teachgraph.errors import DataError
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import DatasetFolder, ImageFolder


def picture(value: int) -> np.ndarray:
    return np.full((4, 5, 3), value, "uint8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("dog", "cat", "cat/old", "none"):
        (tmp_path / name).mkdir()
    for value, name in enumerate(
        ["dog/b.png", "dog/a.PNG", "cat/old/x.bmp", "cat/z.png"]
    ):
        Image.fromarray(picture(value)).save(tmp_path / name)
    np.save(tmp_path / "dog" / "c.npy", picture(4))
    (tmp_path / "cat" / "notes.txt").write_text("no picture")
    (tmp_path / "top.txt").write_text("no picture")
    return tmp_path


def test_each_folder_is_a_class_in_the_order_of_names(root: Path) -> None:
    dataset = DatasetFolder(root)
    assert dataset.classes == ["cat", "dog", "none"]
    assert dataset.class_to_idx == {"cat": 0, "dog": 1, "none": 2}
    names = [str(Path(path).relative_to(root)) for path, _ in dataset.samples]
    assert names == [
        "cat/old/x.bmp",
        "cat/z.png",
        "dog/a.PNG",
        "dog/b.png",
        "dog/c.npy",
    ]
    assert dataset.targets == [0, 0, 1, 1, 1]
    assert len(dataset) == 5
    for index, value in enumerate([2, 3, 1, 0, 4]):
        image, target = dataset[index]
        np.testing.assert_array_equal(image, picture(value))
        assert target == dataset.targets[index]


def test_all_pictures_without_classes(root: Path) -> None:
    dataset = ImageFolder(str(root), transform=lambda image: int(image[0, 0, 0]))
    assert [dataset[i] for i in range(len(dataset))] == [[2], [3], [1], [0], [4]]


def test_loaders_and_choices_of_ones_own(root: Path) -> None:
    texts = DatasetFolder(root, lambda path: Path(path).read_text(), [".TXT"])
    assert (len(texts), texts[0]) == (1, ("no picture", 0))
    chosen = ImageFolder(root, is_valid_file=lambda path: path.endswith("b.png"))
    assert [Path(path).name for path in chosen.samples] == ["b.png"]


def test_workers_load_them(root: Path) -> None:
    loader = DataLoader(DatasetFolder(root), batch_size=5, num_workers=2)
    ((images, labels),) = loader
    assert images.shape == [5, 4, 5, 3]
    assert labels.tolist() == [0, 0, 1, 1, 1]


def test_what_is_missing_is_said(root: Path, tmp_path: Path) -> None:
    for kind in (DatasetFolder, ImageFolder):
        with pytest.raises(DataError, match=r"Found 0 files .*\.gif"):
            kind(root, extensions=[".gif"])
        with pytest.raises(DataError, match="nowhere cannot be read"):
            kind(tmp_path / "nowhere")
        with pytest.raises(DataError, match="should not both be given"):
            kind(root, extensions=[".png"], is_valid_file=lambda path: True)
