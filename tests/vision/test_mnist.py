"""MNIST comes from a folder, from named files, or from the web into the cache."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from teachgraph.errors import DataError
from teachgraph.vision.datasets import MNIST, FashionMNIST


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any) -> Path:
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TEACHGRAPH_HOME", str(home))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return home


@pytest.fixture
def web(folder: Path, home: Path) -> Iterator[type[MNIST]]:
    """MNIST in small, on a web server of our own."""
    sums = {}
    for path in list(folder.iterdir()):
        packed = gzip.compress(path.read_bytes())
        path.with_name(f"{path.name}.gz").write_bytes(packed)
        path.unlink()
        sums[f"{path.name}.gz"] = hashlib.md5(packed, usedforsecurity=False).hexdigest()
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()

        class SmallMNIST(MNIST):
            NAME = "small"
            URL_PREFIX = f"http://127.0.0.1:{server.server_port}/"
            MD5 = sums

        yield SmallMNIST
        server.shutdown()
        thread.join()


def test_a_folder_holds_both_parts(folder: Path, pictures: Any) -> None:
    train, test = MNIST(folder), MNIST(folder, mode="test")
    np.testing.assert_array_equal(train.images, pictures.images)
    np.testing.assert_array_equal(train.labels[:, 0], pictures.labels)
    np.testing.assert_array_equal(test.images, pictures.images[::-1])
    image, label = train[4]
    assert (image.shape, image.dtype, len(train)) == ((28, 28), "float32", 12)
    assert (label.tolist(), label.dtype) == ([pictures.labels[4]], "int64")


def test_packed_files_in_a_folder_are_found(folder: Path, pictures: Any) -> None:
    for path in list(folder.iterdir()):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    np.testing.assert_array_equal(MNIST(str(folder)).images, pictures.images)


def test_files_may_have_any_name(folder: Path, pictures: Any) -> None:
    images = (folder / "train-images-idx3-ubyte").rename(folder / "my images")
    labels = (folder / "train-labels-idx1-ubyte").rename(folder / "my labels")
    dataset = MNIST(images, labels, download=False)
    np.testing.assert_array_equal(dataset.images, pictures.images)


def test_labels_are_looked_for_beside_the_images(folder: Path, pictures: Any) -> None:
    dataset = MNIST(image_path=folder / "train-images-idx3-ubyte")
    np.testing.assert_array_equal(dataset.labels[:, 0], pictures.labels)


def test_options_are_those_of_every_picture_set(folder: Path) -> None:
    dataset = MNIST(folder, mode="TEST", transform=lambda image: image[None] / 255)
    assert dataset[0][0].shape == (1, 28, 28)
    assert dataset.mode == "test"
    assert MNIST(folder, backend="pil")[0][0].size == (28, 28)


def test_a_folder_without_the_files_says_which_are_needed_and_fetches_none(
    web: type[MNIST], tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match="empty has neither") as caught:
        web(empty, mode="test", download=True)
    for fact in (str(empty), "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"):
        assert fact in str(caught.value)
    assert list(empty.iterdir()) == []


def test_without_download_the_cache_must_have_them(home: Path) -> None:
    with pytest.raises(DataError, match=r"home.*dataset/fashion-mnist has neither"):
        FashionMNIST(download=False)


def test_it_is_fetched_once_and_then_needs_no_web(
    web: type[MNIST], home: Path, pictures: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.testing.assert_array_equal(web().images, pictures.images)
    cached = sorted(path.name for path in (home / "dataset" / "small").glob("*.gz"))
    assert cached == ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"]
    monkeypatch.setattr(web, "URL_PREFIX", "http://127.0.0.1:9/")
    np.testing.assert_array_equal(web().labels[:, 0], pictures.labels)


def test_offline_the_error_names_both_files_and_their_place(
    web: type[MNIST], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(web, "URL_PREFIX", "http://127.0.0.1:9/")
    with pytest.raises(DataError) as caught:
        web(mode="test")
    message = str(caught.value)
    for fact in (
        "t10k-images-idx3-ubyte",
        "t10k-labels-idx1-ubyte",
        "Connection refused",
    ):
        assert fact in message
    assert str(home / "dataset" / "small") in message


def test_files_put_into_the_cache_by_hand_are_used(
    folder: Path, home: Path, pictures: Any
) -> None:
    (home / "dataset").mkdir()
    folder.rename(home / "dataset" / "mnist")
    np.testing.assert_array_equal(MNIST().images, pictures.images)


def test_images_and_labels_must_be_as_many(folder: Path, to_idx: Any) -> None:
    path = folder / "train-labels-idx1-ubyte"
    path.write_bytes(to_idx(np.zeros(11)))
    with pytest.raises(DataError, match=f"12 images, but {path} has 11 labels"):
        MNIST(folder)


def test_images_must_have_mnists_size(folder: Path, to_idx: Any) -> None:
    (folder / "train-images-idx3-ubyte").write_bytes(to_idx(np.zeros((12, 8, 9))))
    with pytest.raises(DataError, match="8 x 9 pixels; 28 x 28 were expected"):
        MNIST(folder)


def test_labels_must_be_digits(folder: Path, to_idx: Any) -> None:
    (folder / "train-labels-idx1-ubyte").write_bytes(to_idx(np.arange(12)))
    with pytest.raises(DataError, match="has a label 11; 0 to 9 were expected"):
        MNIST(folder)


def test_files_mixed_up_are_noticed(folder: Path) -> None:
    images, labels = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
    with pytest.raises(DataError, match=f"{labels} is not an IDX file of bytes in 3"):
        MNIST(folder / labels, folder / images)


@pytest.mark.parametrize("kind", [MNIST, FashionMNIST])
def test_the_published_files_are_four_with_a_checksum_each(kind: type[MNIST]) -> None:
    names = {
        f"{part}-{content}-ubyte.gz"
        for part in ("train", "t10k")
        for content in ("images-idx3", "labels-idx1")
    }
    assert set(kind.MD5) == names
    assert all(len(bytes.fromhex(md5)) == 16 for md5 in kind.MD5.values())
    assert len(set(kind.MD5.values())) == 4
