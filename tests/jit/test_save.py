"""A saved layer is the layer, wherever it is loaded; a damaged file is none."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, nn, static
from teachgraph.core.errors import FeedError, InvalidValueError, ProgramError
from teachgraph.errors import DataError
from teachgraph.static import InputSpec

X = np.linspace(-1, 1, 96, dtype="float32").reshape(6, 1, 4, 4)


class Network(nn.Layer):
    """A convolution, a normalisation, dropout, and a branch that Python takes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(1, 2, 3)
        self.norm = nn.BatchNorm2D(2)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        h = self.drop(self.norm(self.conv(x)).flatten(1))
        if self.training:
            h = h + 1.0
        return self.head(h)


SPEC = [InputSpec([None, 1, 4, 4], "float32", "x")]


def saved(net: Any, folder: Path, **options: Any) -> Any:
    """The layer, saved and loaded."""
    jit.save(net, folder / "model", **{"input_spec": SPEC, **options})
    return jit.load(folder / "model")


def train(net: Any, steps: int = 3) -> list[float]:
    """Losses of some steps."""
    net.train()
    tg.seed(5)
    optimizer = tg.optimizer.Adam(0.05, parameters=net.parameters())
    losses = []
    for _ in range(steps):
        loss = (net(tg.to_tensor(X)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    return losses


def test_a_loaded_layer_predicts_without_its_source(tmp_path: Path) -> None:
    net = Network()
    jit.save(net, tmp_path / "model", SPEC)
    np.save(tmp_path / "x.npy", X)
    script = (
        "import sys, numpy, teachgraph as tg\n"
        "net = tg.jit.load('model')\n"
        "numpy.save('y.npy', net(numpy.load('x.npy')).numpy())\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    net.eval()
    np.testing.assert_allclose(
        np.load(tmp_path / "y.npy"), net(tg.to_tensor(X)).numpy(), rtol=1e-6
    )


def test_it_trains_on_as_the_layer_itself_would(tmp_path: Path) -> None:
    net = Network()
    loaded = saved(net, tmp_path)
    assert not loaded.training
    assert train(loaded) == pytest.approx(train(net), rel=1e-6)
    ours, theirs = loaded.state_dict(), net.state_dict()
    assert list(ours) == list(theirs)
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name].numpy(), value.numpy(), rtol=1e-6)


def test_its_state_fits_the_layer_and_the_other_way_round(tmp_path: Path) -> None:
    net, other = Network(), Network()
    loaded = saved(net, tmp_path)
    other.set_state_dict(loaded.state_dict())
    other.eval()
    x = tg.to_tensor(X)
    np.testing.assert_array_equal(other(x).numpy(), loaded(x).numpy())
    train(net)
    loaded.set_state_dict(net.state_dict())
    net.eval()
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)


def test_what_was_trained_further_can_be_saved_again_and_copied(tmp_path: Path) -> None:
    loaded = saved(Network(), tmp_path)
    train(loaded)
    again = saved(loaded, tmp_path / "again")
    twin = copy.deepcopy(loaded)
    loaded.eval()
    twin.eval()
    for other in (again, twin):
        np.testing.assert_array_equal(other(X).numpy(), loaded(X).numpy())
    twin.head.weight.set_value(np.zeros([8, 3], "float32"))
    assert not np.array_equal(twin(X).numpy(), loaded(X).numpy())


def test_any_size_of_batch(tmp_path: Path) -> None:
    net = Network()
    loaded = saved(net, tmp_path)
    net.eval()
    for count in (1, 2, 6):
        np.testing.assert_allclose(
            loaded(X[:count]).numpy(), net(tg.to_tensor(X[:count])).numpy(), rtol=1e-6
        )


def test_saving_changes_nothing_about_the_layer(tmp_path: Path) -> None:
    net = Network()
    net.norm.eval()
    before = {k: v.numpy() for k, v in net.state_dict().items()}
    jit.save(net, tmp_path / "model", SPEC)
    assert [layer.training for layer in net.sublayers()] == [True, False, True, True]
    assert "forward" not in net.__dict__
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])


def test_what_was_frozen_stays_so_until_it_is_unfrozen(tmp_path: Path) -> None:
    net = Network()
    for parameter in net.conv.parameters():
        parameter.stop_gradient = True
    loaded = saved(net, tmp_path)
    train(loaded)
    np.testing.assert_array_equal(loaded.conv.weight.numpy(), net.conv.weight.numpy())
    for layer in (net, loaded := saved(net, tmp_path)):
        for parameter in layer.conv.parameters():
            parameter.stop_gradient = False
    assert train(loaded) == pytest.approx(train(net), rel=1e-6)
    np.testing.assert_allclose(
        loaded.conv.weight.numpy(), net.conv.weight.numpy(), rtol=1e-6
    )


class Detached(nn.Layer):
    """What `detach` cuts off stays cut off, whoever is frozen."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.second(self.first(x).detach() + self.first(x))


def test_a_cut_stays_when_something_is_unfrozen(tmp_path: Path) -> None:
    net = Detached()
    net.second.weight.stop_gradient = True
    spec = [InputSpec([None, 2], "float32", "x")]
    loaded = saved(net, tmp_path, input_spec=spec)
    for layer in (net, loaded):
        layer.second.weight.stop_gradient = False
        layer(tg.ones([3, 2])).sum().backward()
    for one, other in zip(net.parameters(), loaded.parameters(), strict=True):
        np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy(), rtol=1e-6)


class Methods(nn.Layer):
    """Three ways in, one of which a tensor decides about."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("scale", tg.to_tensor([2.0]))

    @jit.to_static(input_spec=[InputSpec([None, 2], "float32", "x")])
    def forward(self, x: Any) -> Any:
        return self.linear(x)

    @jit.to_static(input_spec=[InputSpec([None, 2], "float32", "x")])
    def infer(self, x: Any) -> Any:
        if x.sum() > 0:
            return {"result": self.linear(x) * self.scale, "branch": "positive"}
        return {"result": x, "branch": "positive"}

    @jit.to_static(input_spec=[InputSpec([2], "float32", "a"), InputSpec([2])])
    def pair(self, a: Any, b: Any) -> Any:
        return a, [b, a + b, None]


def test_every_method_is_saved_and_what_they_share_once(tmp_path: Path) -> None:
    net = Methods()
    loaded = saved(net, tmp_path, input_spec=None)
    assert {p.name for p in tmp_path.iterdir()} == {
        "model.pdmodel",
        "model.infer.pdmodel",
        "model.pair.pdmodel",
        "model.pdiparams",
        "model.pdiparams.info",
    }
    stored = tg.load(tmp_path / "model.pdiparams")
    assert sorted(v.shape for v in stored.values()) == [[1], [2], [2, 2]]
    for sign in (1.0, -1.0):
        x = tg.to_tensor([[sign, 2 * sign]])
        mine, theirs = loaded.infer(x), net.infer(x)
        assert mine["branch"] == theirs["branch"]
        np.testing.assert_allclose(mine["result"].numpy(), theirs["result"].numpy())
    a, (b, both, nothing) = loaded.pair(b=[3.0, 4.0], a=[1.0, 2.0])
    assert (a.tolist(), b.tolist(), both.tolist()) == ([1, 2], [3, 4], [4, 6])
    assert nothing is None
    assert loaded.program("infer").num_blocks > 1
    with pytest.raises(ValueError, match="one of"):
        loaded.program("other")


def test_fewer_methods_leave_no_old_files_but_those_of_others(tmp_path: Path) -> None:
    saved(Methods(), tmp_path, input_spec=None)
    jit.save(lambda x: x + 1.0, tmp_path / "model.v2", [InputSpec([2])])
    loaded = saved(lambda x: x * 2.0, tmp_path, input_spec=[InputSpec([2])])
    assert {p.name for p in tmp_path.iterdir()} == {"model.pdmodel", "model.v2.pdmodel"}
    assert loaded(tg.ones([2])).tolist() == [2.0, 2.0]


def test_shared_parameters_are_one_again(tmp_path: Path) -> None:
    class Tied(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(5, 3)
            self.again = self.table

        def forward(self, words: Any) -> Any:
            return tg.matmul(self.table(words), self.again.weight, transpose_y=True)

    loaded = saved(Tied(), tmp_path, input_spec=[InputSpec([None], "int64", "words")])
    assert len(loaded.parameters()) == 1
    loaded(np.array([1, 2])).sum().backward()
    assert loaded.parameters()[0].grad.shape == [5, 3]


def test_two_tensors_of_one_name_stay_two(tmp_path: Path) -> None:
    one, two = (tg.to_tensor([number]) for number in (1.0, 2.0))
    one.name = two.name = "constant"

    class Both(nn.Layer):
        def forward(self, x: Any) -> Any:
            return x * two if self.training else x * one + two

    loaded = saved(Both(), tmp_path, input_spec=[InputSpec([1], "float32", "x")])
    assert loaded(tg.to_tensor([5.0])).tolist() == [7.0]
    loaded.train()
    assert loaded(tg.to_tensor([5.0])).tolist() == [10.0]


def test_a_loaded_layer_is_a_part_of_a_larger_program(tmp_path: Path) -> None:
    class Head(nn.Layer):
        def __init__(self, body: nn.Layer) -> None:
            super().__init__()
            tg.seed(1)
            self.body, self.last = body, nn.Linear(3, 1)

        def forward(self, x: Any) -> Any:
            if x.sum() < -1e6:
                x = x * 2.0
            return self.last(self.body(x))

    net = Network()
    whole = jit.to_static(Head(saved(net, tmp_path)))
    assert train(whole) == pytest.approx(train(Head(net)), rel=1e-6)
    again = saved(whole, tmp_path / "again")
    whole.eval()
    np.testing.assert_allclose(again(X).numpy(), whole(tg.to_tensor(X)).numpy())


class Winding(nn.Layer):
    """Branches in a loop, and a list that grows."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        i, sums = tg.to_tensor(0), []
        while i < 3:
            x = self.turn(x) * 1.1 if x.sum() > 0 else 0.1 - x
            sums.append(x.sum())
            i = i + 1
        return x, sums


class Around(nn.Layer):
    """One that calls another in a loop of its own."""

    def __init__(self, inner: nn.Layer) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        i, total = tg.to_tensor(0), tg.zeros([])
        while i < 2:
            x, inside = self.inner(x)
            total = total + x.sum() * inside[1]
            i = i + 1
        x, sums = self.inner(x)
        return x + total, sums


@pytest.mark.parametrize("scale", [1.0, -0.5])
def test_a_loaded_loop_becomes_a_part_of_another_one(
    scale: float, tmp_path: Path
) -> None:
    tg.seed(2)
    net, spec = Winding(), [InputSpec([None, 3], "float32", "x")]
    inner = saved(net, tmp_path, input_spec=spec)
    outer = saved(jit.to_static(Around(inner)), tmp_path / "again", input_spec=spec)
    again = saved(jit.to_static(Around(outer)), tmp_path / "no", input_spec=spec)
    assert len(outer.parameters()) == len(again.parameters()) == 2
    found, weights = [], []
    for way in (Around(net), Around(inner), outer):
        x = tg.to_tensor(X.reshape(-1, 3)[:4] * scale, stop_gradient=False)
        way.train()
        result, sums = way(x)
        result.sum().backward()
        found.append([result.tolist(), [s.item() for s in sums], x.grad.tolist()])
        weights.append(next(iter(way.parameters())).grad.numpy())
    for ours, gradient in zip(found[1:], weights[1:], strict=True):
        np.testing.assert_allclose(ours[0], found[0][0], rtol=1e-5)
        np.testing.assert_allclose(ours[1], found[0][1], rtol=1e-5)
        np.testing.assert_allclose(ours[2], found[0][2], rtol=1e-5)
        np.testing.assert_allclose(gradient, weights[0], rtol=1e-5)


def test_a_loaded_result_of_two_kinds_is_one_of_two_in_another_program(
    tmp_path: Path,
) -> None:
    def rooted(x: Any) -> Any:
        if x.sum() > 0:
            return {"root": x.sqrt()}, "real"
        return None, "none"

    loaded = saved(rooted, tmp_path, input_spec=[InputSpec([1], "float32", "x")])
    passed_on = jit.to_static(lambda x: [loaded(x)])
    ((found, said),) = passed_on(tg.to_tensor([4.0]))
    assert (found["root"].tolist(), said) == ([2.0], "real")
    assert passed_on(tg.to_tensor([-4.0])) == [(None, "none")]


def test_hooks_are_saved_and_results_chosen(tmp_path: Path) -> None:
    net = nn.Linear(2, 2)
    spec = [InputSpec([None, 2], "float32", "x")]
    x = tg.ones([1, 2])
    plain = saved(net, tmp_path, input_spec=spec)(x)
    net.register_forward_post_hook(lambda layer, x, y: (y * 2.0, y))
    twice = saved(net, tmp_path, input_spec=spec)(x)
    only = saved(net, tmp_path, input_spec=spec, with_hook=True, output_spec=[1])(x)
    np.testing.assert_allclose(twice[0].numpy(), 2 * plain.numpy(), rtol=1e-6)
    np.testing.assert_array_equal(only.numpy(), plain.numpy())


def test_without_a_spec_the_last_call_says_what_is_saved(tmp_path: Path) -> None:
    @jit.to_static
    def scaled(x: Any, by: float) -> Any:
        return x * by

    message = "Please specific `input_spec`"
    with pytest.raises(ValueError, match=message):
        jit.save(scaled, tmp_path / "model")
    scaled(tg.ones([2]), 3.0)
    scaled(tg.ones([3]), 4.0)
    jit.save(scaled, tmp_path / "model")
    assert jit.load(tmp_path / "model")(tg.ones([3])).tolist() == [4.0] * 3


def test_static_model_files_are_loaded_and_trained(tmp_path: Path) -> None:
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(main, startup):
            x = static.data("x", [None, 4])
            y = nn.functional.dropout(static.nn.fc(x, 3), 0.5)
            executor = static.Executor()
            executor.run(startup)
            static.save_inference_model(tmp_path / "model", [x], [y], executor)
            feed = {"x": np.ones([2, 4], "float32")}
            test = main.clone(for_test=True)
            (expected,) = executor.run(test, feed, [y])
    finally:
        tg.disable_static()
    loaded = jit.load(tmp_path / "model")
    np.testing.assert_allclose(loaded(feed["x"]).numpy(), expected, rtol=1e-6)
    loaded.train()
    found = loaded(np.ones([50, 4], "float32"))
    assert 0.3 < np.mean(found.numpy() == 0) < 0.7
    found.sum().backward()
    assert all(p.grad is not None for p in loaded.parameters())


def test_what_jit_saved_is_a_model_of_static_too(tmp_path: Path) -> None:
    net = Network()
    jit.save(net, tmp_path / "model", SPEC)
    tg.enable_static()
    try:
        executor = static.Executor()
        with static.scope_guard(static.Scope()):
            program, feeds, fetches = static.load_inference_model(
                tmp_path / "model", executor
            )
            (found,) = executor.run(program, {feeds[0]: X}, fetches)
    finally:
        tg.disable_static()
    net.eval()
    np.testing.assert_allclose(found, net(tg.to_tensor(X)).numpy(), rtol=1e-6)


def test_a_list_that_a_loop_fills_comes_back(tmp_path: Path) -> None:
    def steps(x: Any, n: Any) -> Any:
        found = []
        for i in range(n):
            found.append(x * i)  # noqa: PERF401  a list that grows is the matter
        return found

    specs = [InputSpec([2], "float32", "x"), InputSpec([1], "int64", "n")]
    loaded = saved(steps, tmp_path, input_spec=specs)
    found = loaded(tg.ones([2]), tg.to_tensor([3]))
    assert [one.tolist() for one in found] == [[0, 0], [1, 1], [2, 2]]


def test_a_layer_saved_with_sizes_trains_on_others(tmp_path: Path) -> None:
    net = tg.nn.Sequential(
        tg.nn.Linear(2, 3), tg.nn.BatchNorm1D(3), tg.nn.ReLU(), tg.nn.Linear(3, 1)
    )
    loaded = saved(net, tmp_path, input_spec=[InputSpec([3, 2], "float32")])
    loaded.train()
    net.train()
    x = tg.to_tensor(np.arange(10, dtype="float32").reshape(5, 2) % 7)
    for layer in (loaded, net):
        (layer(x) ** 2).sum().backward()
    for mine, theirs in zip(loaded.parameters(), net.parameters(), strict=False):
        if theirs.grad is not None and mine.grad is not None:
            np.testing.assert_allclose(mine.grad, theirs.grad, rtol=1e-5, atol=1e-6)
    assert [p.grad is None for p in loaded.parameters()].count(False) == 6


def test_loops_and_branches_saved_with_sizes_take_others(tmp_path: Path) -> None:
    def steps(x: Any) -> Any:
        i = tg.zeros([1], "int64")
        while i < 3:
            x = x * 2
            i += 1
        y = x + 1 if x.sum() > 40 else x - 1
        return y.sum(), y

    loaded = saved(steps, tmp_path, input_spec=[InputSpec([3, 2], "float32")])
    around = jit.to_static(lambda x: loaded(x)[0] * 2)
    for rows in (3, 4, 1):
        total, y = loaded(x := tg.ones([rows, 2]))
        each = 9.0 if rows > 2 else 7.0
        assert y.tolist() == [[each, each]] * rows
        assert total.item() == 2 * rows * each
        assert around(x).item() == 4 * rows * each


def test_wrong_arguments_are_refused_by_name(tmp_path: Path) -> None:
    loaded = saved(Network(), tmp_path)
    with pytest.raises(FeedError, match="'x' should have dimensions"):
        loaded(np.ones([2, 4, 4], "float32"))
    with pytest.raises(FeedError, match="must be 'float32', but received 'float64'"):
        loaded(np.ones([2, 1, 4, 4]))
    for args, named in (((), {}), ((X, X), {}), ((X,), {"y": X})):
        with pytest.raises(FeedError, match="forward takes x"):
            loaded(*args, **named)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda p: jit.save(3, p), TypeError, "should be 'Layer' or 'Function'"),
        (lambda p: jit.save(Network, p), TypeError, "should be 'Layer' or 'Function'"),
        (lambda p: jit.save(Network(), ""), ValueError, "file_prefix is empty"),
        (lambda p: jit.save(Network(), f"{p}/"), ValueError, "file_prefix is empty"),
        (lambda p: jit.save(Network(), p), ValueError, "Please specific `input_spec`"),
        (
            lambda p: jit.save(Network(), p, SPEC, foo=1),
            ValueError,
            r"additional config \(foo\)",
        ),
        (
            lambda p: jit.save(Network(), p, InputSpec([1])),
            TypeError,
            r"should be one of \(tuple, list\)",
        ),
        (
            lambda p: jit.save(Network(), p, SPEC * 2),
            ValueError,
            r"Requires len\(arguments\) >= len\(input_spec\)",
        ),
        (
            lambda p: jit.save(Network(), p, SPEC, output_spec=[4]),
            ValueError,
            "no places among 1 results",
        ),
        (
            lambda p: jit.save(lambda x: object(), p, [InputSpec([1])]),
            ValueError,
            "return tensors and numbers",
        ),
        (lambda p: jit.load(p / "none"), ValueError, "to load model not exists"),
    ],
)
def test_errors_say_what_would_be_right(
    call: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        call(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_saved_leaves_the_files_there_were(tmp_path: Path) -> None:
    def calls_back(x: Any) -> Any:
        y = static.data("y", [1])
        return tg.static.py_func(lambda v: v, x, y)

    saved(Network(), tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(ProgramError, match="py_func"):
        jit.save(calls_back, tmp_path / "model", [InputSpec([1])])
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_a_full_disk_leaves_the_files_there_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(Network(), tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}

    def full(*_: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="no space"):
            jit.save(Network(), tmp_path / "model", SPEC)
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before


def mutations(content: bytes) -> list[bytes]:
    """A file cut short or changed in many places."""
    cuts = [content[:n] for n in range(0, len(content), max(1, len(content) // 25))]
    random = np.random.default_rng(0)
    edits = []
    for _ in range(40):
        changed = bytearray(content)
        changed[random.integers(len(content))] = random.integers(256)
        edits.append(bytes(changed))
    return cuts + edits


@pytest.mark.parametrize("suffix", [".pdmodel", ".pdiparams", ".pdiparams.info"])
def test_a_damaged_file_is_a_typed_error_or_harmless(
    suffix: str, tmp_path: Path
) -> None:
    saved(Network(), tmp_path)
    file = tmp_path / f"model{suffix}"
    content = file.read_bytes()
    refused = 0
    for changed in mutations(content):
        file.write_bytes(changed)
        try:
            loaded = jit.load(tmp_path / "model")
        except DataError:
            refused += 1
        else:
            assert isinstance(loaded, jit.TranslatedLayer)
    assert refused >= 24


def edited(folder: Path, suffix: str, change: Any) -> None:
    """Change a document that is JSON."""
    file = folder / f"model{suffix}"
    document = json.loads(file.read_bytes())
    change(document)
    file.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("suffix", "change", "message"),
    [
        (".pdmodel", lambda d: d.update(version=99), "version: 99"),
        (".pdmodel", lambda d: d.update(code="import os"), "nobody knows 'code'"),
        (".pdmodel", lambda d: d.update(results={"slot": 7}), "7 is not within"),
        (".pdmodel", lambda d: d.update(results={"choice": [0]}), "3 were expected"),
        (
            ".pdmodel",
            lambda d: d.update(results={"dict": [[[1], 2]]}),
            "a key is a text",
        ),
        (".pdmodel", lambda d: d.update(fetches=["none"]), "no variable is called"),
        (
            ".pdmodel",
            lambda d: d["program"]["blocks"][0]["ops"][0].update(type="py_func"),
            "py_func would call",
        ),
        (
            ".pdmodel",
            lambda d: d["training"]["program"]["blocks"][0]["vars"][0].update(name="z"),
            "no variable",
        ),
        (
            ".pdiparams.info",
            lambda d: next(iter(d.values())).update(structured_name="__class__"),
            "no parameter can be called '__class__'",
        ),
        (
            ".pdiparams.info",
            lambda d: next(iter(d.values())).update(structured_name="forward.x"),
            "no layer can be called 'forward'",
        ),
        (
            ".pdiparams.info",
            lambda d: next(iter(d.values())).update(structured_name="norm"),
            "no parameter can be called|no layer can be called",
        ),
        (".pdiparams.info", lambda d: d.update(w=3), "an object was expected"),
    ],
)
def test_an_edited_document_is_refused_in_words(
    suffix: str, change: Any, message: str, tmp_path: Path
) -> None:
    saved(Network(), tmp_path)
    edited(tmp_path, suffix, change)
    with pytest.raises(DataError, match=message):
        jit.load(tmp_path / "model")


def test_values_of_another_model_are_refused(tmp_path: Path) -> None:
    saved(Network(), tmp_path)
    file = tmp_path / "model.pdiparams"
    stored = tg.load(file, return_numpy=True)
    first = next(iter(stored))
    tg.save({**stored, first: np.ones([7], "float32")}, file)
    with pytest.raises(DataError, match=rf"namely \[ {first} \]"):
        jit.load(tmp_path / "model")
    del stored[first]
    tg.save(stored, file)
    with pytest.raises(DataError, match="lacks"):
        jit.load(tmp_path / "model")
    file.write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(DataError, match="pickle"):
        jit.load(tmp_path / "model")
    file.unlink()
    with pytest.raises(DataError, match="holds the parameters"):
        jit.load(tmp_path / "model")


def test_paths_with_dots_and_folders_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "net.v1.2"
    jit.save(lambda x: x + 1.0, path, [InputSpec([1], "float32", "x")])
    assert jit.load(str(path))(tg.zeros([1])).tolist() == [1.0]
    with pytest.raises(InvalidValueError):
        jit.load(tmp_path / "runs" / "net.v1")


def test_a_hook_takes_the_arguments_that_forward_takes(tmp_path: Path) -> None:
    class Sum(nn.Layer):
        def forward(self, x: Any, y: Any, *, by: float = 3.0) -> Any:
            return (x + y) * by

    layer = Sum()
    layer.register_forward_pre_hook(lambda layer, inputs: (inputs[0], inputs[0]))
    spec = [InputSpec([None], "float32", name) for name in ("x", "y")]
    x, y = tg.ones([2]), tg.zeros([2])
    loaded = saved(layer, tmp_path, input_spec=spec)
    assert loaded(x, y).tolist() == layer(x, y).tolist() == [6.0, 6.0]


def test_the_vectors_of_a_spectral_norm_are_refined_in_a_program(
    tmp_path: Path,
) -> None:
    tg.seed(3)
    plain = nn.utils.spectral_norm(nn.Linear(3, 3))
    wrapped = nn.Sequential(copy.deepcopy(plain))
    static, x = jit.to_static(wrapped), tg.ones([2, 3])
    for _ in range(3):
        np.testing.assert_allclose(static(x).numpy(), plain(x).numpy(), rtol=1e-5)
    spec = [InputSpec([None, 3], "float32", "x")]
    loaded = saved(plain, tmp_path, input_spec=spec)
    loaded.train()
    np.testing.assert_allclose(loaded(x).numpy(), plain(x).numpy(), rtol=1e-5)


def test_a_parameter_of_a_loaded_layer_may_be_replaced(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    loaded = saved(net, tmp_path, input_spec=[InputSpec([None, 2], "float32", "x")])
    x = tg.ones([1, 2])
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)
    inner = getattr(loaded, "1")
    inner.weight = net[1].weight = net.create_parameter([2, 1])
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-6)
    loaded(x).sum().backward()
    assert inner.weight.grad is not None
