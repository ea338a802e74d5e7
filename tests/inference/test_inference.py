"""Predictors: the answers of the model, by handles, calls and from many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, jit, models, nn, static
from teachgraph.core.errors import FeedError, InvalidValueError
from teachgraph.deploy import inference
from teachgraph.deploy.inference import Config, InferenceModel, create_predictor
from teachgraph.errors import DataError
from teachgraph.static import InputSpec
from tests.jit.test_models import CASES

X = np.random.default_rng(0).normal(size=[6, 3, 8, 8]).astype("float32")


class Block(nn.Layer):
    """A convolution and a normalisation with moments of its own, and dropout."""

    def __init__(self, bias: bool = True) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 4, 3, bias_attr=None if bias else False)
        self.norm = nn.BatchNorm2D(4)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(144, 2)

    def forward(self, image: Any) -> Any:
        h = nn.functional.relu(self.norm(self.conv(image)))
        return self.head(self.drop(h).flatten(1)), h.mean()


def trained(bias: bool = True) -> Block:
    """One whose moments are not those it begins with."""
    tg.seed(1)
    net = Block(bias)
    for _ in range(3):
        net(tg.to_tensor(X * 2 + 1))
    net.eval()
    return net


def answers(net: nn.Layer, x: Any) -> list[Any]:
    with tg.no_grad():
        return [y.numpy() for y in net(tg.to_tensor(x))]


@pytest.fixture
def net() -> Block:
    return trained()


@pytest.fixture
def path(net: Block, tmp_path: Path) -> Path:
    jit.save(net, tmp_path / "net", [InputSpec([None, 3, 8, 8], "float32", "image")])
    return tmp_path / "net"


def close(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


def test_handles_as_in_paddle(path: Path, net: Block) -> None:
    config = Config(f"{path}.pdmodel", f"{path}.pdiparams")
    config.disable_gpu()
    config.enable_memory_optim()
    config.set_cpu_math_library_num_threads(2)
    predictor = create_predictor(config)
    (name,) = predictor.get_input_names()
    handle = predictor.get_input_handle(name)
    assert (name, handle.shape()) == ("image", [-1, 3, 8, 8])
    for count in (6, 2):
        handle.reshape([count, 3, 8, 8])
        handle.copy_from_cpu(X[:count])
        assert predictor.run() is True
        handles = map(predictor.get_output_handle, predictor.get_output_names())
        found = [one.copy_to_cpu() for one in handles]
        close(found, answers(net, X[:count]))
    close(predictor.run([X]), answers(net, X))


def test_an_input_is_a_copy_and_so_is_a_result(path: Path) -> None:
    predictor = create_predictor(Config(path))
    handle = predictor.get_input_handle("image")
    mine = X.copy()
    handle.copy_from_cpu(mine)
    mine[:] = np.nan
    predictor.run()
    result = predictor.get_output_handle(predictor.get_output_names()[0])
    first = result.copy_to_cpu()
    assert np.isfinite(first).all()
    first[:] = 0
    assert result.copy_to_cpu().any()


@pytest.mark.parametrize("bias", [True, False])
def test_normalisation_is_folded_into_the_convolution(
    bias: bool, tmp_path: Path
) -> None:
    net = trained(bias)
    spec = [InputSpec([None, 3, 8, 8], "float32", "image")]
    jit.save(net, tmp_path / "net", spec)
    predictor = create_predictor(Config(tmp_path / "net"))
    types = [op.type for op in predictor.program.global_block().ops]
    assert "batch_norm" not in types
    assert "dropout" not in types
    assert "conv_bn_fuse" in str(predictor.report)
    close(predictor.run([X]), answers(net, X))


def test_passes_can_be_left_out_one_by_one_or_all(path: Path, net: Block) -> None:
    config = Config(path)
    config.delete_pass("conv_bn_fuse_pass")
    kept = create_predictor(config)
    config.switch_ir_optim(False)
    plain = create_predictor(config)
    assert "batch_norm" in str(kept.program)
    assert "dropout" in str(plain.program)
    for predictor in (kept, plain):
        close(predictor.run([X]), answers(net, X))
    builder = Config(path).pass_builder()
    builder.clear_passes()
    builder.append_pass("dead_code")
    builder.insert_pass(0, "identities")
    assert builder.all_passes() == ["identities", "dead_code"]
    with pytest.raises(InvalidValueError, match="there is no pass 'trt'"):
        builder.append_pass("trt")


def test_switches_tell_what_was_chosen(path: Path) -> None:
    config = Config(path)
    config.enable_mkldnn()
    config.enable_profile()
    config.disable_glog_info()
    chosen = (
        config.mkldnn_enabled(),
        config.profile_enabled(),
        config.glog_info_disabled(),
        config.is_valid(),
        Config().is_valid(),
    )
    assert chosen == (True, True, True, True, False)
    first, *_ = config.summary().splitlines()
    assert first.split() == ["model_file", f"{path}.pdmodel"]
    with pytest.warns(UserWarning, match="no GPU"):
        config.enable_use_gpu(100, 0)
    assert not config.use_gpu()


def test_onnx_runtime_gives_the_same_answers(path: Path, net: Block) -> None:
    config = Config(path)
    config.enable_onnxruntime()
    assert config.onnxruntime_enabled()
    for count in (1, 6):
        close(create_predictor(config).run([X[:count]]), answers(net, X[:count]))
    config.disable_onnxruntime()
    assert not config.onnxruntime_enabled()


def test_clones_answer_in_threads_as_one_does_alone(path: Path, net: Block) -> None:
    pool = inference.PredictorPool(Config(path), 4)
    model = InferenceModel(path)
    expected = [answers(net, X + shift) for shift in range(8)]

    def work(number: int) -> None:
        predictor = pool.retrieve(number)
        for shift in [*range(8)] * 5:
            predictor.get_input_handle("image").copy_from_cpu(X + shift)
            predictor.run()
            found = [
                predictor.get_output_handle(name).copy_to_cpu()
                for name in predictor.get_output_names()
            ]
            close(found, expected[shift])
            close(model(X + shift), expected[shift])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    with pytest.raises(IndexError, match="no predictor 4 among 4"):
        pool.retrieve(4)


def test_a_model_is_called_with_arrays_by_place_or_name(path: Path, net: Block) -> None:
    model = InferenceModel(path)
    expected = answers(net, X)
    for found in (model(X), model(image=X), model({"image": X}), model(X.tolist())):
        close(found, expected)
    for args, named in (((), {}), ((X, X), {}), ((X,), {"image": X}), ((), {"x": X})):
        with pytest.raises(FeedError, match="the model takes image"):
            model(*args, **named)
    with pytest.raises(FeedError, match="should have dimensions"):
        model(X[0])


def test_a_model_gives_the_same_however_often_it_is_asked(path: Path) -> None:
    config = Config(path)
    config.switch_ir_optim(False)
    for predictor in (create_predictor(config), create_predictor(Config(path))):
        first = predictor.run([X])
        predictor.run([X * 100])
        close(predictor.run([X]), first)


@pytest.mark.parametrize("name", CASES)
def test_every_network_answers_as_the_layer_does(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    tg.seed(2)
    net = case.build()
    net.eval()
    specs = [InputSpec([None, *a.shape[1:]], a.dtype) for a in case.inputs]
    jit.save(net, tmp_path / "net", specs)
    expected = net(*map(tg.to_tensor, case.inputs))
    while isinstance(expected, (list, tuple)):
        expected = expected[0]
    found = InferenceModel(tmp_path / "net")(*case.inputs)
    first = found[0] if isinstance(found, list) else found
    np.testing.assert_allclose(first, expected.numpy(), rtol=1e-3, atol=1e-5)


def test_models_of_both_static_forms(tmp_path: Path) -> None:
    main, startup = static.Program(), static.Program()
    tg.enable_static()
    try:
        with static.program_guard(main, startup):
            x = static.data("x", [None, 4])
            y = static.nn.fc(x, 3, activation="relu")
            executor = static.Executor()
            executor.run(startup)
            feed = np.ones([2, 4], "float32")
            (expected,) = executor.run(main, {"x": feed}, [y])
            static.save_inference_model(tmp_path / "new", [x], [y], executor)
            for folder, file in (("each", None), ("one", "__params__")):
                fluid.io.save_inference_model(
                    tmp_path / folder, ["x"], [y], executor, params_filename=file
                )
    finally:
        tg.disable_static()
    for form in ("new", "each", "one"):
        close([InferenceModel(tmp_path / form)(feed)], [expected])
    config = Config(tmp_path / "one", "__params__")
    assert config.model_dir() == str(tmp_path / "one")
    close(create_predictor(config).run([feed]), [expected])


def test_what_is_not_there_or_damaged_is_said(path: Path) -> None:
    with pytest.raises(InvalidValueError, match="to load model not exists"):
        create_predictor(Config(path / "none"))
    with pytest.raises(InvalidValueError, match="there is no model"):
        create_predictor(Config())
    predictor = create_predictor(Config(path))
    with pytest.raises(InvalidValueError, match="no input 'x'; there are image"):
        predictor.get_input_handle("x")
    with pytest.raises(FeedError, match="copy_from_cpu first"):
        predictor.run()
    with pytest.raises(RuntimeError, match=r"call run\(\) first"):
        predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    with pytest.raises(InvalidValueError, match="is shaped"):
        predictor.get_input_handle("image").reshape([2, 2])
    values = path.with_suffix(".pdiparams")
    values.write_bytes(values.read_bytes()[:-10])
    with pytest.raises(DataError, match="damaged"):
        create_predictor(Config(path))
    values.unlink()
    with pytest.raises(DataError, match="which holds parameters"):
        create_predictor(Config(path))


def test_a_bert_for_texts_of_any_length(tmp_path: Path) -> None:
    bert = models.BertModel(models.BertConfig(30, 16, 2, 2, 32))
    net = models.BertForSequenceClassification(bert, 3)
    net.eval()
    jit.save(net, tmp_path / "bert", [InputSpec([None, None], "int64", "words")])
    model = InferenceModel(tmp_path / "bert")
    for shape in ([1, 3], [4, 7]):
        words = np.arange(np.prod(shape)).reshape(shape) % 30
        expected = net(tg.to_tensor(words)).numpy()
        np.testing.assert_allclose(model(words), expected, rtol=1e-4, atol=1e-6)


class WithMask(nn.Layer):
    """A classifier of texts that is told which words are padding."""

    def __init__(self) -> None:
        super().__init__()
        self.bert = models.BertModel(models.BertConfig(30, 16, 2, 2, 32))
        self.head = models.BertForSequenceClassification(self.bert, 3)

    def forward(self, words: Any, mask: Any = None) -> Any:
        return self.head(words, attention_mask=mask)


def rows_of(program: static.Program) -> list[int]:
    """Of each layer with weights, how many rows it works on."""
    ops = [op for op in program.global_block().ops if op.type == "fc"]
    shapes = [op.block.var(op.output("Out")[0]).shape for op in ops]
    return [int(np.prod(shape[:-1])) for shape in shapes]


@pytest.mark.parametrize("length", [7, None])
@pytest.mark.parametrize("masked", [False, True])
def test_a_classifiers_last_layer_works_for_the_first_word_alone(
    length: int | None, masked: bool, tmp_path: Path
) -> None:
    net = WithMask()
    net.eval()
    spec = [InputSpec([1, length], t, n) for t, n in (("int64", "w"), ("float32", "m"))]
    given = [np.arange(7).reshape(1, 7), np.array([[1, 1, 1, 1, 1, 0, 0]], "float32")]
    count = 1 + masked
    jit.save(net, tmp_path / "net", spec[:count])
    model = InferenceModel(tmp_path / "net")
    expected = net(*map(tg.to_tensor, given[:count])).numpy()
    np.testing.assert_allclose(model(*given[:count]), expected, rtol=1e-4, atol=1e-6)
    every = length or -1
    first_layer, last_layer, head = [every] * 6, [every] * 2 + [1] * 4, [1] * 2
    wanted = [*first_layer, *last_layer, *head]
    assert sorted(rows_of(model.predictor.program)) == sorted(wanted)
