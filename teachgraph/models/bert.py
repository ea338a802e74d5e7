"""BERT and ERNIE: bidirectional Transformer encoders, trained on masked words.

ERNIE is the same body with Paddle's hyper-parameters and one more embedding, of the
task. A head takes either body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Self

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.random import generator
from teachgraph.models.weights import Names, load_pytorch
from teachgraph.nn import (
    Dropout,
    Embedding,
    Layer,
    LayerNorm,
    Linear,
    TransformerEncoder,
    TransformerEncoderLayer,
    functional,
)
from teachgraph.nn.initializer import Normal
from teachgraph.ops import functions
from teachgraph.ops.param_attr import ParamAttr

__all__ = [
    "BertConfig",
    "BertForMaskedLM",
    "BertForSequenceClassification",
    "BertModel",
    "ErnieConfig",
    "ErnieModel",
    "load_huggingface",
    "mask_words",
    "masked_lm_loss",
]

NO_LABEL = -1
"""The label of a word that is not masked, which the loss ignores."""

HUGGING_FACE: Names = [
    ("ernie.", "bert."),
    ("encoder.layer.", "encoder.layers."),
    ("attention.self.query", "self_attn.q_proj"),
    ("attention.self.key", "self_attn.k_proj"),
    ("attention.self.value", "self_attn.v_proj"),
    ("attention.output.dense", "self_attn.out_proj"),
    ("attention.output.LayerNorm", "norm1"),
    ("intermediate.dense", "linear1"),
    ("output.dense", "linear2"),
    ("output.LayerNorm", "norm2"),
    ("pooler.dense", "pooler"),
    ("cls.predictions.transform.dense", "transform"),
    ("cls.predictions.transform.LayerNorm", "layer_norm"),
    ("cls.predictions.bias", "bias"),
    ("LayerNorm", "layer_norm"),
    ("layer_norm.gamma", "layer_norm.weight"),
    ("layer_norm.beta", "layer_norm.bias"),
    ("norm1.gamma", "norm1.weight"),
    ("norm1.beta", "norm1.bias"),
    ("norm2.gamma", "norm2.weight"),
    ("norm2.beta", "norm2.bias"),
]
"""Renames from `transformers`; old files say gamma and beta."""

TIED = ["position_ids", "predictions.decoder.weight", "predictions.decoder.bias"]
"""Entries of their files that are tied to another one, or constant."""


@dataclass(frozen=True)
class BertConfig:
    """Hyper-parameters of a BERT, by default those of the base model.

    Attributes:
        vocab_size: The number of words.
        hidden_size: Features of each position.
        num_hidden_layers: Layers of the encoder.
        num_attention_heads: Heads of attention in each.
        intermediate_size: Hidden features of a layer's feed-forward network.
        hidden_act: The activation there: "gelu" or "relu".
        hidden_dropout_prob: Dropout probability of features.
        attention_probs_dropout_prob: Dropout probability of attention weights.
        max_position_embeddings: The longest text.
        type_vocab_size: The number of text types, such as question and answer.
        initializer_range: The standard deviation of initial weights.
        layer_norm_eps: Added to variances.
        pad_token_id: The padding word.
        task_type_vocab_size: The number of tasks.
        use_task_id: Add an embedding of the task.
    """

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    task_type_vocab_size: int = 3
    use_task_id: bool = False

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Create a config from Hugging Face's `config.json`; unknown keys are ignored.

        >>> BertConfig.of({"hidden_size": 16, "model_type": "bert"}).hidden_size
        16
        """
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    @property
    def weight(self) -> ParamAttr:
        """Initializer of the weights."""
        return ParamAttr(initializer=Normal(0.0, self.initializer_range))


@dataclass(frozen=True)
class ErnieConfig(BertConfig):
    """Hyper-parameters of an ERNIE, by default those of ERNIE 3.0 base (Chinese)."""

    vocab_size: int = 40000
    max_position_embeddings: int = 2048
    type_vocab_size: int = 4
    layer_norm_eps: float = 1e-5
    use_task_id: bool = True


class BertEmbeddings(Layer):
    """Sum of word, position, text type and task embeddings; LayerNorm and dropout."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()

        def table(rows: int) -> Embedding:
            return Embedding(rows, config.hidden_size, weight_attr=config.weight)

        self.word_embeddings = table(config.vocab_size)
        self.position_embeddings = table(config.max_position_embeddings)
        self.token_type_embeddings = table(config.type_vocab_size)
        if config.use_task_id:
            self.task_type_embeddings = table(config.task_type_vocab_size)
        self.layer_norm = LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = Dropout(config.hidden_dropout_prob)

    def forward(
        self, words: Any, types: Any = None, positions: Any = None, tasks: Any = None
    ) -> Any:
        """Embed integers [batch, length]; only `words` are required."""
        zeros = functions.zeros_like(words)
        if positions is None:
            positions = functions.cumsum(functions.ones_like(words), axis=1) - 1
        x = self.word_embeddings(words) + self.position_embeddings(positions)
        x = x + self.token_type_embeddings(zeros if types is None else types)
        if hasattr(self, "task_type_embeddings"):
            x = x + self.task_type_embeddings(zeros if tasks is None else tasks)
        return self.dropout(self.layer_norm(x))


class BertModel(Layer):
    """BERT's body: embeddings, an encoder, and a pooler of the first position.

    From Devlin, Chang, Lee and Toutanova, BERT: Pre-training of Deep Bidirectional
    Transformers for Language Understanding (2018).

    Args:
        config: The hyper-parameters.
        with_pool: Add the pooler, which computes one vector per text.

    >>> import teachgraph as tg
    >>> net = BertModel(BertConfig(30, 16, 2, 2, 32))
    >>> hidden, pooled = net(tg.to_tensor([[2, 7, 3], [2, 9, 3]]))
    >>> hidden.shape, pooled.shape
    ([2, 3, 16], [2, 16])
    """

    def __init__(self, config: BertConfig, with_pool: bool = True) -> None:
        super().__init__()
        self.config, size = config, config.hidden_size
        self.embeddings = BertEmbeddings(config)
        layer = TransformerEncoderLayer(
            size,
            config.num_attention_heads,
            config.intermediate_size,
            config.hidden_dropout_prob,
            config.hidden_act,
            config.attention_probs_dropout_prob,
            act_dropout=0.0,
            weight_attr=config.weight,
            layer_norm_eps=config.layer_norm_eps,
        )
        self.encoder = TransformerEncoder(layer, config.num_hidden_layers)
        self.pooler = Linear(size, size, config.weight) if with_pool else None

    def forward(
        self,
        input_ids: Any,
        token_type_ids: Any = None,
        position_ids: Any = None,
        attention_mask: Any = None,
        task_type_ids: Any = None,
        output_hidden_states: bool = False,
    ) -> tuple[Any, ...]:
        """Encode texts.

        Args:
            input_ids: Words [batch, length].
            token_type_ids: The text type of each; by default 0.
            position_ids: The position of each; by default 0, 1, ...
            attention_mask: 1 for words that may be attended to, 0 for others, of any
                dtype: [batch, length], or [batch, length, length], a row for each word
                that attends. With four dimensions it broadcasts to [batch, heads,
                length, length], and floating numbers are added to the scores: 0, or
                below -1e4 to mask.
            task_type_ids: The task, where the model has one; by default 0.
            output_hidden_states: Whether to return all layers' features too.

        Returns:
            Features [batch, length, hidden], the pooled [batch, hidden] or None, and on
            request a list of the embeddings and each layer's features.
        """
        x = self.embeddings(input_ids, token_type_ids, position_ids, task_type_ids)
        mask = None if attention_mask is None else over_heads(attention_mask)
        states = [x]
        for layer in self.encoder.layers:
            x = layer(x, mask)
            states.append(x)
        pooled = None
        if self.pooler is not None:
            pooled = functions.tanh(self.pooler(x[:, 0]))
        return (x, pooled, states) if output_hidden_states else (x, pooled)


def over_heads(mask: Any) -> Any:
    """Reshape an attention mask to four dimensions: one for the heads, one for queries.

    Raises:
        ShapeError: It has neither two, three nor four dimensions.
    """
    ndim = len(mask.shape)
    if ndim == 4:
        return mask
    if ndim not in {2, 3}:
        raise ShapeError.here(
            "attention_mask is [batch, length], [batch, length, length] or "
            f"[batch, heads, length, length], got {list(mask.shape)}"
        )
    axes = [1, 2] if ndim == 2 else [1]
    return functions.unsqueeze(mask, axes).astype("int64")


class ErnieModel(BertModel):
    """BERT's body with a task embedding, for an `ErnieConfig`.

    From Sun, Wang and others, ERNIE 3.0: Large-scale Knowledge Enhanced Pre-training
    for Language Understanding and Generation (2021).

    >>> import teachgraph as tg
    >>> net = ErnieModel(ErnieConfig(30, 16, 2, 2, 32, max_position_embeddings=8))
    >>> words = tg.to_tensor([[2, 7, 3]])
    >>> net(words, task_type_ids=tg.to_tensor([[1, 1, 1]]))[0].shape
    [1, 3, 16]
    """


class BertForSequenceClassification(Layer):
    """Classifier of texts: a linear layer on the pooled output of a body.

    Args:
        bert: The body, a `BertModel` or `ErnieModel`.
        num_classes: The number of classes.
        dropout: Dropout probability of the pooled output; by default the body's.

    >>> import teachgraph as tg
    >>> net = BertForSequenceClassification(BertModel(BertConfig(30, 16, 2, 2, 32)), 3)
    >>> net(tg.to_tensor([[2, 7, 3], [2, 9, 3]])).shape
    [2, 3]
    """

    def __init__(
        self, bert: BertModel, num_classes: int = 2, dropout: float | None = None
    ) -> None:
        super().__init__()
        self.bert, config = bert, bert.config
        share = config.hidden_dropout_prob if dropout is None else dropout
        self.dropout = Dropout(share)
        self.classifier = Linear(config.hidden_size, num_classes, config.weight)

    def forward(self, input_ids: Any, *inputs: Any, **named: Any) -> Any:
        """Compute logits [batch, num_classes] from the body's inputs."""
        _, pooled, *_ = self.bert(input_ids, *inputs, **named)
        return self.classifier(self.dropout(pooled))


class BertForMaskedLM(Layer):
    """Masked language model: predicts a word for each position, BERT's pre-training.

    The output weight is tied to the word embedding, so a word is likely where its
    embedding points in the direction of the features.

    >>> import teachgraph as tg
    >>> net = BertForMaskedLM(BertModel(BertConfig(30, 16, 2, 2, 32), with_pool=False))
    >>> net(tg.to_tensor([[2, 7, 3]])).shape
    [1, 3, 30]
    """

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert, config = bert, bert.config
        self.transform = Linear(config.hidden_size, config.hidden_size, config.weight)
        self.layer_norm = LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.bias = self.create_parameter([config.vocab_size], is_bias=True)

    def forward(self, input_ids: Any, *inputs: Any, **named: Any) -> Any:
        """Compute logits [batch, length, vocab_size] from the body's inputs."""
        features, *_ = self.bert(input_ids, *inputs, **named)
        activation = getattr(functional, self.bert.config.hidden_act)
        x = self.layer_norm(activation(self.transform(features)))
        words = self.bert.embeddings.word_embeddings.weight
        return functions.matmul(x, words, transpose_y=True) + self.bias


def masked_lm_loss(logits: Any, labels: Any) -> Any:
    """Compute the mean of -log p(word) over positions whose label is not -1."""
    return functional.cross_entropy(logits, labels, ignore_index=NO_LABEL)


def mask_words(
    words: Any, mask_token_id: int, vocab_size: int, share: float = 0.15
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Choose words to predict: mask 80 %, replace 10 % at random, leave 10 % unchanged.

    Without the last two the model would learn features for masked positions only, and
    in use nothing is masked.

    Args:
        words: Integers [batch, length].
        mask_token_id: The mask's id.
        vocab_size: The number of words.
        share: The fraction of words to choose.

    Returns:
        The input words, and labels: the original word, or -1 where it was not chosen.
    """
    words = np.asarray(words)
    chosen, fate = generator().random((2, *words.shape))
    chosen = chosen < share
    other = generator().integers(vocab_size, size=words.shape)
    read = np.where(chosen & (fate < 0.8), mask_token_id, words)
    read = np.where(chosen & (fate >= 0.9), other, read)
    return read, np.where(chosen, words, NO_LABEL)


def load_huggingface(
    net: Layer,
    state: Mapping[str, Any] | str | PathLike[str],
    strict: bool = True,
) -> tuple[list[str], list[str]]:
    """Load weights of `transformers` into a body, with or without a head.

    Args:
        net: A network of this module.
        state: Arrays by the names of `transformers`, or a safetensors file of them.
        strict: Refuse missing and unexpected names.

    Returns:
        The missing names (ours) and the unexpected names (theirs).

    Raises:
        DataError: With `strict`, there are such names; nothing has changed.
    """
    # A body alone has no prefix; this rule must come after those that rely on it.
    bare = [("bert.", "")] if isinstance(net, BertModel) else []
    return load_pytorch(net, state, [*HUGGING_FACE, *bare], TIED, strict)
