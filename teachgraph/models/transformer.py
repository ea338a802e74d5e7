"""The Transformer for translation: an encoder, a causal decoder, and its loss.

The encoder reads the source; the decoder predicts the target, and attends at each
position to the source and to the earlier words of the target.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.models.decoding import Array, beam_search, evaluating, greedy_search
from teachgraph.nn import Dropout, Embedding, Layer, Linear, Transformer, functional
from teachgraph.nn.initializer import Assign, Normal
from teachgraph.ops import functions
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.optimizer import Adam
from teachgraph.optimizer.lr import NoamDecay

__all__ = ["TransformerModel", "noam_adam", "sinusoids", "smoothed_loss"]


def sinusoids(length: int, size: int) -> Array:
    """Compute sinusoidal position encodings, [length, size].

    Pair i of features is sine and cosine of position / 10000^(2 i / size). The pairs of
    two positions differ by a rotation, whose angle depends on their distance alone.

    >>> sinusoids(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]], dtype=float32)
    """
    rates = 10000.0 ** (-np.arange(0, size, 2) / size)
    angles = np.arange(length)[:, None] * rates
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(length, -1)
    return waves[:, :size].astype(np.float32)


class WordEmbedding(Layer):
    """Compute sqrt(d) table[word] + sinusoid[position], and dropout.

    The table is initialised with a deviation of 1 / sqrt(d), which suits the softmax
    where it is shared; the factor brings it to the scale of the sinusoids.
    """

    def __init__(self, table: Embedding, positions: Embedding, dropout: float) -> None:
        super().__init__()
        self.table, self.positions = table, positions
        self.dropout = Dropout(dropout)

    def forward(self, words: Any, at: Any) -> Any:
        """Embed words and positions, [batch, length], as [batch, length, d]."""
        scale = sqrt(self.table.embedding_dim)
        return self.dropout(self.table(words) * scale + self.positions(at))


class TransformerModel(Layer):
    """Encoder, decoder, embeddings and output layer, by default of the base model.

    From Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser and Polosukhin,
    Attention Is All You Need (2017).

    Args:
        src_vocab_size: The number of source words.
        trg_vocab_size: The number of target words.
        max_length: The longest text.
        num_encoder_layers: Layers of the encoder.
        num_decoder_layers: Layers of the decoder.
        n_head: Heads of attention in each.
        d_model: Features of a position.
        d_inner_hid: Hidden features of a layer's feed-forward network.
        dropout: Dropout probability.
        weight_sharing: Source, target and output layer share one table of words.
        bos_id: The first word of every target.
        eos_id: The last word of every target.
        pad_id: The padding word, which attention masks.

    Raises:
        InvalidValueError: A table is to be shared by vocabularies of different sizes.

    >>> import teachgraph as tg
    >>> net = TransformerModel(20, 30, 8, 1, 1, 2, 8, 16)
    >>> net(tg.to_tensor([[5, 6, 7]]), tg.to_tensor([[0, 3]])).shape
    [1, 2, 30]
    """

    def __init__(
        self,
        src_vocab_size: int,
        trg_vocab_size: int,
        max_length: int = 256,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        n_head: int = 8,
        d_model: int = 512,
        d_inner_hid: int = 2048,
        dropout: float = 0.1,
        weight_sharing: bool = False,
        bos_id: int = 0,
        eos_id: int = 1,
        pad_id: int = 2,
    ) -> None:
        super().__init__()
        if weight_sharing and src_vocab_size != trg_vocab_size:
            reason = f"{src_vocab_size} and {trg_vocab_size} words cannot share a table"
            raise InvalidValueError.here(f"weight_sharing: {reason}")
        self.bos_id, self.eos_id, self.pad_id = bos_id, eos_id, pad_id
        self.max_length = max_length
        fixed = Assign(sinusoids(max_length, d_model))
        places = Embedding(
            max_length, d_model, weight_attr=ParamAttr(None, fixed, trainable=False)
        )
        source = word_table(src_vocab_size, d_model)
        target = source if weight_sharing else word_table(trg_vocab_size, d_model)
        self.src_embedding = WordEmbedding(source, places, dropout)
        self.trg_embedding = WordEmbedding(target, places, dropout)
        self.transformer = Transformer(
            d_model,
            n_head,
            num_encoder_layers,
            num_decoder_layers,
            d_inner_hid,
            dropout,
        )
        self.out = None
        if not weight_sharing:
            self.out = Linear(d_model, trg_vocab_size, bias_attr=False)

    def encode(self, src_word: Any) -> tuple[Any, Any]:
        """Encode the source; return the memory, and the mask of non-padding words."""
        seen = functions.unsqueeze(src_word != self.pad_id, [1, 2])
        x = self.src_embedding(src_word, positions(src_word))
        return self.transformer.encoder(x, seen), seen

    def scores(self, x: Any) -> Any:
        """Compute a logit for each word, [batch, length, words]."""
        if self.out is not None:
            return self.out(x)
        table = self.trg_embedding.table.weight
        return functions.matmul(x, table, transpose_y=True)

    def forward(self, src_word: Any, trg_word: Any) -> Any:
        """Compute logits for the word after each of the target's.

        Args:
            src_word: The source [batch, source].
            trg_word: The target [batch, target], with `bos_id` before its first word.

        Returns:
            [batch, target, trg_vocab_size].
        """
        memory, seen = self.encode(src_word)
        at = positions(trg_word)
        causal = functions.unsqueeze(at, 1) <= functions.unsqueeze(at, 2)
        x = self.trg_embedding(trg_word, at)
        mask = functions.unsqueeze(causal, 1)
        return self.scores(self.transformer.decoder(x, memory, mask, seen))

    def next_words(self, words: Any, state: Any) -> tuple[Any, Any]:
        """Run one step of decoding; keys and values of earlier words are cached.

        Args:
            words: The last words [rows].
            state: The decoder's caches, and the source's mask.
        """
        caches, seen = state
        last = functions.unsqueeze(words, 1)
        at = functions.full_like(last, caches[0][0].k.shape[2])
        x = self.trg_embedding(last, at)
        x, caches = self.transformer.decoder(x, None, None, seen, caches)
        scores = functional.log_softmax(self.scores(x)[:, 0])
        return scores, (caches, seen)

    def translate(
        self,
        src_word: Any,
        beam_size: int = 1,
        max_length: int | None = None,
        alpha: float = 0.6,
    ) -> Array:
        """Search for the most probable target.

        Args:
            src_word: The source [batch, source].
            beam_size: The number of prefixes to follow; with 1 the search is greedy.
            max_length: The largest number of words.
            alpha: The strength of the length correction, as in `beam_search`.

        Returns:
            Words [batch, target], each row ending with `eos_id`.
        """
        with evaluating(self):
            memory, seen = self.encode(src_word)
            state = self.transformer.decoder.gen_cache(memory), seen
            length = min(max_length or self.max_length, self.max_length)
            rows, bos, eos = src_word.shape[0], self.bos_id, self.eos_id
            common = state, rows, bos, eos, length
            if beam_size == 1:
                return greedy_search(self.next_words, *common)
            return beam_search(self.next_words, *common, beam_size, alpha)[0][:, 0]


def word_table(words: int, size: int) -> Embedding:
    """Create a word embedding with the initial deviation 1 / sqrt(size)."""
    start = ParamAttr(initializer=Normal(0.0, size**-0.5))
    return Embedding(words, size, weight_attr=start)


def positions(words: Any) -> Any:
    """Compute positions 0, 1, ... along each row."""
    # Not `arange`: in a Program the length may be unknown until it runs.
    return functions.cumsum(functions.ones_like(words), axis=1) - 1


def smoothed_loss(logits: Any, labels: Any, pad_id: int, epsilon: float = 0.1) -> Any:
    """Compute the mean cross entropy with smoothed labels, padding excluded.

    A label has the weight 1 - epsilon, and the rest is spread evenly over all words, so
    that no logit has to grow without bound (Szegedy et al., 2015).

    Args:
        logits: [batch, length, words].
        labels: [batch, length].
        pad_id: The label to ignore.
        epsilon: The weight that is spread.
    """
    return functional.cross_entropy(
        logits, labels, ignore_index=pad_id, label_smoothing=epsilon
    )


def noam_adam(
    net: TransformerModel, warmup_steps: int = 4000, learning_rate: float = 1.0
) -> tuple[Adam, NoamDecay]:
    """Create Adam as in the paper: the rate rises linearly, then falls as 1 / sqrt(t).

    Returns:
        The optimizer and its schedule; call the `step()` of both in each iteration.
    """
    size = net.trg_embedding.table.embedding_dim
    rate = NoamDecay(size, warmup_steps, learning_rate)
    return Adam(rate, 0.9, 0.98, 1e-9, parameters=net.parameters()), rate
