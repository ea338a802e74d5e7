"""Whole models with their optimizers, and as they are tested."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import XSHAPE, Row, explained
from tests.static.paddle_programs.programs.norms import MOMENTS
from tests.static.paddle_programs.programs.program import labels, program

explained(
    *(
        Row(XSHAPE, "variables", where, program="transformer_*", ours=ABSENT)
        for where in ("reshape2_?.tmp_1", "transpose_?.tmp_1")
    ),
    *(
        Row(MOMENTS, "variable", "*_norm_?.tmp_[01]", "stop_gradient", program)
        for program in ("resnet_block", "transformer_*", "mobilenet_*", "bert_*")
    ),
    *(
        Row(XSHAPE, "variables", where, program="bert_block", ours=ABSENT)
        for where in ("reshape2_?.tmp_1", "transpose_?.tmp_1")
    ),
    Row(
        "queries, keys and values are each projected and split in turn",
        "operators",
        program="bert_block",
    ),
    Row(
        "an axis counted from the end stays so",
        "attr",
        "flatten_contiguous_range*",
        "stop_axis",
        "mobilenet_block",
        paddle=3,
        ours=-1,
    ),
)


def classified(paddle: Any, hidden: Any, optimizer: Any) -> list[Any]:
    """Three classes of what was found: accuracy, a clone for a test, and training."""
    logits, label = paddle.static.nn.fc(hidden, 3), labels(paddle)
    loss = paddle.nn.functional.cross_entropy(logits, label)
    accuracy = paddle.static.accuracy(logits, label)
    test = paddle.static.default_main_program().clone(for_test=True)
    return [accuracy, test, optimizer.minimize(loss)]


@program
def lenet(paddle: Any) -> Any:
    f, nn = paddle.nn.functional, paddle.static.nn
    x = paddle.static.data("image", [None, 1, 16, 16])
    x = f.max_pool2d(nn.conv2d(x, 2, 3, padding=1, act="relu"), 2, 2)
    x = f.max_pool2d(nn.conv2d(x, 3, 5, act="relu"), 2, 2)
    x = nn.fc(nn.fc(x, 4, activation="relu"), 5, activation="relu")
    return classified(paddle, x, paddle.optimizer.Momentum(0.01, 0.9))


def normalised(
    paddle: Any, x: Any, filters: int, stride: int = 1, act: str | None = None
) -> Any:
    """A convolution without bias, then batch normalisation."""
    nn = paddle.static.nn
    conv = nn.conv2d(x, filters, 3, stride, 1, bias_attr=False)
    return nn.batch_norm(conv, act=act)


@program
def resnet_block(paddle: Any) -> Any:
    x = paddle.static.data("image", [None, 2, 6, 6])
    stem = normalised(paddle, x, 2, act="relu")
    out = normalised(paddle, stem, 4, 2, "relu")
    out = normalised(paddle, out, 4)
    short = paddle.static.nn.conv2d(stem, 4, 1, 2, bias_attr=False)
    short = paddle.static.nn.batch_norm(short)
    out = paddle.nn.functional.relu(out + short)
    pooled = paddle.nn.functional.adaptive_avg_pool2d(out, 1)
    decay = paddle.regularizer.L2Decay(1e-4)
    optimizer = paddle.optimizer.Momentum(0.1, 0.9, weight_decay=decay)
    return classified(paddle, pooled, optimizer)


@program
def words_classifier(paddle: Any) -> Any:
    words = paddle.static.data("words", [None, 5], "int64")
    rows = paddle.static.nn.embedding(words, [7, 4], padding_idx=0)
    mean = paddle.mean(rows, axis=1)
    hidden = paddle.static.nn.fc(mean, 3, activation="tanh")
    return classified(paddle, hidden, paddle.optimizer.Adam(0.01))


def attention(paddle: Any, x: Any, heads: int, size: int) -> Any:
    """Each word looks at all words, head by head."""
    fc = paddle.static.nn.fc

    def split(part: Any) -> Any:
        parts = paddle.reshape(part, [0, 0, heads, size // heads])
        return paddle.transpose(parts, [0, 2, 1, 3])

    query, key, value = (split(fc(x, size, 2, name=n)) for n in ("q", "k", "v"))
    scores = paddle.matmul(query, key, transpose_y=True) * (size // heads) ** -0.5
    weights = paddle.nn.functional.softmax(scores)
    context = paddle.transpose(paddle.matmul(weights, value), [0, 2, 1, 3])
    return fc(paddle.reshape(context, [0, 0, size]), size, 2)


@program
def transformer_encoder_layer(paddle: Any) -> Any:
    nn = paddle.static.nn
    words = paddle.static.data("words", [None, 3], "int64")
    x = nn.embedding(words, [5, 4])
    x = nn.layer_norm(x + attention(paddle, x, 2, 4), begin_norm_axis=2)
    wide = paddle.nn.functional.gelu(nn.fc(x, 8, 2))
    x = nn.layer_norm(x + nn.fc(wide, 4, 2), begin_norm_axis=2)
    optimizer = paddle.optimizer.Momentum(0.01, 0.9, use_nesterov=True)
    return classified(paddle, paddle.mean(x, axis=1), optimizer)


@program
def mobilenet_block(paddle: Any) -> Any:
    nn, relu6 = paddle.static.nn, paddle.nn.functional.relu6
    x = paddle.static.data("image", [None, 2, 6, 6])

    def step(x: Any, filters: int, size: int, act: Any = None, **more: Any) -> Any:
        x = nn.conv2d(x, filters, size, bias_attr=False, **more)
        x = nn.batch_norm(x)
        return x if act is None else act(x)

    wide = step(x, 4, 1, relu6)
    deep = step(wide, 4, 3, relu6, padding=1, groups=4, use_cudnn=False)
    out = x + step(deep, 2, 1)
    pooled = paddle.nn.functional.adaptive_avg_pool2d(out, 1)
    return classified(paddle, paddle.flatten(pooled, 1), paddle.optimizer.RMSProp(0.01))


@program
def bert_block(paddle: Any) -> Any:
    nn = paddle.nn
    words = paddle.static.data("words", [3, 3], "int64")
    kinds = paddle.static.data("kinds", [3, 3], "int64")
    x = nn.Embedding(7, 4)(words) + nn.Embedding(3, 4)(kinds)
    x = nn.LayerNorm(4)(x)
    x = nn.TransformerEncoderLayer(4, 2, 8, 0.0, activation="gelu")(x)
    pooled = paddle.tanh(nn.Linear(4, 4)(x[:, 0]))
    return classified(paddle, pooled, paddle.optimizer.SGD(0.01))
