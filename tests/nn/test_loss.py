"""Loss layers are their functions, in both modes; and what losses refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
import teachgraph.nn.functional as F
from teachgraph import nn, static
from teachgraph.core.errors import DTypeError, InvalidValueError, OpError, ShapeError
from teachgraph.errors import OutOfRangeError
from tests.ops.values import numbers

X, Y, Z = numbers(4, 3), numbers(4, 3, start=40), numbers(4, 3, start=70)
P, Q = (numbers(4, 3, low=0.1, high=0.9, start=start) for start in (1, 50))
LABELS = np.array([2, 0, 1, 1])
SIGNS = np.where(Q > 0.5, 1.0, -1.0)
WEIGHT = np.array([0.5, 2.0, 1.5])
PADDLES_LEAVES = [
    3.808633563401232,
    5.414632069922691,
    7.302083364329764,
    10.258627101569871,
    2.319200232555251,
    1.406978197494429,
]

LAYERS: list[tuple[Any, Any, tuple[Any, ...], dict[str, Any]]] = [
    (nn.CrossEntropyLoss, F.cross_entropy, (X, LABELS), {"label_smoothing": 0.1}),
    (nn.CrossEntropyLoss, F.cross_entropy, (X, LABELS), {"weight": WEIGHT}),
    (nn.CrossEntropyLoss, F.cross_entropy, (X.T, LABELS), {"axis": 0}),
    (nn.CrossEntropyLoss, F.cross_entropy, (P, LABELS), {"use_softmax": False}),
    (nn.CrossEntropyLoss, F.cross_entropy, (X, Q), {"soft_label": True}),
    (nn.CrossEntropyLoss, F.cross_entropy, (X, LABELS), {"ignore_index": 1}),
    (nn.NLLLoss, F.nll_loss, (X, LABELS), {"weight": WEIGHT, "ignore_index": 0}),
    (nn.MSELoss, F.mse_loss, (X, Y), {"reduction": "sum"}),
    (nn.L1Loss, F.l1_loss, (X, Y), {"reduction": "none"}),
    (nn.SmoothL1Loss, F.smooth_l1_loss, (X, Y), {"delta": 0.5}),
    (nn.BCELoss, F.binary_cross_entropy, (P, Q), {"weight": WEIGHT}),
    (
        nn.BCEWithLogitsLoss,
        F.binary_cross_entropy_with_logits,
        (X, Q),
        {"weight": WEIGHT, "pos_weight": WEIGHT[::-1]},
    ),
    (nn.KLDivLoss, F.kl_div, (X, Q), {"reduction": "batchmean"}),
    (nn.SoftMarginLoss, F.soft_margin_loss, (X, SIGNS), {"reduction": "sum"}),
    (
        nn.MultiLabelSoftMarginLoss,
        F.multi_label_soft_margin_loss,
        (X, Q),
        {"weight": WEIGHT},
    ),
    (nn.HingeEmbeddingLoss, F.hinge_embedding_loss, (X, SIGNS), {"margin": 0.5}),
    (nn.MarginRankingLoss, F.margin_ranking_loss, (X, Y, SIGNS), {"margin": 0.5}),
    (
        nn.CosineEmbeddingLoss,
        F.cosine_embedding_loss,
        (X, Y, SIGNS[:, 0]),
        {"margin": 0.25},
    ),
    (nn.TripletMarginLoss, F.triplet_margin_loss, (X, Y, Z), {"swap": True, "p": 3.0}),
    (nn.CosineSimilarity, F.cosine_similarity, (X, Y), {"axis": 0}),
]


@pytest.mark.parametrize(
    ("layer", "function", "inputs", "options"),
    LAYERS,
    ids=[f"{layer.__name__} {list(options)}" for layer, _, _, options in LAYERS],
)
def test_a_layer_is_its_function_in_both_modes(
    layer: Any, function: Any, inputs: Any, options: Any
) -> None:
    wanted = np.asarray(function(*inputs, **options))
    tensors = [tg.to_tensor(x) for x in inputs]
    np.testing.assert_allclose(layer(**options)(*tensors).numpy(), wanted, rtol=1e-12)
    main = static.Program()
    with static.program_guard(main, static.Program()):
        fed = {f"x{i}": x for i, x in enumerate(inputs)}
        variables = [
            static.data(name, [-1, *x.shape[1:]], x.dtype) for name, x in fed.items()
        ]
        out = layer(**options)(*variables)
    (found,) = static.Executor().run(main, fed, [out])
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "inputs", "options"),
    [row[1:] for row in LAYERS if not {"axis", "soft_label"} & set(row[3])],
)
def test_the_options_make_a_difference(
    function: Any, inputs: Any, options: Any
) -> None:
    assert not np.allclose(function(*inputs, **options), function(*inputs))


def program_gives(label: Any, **options: Any) -> Any:
    """The loss of a Program that gets these labels."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x, variable = (
            static.data("x", [4, 3], "float64"),
            static.data("l", [4], "int64"),
        )
        loss = F.cross_entropy(x, variable, **options)
    (found,) = static.Executor().run(main, {"x": X, "l": label}, [loss])
    return found


def test_ignored_labels_are_left_out_of_the_mean() -> None:
    alone = F.cross_entropy(X[:2], LABELS[:2])
    np.testing.assert_allclose(F.cross_entropy(X, LABELS, ignore_index=1), alone)
    unknown = np.where(LABELS == 1, -100, LABELS)
    np.testing.assert_allclose(F.cross_entropy(X, unknown), alone)
    found = F.cross_entropy(tg.to_tensor(X), tg.to_tensor(unknown))
    np.testing.assert_allclose(found.numpy(), alone)


def test_a_program_looks_for_ignored_labels_only_if_told_which_as_in_paddle() -> None:
    """The mean of four losses, two of them 0; with an index given, of two."""
    alone = F.cross_entropy(X[:2], LABELS[:2])
    found = program_gives(np.where(LABELS == 1, -100, LABELS))
    np.testing.assert_allclose(found, alone / 2)
    found = program_gives(np.where(LABELS == 1, -1, LABELS), ignore_index=-1)
    np.testing.assert_allclose(found, alone)


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("label", [[-100] * 4, [1] * 4])
def test_the_mean_of_nothing_is_0_and_has_no_slope(weight: Any, label: Any) -> None:
    x = tg.to_tensor(X, stop_gradient=False)
    ignore = label[0]
    loss = F.cross_entropy(x, tg.to_tensor(label), weight, ignore_index=ignore)
    loss.backward()
    assert loss.item() == 0.0
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros((4, 3)))


def test_a_loss_of_each_has_the_shape_of_the_labels() -> None:
    for label in (LABELS, LABELS[:, None]):
        found = F.cross_entropy(X, label, reduction="none")
        assert found.shape == label.shape


def test_probabilities_of_0_give_no_infinity() -> None:
    sure = tg.to_tensor([[1.0, 0.0]], stop_gradient=False)
    wanted = tg.to_tensor([[1.0, 0.0]])
    loss = F.cross_entropy(sure, wanted, soft_label=True, use_softmax=False)
    loss.backward()
    assert loss.item() == 0.0
    assert sure.grad is not None
    assert sure.grad.tolist() == [[-1.0, 0.0]]


def tensors(*arrays: Any) -> list[Any]:
    return [tg.to_tensor(x) for x in arrays]


REFUSED: list[tuple[Any, tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    (F.cross_entropy, (X, LABELS + 1), {}, InvalidValueError, "got 3"),
    (F.cross_entropy, (X, LABELS - 1), {}, InvalidValueError, "got -1"),
    (F.cross_entropy, (X, LABELS * 1.0), {}, DTypeError, "float64"),
    (F.cross_entropy, (X, LABELS[:3]), {}, ShapeError, r"\[3, 1\]"),
    (F.cross_entropy, (X, Y[:, :2]), {"soft_label": True}, ShapeError, "soft"),
    (
        F.cross_entropy,
        (X, LABELS),
        {"weight": WEIGHT[:2]},
        OutOfRangeError,
        "class_weight",
    ),
    (F.nll_loss, (X, LABELS + 1), {}, InvalidValueError, "got 3"),
    (F.nll_loss, (X, LABELS[:3]), {}, ShapeError, "nll_loss"),
    (F.mse_loss, (X, Y[:3]), {}, ShapeError, "elementwise_sub"),
    (F.smooth_l1_loss, (X, Y[:1]), {}, ShapeError, "huber_loss"),
    (F.binary_cross_entropy, (X, Q), {}, InvalidValueError, "bce_loss"),
    (F.binary_cross_entropy, (P, Q[:3]), {}, ShapeError, "bce_loss"),
    (F.binary_cross_entropy, (P, Q > 0.5), {}, DTypeError, "bool"),
    (
        F.binary_cross_entropy_with_logits,
        (X, LABELS),
        {},
        OpError,
        "sigmoid_cross_entropy_with_logits",
    ),
    (F.kl_div, (X, Q[:3]), {}, ShapeError, "kldiv_loss"),
    (F.log_loss, (P, Q[:3]), {}, ShapeError, "log_loss"),
    (F.triplet_margin_loss, (X, Y, Z[:, :2]), {}, ShapeError, "elementwise_sub"),
    (F.cosine_similarity, (X, Y[:3]), {}, ShapeError, "elementwise_mul"),
]


@pytest.mark.parametrize(
    ("function", "inputs", "options", "error", "says"),
    REFUSED,
    ids=[f"{row[0].__name__}: {row[4]}" for row in REFUSED],
)
def test_what_is_refused_names_the_line(
    function: Any, inputs: Any, options: Any, error: Any, says: str
) -> None:
    given = tensors(*inputs)
    with pytest.raises(error, match=says) as caught:
        function(*given, **options)
    assert __file__ in str(caught.value)


TWO = [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.soft_margin_loss, F.kl_div]


@pytest.mark.parametrize("function", TWO, ids=lambda function: function.__name__)
def test_an_unknown_reduction_is_refused(function: Any) -> None:
    with pytest.raises(InvalidValueError, match="'median'") as caught:
        function(*tensors(X, Q), reduction="median")
    assert __file__ in str(caught.value)


def test_cross_entropy_refuses_an_unknown_reduction() -> None:
    for function in (F.cross_entropy, F.nll_loss):
        with pytest.raises(InvalidValueError, match="'mean', 'sum' or 'none'"):
            function(X, LABELS, reduction="median")


def test_probabilities_of_the_leaves_of_a_tree_sum_to_one() -> None:
    """With as many classes as a full tree has leaves, so that all paths are as long."""
    tree = nn.HSigmoidLoss(3, 8, bias_attr=nn.initializer.Uniform(-1.0, 1.0))
    for x in X.astype("float32"):
        each = tree(tg.to_tensor(np.tile(x, (8, 1))), tg.arange(8).reshape([8, 1]))
        assert np.exp(-each.numpy()).sum() == pytest.approx(1.0, abs=1e-5)


def test_losses_at_the_leaves_are_paddles() -> None:
    """Measured with Paddle 2.6.2: paths of two steps beside others of three."""
    x, w = numbers(6, 3), numbers(5, 3, start=70)
    label = np.arange(6).reshape(6, 1)
    found = F.hsigmoid_loss(x, label, 6, w, numbers(5, 1, start=130))
    np.testing.assert_allclose(found[:, 0], PADDLES_LEAVES, rtol=1e-6)


def test_a_tree_needs_two_leaves() -> None:
    with pytest.raises(InvalidValueError, match="must not be less than 2"):
        nn.HSigmoidLoss(3, 1)


def test_a_tree_learns_its_classes() -> None:
    tg.seed(0)
    x, label = tg.to_tensor(np.eye(5, dtype="float32")), tg.arange(5).reshape([5, 1])
    tree = nn.HSigmoidLoss(5, 5)
    adam = tg.optimizer.Adam(0.3, parameters=tree.parameters())
    for _ in range(100):
        tree(x, label).mean().backward()
        adam.step()
        adam.clear_grad()
    choices = [tree(x, tg.full([5, 1], k, "int64")).numpy()[:, 0] for k in range(5)]
    short = np.log(2.0) * np.array([0, 0, 0, 1, 1])[:, None]
    assert (np.stack(choices) + short).argmin(0).tolist() == [0, 1, 2, 3, 4]
