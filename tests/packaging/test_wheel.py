"""What a learner gets who installs the wheel: everything, and no need of Node."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging.commands import ROOT, Venv

HERE = Path(__file__).parent

pytestmark = pytest.mark.packaging

FOUR_LINES = """
import teachgraph.fluid as fluid
x = fluid.data(name="X", shape=[None, 1], dtype="float32")
loss = fluid.layers.mean(fluid.layers.fc(input=x, size=10))
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
print([op.type for op in fluid.default_main_program().global_block().ops][-2:])
"""


def test_the_wheel_holds_both_packages_the_lessons_and_the_bundle(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    (info,) = (top for top in tops if top.endswith(".dist-info"))
    ours = {"teachgraph", "teachgraph_command.py", "teachgraph_widgets"}
    assert tops == {*ours, info}
    assert {
        "teachgraph/py.typed",
        "teachgraph/course/gallery_cases/digits_lenet.py",
        "teachgraph/course/lessons/lessons.toml",
        "teachgraph/course/lessons/00_four_lines/lesson.py",
        "teachgraph_widgets/py.typed",
        "teachgraph_widgets/static/widget.js",
        "teachgraph_widgets/static/widget.css",
        "teachgraph_widgets/static/charts.js",
        f"{info}/licenses/LICENSE",
    } <= set(names)
    left_behind = ("__pycache__", "node_modules", "src/", ".ts")
    assert not [name for name in names if any(part in name for part in left_behind)]


def test_a_wheel_made_from_the_sdist_takes_the_bundle_it_brought(
    sdist: Path, wheel: Path
) -> None:
    assert not (sdist / "widgets" / "node_modules").exists()
    bundle = sdist / "widgets" / "teachgraph_widgets" / "static" / "widget.js"
    packed = zipfile.ZipFile(wheel).read("teachgraph_widgets/static/widget.js")
    assert packed == bundle.read_bytes()


def test_numpy_is_all_the_framework_needs(
    wheel: Path, venv: Venv, tmp_path: Path
) -> None:
    venv.install(str(wheel))
    assert venv.installed() == {"numpy", "teachgraph"}
    assert (
        venv.run("python", "-I", "-c", FOUR_LINES, cwd=tmp_path) == "['sgd', 'sgd']\n"
    )
    assert "usage: teachgraph" in venv.run("teachgraph", "--help", cwd=tmp_path)


@pytest.mark.slow
def test_the_widget_works_where_there_is_no_node(
    wheel: Path, venv: Venv, tmp_path: Path
) -> None:
    venv.install(f"{wheel}[lab]")
    solved = ("course", "solution", "00", "--notebook", "solved.ipynb")
    venv.run("teachgraph", *solved, cwd=tmp_path)
    script = HERE / "widget_in_notebook.py"
    report = json.loads(venv.run("python", "-I", script, "solved.ipynb", cwd=tmp_path))
    assert report["node"] is None
    assert len(report["script"]) > 1000
    assert len(report["style"]) > 100
    assert report["shown"], "no cell of lesson 00 showed a widget"
    for code in report["shown"]:
        assert code["script"] == report["script"]
        assert code["style"] == report["style"]
        assert code["charts"].startswith(report["charts"])


@pytest.fixture
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "hatch_build", ROOT / "widgets" / "hatch_build.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bundle_is_built_anew_when_a_source_is_newer(
    hook: ModuleType, tmp_path: Path
) -> None:
    source = tmp_path / "widgets" / "src" / "draw" / "row.ts"
    bundle = [tmp_path / "widgets" / file for file in hook.BUNDLE]
    for file in (source, *bundle):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
        os.utime(file, (1000, 1000))
    assert not hook.is_stale(tmp_path)
    os.utime(source, (2000, 2000))
    assert hook.is_stale(tmp_path)
    (tmp_path / "PKG-INFO").touch()
    assert not hook.is_stale(tmp_path)
    shutil.rmtree(bundle[0].parent)
    assert hook.is_stale(tmp_path)
