"""`teachgraph trace script.py`: Python's own behaviour, and a page beside it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from teachgraph_widgets import trace_script

from tests.widgets.recording import FOUR_LINES

IMPORT = "import teachgraph as tg\nimport teachgraph.fluid as fluid\n"


def trace(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "teachgraph", "trace", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


def events(page: Path) -> list[Any]:
    (data,) = re.findall(r'id="log">(.*?)</script>', page.read_text("utf-8"))
    found: list[Any] = json.loads(data)["events"]
    return found


def test_the_four_lines_as_a_script(tmp_path: Path) -> None:
    (tmp_path / "four.py").write_text(
        IMPORT + FOUR_LINES + "print(__name__, __file__)\n"
    )
    done = trace(tmp_path, "four.py", "-o", "out.html")
    assert (done.returncode, done.stdout) == (0, "__main__ four.py\n")
    assert "Wrote out.html" in done.stderr
    ops = [
        (e["type"], e["line"])
        for e in events(tmp_path / "out.html")
        if e["kind"] == "op"
    ]
    assert ("mul", 4) in ops
    assert ops[-2:] == [("sgd", 6), ("sgd", 6)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["four.py", "out.html"]


def test_a_script_that_raises_shows_its_own_lines_and_leaves_a_page(
    tmp_path: Path,
) -> None:
    (tmp_path / "bad.py").write_text(
        IMPORT + "def f(x):\n    return tg.matmul(x, x)\nf(tg.ones([2, 3]))\n"
    )
    done = trace(tmp_path, "bad.py")
    assert done.returncode == 1
    frames = re.findall(r'File "([^"]+)", line (\d+)', done.stderr)
    assert frames[:2] == [("bad.py", "5"), ("bad.py", "4")]
    assert "__teachgraph" not in done.stderr
    assert "ShapeError" in done.stderr
    last = events(tmp_path / "bad.html")[-1]
    assert (last["kind"], last["ok"], last["line"]) == ("cell_end", False, 4)


def test_arguments_and_exit_codes_are_the_scripts(tmp_path: Path) -> None:
    (tmp_path / "args.py").write_text("import sys\nprint(sys.argv)\nsys.exit(3)\n")
    done = trace(tmp_path, "args.py", "-o", "a.html", "one", "--", "-o", "--two")
    assert done.returncode == 3
    assert done.stdout == "['args.py', 'one', '-o', '--two']\n"
    assert events(tmp_path / "a.html")[-1]["ok"] is False


def test_a_script_may_import_its_neighbour_and_leave_content(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("NAME = 'found'\n")
    (tmp_path / "main.py").write_text(
        "import sys\nfrom neighbour import NAME\nprint(NAME)\nsys.exit()\n"
    )
    done = trace(tmp_path, "main.py", "--text", "--no-values", "--title", "Mine")
    assert done.returncode == 0
    assert done.stdout.startswith("found\nTrace: Mine\n")
    assert events(tmp_path / "main.html")[-1]["ok"] is True


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [("none.py", None, "none.py"), ("wrong.py", "x = = 1\n", "invalid syntax")],
)
def test_what_cannot_be_run_is_refused(
    tmp_path: Path, name: str, text: str | None, says: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    done = trace(tmp_path, name)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_python_finds_itself_as_it_was(tmp_path: Path) -> None:
    before = sys.modules["__main__"], list(sys.argv), list(sys.path)
    script = tmp_path / "raises.py"
    script.write_text("import sys\nsys.argv.append('x')\nraise KeyError('gone')\n")
    with pytest.raises(KeyError, match="gone"):
        trace_script(script, ["a"], tmp_path / "page.html")
    assert (sys.modules["__main__"], list(sys.argv), list(sys.path)) == before
    assert (tmp_path / "page.html").exists()


def test_where_there_is_no_notebook_a_traced_cell_is_told_as_text(
    tmp_path: Path,
) -> None:
    code = (
        "shell = get_ipython(); shell.run_line_magic('load_ext', 'teachgraph');"
        "import teachgraph as tg;"
        "shell.run_cell('%%trace --title Here\\nx = tg.ones([2])\\ny = x * 2.0');"
    )
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--no-banner", "-c", code],
        cwd=tmp_path,
        env=os.environ | {"IPYTHONDIR": str(tmp_path / "ipython")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Trace: Here" in done.stdout
    assert "scale(x) -> y [2]" in done.stdout
    assert "widget" not in done.stdout.lower()
