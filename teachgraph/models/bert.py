"""BERT: an encoder that reads in both directions, trained to fill in words left out.

ERNIE is the same body with Paddle's hyper-parameters and one embedding more, which says
for what task it reads. What is learned on top, a head, takes either body.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Self

import numpy as np

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
"""The label of a word that is not to be guessed."""

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
"""From names of `transformers`; old files say gamma and beta."""

TIED = ["position_ids", "predictions.decoder.weight", "predictions.decoder.bias"]
"""What their files hold twice, or need not hold."""


@dataclass(frozen=True)
class BertConfig:
    """The sizes of a BERT, by default those of the base model.

    Attributes:
        vocab_size: How many words there are.
        hidden_size: Features of each position.
        num_hidden_layers: Layers of the encoder.
        num_attention_heads: Heads of attention in each.
        intermediate_size: Features within a layer's network.
        hidden_act: What bends there: "gelu" or "relu".
        hidden_dropout_prob: Share of features that is dropped in training.
        attention_probs_dropout_prob: Share of attention's weights, likewise.
        max_position_embeddings: The longest text.
        type_vocab_size: How many kinds of text there are, such as question and answer.
        initializer_range: The deviation of the first weights.
        layer_norm_eps: Added to variances.
        pad_token_id: What fills up texts that are shorter than others.
        task_type_vocab_size: How many tasks there are.
        use_task_id: Whether the task is told.
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
    def of(cls, told: Mapping[str, Any]) -> Self:
        """From a `config.json` of Hugging Face's; what else is in it is ignored.

        >>> BertConfig.of({"hidden_size": 16, "model_type": "bert"}).hidden_size
        16
        """
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in told.items() if name in known})

    @property
    def weight(self) -> ParamAttr:
        """How weights begin."""
        return ParamAttr(initializer=Normal(0.0, self.initializer_range))


@dataclass(frozen=True)
class ErnieConfig(BertConfig):
    """The sizes of an ERNIE, by default those of ERNIE 3.0 base (Chinese)."""

    vocab_size: int = 40000
    max_position_embeddings: int = 2048
    type_vocab_size: int = 4
    layer_norm_eps: float = 1e-5
    use_task_id: bool = True


class BertEmbeddings(Layer):
    """What the word is, where it stands, in which text, and for which task: the sum."""

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
        """Integers [batch, length], where only words are needed, to features."""
        zeros = functions.zeros_like(words)
        if positions is None:
            positions = functions.cumsum(functions.ones_like(words), axis=1) - 1
        x = self.word_embeddings(words) + self.position_embeddings(positions)
        x = x + self.token_type_embeddings(zeros if types is None else types)
        if hasattr(self, "task_type_embeddings"):
            x = x + self.task_type_embeddings(zeros if tasks is None else tasks)
        return self.dropout(self.layer_norm(x))


class BertModel(Layer):
    """The body: embeddings, an encoder, and a pool of the first position.

    From Devlin, Chang, Lee and Toutanova, BERT: Pre-training of Deep Bidirectional
    Transformers for Language Understanding (2018).

    Args:
        config: The sizes.
        with_pool: Whether there is a layer that makes one vector of each text.

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
        """Read texts.

        Args:
            input_ids: Words [batch, length].
            token_type_ids: The kind of text each stands in; by default 0.
            position_ids: Where each stands; by default 0, 1, ...
            attention_mask: 1 for words that may be looked at, 0 for padding.
            task_type_ids: The task, where the model has one; by default 0.
            output_hidden_states: Whether to return all layers' features too.

        Returns:
            Features [batch, length, hidden], the pool [batch, hidden] or None, and if
            asked for, a list of the embeddings and each layer's features.
        """
        given = input_ids, token_type_ids, position_ids, task_type_ids
        x = self.embeddings(*given)
        mask = None
        if attention_mask is not None:
            mask = functions.unsqueeze(attention_mask, [1, 2])
        states = [x]
        for layer in self.encoder.layers:
            x = layer(x, mask)
            states.append(x)
        pooled = None
        if self.pooler is not None:
            pooled = functions.tanh(self.pooler(x[:, 0]))
        return (x, pooled, states) if output_hidden_states else (x, pooled)


class ErnieModel(BertModel):
    """BERT's body with a task's embedding, and the sizes of an `ErnieConfig`.

    From Sun, Wang and others, ERNIE 3.0: Large-scale Knowledge Enhanced Pre-training
    for Language Understanding and Generation (2021).

    >>> import teachgraph as tg
    >>> net = ErnieModel(ErnieConfig(30, 16, 2, 2, 32, max_position_embeddings=8))
    >>> words = tg.to_tensor([[2, 7, 3]])
    >>> net(words, task_type_ids=tg.to_tensor([[1, 1, 1]]))[0].shape
    [1, 3, 16]
    """


class BertForSequenceClassification(Layer):
    """A class for each text, from the body's pool.

    Args:
        bert: The body, a `BertModel` or `ErnieModel`.
        num_classes: How many classes there are.
        dropout: Share of the pool that is dropped in training; by default the body's.

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
        """What the body takes, to logits [batch, num_classes]."""
        _, pooled, *_ = self.bert(input_ids, *inputs, **named)
        return self.classifier(self.dropout(pooled))


class BertForMaskedLM(Layer):
    """A word for each position: BERT's own training, to guess what was masked.

    The last product is with the table of word embeddings, so a word is likely where its
    embedding points the same way as the features.

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
        """What the body takes, to logits [batch, length, vocab_size]."""
        features, *_ = self.bert(input_ids, *inputs, **named)
        bend = getattr(functional, self.bert.config.hidden_act)
        x = self.layer_norm(bend(self.transform(features)))
        words = self.bert.embeddings.word_embeddings.weight
        return functions.matmul(x, words, transpose_y=True) + self.bias


def masked_lm_loss(logits: Any, labels: Any) -> Any:
    """The mean of -log p(word) over the masked positions, where a label is not -1."""
    return functional.cross_entropy(logits, labels, ignore_index=NO_LABEL)


def mask_words(
    words: Any, mask_token_id: int, vocab_size: int, share: float = 0.15
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Choose words to guess; of ten, hide eight, change one and leave one as it is.

    What is changed or left makes the model keep an eye on every word, for when it is
    used nothing is masked.

    Args:
        words: Integers [batch, length].
        mask_token_id: What stands for a hidden word.
        vocab_size: How many words there are.
        share: How many of all are chosen.

    Returns:
        Words to read, and labels: what stood there, or -1 where it was not chosen.
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
    """Give a body, or a body with a head, the values of one of `transformers`.

    Args:
        net: Of this module.
        state: Arrays by the names of `transformers`, or a safetensors file of them.
        strict: Whether every value must find its parameter, and the other way round.

    Returns:
        Our names that got no value, and their names that found no parameter.

    Raises:
        DataError: There are such names, with `strict`; nothing has changed.
    """
    bare = [("bert.", "")] if isinstance(net, BertModel) else []
    return load_pytorch(net, state, [*HUGGING_FACE, *bare], TIED, strict)
