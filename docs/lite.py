"""Build JupyterLite: a JupyterLab with lessons and gallery that needs a browser alone.

`python -m docs.lite`, which `make lite` calls. The interpreter comes from npm, pure
Python packages from PyPI. What no registry has is NumPy for this interpreter: without
it the lab starts, saved pictures step, Python runs, and a note says which file to
bring; with it (`--numpy FILE`) the lessons run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from teachgraph_widgets import assets
from teachgraph_widgets.notebook_output import data, letters, stepping

from docs.__main__ import CACHE, tell
from docs.archives import unpack
from docs.notebooks import (
    ROOT,
    STATE,
    VIEW,
    case_job,
    execute,
    lesson_jobs,
    lesson_page,
)
from docs.sources import Selection, outputs
from teachgraph.course.notebook import Notebook
from teachgraph.course.table import LANGUAGES

SCRIPT = re.compile(r"<script[^>]*>.*?</script>", re.DOTALL)
VIEW_OF = re.compile(r' data-view="(\w+)"')
FOLDER = ROOT / ".cache" / "lite"
PYODIDE = "314.0.6"
"""The interpreter that the kernel of `Makefile`'s version asks for."""

STARTED_BY = ("ipython", "jedi", "micropip", "packaging")
"""Packages that the kernel loads when it starts, beside what they depend on."""

IN_BROWSER = (
    *("anywidget", "comm", "filelock", "ipywidgets", "jupyterlab_widgets"),
    *("platformdirs", "psygnal", "typing_extensions"),
)
"""Pure Python packages of the pictures, which a notebook installs from the lab."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build it into `.cache/lite/html`."""
    parser = argparse.ArgumentParser(prog="python -m docs.lite", description=__doc__)
    parser.add_argument("--numpy", type=Path, help="NumPy's wheel for the interpreter")
    parser.add_argument("--lessons", default="", help="which lessons; default: all")
    options = parser.parse_args(arguments)
    names = frozenset(filter(None, options.lessons.split(","))) or None
    source = FOLDER / "source"
    shutil.rmtree(source, ignore_errors=True)
    wanted = interpreter(source / "static" / "pyodide", options.numpy)
    wheels(source / "pypi")
    selection = Selection(lessons=names, cases=frozenset({"digits_lenet"}))
    contents(source / "files", selection, first_cells(wanted, options.numpy is None))
    jupyter = FOLDER / "venv" / "bin" / "jupyter"
    command = [jupyter, "lite", "build", "--lite-dir", source, "--contents"]
    command += [source / "files", "--output-dir", FOLDER / "html"]
    tell("JupyterLite")
    done = subprocess.run(
        [str(word) for word in command],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    tell(f"serve it: python -m http.server --directory {FOLDER / 'html'}")
    if options.numpy is None:
        tell(f"Lessons do not run yet. Bring {wanted}, from the release of Pyodide")
        tell(f"{PYODIDE} (its file pyodide-{PYODIDE}.tar.bz2 has it), and say")
        tell(f"make lite ARGS='--numpy {wanted}'")
    return 0


def interpreter(folder: Path, numpy: Path | None) -> str:
    """Lay out Pyodide with the packages its kernel starts; return NumPy's file name.

    Raises:
        SystemExit: The wheel is another than the one that fits.
    """
    tell(f"Pyodide {PYODIDE}, from npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    packed = FOLDER / f"pyodide-{PYODIDE}.tgz"
    if not packed.is_file():
        run("npm", "pack", "--silent", f"pyodide@{PYODIDE}", cwd=FOLDER)
    unpack(packed, FOLDER)
    shutil.copytree(FOLDER / "package", folder)
    lock_file = folder / "pyodide-lock.json"
    lock = json.loads(lock_file.read_text("utf-8"))
    known = [name for name in IN_BROWSER if name.replace("_", "-") in lock["packages"]]
    needed = list(depended_on(lock["packages"], [*STARTED_BY, *known]))
    download(FOLDER / "pure", [f"{row['name']}=={row['version']}" for row in needed])
    for row in needed:
        wheel = FOLDER / "pure" / row["file_name"]
        shutil.copy2(wheel, folder)
        # PyPI's files have the same names, and other bytes, than Pyodide's own.
        row["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
    wanted: str = lock["packages"]["numpy"]["file_name"]
    if numpy is not None:
        if numpy.name != wanted:
            raise SystemExit(f"{numpy.name} does not fit: it has to be {wanted}.")
        shutil.copy2(numpy, folder)
    lock_file.write_text(json.dumps(lock), "utf-8")
    return wanted


def depended_on(packages: dict[str, Any], names: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of packages and of all that they depend on, each once."""
    todo, seen = list(names), set[str]()
    while todo:
        name = todo.pop().lower()
        row = packages.get(name) or packages[name.replace("_", "-")]
        if row["name"] not in seen:
            seen.add(row["name"])
            todo += row["depends"]
            yield row


def download(folder: Path, wanted: list[str]) -> None:
    """Fetch pure Python wheels that fit the interpreter."""
    words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--abi=none"]
    words += ["--python-version=3.14", "--implementation=py", "--platform=any"]
    run(sys.executable, "-m", "pip", *words, "-d", str(folder), *wanted, cwd=ROOT)


def wheels(folder: Path) -> None:
    """Put our wheel, and those of the pictures, where notebooks install from."""
    tell("wheels")
    download(folder, [f"{name}=={version(name)}" for name in IN_BROWSER])
    words = ["build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    run(sys.executable, "-m", *words, cwd=ROOT)


def contents(folder: Path, selection: Selection, first: list[Any]) -> None:
    """Write the notebooks, with their pictures."""
    jobs = {
        (lesson.number, language): job
        for lesson in selection.of_lessons()
        for language, job in lesson_jobs(lesson)
    }
    gallery = {case.file: case_job(case) for case in selection.of_cases()}
    cache = CACHE / "notebooks"
    execute([*jobs.values(), *gallery.values()], cache, 2, tell)
    folder.mkdir(parents=True)
    for lesson in selection.of_lessons():
        for language in LANGUAGES:
            suffix = "" if language == "en" else f".{language}"
            done = outputs(jobs[lesson.number, language], cache)
            page = stepping_by_itself(lesson_page(lesson, language, done))
            page["cells"][:0] = first
            (folder / f"{lesson.name}{suffix}.ipynb").write_text(json.dumps(page))
    for name, job in gallery.items():
        page = stepping_by_itself(outputs(job, cache))
        page["cells"][:0] = first
        (folder / name).write_text(json.dumps(page))


def stepping_by_itself(page: Notebook) -> Notebook:
    """Put the logs of a notebook's pictures, and their code once, into its outputs.

    No kernel restores widgets here. Nor does a server sign notebooks: a cell's own
    metadata says that its outputs are ours, and may run the script that lets them step.
    """
    state = page["metadata"].pop("widgets")[STATE]["state"]
    code = letters(assets.packed())
    script = f"<script{data(code=code)}>{stepping()}</script>"
    for cell in page["cells"]:
        if cell["cell_type"] == "code":
            cell["metadata"]["trusted"] = True
            cell["outputs"] = [
                o for o in cell["outputs"] if VIEW not in o.get("data", {})
            ]
            for output in cell["outputs"]:
                html = output.get("data", {}).get("text/html", "")
                if 'class="tg-still"' in html:
                    html = SCRIPT.sub("", VIEW_OF.sub(partial(with_log, state), html))
                    output["data"]["text/html"] = html + script
                    script = f"<script>{stepping()}</script>"
    return page


def with_log(state: dict[str, Any], view: re.Match[str]) -> str:
    """The attribute that names a view, with its log beside it."""
    buffers = state.get(view[1], {}).get("buffers", ())
    (log,) = [b["data"] for b in buffers if b["path"] == ["snapshot"]] or [""]
    return view[0] + data(log=log.replace("\n", ""))


def first_cells(wanted: str, bring: bool) -> list[dict[str, Any]]:
    """The cells that make the site's packages known to the kernel."""
    names = " ".join(["teachgraph", *IN_BROWSER])
    code: dict[str, Any] = {"cell_type": "code", "execution_count": None}
    code |= {"id": "lite", "metadata": {}, "outputs": []}
    code["source"] = f"%pip install -q {names}"
    note: dict[str, Any] = {"cell_type": "markdown", "id": "bring", "metadata": {}}
    note["source"] = BRING.format(wanted=wanted)
    return [note, code] if bring else [code]


BRING = """\
> This JupyterLite was built without NumPy for its interpreter, which no registry has:
> its pictures step once you click on them, but the cells do not run. Bring `{wanted}`
> and build it anew with `make lite ARGS='--numpy {wanted}'`.
"""


def run(*command: str, cwd: Path) -> None:
    """Run a command, and show what it says only if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    raise SystemExit(main())
