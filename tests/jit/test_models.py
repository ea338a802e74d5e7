"""Every network is the same program by program as op by op: results and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import jit, models, nn
from teachgraph.models.bert import BertConfig, ErnieConfig
from tests.models.networks import images

SEED = 7
BERT = BertConfig(
    vocab_size=20,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=8,
)
ERNIE = ErnieConfig(
    vocab_size=20,
    hidden_size=8,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=8,
    use_task_id=True,
)
WORDS = np.array([[2, 5, 7, 0], [2, 9, 11, 3]])


class Case(NamedTuple):
    """How to build a network, and two batches for it."""

    build: Callable[[], nn.Layer]
    inputs: tuple[Any, ...]


CASES = {
    "lenet": Case(lambda: models.LeNet(num_classes=4), (images(2, 1, 28, 28),)),
    "resnet18": Case(lambda: models.resnet18(num_classes=4), (images(2, 3, 32, 32),)),
    "resnet50": Case(
        lambda: models.resnet50(num_classes=4, width=8), (images(2, 3, 32, 32),)
    ),
    "mobilenet": Case(
        lambda: models.mobilenet_v2(num_classes=4, scale=0.25),
        (images(2, 3, 32, 32),),
    ),
    "bert": Case(
        lambda: models.BertForSequenceClassification(models.BertModel(BERT), 3),
        (WORDS,),
    ),
    "masked words": Case(
        lambda: models.BertForMaskedLM(models.BertModel(BERT)), (WORDS,)
    ),
    "pairs of texts": Case(
        lambda: models.BertForSequenceClassification(models.BertModel(BERT), 3),
        (WORDS, (WORDS > 6).astype("int64"), WORDS * 0 + [0, 1, 2, 3], WORDS > 0),
    ),
    "ernie": Case(
        lambda: models.ErnieModel(ERNIE),
        (WORDS, WORDS % 4, WORDS * 0 + [0, 1, 2, 3], WORDS > 0, WORDS % 3),
    ),
    "lstm": Case(lambda: models.LSTMLanguageModel(20, 8, 8), (WORDS,)),
    "lstm classifier": Case(
        lambda: models.LSTMClassifier(20, 3, 8, 8), (WORDS, np.array([2, 4]))
    ),
    "transformer": Case(
        lambda: models.TransformerModel(20, 20, 8, 1, 1, 2, 8, 16),
        (WORDS, WORDS[:, :3]),
    ),
    "transformer of one table": Case(
        lambda: models.TransformerModel(20, 20, 8, 2, 2, 2, 8, 16, weight_sharing=True),
        (WORDS, WORDS[:, :3]),
    ),
    "mlp policy": Case(lambda: models.MLPPolicy(4, 2), (images(3, 4),)),
    "cnn policy": Case(
        lambda: models.CNNPolicy(1, 2, size=36, hidden=8), (images(3, 1, 36, 36),)
    ),
}


pytestmark = pytest.mark.usefixtures("in_double_precision")


def given(array: Any, scale: float) -> tg.Tensor:
    """A batch; the second one has other numbers."""
    if array.dtype.kind == "f":
        return tg.to_tensor(array.astype("float64") * scale, stop_gradient=False)
    return tg.to_tensor(array)


def first_tensor(nest: Any) -> tg.Tensor:
    """The result of a network that gives its state as well."""
    return nest if isinstance(nest, tg.Tensor) else first_tensor(nest[0])


def steps(net: nn.Layer, case: Case) -> list[Any]:
    """Results, gradients and state of two steps of training and one evaluation."""
    found: list[Any] = []
    optimizer = tg.optimizer.Momentum(0.01, parameters=net.parameters())
    for scale in (1.0, 0.5):
        inputs = [given(array, scale) for array in case.inputs]
        tg.seed(SEED)
        output = first_tensor(net(*inputs))
        (output * output).mean().backward()
        grads = {n: p.grad for n, p in net.named_parameters() if p.grad is not None}
        found += [output.numpy(), {n: g.numpy() for n, g in grads.items()}]
        found += [x.gradient() for x in inputs if not x.stop_gradient]
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
    net.eval()
    found.append(first_tensor(net(*(given(a, 2.0) for a in case.inputs))).numpy())
    found.append({name: value.numpy() for name, value in net.state_dict().items()})
    return found


def close(one: Any, other: Any) -> None:
    """Equal numbers under equal names."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            np.testing.assert_allclose(
                one[key], other[key], rtol=1e-6, atol=1e-9, err_msg=key
            )
    else:
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", list(CASES))
def test_a_network_trains_as_a_program_as_it_does_op_by_op(name: str) -> None:
    case = CASES[name]
    tg.seed(SEED)
    plain = case.build()
    tg.seed(SEED)
    static = jit.to_static(case.build())
    for one, other in zip(steps(plain, case), steps(static, case), strict=True):
        close(one, other)
    assert len(static.forward.program_cache) == 2


OF_PADDLE = {
    models.AlexNet,
    models.DenseNet,
    models.GoogLeNet,
    models.InceptionV3,
    models.MobileNetV1,
    models.MobileNetV3Large,
    models.MobileNetV3Small,
    models.ShuffleNetV2,
    models.SqueezeNet,
    models.VGG,
}
"""Networks held to Paddle's outputs, made of the same layers as those above."""


def test_every_network_there_is_has_its_case() -> None:
    known = (getattr(models, name) for name in models.__all__)
    kinds = {
        one for one in known if isinstance(one, type) and issubclass(one, nn.Layer)
    }
    built = {type(one) for c in CASES.values() for one in c.build().sublayers(True)}
    assert kinds - OF_PADDLE <= built
