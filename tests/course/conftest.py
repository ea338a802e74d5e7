"""The sample lesson, and a home of its own for each test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from teachgraph.course.files import write_new
from teachgraph.course.notebook import build
from teachgraph.course.source import Source, read
from teachgraph.course.table import Lesson, find

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the progress file goes."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TEACHGRAPH_HOME", str(folder))
    return folder


@pytest.fixture
def sample_course(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample is the course, in the kernels that a test starts too."""
    monkeypatch.setenv("TEACHGRAPH_COURSE", str(SAMPLE))


@pytest.fixture
def sample_lesson(sample_course: None) -> Lesson:
    return find("00", SAMPLE)


@pytest.fixture
def sample(sample_lesson: Lesson) -> Source:
    return read(sample_lesson)


@pytest.fixture
def sample_notebook(tmp_path: Path, sample: Source) -> Callable[..., Path]:
    """Writes the sample's solved notebook after an edit to its cells, by name."""

    def write(edit: Callable[[dict[str, Any]], None], extra: str = "") -> Path:
        notebook = build(sample, "solution")
        cells = notebook["cells"]
        edit({cell["metadata"]["teachgraph"]["name"]: cell for cell in cells})
        notebook["cells"] = [cell for cell in cells if not cell.get("removed")]
        if extra:
            notebook["cells"].append(
                {
                    "cell_type": "code",
                    "id": "extra",
                    "metadata": {},
                    "source": extra,
                    "execution_count": None,
                    "outputs": [],
                }
            )
        path = tmp_path / "mine.ipynb"
        write_new(path, notebook)
        return path

    return write
