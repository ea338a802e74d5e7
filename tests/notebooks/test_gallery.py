"""Every notebook of the gallery runs from top to bottom in a kernel of its own."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import pytest
from nbclient import NotebookClient

from docs import figures
from docs.figures import printed

VIEW = "application/vnd.jupyter.widget-view+json"
# What they do is done in less time by tests/models, tests/onnx, tests/inference and
# tests/autograd.
LONG = {
    "bert_four_ways",
    "cartpole_policy",
    "dynamic_or_static",
    "gradient_penalty",
    "translation",
}
CLUSTER = {"parameter_server"}


def marks(name: str) -> list[pytest.MarkDecorator]:
    if name in CLUSTER:
        return [pytest.mark.cluster, pytest.mark.full]
    return [pytest.mark.full] if name in LONG else []


GALLERY = [
    pytest.param(path, id=path.stem, marks=marks(path.stem))
    for path in sorted((Path(__file__).parents[2] / "notebooks").glob("*.py"))
]


def executed(source: Path, folder: Path) -> Any:
    """The notebook with its outputs, as if run in an empty folder."""
    notebook = jupytext.read(source)
    where = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=where
    )
    client.execute()
    return notebook


@pytest.fixture(scope="module", params=GALLERY)
def notebook(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    found = executed(request.param, tmp_path_factory.mktemp("gallery"))
    found.metadata["source"] = request.param.stem
    return found


@pytest.mark.notebook
@pytest.mark.slow
def test_it_runs_and_complains_of_nothing(notebook: Any) -> None:
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", ())]
    assert outputs
    assert [o for o in outputs if o.get("name") == "stderr"] == []


@pytest.mark.notebook
@pytest.mark.slow
def test_it_begins_with_a_title_and_draws_something(notebook: Any) -> None:
    first = notebook.cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    kinds = [
        kind
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for kind in output.get("data", ())
    ]
    assert "image/png" in kinds


@pytest.mark.notebook
@pytest.mark.slow
def test_it_shows_itself_in_a_picture_that_steps(notebook: Any) -> None:
    shown = [o.get("data", {}) for c in notebook.cells for o in c.get("outputs", ())]
    assert any(VIEW in data for data in shown)
    assert any('class="tg-still"' in data.get("text/html", "") for data in shown)


FIGURES: dict[str, Callable[[Any], None]] = {}
"""What a notebook prints is what its text says, by notebook."""


def figures_of(
    name: str,
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    return functools.partial(FIGURES.setdefault, name)


@pytest.mark.notebook
@pytest.mark.slow
def test_it_prints_what_its_text_says(notebook: Any) -> None:
    name = notebook.metadata["source"]
    FIGURES[name](notebook)
    # The table of the site has them all: it raises an error where one is not printed.
    assert figures.figures_of(name, notebook, "zh")


@figures_of("digits_py_func")
def both_relus_learn_the_digits_alike(notebook: Any) -> None:
    text = printed(notebook)
    accuracies = [float(share) for share in re.findall(r"accuracy ([\d.]+)%", text)]
    assert len(accuracies) == 10
    assert accuracies[:5] == accuracies[5:]
    assert accuracies[4] > 75
    assert "largest difference in 30 steps" in text
    rows = re.findall(r"^(step|operator).* ms +([\d.]+)$", text, re.MULTILINE)
    assert [name for name, _ in rows] == ["step", "operator"]
    # A call and its checks are more than a line of NumPy, and little beside products.
    assert float(rows[1][1]) > max(1.0, float(rows[0][1]))


@figures_of("digits_lenet")
def lenet_learns_the_digits_and_is_the_same_when_loaded(notebook: Any) -> None:
    text = printed(notebook)
    accuracies = [float(share) for share in re.findall(r"accuracy ([\d.]+)%", text)]
    assert len(accuracies) == 4
    assert accuracies[-1] > 95
    assert "difference after loading: 0" in text


@figures_of("cartpole_policy")
def the_policy_solves_cartpole_and_shows_a_game(notebook: Any) -> None:
    text = printed(notebook)
    (mean,) = re.findall(r"mean of the last 100: ([\d.]+)", text)
    (share,) = re.findall(r"falling pole in (\d+)%", text)
    (steps,) = re.findall(r"the pole stood for (\d+) steps", text)
    assert float(mean) >= 195
    assert int(share) > 85
    assert int(steps) >= 195
    drawn = [o.get("data", {}) for o in notebook.cells[-1].get("outputs", ())]
    assert any("image/png" in data for data in drawn)


@figures_of("bert_four_ways")
def the_bert_answers_four_ways_alike(notebook: Any) -> None:
    text = printed(notebook)
    (accuracy,) = re.findall(r"accuracy ([\d.]+)%", text)
    assert float(accuracy) > 90
    differences = re.findall(r"(\S+) from op by op", text)
    assert len(differences) == 4
    assert max(map(float, differences)) < 1e-4
    assert len(re.findall(r"^.+ s +[\d.]+ ms +[\d.]+x$", text, re.MULTILINE)) == 4
    assert "+ the film was good" in text
    assert "- film was not good" in text


@figures_of("parameter_server")
def a_killed_server_changes_nothing(notebook: Any) -> None:
    text = printed(notebook)
    for line in (
        "trainers agree bit for bit: True",
        "the server was killed: True",
    ):
        assert line in text
    differences = re.findall(
        r"difference from (?:one process|the threads): (\S+)", text
    )
    assert len(differences) == 2
    assert max(map(float, differences)) < 1e-6


@figures_of("static_while_rnn")
def a_loop_and_its_steps_written_out_have_the_same_gradients(notebook: Any) -> None:
    text = printed(notebook)
    assert "alike to 1e-6: True" in text
    assert "elementwise_add, tanh -> fused_elementwise" in text
    rows = re.findall(
        r"^(loop|unrolled|recomputed) .* ([\d.]+) +([\d.]+)$", text, re.MULTILINE
    )
    assert [name for name, _, _ in rows] == ["loop", "unrolled", "recomputed"]
    assert all(float(planned) < float(naive) for _, naive, planned in rows)


@figures_of("why_it_does_not_learn")
def the_faults_of_the_network_are_seen_and_mended(notebook: Any) -> None:
    text = printed(notebook)
    guesses, learns = map(float, re.findall(r"accuracy ([\d.]+)%", text))
    assert guesses < 20
    assert learns > 80
    (share,) = re.findall(r"first layer over last: (\S+)", text)
    assert float(share) < 1e-3
    assert re.search(r"log made \d+ infinities in 640 elements", text)
    assert "surprise = -tg.log(probability)" in text


@figures_of("four_lines")
def the_four_lines_fall_as_the_chain_rule_says(notebook: Any) -> None:
    text = printed(notebook)
    assert "each gradient is 0.15: True" in text
    assert "falls by 0.003250, as the chain rule says: 0.003250" in text
    assert "fc_0_w_0_GRAD = X.T @ fc_0_tmp_0_GRAD" in text


@figures_of("good_enough")
def the_first_model_that_is_good_enough_saves_most_of_the_work(notebook: Any) -> None:
    text = printed(notebook)
    assert "the loop is right as often: True" in text
    rows = re.findall(r"^ +([\d.]+) +([\d.]+)% +(\d+) ", text, re.MULTILINE)
    by_bar = {bar: (float(right), int(spent)) for bar, right, spent in rows}
    assert by_bar["0.90"][0] >= by_bar["1.01"][0] - 1
    assert by_bar["0.90"][1] < 0.3 * by_bar["1.01"][1]


@figures_of("dynamic_or_static")
def six_models_take_the_same_steps_each_way_and_share_memory(notebook: Any) -> None:
    text = printed(notebook)
    assert "all ways agree: True" in text
    rows = re.findall(
        r"^  (\w+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.MULTILINE
    )
    six = ["ResNet50", "MobileNetV2", "LSTM", "Transformer", "BERT", "policy"]
    assert [name for name, *_ in rows] == six * 2
    ratios = {name: float(ratio) for name, *_, ratio in rows[:6]}
    assert ratios["policy"] > max(1.5, ratios["ResNet50"])
    shares = re.findall(r"[\d.]+ +[\d.]+ +(\d+)%$", text, re.MULTILINE)
    assert len(shares) == 6
    assert max(map(int, shares)) < 70


@figures_of("translation")
def numbers_are_translated_that_were_never_seen(notebook: Any) -> None:
    text = printed(notebook)
    assert "in both: 0 numbers" in text
    accuracies = [float(share) for share in re.findall(r"accuracy ([\d.]+)%", text)]
    assert len(accuracies) == 4
    assert accuracies[-1] > 97
    crossed = re.findall(r"writing the (ones|tens): (\d+)% at the \1", text)
    assert [place for place, _ in crossed] == ["ones", "tens"]
    assert min(int(share) for _, share in crossed) > 70


@figures_of("gradient_penalty")
def the_penalty_is_right_and_the_clouds_are_learned_with_it_only(notebook: Any) -> None:
    text = printed(notebook)
    assert "slope 27, slope of the slope 18" in text
    (difference,) = re.findall(r"largest difference: (\S+)", text)
    assert float(difference) < 1e-8
    assert "2.bias     none" in text
    assert "it can go back: False" in text
    rows = re.findall(r"^(with|without) +(\d+)% in clouds, (\d) ", text, re.MULTILINE)
    (_, share, clouds), (_, other_share, _) = rows
    assert int(share) > 70
    assert clouds == "6"
    assert int(other_share) < 40
    found = re.findall(r"slope +([\d.]+), +\d+% in clouds", text)
    slopes = [float(slope) for slope in found]
    assert 0.7 < slopes[4] < 1.3
    assert slopes[-1] > 5
