"""Training from files of records: the same as feeding their batches by hand."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.errors import DataError
from teachgraph.planning.dataset_runs import FetchHandler
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from teachgraph.static.scope import Scope
from tests.static.fresh import Fresh

KINDS = ["InMemoryDataset", "QueueDataset"]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two files of five records each: four numbers and a label."""
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for i, path in enumerate(paths):
        lines = [f"4 {k} 1 2.5 {i} 1 {k % 2}" for k in range(5)]
        path.write_text("\n".join(lines) + "\n\n")
    return paths


@pytest.fixture
def loss(programs: Fresh) -> Variable:
    """Of a layer on `x` and `label`, in training; all that is random is seeded."""
    x, label = static.data("x", [None, 4]), static.data("label", [None, 1], "int64")
    found: Variable = tg.mean(tg.nn.functional.cross_entropy(static.nn.fc(x, 2), label))
    tg.optimizer.Momentum(0.1).minimize(found)
    programs.startup.random_seed = 5
    Executor().run(programs.startup)
    return found


def dataset_of(kind: str, files: list[Path], loss: Variable) -> Any:
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_batch_size(3)
    dataset.set_use_var([loss.block.var("x"), loss.block.var("label")])
    dataset.set_filelist([str(path) for path in files])
    if kind == "InMemoryDataset":
        dataset.load_into_memory()
    return dataset


def by_hand() -> list[dict[str, np.ndarray[Any, Any]]]:
    """The four batches, of 3, 3, 3 and 1 records."""
    rows = [(k, i) for i in range(2) for k in range(5)]
    x = np.array([[k, 1, 2.5, i] for k, i in rows], "float32")
    label = np.array([[k % 2] for k, _ in rows])
    return [
        {"x": x[i : i + 3], "label": label[i : i + 3]} for i in range(0, len(rows), 3)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_it_trains_as_if_fed_by_hand(
    kind: str, files: list[Path], loss: Variable, programs: Fresh, capsys: Any
) -> None:
    other, executor = Scope(), Executor()
    executor.run(programs.startup, scope=other)
    wanted = [
        float(executor.run(feed=feed, fetch_list=[loss], scope=other)[0])
        for feed in by_hand()
    ]
    dataset = dataset_of(kind, files, loss)
    executor.train_from_dataset(
        programs.main, dataset, fetch_list=[loss], fetch_info=["loss"], print_period=2
    )
    for name, value in other.values.items():
        np.testing.assert_array_equal(programs.scope.values[name], value)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": float32")[0] for line in lines] == [
        "batch: [2], loss",
        "batch: [4], loss",
    ]
    assert [float(line.split()[-1]) for line in lines] == pytest.approx(wanted[1::2])


def test_a_handler_is_shown_what_it_asks_for(
    files: list[Path], loss: Variable, capsys: Any
) -> None:
    seen: list[float] = []

    class Seen(FetchHandler):
        def handler(self, res_dict: Mapping[str, Any]) -> None:
            seen.append(float(res_dict["the loss"]))

    test = loss.block.program.clone(for_test=True)
    Executor().infer_from_dataset(
        test,
        dataset_of("QueueDataset", files, loss),
        print_period=1,
        fetch_handler=Seen({"the loss": loss}),
    )
    wanted = [Executor().run(test, feed, [loss])[0] for feed in by_hand()]
    assert seen == pytest.approx([float(value) for value in wanted])
    assert capsys.readouterr().out == ""


def test_records_in_memory_are_shuffled_as_seeded_and_let_go(
    files: list[Path], loss: Variable
) -> None:
    def labels(seed: int) -> list[float]:
        dataset = dataset_of("InMemoryDataset", files, loss)
        tg.seed(seed)
        dataset.local_shuffle()
        assert dataset.get_memory_data_size() == 10
        found = [x for feed in dataset.feeds() for x in feed["x"][:, 0].tolist()]
        dataset.release_memory()
        assert dataset.get_memory_data_size() == 0
        assert list(dataset.feeds()) == []
        return found

    assert labels(1) == labels(1) != labels(2)
    assert sorted(labels(3)) == sorted([*range(5), *range(5)])


def test_a_queue_is_not_shuffled(files: list[Path], loss: Variable) -> None:
    with pytest.raises(ModeError, match="QueueDataset does not support local shuffle"):
        dataset_of("QueueDataset", files, loss).local_shuffle()


def test_a_command_makes_the_lines(
    files: list[Path], loss: Variable, tmp_path: Path
) -> None:
    script = tmp_path / "double.py"
    script.write_text(
        "import sys\n"
        "for line in filter(str.strip, sys.stdin):\n"
        "    w = line.split()\n"
        "    print(4, *(2 * float(x) for x in w[1:5]), *w[5:])\n"
    )
    dataset = dataset_of("QueueDataset", files, loss)
    dataset.set_pipe_command(f"{sys.executable} {script}")
    for feed, wanted in zip(dataset.feeds(), by_hand(), strict=True):
        np.testing.assert_array_equal(feed["x"], 2 * wanted["x"])
        np.testing.assert_array_equal(feed["label"], wanted["label"])


def test_a_command_that_fails(files: list[Path], loss: Variable) -> None:
    dataset = dataset_of("QueueDataset", files, loss)
    dataset.set_pipe_command(f"{sys.executable} -c 'raise SystemExit(\"no luck\")'")
    with pytest.raises(DataError, match="failed: no luck"):
        next(dataset.feeds())
    dataset.set_pipe_command("no-such-command-anywhere")
    with pytest.raises(DataError, match="no-such-command-anywhere"):
        next(dataset.feeds())


@pytest.mark.parametrize("command", ["cat | sort", "cat; ls", "", "cat $HOME"])
def test_a_command_that_needs_a_shell(command: str) -> None:
    with pytest.raises(InvalidValueError, match="there is no shell"):
        fluid.DatasetFactory().create_dataset().set_pipe_command(command)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 1 2 3 1 0", "'x' is to have 3 numbers and has 3; its shape is"),
        ("4 1 2 3", "'x' is to have 4 numbers and has 3"),
        ("4 1 2 3 4", "'label' has no numbers"),
        ("4 1 2 3 4 1 0 9", "1 words are left over"),
        ("4 1 2 3 four 1 0", "'x' has no numbers: could not convert"),
        ("4 1 2 3 4 1 0.5", "'label' has no numbers: invalid literal"),
        ("-1 1 0", "'x' is to have -1 numbers"),
    ],
)
def test_a_record_that_is_not_as_the_variables_want_it(
    line: str, message: str, loss: Variable, tmp_path: Path
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(f"4 1 2 3 4 1 0\n{line}\n")
    with pytest.raises(DataError, match=rf"bad\.txt:2: {message}"):
        dataset_of("InMemoryDataset", [path], loss)


def test_what_is_no_dataset_or_no_file(
    files: list[Path], loss: Variable, tmp_path: Path
) -> None:
    executor = Executor()
    for wrong in (None, 3):
        with pytest.raises(InvalidValueError, match="dataset is need and should be"):
            executor.train_from_dataset(dataset=wrong)
    with pytest.raises(InvalidValueError, match="datafeed class Nope does not exist"):
        fluid.DatasetFactory().create_dataset("Nope")
    with pytest.raises(DataError, match=r"gone\.txt"):
        dataset_of("InMemoryDataset", [tmp_path / "gone.txt"], loss)
    with pytest.raises(InvalidValueError, match="1 fetches need as many texts"):
        executor.train_from_dataset(
            dataset=dataset_of("QueueDataset", files, loss),
            fetch_list=[loss],
            fetch_info=[],
        )
