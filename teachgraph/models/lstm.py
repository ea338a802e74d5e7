"""LSTM networks for text: a language model and a classifier."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from teachgraph.autograd.creation import to_tensor
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import no_grad
from teachgraph.core.random import generator
from teachgraph.models.decoding import Array, evaluating
from teachgraph.nn import LSTM, Dropout, Embedding, Layer, Linear, functional
from teachgraph.ops import functions

__all__ = ["LSTMClassifier", "LSTMLanguageModel", "perplexity"]


class LSTMLanguageModel(Layer):
    """Language model: p(next word | previous words), from an LSTM's outputs.

    From Zaremba, Sutskever and Vinyals, Recurrent Neural Network Regularization (2014):
    dropout between the layers, and none along time.

    Args:
        vocab_size: The number of words.
        embedding_size: Features of a word.
        hidden_size: Features of the LSTM.
        num_layers: Its layers.
        dropout: Dropout probability.
        tied: Share the embedding's weight with the output layer, which saves about
            half of the parameters (Press and Wolf, 2017).

    Raises:
        InvalidValueError: `tied`, but the sizes differ.

    >>> import teachgraph as tg
    >>> logits, (h, c) = LSTMLanguageModel(20, 8, 8)(tg.to_tensor([[4, 5, 6]]))
    >>> logits.shape, h.shape, c.shape
    ([1, 3, 20], [1, 1, 8], [1, 1, 8])
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int = 200,
        hidden_size: int = 200,
        num_layers: int = 1,
        dropout: float = 0.0,
        tied: bool = False,
    ) -> None:
        super().__init__()
        if tied and embedding_size != hidden_size:
            sizes = f"embedding and hidden size are {embedding_size} and {hidden_size}"
            raise InvalidValueError.here(f"tied: {sizes}, they must be equal")
        self.embedding = Embedding(vocab_size, embedding_size)
        self.dropout = Dropout(dropout)
        self.lstm = LSTM(embedding_size, hidden_size, num_layers, dropout=dropout)
        self.out = None if tied else Linear(hidden_size, vocab_size)
        self.bias = None
        if tied:
            self.bias = self.create_parameter([vocab_size], is_bias=True)

    def forward(self, words: Any, states: Any = None) -> tuple[Any, Any]:
        """Compute logits of the word after each, and the final states.

        Args:
            words: [batch, steps].
            states: (h, c), each [layers, batch, hidden]; by default zeros.

        Returns:
            [batch, steps, vocab_size], and (h, c).
        """
        x = self.dropout(self.embedding(words))
        x, states = self.lstm(x, states)
        x = self.dropout(x)
        if self.out is not None:
            return self.out(x), states
        table = self.embedding.weight
        return functions.matmul(x, table, transpose_y=True) + self.bias, states

    def generate(
        self,
        words: Any,
        length: int,
        temperature: float = 1.0,
        top_k: int | None = None,
    ) -> Array:
        """Sample a continuation of the given words.

        Args:
            words: [batch, steps], at least one step.
            length: The number of words to add.
            temperature: The divisor of the logits: below 1 sharpens the distribution,
                above 1 flattens it; 0 takes the most likely word.
            top_k: Sample from the k most likely words; by default from all.

        Returns:
            The added words, [batch, length].
        """
        added: list[Array] = []
        with evaluating(self):
            logits, states = self(words)
            while len(added) < length:
                row = sample(logits.numpy()[:, -1], temperature, top_k)
                added.append(row)
                logits, states = self(to_tensor(row[:, None]), states)
        return np.stack(added, axis=1)


def sample(logits: Array, temperature: float, top_k: int | None) -> Array:
    """Sample a word for each row of logits [batch, words].

    The argmax of logits plus Gumbel noise, -log(-log u), is a draw from the softmax.

    >>> sample(np.array([[1.0, 3.0, 2.0]]), 0.0, None).tolist()
    [1]
    """
    if top_k is not None:
        least = np.sort(logits, axis=1)[:, -top_k, None]
        logits = np.where(logits < least, -np.inf, logits)
    if temperature:
        logits = logits / temperature + generator().gumbel(size=logits.shape)
    return np.asarray(logits.argmax(axis=1))


@no_grad
def perplexity(net: LSTMLanguageModel, words: Any) -> float:
    """Compute the perplexity: exp of the mean of -log p(word), the first word excluded.

    It is the number of equally likely words that would be as hard to predict.

    Args:
        net: A language model.
        words: [batch, steps].

    >>> import teachgraph as tg
    >>> net = LSTMLanguageModel(20, 8, 8)
    >>> for parameter in net.parameters():
    ...     parameter.set_value(tg.zeros_like(parameter))
    >>> round(perplexity(net, tg.to_tensor([[4, 5, 6]])), 4)
    20.0
    """
    logits, _ = net(words[:, :-1])
    loss: Tensor = functional.cross_entropy(logits, words[:, 1:])
    return exp(loss.item())


class LSTMClassifier(Layer):
    """Classifier of texts, from the final states of a bidirectional LSTM.

    Args:
        vocab_size: The number of words.
        num_classes: The number of classes.
        embedding_size: Features of a word.
        hidden_size: Features of the LSTM in each direction.
        num_layers: Its layers.
        dropout: Dropout probability.

    From Graves and Schmidhuber, Framewise Phoneme Classification with Bidirectional
    LSTM (2005).

    >>> import teachgraph as tg
    >>> net = LSTMClassifier(20, 3, 8, 8)
    >>> net(tg.to_tensor([[4, 5, 6], [7, 0, 0]]), tg.to_tensor([3, 1])).shape
    [2, 3]
    """

    def __init__(
        self,
        vocab_size: int,
        num_classes: int = 2,
        embedding_size: int = 128,
        hidden_size: int = 128,
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = Embedding(vocab_size, embedding_size)
        self.lstm = LSTM(
            embedding_size, hidden_size, num_layers, "bidirect", dropout=dropout
        )
        self.dropout = Dropout(dropout)
        self.classifier = Linear(2 * hidden_size, num_classes)

    def forward(self, words: Any, sequence_length: Any = None) -> Any:
        """Compute the logits of texts.

        Args:
            words: [batch, steps].
            sequence_length: The length of each text without padding, [batch].

        Returns:
            [batch, num_classes].
        """
        _, (h, _) = self.lstm(self.embedding(words), None, sequence_length)
        # The last layer's two directions: forward at the end, backward at the start.
        ends = functions.concat([h[-2], h[-1]], axis=-1)
        return self.classifier(self.dropout(ends))
