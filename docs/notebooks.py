"""Execute lessons and gallery for the site, once for each version of their code.

A lesson's page is the learner's notebook, whose exercises are open, with the pictures
of a solved run. A picture that shows a line of a solution is left out.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from teachgraph.course.gallery import Case
from teachgraph.course.notebook import Notebook, build
from teachgraph.course.source import Source, read_once, unpaced
from teachgraph.course.table import LANGUAGES, Language, Lesson
from teachgraph.io.files import written_whole

ROOT = Path(__file__).parents[1]
PACKAGES = ("teachgraph", "widgets/teachgraph_widgets")
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
SECONDS = 600
TELLING = 12
"""The length from which a line of a solution gives something away."""


@dataclass(frozen=True)
class Job:
    """A notebook to execute for a page, and the name of its cached outputs."""

    page: str
    notebook: Notebook

    @property
    def key(self) -> str:
        """The digest of all that its outputs depend on: its code, and ours."""
        code = [c["source"] for c in self.notebook["cells"] if c["cell_type"] == "code"]
        return digest(json.dumps(code) + packages())

    def cached(self, folder: Path) -> Path:
        """The file of its outputs."""
        return folder / f"{self.page.replace('/', '.')}.{self.key}.ipynb"


def digest(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def packages() -> str:
    """The digest of the packages' code, the built front end included."""
    whole = hashlib.sha256()
    for folder in PACKAGES:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in {".py", ".js", ".css", ".toml"}:
                whole.update(file.read_bytes())
    return whole.hexdigest()


def lesson_jobs(lesson: Lesson) -> Iterator[tuple[Language, Job]]:
    """The solved notebook of a lesson, in each language."""
    for language in LANGUAGES:
        notebook = build(read_once(lesson), "solution", language)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["source"] = unpaced(cell["source"])
        yield language, Job(f"course/{lesson.name}.{language}", notebook)


def case_job(case: Case) -> Job:
    """A notebook of the gallery."""
    return Job(f"gallery/{case.source.stem}", case.notebook())


def execute(
    jobs: list[Job], folder: Path, processes: int, tell: Callable[[str], None]
) -> None:
    """Execute the notebooks that have no outputs yet; drop outputs of older code.

    Raises:
        RuntimeError: Cells of a notebook failed; the message names them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [job for job in jobs if not job.cached(folder).is_file()]
    tell(f"notebooks: {len(jobs) - len(missing)} cached, {len(missing)} to execute")
    with ProcessPoolExecutor(processes) as pool:
        begun = {pool.submit(executed, job.notebook): job for job in missing}
        for number, future in enumerate(as_completed(begun), 1):
            job = begun[future]
            notebook, seconds = future.result()
            for older in folder.glob(f"{job.page.replace('/', '.')}.*.ipynb"):
                older.unlink()
            write(job.cached(folder), json.dumps(notebook, ensure_ascii=False))
            tell(f"  {number:>3} of {len(missing)}  {job.page}  {seconds:.0f} s")


def executed(notebook: Notebook) -> tuple[Notebook, float]:
    """Return a notebook with its outputs, run in an empty home, and its CPU seconds."""
    import nbformat
    from nbclient import NotebookClient

    before = sum(os.times()[:4])
    whole = nbformat.from_dict(notebook)
    with tempfile.TemporaryDirectory() as home:
        own = {"TEACHGRAPH_HOME": home, "IPYTHONDIR": home, "OPENBLAS_NUM_THREADS": "1"}
        client = NotebookClient(
            whole,
            kernel_name="python3",
            timeout=SECONDS,
            resources={"metadata": {"path": home}},
        )
        client.execute(env=os.environ | own)
    for cell in whole["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = joined(cell["outputs"])
    return whole, sum(os.times()[:4]) - before


def joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join what a cell printed bit by bit, so that a table has no gaps between rows.

    Where a picture stands between two prints, they stay apart.
    """
    kept: list[dict[str, Any]] = []
    for output in outputs:
        last = kept[-1] if kept else {}
        if "name" in output and output["name"] == last.get("name"):
            kept[-1] = {**last, "text": last["text"] + output["text"]}
        else:
            kept.append(output)
    return kept


def write(path: Path, text: str) -> None:
    """Write a file whole, and only where its text is another: Sphinx goes by times."""
    if path.is_file() and path.read_text("utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(text.encode())


def lesson_page(lesson: Lesson, language: Language, solved: Notebook) -> Notebook:
    """The learner's notebook with the pictures of a solved one."""
    source = read_once(lesson)
    page = build(source, "learner", language)
    secrets = solution_lines(source, page)
    state = solved["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    for cell, done in zip(page["cells"], solved["cells"], strict=True):
        if cell["cell_type"] != "code":
            continue
        live = cell["metadata"]["teachgraph"]["role"] == "live"
        shown = done["outputs"] if live else []
        told = "".join(texts(shown, state))
        cell["outputs"] = [] if any(line in told for line in secrets) else shown
        cell["metadata"].pop("tags", None)
    page["metadata"]["widgets"] = {STATE: kept_state(page, state)}
    return page


def solution_lines(source: Source, page: Notebook) -> set[str]:
    """The lines of a lesson's solutions that its open notebook does not show."""
    shown = "\n".join(cell["source"] for cell in page["cells"])
    lines = {
        line.strip() for cell in source.exercises for line in cell.solution.splitlines()
    }
    return {line for line in lines if len(line) >= TELLING and line not in shown}


def texts(outputs: list[dict[str, Any]], state: dict[str, Any]) -> Iterator[str]:
    """Yield all that outputs say, and what the logs of their pictures do."""
    for output in outputs:
        yield output.get("text", "")
        for kind, value in output.get("data", {}).items():
            yield value if isinstance(value, str) else ""
            if kind == VIEW:
                yield from logs(state.get(value["model_id"], {}))


def logs(model: dict[str, Any]) -> Iterator[str]:
    """Yield the log that a view keeps."""
    for buffer in model.get("buffers", ()):
        if buffer["path"] == ["snapshot"] and buffer["data"]:
            log = gzip.decompress(base64.b64decode(buffer["data"]))
            yield json.dumps(json.loads(log), ensure_ascii=False)


def kept_state(page: Notebook, state: dict[str, Any]) -> dict[str, Any]:
    """The widgets' state without the views that the page does not show."""
    shown = {
        value["model_id"]
        for cell in page["cells"]
        for output in cell.get("outputs", ())
        for kind, value in output.get("data", {}).items()
        if kind == VIEW
    }
    models = {
        name: model
        for name, model in state.items()
        if name in shown
        or not any(b["path"] == ["snapshot"] for b in model.get("buffers", ()))
    }
    return {"version_major": 2, "version_minor": 0, "state": models}
