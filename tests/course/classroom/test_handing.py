"""Notebooks go out to a class and come back, over nobody's file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from teachgraph.cli import main
from teachgraph.course.classroom.collect import collect
from teachgraph.course.classroom.submissions import Submission, Unreadable, submissions
from teachgraph.course.table import CourseError

pytestmark = pytest.mark.usefixtures("sample_course")


def zipped(path: Path, files: dict[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_release_writes_what_learners_get_and_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["course", "release", str(tmp_path), "--lang", "zh", "--json"]
    assert main(command) == 0
    path = tmp_path / "00_doubling.zh.ipynb"
    assert json.loads(capsys.readouterr().out)["written"] == [str(path)]
    assert "raise NotImplementedError" in path.read_text("utf-8")
    path.write_text("somebody's")
    assert main(command) == 1
    assert path.read_text() == "somebody's"


def test_a_class_is_collected_as_a_platform_hands_it_over(tmp_path: Path) -> None:
    download = tmp_path / "download"
    (download / "Ada L_17_assignsubmission_file_").mkdir(parents=True)
    (download / "Ada L_17_assignsubmission_file_" / "00_doubling.ipynb").write_text("a")
    zipped(download / "bob.zip", {"00_doubling.ipynb": "b", "data/x.csv": "x"})
    (download / "eve_00_doubling.ipynb").write_text("e")
    (download / "zoe").mkdir()
    zipped(download / "zoe" / "work.zip", {"00_doubling.ipynb": "z"})
    done = collect([download], tmp_path / "class")
    collected = {
        "Ada L/00_doubling.ipynb": "a",
        "bob/00_doubling.ipynb": "b",
        "bob/data/x.csv": "x",
        "eve/eve_00_doubling.ipynb": "e",
        "zoe/work/00_doubling.ipynb": "z",
    }
    assert tree(tmp_path / "class") == collected
    assert list(done.students) == ["Ada L", "bob", "eve", "zoe"]
    (download / "eve_00_doubling.ipynb").write_text("another")
    assert [
        Path(path).parent.name for path in collect([download], tmp_path / "class").kept
    ] == ["eve"]
    assert tree(tmp_path / "class") == collected


@pytest.mark.parametrize("name", ["../out.ipynb", "/out.ipynb", "a\\..\\..\\out"])
def test_no_file_of_a_zip_gets_out_of_its_folder(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "mallory.zip", {name: "x"})
    with pytest.raises(Unreadable, match="outside of it"):
        Submission("mallory", path).unpack(tmp_path / "room" / "work")
    assert tree(tmp_path / "room") == {}


def test_a_zip_that_would_fill_the_disk_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.txt", b"0" * (80 << 20))
    with pytest.raises(Unreadable, match="too much"):
        Submission("mallory", path).unpack(tmp_path / "work")


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s")
    folder = tmp_path / "class" / "mallory"
    folder.mkdir(parents=True)
    (folder / "link.txt").symlink_to(secret)
    (folder / "plain.txt").write_text("p")
    Submission("mallory", folder).unpack(tmp_path / "work")
    assert tree(tmp_path / "work") == {"plain.txt": "p"}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "no submission"),
        (("ada", "ada.zip"), "a folder and a zip of ada"),
    ],
)
def test_a_folder_that_is_no_class_is_refused_in_words(
    tmp_path: Path, names: tuple[str, ...], said: str
) -> None:
    for name in names:
        if name.endswith(".zip"):
            zipped(tmp_path / name, {})
        else:
            (tmp_path / name).mkdir()
    with pytest.raises(CourseError, match=said):
        submissions(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "nowhere"], "There is no folder"),
        (["grade", ".", "--lessons", "77"], "There is no lesson '77'"),
        (["collect", "class", "nowhere"], "nowhere is no folder and no zip"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["course", *arguments]) == 2
    assert said in capsys.readouterr().err
