"""The live view in a real JupyterLab: it is there before the cell has ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect
from teachgraph_widgets import assets
from teachgraph_widgets.log import packed
from teachgraph_widgets.notebook_output import data, letters, stepping
from teachgraph_widgets.still import image

from tests.browser.lab import Gate, Lab
from tests.browser.watched import Notebook, write_notebook
from tests.widgets.recording import record
from widgets.dev import shoot

Open = Callable[[str], Notebook]

SET_UP = (
    "%load_ext teachgraph\nimport teachgraph as tg\nimport teachgraph.fluid as fluid"
)
FOUR_LINES = """\
%%trace
X = fluid.data(name="X", shape=[None, 1], dtype="float32")
hidden = fluid.layers.fc(input=X, size=10)
loss = fluid.layers.mean(hidden)
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
"""
STARTUP = ["uniform_random", "fill_constant", "fill_constant"]
MAIN = [
    *("mul", "elementwise_add", "reduce_mean", "fill_constant"),
    *("reduce_mean_grad", "elementwise_add_grad", "mul_grad", "sgd", "sgd"),
]


def operators_on_tape(view: Locator) -> list[str]:
    """The forward operators that the backward graph shows, top to bottom."""
    nodes = view.locator(".tg-node[data-kind=op][data-side=forward]")
    found: list[str] = nodes.evaluate_all("nodes => nodes.map(n => n.dataset.name)")
    return found


def start_lesson(folder: Path) -> str:
    """The first lesson's notebook, as a learner gets it."""
    words = ["course", "start", "00", "--folder", str(folder), "--exist-ok"]
    subprocess.run([sys.executable, "-m", "teachgraph", *words], check=True)
    (notebook,) = folder.glob("00_*.ipynb")
    return notebook.name


def let_wait(path: Path, line: str) -> int:
    """Put a line at the end of a notebook's first traced cell; that cell's number."""
    notebook = json.loads(path.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for index, cell in enumerate(cells):
        source = "".join(cell["source"])
        if source.startswith("%%trace"):
            cell["source"] = f"{source.rstrip()}\n{line}"
            path.write_text(json.dumps(notebook), "utf-8")
            return index
    raise AssertionError("no cell is traced")


def operators(rows: list[tuple[str, str, int]], role: str) -> list[str]:
    return [
        name for program, name, _ in rows if program == role and name in STARTUP + MAIN
    ]


def future(view: Locator) -> list[str]:
    return view.locator(".tg-row.tg-future").evaluate_all(
        "rows => rows.map((row) => row.dataset.line)"
    )


def test_lesson_00_is_drawn_line_by_line_while_its_cell_runs(
    lab: Lab, notebook: Open, gate: Gate, artefacts: Path
) -> None:
    name = start_lesson(lab.folder)
    traced = let_wait(lab.folder / name, gate.line)
    lesson = notebook(name)
    lesson.run_all()
    view = lesson.cell(traced).locator(".tg-root")

    view.locator('.tg-row[data-line="2"][data-name="X"]').wait_for()
    view.locator('.tg-row[data-line="5"][data-name="sgd"]').nth(1).wait_for()
    assert lesson.is_running(traced)
    assert view.get_attribute("data-state") == "running"
    rows = lesson.rows(view)
    assert operators(rows, "startup") == STARTUP
    assert operators(rows, "main") == MAIN
    assert rows[0][1:] == ("fc_0.w_0", 3)
    lesson.cell(traced).evaluate("cell => cell.scrollIntoView()")
    lesson.page.screenshot(path=artefacts / "lesson_00_running.png")

    gate.open()
    lesson.wait_for_end(traced)
    expect(view).to_have_attribute("data-state", "done")
    assert future(view) == []
    view.press("ArrowLeft")  # before the line that waited
    view.press("ArrowLeft")  # before minimize
    expect(view.locator(".tg-row.tg-future").first).to_be_visible()
    assert set(future(view)) == {"5"}
    assert operators(lesson.rows(view), "main") == MAIN, "stepping back moves no row"
    lesson.page.screenshot(path=artefacts / "lesson_00_light.png")
    view.press("End")
    expect(view.locator(".tg-row.tg-future")).to_have_count(0)

    lesson.set_theme("Dark")
    expect(view).to_have_attribute("data-theme", "dark")
    lesson.page.screenshot(path=artefacts / "lesson_00_dark.png")
    lesson.set_theme("Light")
    assert lesson.errors == []
    assert lesson.requests == []


def test_an_op_that_raises_is_drawn_on_its_line(
    lab: Lab, notebook: Open, artefacts: Path
) -> None:
    body = "a = tg.ones([2, 3])\nb = a * 2.0\nc = tg.matmul(b, b)\nd = c + 1.0"
    write_notebook(lab.folder / "fails.ipynb", [SET_UP, f"%%trace\n{body}"])
    fails = notebook("fails.ipynb")
    fails.run_all()
    view = fails.views.first
    expect(view).to_have_attribute("data-state", "failed")
    message = view.locator(".tg-failure")
    expect(message).to_contain_text("matmul_v2")
    assert view.locator(".tg-line.tg-failed").get_attribute("data-line") == "4"
    expect(fails.cell(1).locator(".jp-RenderedText").last).to_contain_text("ShapeError")
    fails.page.screenshot(path=artefacts / "failing.png")


def test_a_cell_runs_line_by_line_as_the_page_says(
    lab: Lab, notebook: Open, artefacts: Path
) -> None:
    body = "a = tg.ones([2, 3])\nb = a * 2.0\nc = b + 1.0\nd = c * c"
    end = '"{} {}".format("d" in dir(), c.tolist()[0][0])'
    write_notebook(lab.folder / "steps.ipynb", [SET_UP, f"%%trace --step\n{body}", end])
    steps = notebook("steps.ipynb")
    steps.run_all()
    view = steps.views.first
    bar = view.get_by_role("group", name="The cell runs line by line")
    expect(view).to_have_attribute("data-waiting", "2")
    expect(bar).to_contain_text("a = tg.ones([2, 3])")
    assert operators_on_tape(view) == []

    bar.get_by_role("button", name="Step").click()
    expect(view).to_have_attribute("data-waiting", "3")
    bar.get_by_role("button", name="Step").click()
    expect(view).to_have_attribute("data-waiting", "4")
    expect(view.locator(".tg-line.tg-current")).to_have_attribute("data-line", "4")
    assert operators_on_tape(view) == ["fill_constant", "scale"]
    steps.page.screenshot(path=artefacts / "stepping.png")
    for theme in ("Dark", "Light"):
        steps.set_theme(theme)
        expect(view).to_have_attribute("data-theme", theme.lower())
        assert shoot.violations(steps.page, ".tg-root") == []
    assert steps.is_running(1), "nothing runs until somebody says so"
    assert view.get_attribute("data-waiting") == "4"
    view.press("ArrowLeft")
    expect(view.locator(".tg-track")).to_have_attribute("data-live", "false")
    view.press("n")
    expect(view).to_have_attribute("data-waiting", "5")
    expect(view.locator(".tg-track")).to_have_attribute("data-live", "true")
    bar.get_by_role("button", name="Stop").click()

    expect(view).to_have_attribute("data-state", "failed")
    expect(bar).to_be_hidden()
    assert steps.errors == []


def test_a_cell_that_waits_can_be_told_to_go_on(lab: Lab, notebook: Open) -> None:
    body = "x = tg.ones([2])\nfor i in range(50):\n    x = x + 1.0\nx"
    write_notebook(lab.folder / "on.ipynb", [SET_UP, f"%%trace --step\n{body}"])
    steps = notebook("on.ipynb")
    steps.run_all()
    view = steps.views.first
    expect(view).to_have_attribute("data-waiting", "2")
    assert shoot.violations(steps.page, ".tg-root") == []
    view.press("n")
    expect(view).to_have_attribute("data-waiting", "3")
    view.press("r")
    steps.wait_for_end(1)
    expect(view).to_have_attribute("data-state", "done")
    expect(view.locator(".tg-stepbar")).to_be_hidden()
    assert steps.errors == []


THREE_LINES = "%%trace --step\na = tg.ones([2, 3])\nb = a * 2.0\nc = b + 1.0"
TELL_PROCESS = 'import os\nopen("process", "w").write(str(os.getpid()));'


def waiting_at_line_3(lab: Lab, notebook: Open, name: str) -> tuple[Notebook, Locator]:
    """A notebook whose first cell waits before its second line."""
    write_notebook(lab.folder / name, [f"{SET_UP}\n{TELL_PROCESS}", THREE_LINES])
    steps = notebook(name)
    steps.run_all()
    view = steps.views.first
    expect(view).to_have_attribute("data-waiting", "2")
    view.press("n")
    expect(view).to_have_attribute("data-waiting", "3")
    return steps, view


def test_a_view_opened_while_a_cell_waits_has_the_buttons_too(
    lab: Lab, notebook: Open
) -> None:
    steps, view = waiting_at_line_3(lab, notebook, "again.ipynb")
    view.locator(".tg-line").first.click(button="right")
    steps.choose("Create New View for Cell Output")
    other = steps.views.nth(1)
    expect(other).to_have_attribute("data-waiting", "3")
    assert operators_on_tape(other) == ["fill_constant"]
    other.locator("[data-do=step]").click()
    expect(view).to_have_attribute("data-waiting", "4")
    expect(other).to_have_attribute("data-waiting", "4")
    view.get_by_role("button", name="Continue").click()
    expect(view).to_have_attribute("data-state", "done")
    expect(other).to_have_attribute("data-state", "done")
    assert steps.errors == []


def test_a_page_reloaded_while_a_cell_waits_is_whole_after_an_interrupt(
    lab: Lab, notebook: Open
) -> None:
    """JupyterLab shows no widget again before the kernel is idle."""
    steps, view = waiting_at_line_3(lab, notebook, "reloaded.ipynb")
    steps.page.keyboard.press("Control+s")
    steps.wait_until_saved()
    steps.page.reload()
    steps.page.wait_for_selector(".jp-Notebook .jp-Cell")
    lab.ask("POST", f"kernels/{lab.kernel_of(steps.name)}/interrupt")
    expect(view).to_have_attribute("data-state", "failed")
    expect(view.locator(".tg-status")).to_contain_text("interrupted at line 3")
    assert operators_on_tape(view) == ["fill_constant"]


def test_a_kernel_that_dies_while_its_cell_waits_takes_the_buttons_along(
    lab: Lab, notebook: Open, artefacts: Path
) -> None:
    steps, view = waiting_at_line_3(lab, notebook, "death.ipynb")
    os.kill(int((lab.folder / "process").read_text()), signal.SIGKILL)
    steps.page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    bar = view.locator(".tg-stepbar")
    expect(bar).to_contain_text("Line 3 waits no more: the kernel is gone.")
    expect(bar.get_by_role("button")).to_have_count(0)
    expect(view).to_have_attribute("data-state", "lost")
    expect(view.locator(".tg-status")).to_contain_text("kernel was lost at line 3")
    assert shoot.violations(steps.page, ".tg-root") == []
    steps.page.screenshot(path=artefacts / "lost.png")
    view.press("Home")
    expect(view.locator(".tg-track")).to_have_attribute("data-step", "0")
    view.press("ArrowRight")
    expect(view.locator(".tg-track")).to_have_attribute("data-step", "1")


@pytest.mark.parametrize(
    "way", ["restart", pytest.param("interrupt", marks=pytest.mark.full)]
)
def test_interrupting_a_cell_that_waits_says_where_it_stopped(
    lab: Lab, notebook: Open, way: str
) -> None:
    steps, view = waiting_at_line_3(lab, notebook, f"{way}.ipynb")
    lab.ask("POST", f"kernels/{lab.kernel_of(steps.name)}/{way}")
    expect(view).to_have_attribute("data-state", "failed")
    expect(view.locator(".tg-status")).to_contain_text("interrupted at line 3")
    expect(view.locator(".tg-line.tg-failed")).to_have_attribute("data-line", "3")
    expect(view.locator(".tg-source .tg-failure")).to_contain_text("Interrupted")
    expect(view.locator(".tg-stepbar")).to_be_hidden()
    error = steps.cell(1).locator(".jp-RenderedText").last
    expect(error).to_contain_text("KeyboardInterrupt")
    assert operators_on_tape(view) == ["fill_constant"]
    assert steps.errors == []


@pytest.mark.full
def test_the_view_outlives_a_reload_of_the_page(lab: Lab, notebook: Open) -> None:
    write_notebook(lab.folder / "reload.ipynb", [SET_UP, FOUR_LINES])
    shown = notebook("reload.ipynb")
    shown.run_all()
    shown.wait_for_end(1)
    expect(shown.views.first).to_have_attribute("data-state", "done")
    before = shown.rows(shown.views.first)
    assert before
    shown.page.keyboard.press("Control+s")
    shown.wait_until_saved()

    shown.open()
    expect(shown.views.first).to_have_attribute("data-state", "done")
    assert shown.rows(shown.views.first) == before
    assert shown.errors == []


# Closed and opened again, or, ten seconds longer, all of JupyterLab loaded again.
AGAIN = [Notebook.open_here, pytest.param(Notebook.open, marks=pytest.mark.full)]


@pytest.mark.parametrize("again", AGAIN)
def test_a_notebook_saved_with_its_widgets_steps_without_a_kernel(
    lab: Lab, notebook: Open, again: Callable[[Notebook], None]
) -> None:
    """The state of widgets is in the file: each view's own, and one front end."""
    write_notebook(lab.folder / "kept.ipynb", [SET_UP, FOUR_LINES, FOUR_LINES])
    kept = notebook("kept.ipynb")
    kept.menu("Settings", "Save Widget State Automatically")
    kept.run_all()
    kept.wait_for_end(2)
    expect(kept.views.nth(1)).to_have_attribute("data-state", "done")
    kept.page.keyboard.press("Control+s")
    kept.wait_until_saved()
    kept.menu("Settings", "Save Widget State Automatically")
    saved = json.loads((lab.folder / "kept.ipynb").read_text("utf-8"))
    ((_, widgets),) = saved["metadata"]["widgets"].items()
    assert len(json.dumps(widgets)) < 125_000

    kept.close()
    lab.shut_down(kept.name)
    again(kept)
    # The pictures may step for as long as JupyterLab has not restored the views.
    expect(kept.page.locator(".jupyter-widgets-disconnected .tg-root")).to_have_count(2)
    expect(kept.views).to_have_count(2)
    for view in (kept.views.first, kept.views.nth(1)):
        expect(view).to_have_attribute("data-state", "done")
        view.press("ArrowLeft")
        expect(view.locator(".tg-row.tg-future").first).to_be_visible()
    assert kept.errors == []
    assert kept.requests == []


def test_stepping_needs_no_kernel(lab: Lab, notebook: Open) -> None:
    write_notebook(lab.folder / "restart.ipynb", [SET_UP, FOUR_LINES])
    shown = notebook("restart.ipynb")
    shown.run_all()
    shown.wait_for_end(1)
    view = shown.views.first
    expect(view).to_have_attribute("data-state", "done")
    lab.ask("POST", f"kernels/{lab.kernel_of(shown.name)}/restart")
    view.press("ArrowLeft")
    expect(view.locator(".tg-row.tg-future").first).to_be_visible()
    assert set(future(view)) == {"5"}


@pytest.mark.parametrize("again", AGAIN)
def test_a_notebook_reopened_without_its_kernel_steps(
    lab: Lab, notebook: Open, artefacts: Path, again: Callable[[Notebook], None]
) -> None:
    write_notebook(lab.folder / "later.ipynb", [SET_UP, FOUR_LINES.rstrip() + ";"])
    later = notebook("later.ipynb")
    later.run_all()
    later.wait_for_end(1)
    picture = later.cell(1).locator(".tg-still img")
    picture.wait_for(state="attached")
    expect(later.views.first).to_be_visible()
    expect(picture).to_be_hidden()
    later.page.keyboard.press("Control+s")
    later.wait_until_saved()

    later.close()
    lab.shut_down(later.name)
    again(later)
    view = later.views.first
    expect(view).to_have_attribute("data-state", "done")
    expect(later.views).to_have_count(1)
    view.press("ArrowLeft")
    expect(view.locator(".tg-row.tg-future").first).to_be_visible()
    expect(later.cell(1).get_by_text("Loading widget")).to_be_hidden()
    expect(later.cell(1).get_by_text("Error displaying widget")).to_be_hidden()
    later.page.screenshot(path=artefacts / "reopened.png")
    assert later.requests == []
    assert [e for e in later.errors if "model not found" not in e] == []


def test_a_notebook_that_is_not_trusted_shows_the_picture_alone(
    lab: Lab, notebook: Open
) -> None:
    """It was written by somebody else: the host runs no script of its outputs."""
    log = record("x = tg.to_tensor(2.0, stop_gradient=False)\ny = x * x\n").log
    facts = data(view="", options="{}", log=letters(packed(log)))
    code = data(code=letters(assets.packed()))
    html = f'<div class="tg-still"{facts}>{image(log)}</div>'
    shown = {"text/html": f"{html}<script{code}>{stepping()}</script>"}
    output = {"output_type": "display_data", "data": shown, "metadata": {}}
    write_notebook(lab.folder / "theirs.ipynb", ["x = 1"])
    content = json.loads((lab.folder / "theirs.ipynb").read_text("utf-8"))
    content["cells"][0]["outputs"] = [output]
    (lab.folder / "theirs.ipynb").write_text(json.dumps(content), "utf-8")
    theirs = notebook("theirs.ipynb")
    still = theirs.cell(0).locator("img")
    expect(still).to_be_visible()
    assert still.evaluate("image => image.naturalWidth") > 500
    still.click()
    theirs.page.wait_for_timeout(1000)
    expect(theirs.views).to_have_count(0)
