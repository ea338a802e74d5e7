"""CIFAR is read from its binary files, in a folder or an archive, never unpickled."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from teachgraph.errors import DataError
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import Cifar10, Cifar100

RNG = np.random.default_rng(0)
PICTURES = RNG.integers(0, 256, (12, 32, 32, 3)).astype("uint8")
FINE = RNG.integers(0, 10, 12)
NAMES = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]


def record(picture: np.ndarray, *labels: int) -> bytes:
    planes = b"".join(picture[:, :, channel].tobytes() for channel in range(3))
    return bytes(labels) + planes


def files_10() -> dict[str, bytes]:
    """Two pictures a file."""
    return {
        name: b"".join(record(PICTURES[i], FINE[i]) for i in (2 * n, 2 * n + 1))
        for n, name in enumerate(NAMES)
    }


def packed(path: Path, files: dict[str, bytes], prefix: str) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(prefix + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return packed(tmp_path / "c.tar.gz", files_10(), "cifar-10-batches-bin/")


def test_an_archive_holds_both_parts(archive: Path) -> None:
    train, test = Cifar10(archive), Cifar10(archive, mode="test")
    np.testing.assert_array_equal(train.images, PICTURES[:10])
    np.testing.assert_array_equal(train.labels, FINE[:10])
    np.testing.assert_array_equal(test.images, PICTURES[10:])
    image, label = test[1]
    assert (image.dtype, image.shape) == ("float32", (32, 32, 3))
    np.testing.assert_array_equal(image, PICTURES[11])
    assert (label.dtype, label.shape, int(label)) == ("int64", (), FINE[11])
    (images, labels) = next(iter(DataLoader(train, batch_size=10)))
    assert (images.shape, labels.shape) == ([10, 32, 32, 3], [10])


def test_a_folder_of_unpacked_files_does_too(tmp_path: Path) -> None:
    for name, content in files_10().items():
        (tmp_path / name).write_bytes(content)
    np.testing.assert_array_equal(Cifar10(tmp_path).images, PICTURES[:10])


def test_cifar_100_has_coarse_classes_before_the_fine(tmp_path: Path) -> None:
    files = {
        "train.bin": b"".join(
            record(p, 19, 90 + i) for i, p in enumerate(PICTURES[:9])
        ),
        "test.bin": record(PICTURES[9], 3, 0),
    }
    path = packed(tmp_path / "c100.tar.gz", files, "cifar-100-binary/")
    assert Cifar100(path).labels.tolist() == list(range(90, 99))
    assert len(Cifar100(path, "test")) == 1
    np.testing.assert_array_equal(Cifar100(path).images, PICTURES[:9])


def test_options_are_those_of_every_picture_set(archive: Path) -> None:
    image, _ = Cifar10(archive, backend="pil")[3]
    assert isinstance(image, Image.Image)
    np.testing.assert_array_equal(np.asarray(image), PICTURES[3])
    image, _ = Cifar10(archive, transform=lambda image: image.transpose(2, 0, 1))[3]
    assert (image.shape, image.dtype) == ((3, 32, 32), "float32")
    assert Cifar10(archive, transform=lambda image: image.dtype)[0][0] == "uint8"


def test_changing_a_sample_does_not_change_the_data_set(archive: Path) -> None:
    dataset = Cifar10(archive, transform=lambda image: np.negative(image, out=image))
    first = dataset[0][0]
    np.testing.assert_array_equal(dataset[0][0], first)
    np.testing.assert_array_equal(dataset.images[0], PICTURES[0])


def test_the_cache_is_used_and_without_it_and_download_nothing_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEACHGRAPH_HOME", str(tmp_path))
    with pytest.raises(DataError, match=r"cifar-10-binary\.tar\.gz is missing"):
        Cifar10(download=False)
    folder = tmp_path / "dataset" / "cifar"
    folder.mkdir(parents=True)
    packed(folder / "cifar-10-binary.tar.gz", files_10(), "x/")
    assert len(Cifar10()) == 10


def spoiled(**files: bytes) -> dict[str, bytes]:
    return files_10() | {f"{name}.bin": content for name, content in files.items()}


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (spoiled(data_batch_3=b"abc"), r"data_batch_3.bin of .* has 3 bytes"),
        (spoiled(data_batch_1=b""), "has 0 bytes, which is not 1 to 50,000 records"),
        (spoiled(data_batch_1=b"\x0b" * 3073), "has a class 11; 0 to 9 were expected"),
        ({"data_batch_1.bin": files_10()["test_batch.bin"]}, "has no data_batch_2.bin"),
        ({"data_batch_1": b"a pickle"}, "pickles, which are not read"),
    ],
)
def test_files_that_are_not_what_they_should_be(
    tmp_path: Path, files: Any, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        Cifar10(packed(tmp_path / "c.tar.gz", files, ""))


def test_damaged_archives_are_named(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    contents = [whole[: len(whole) // 2], b"no archive", gzip.compress(b"no tar")]
    for content in contents:
        archive.write_bytes(content)
        with pytest.raises(DataError, match=r"c\.tar\.gz cannot be read"):
            Cifar10(archive)
    with pytest.raises(DataError, match="missing"):
        Cifar10(tmp_path / "missing")


@pytest.mark.parametrize("kind", [Cifar10, Cifar100])
def test_the_published_archives_have_a_checksum_each(kind: type[Cifar10]) -> None:
    assert len(bytes.fromhex(kind.MD5)) == 16
    assert kind.URL.endswith("binary.tar.gz")
    assert kind.URL.endswith(kind.ARCHIVE)
