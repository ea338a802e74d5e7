"""Multi-head attention, Transformer encoder and decoder.

    attention(Q, K, V) = softmax(Q K' / sqrt(d)) V

Each position gets the mean of all values, weighted by how well their keys match its
query (Vaswani et al., 2017).
"""

from __future__ import annotations

from math import sqrt
from typing import Any, ClassVar, NamedTuple

from teachgraph.core.errors import InvalidValueError
from teachgraph.nn import functional
from teachgraph.nn.container import LayerList
from teachgraph.nn.dropout import Dropout
from teachgraph.nn.layer import Layer
from teachgraph.nn.linear import Linear
from teachgraph.nn.norm import LayerNorm
from teachgraph.ops import functions

__all__ = [
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


class Cache(NamedTuple):
    """Keys and values of earlier positions; grows step by step."""

    k: Any
    v: Any


class StaticCache(NamedTuple):
    """Keys and values of a fixed memory."""

    k: Any
    v: Any


def as_bias(attn_mask: Any, dtype: Any) -> Any:
    """Convert a bool or int mask to numbers to add: -1e9 where it is 0."""
    # Not -inf: a row without any allowed key would be NaN after softmax.
    if attn_mask is None or attn_mask.dtype.kind == "f":
        return attn_mask
    return (attn_mask.astype(dtype) - 1.0) * 1e9


class MultiHeadAttention(Layer):
    """Multi-head attention: parallel heads, each on its own part of the features.

    Args:
        embed_dim: Features of the queries, and of the result.
        num_heads: The number of heads; must divide `embed_dim`.
        dropout: Dropout probability of the weights.
        kdim, vdim: Features of the keys and of the values, if different.
        need_weights: Return the weights too.
        weight_attr, bias_attr: ParamAttr of the four projections' parameters.

    In Paddle this is `paddle.nn.MultiHeadAttention`.

    >>> import teachgraph as tg
    >>> MultiHeadAttention(8, 2)(tg.ones([2, 5, 8])).shape
    [2, 5, 8]
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: int | None = None,
        vdim: int | None = None,
        need_weights: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise InvalidValueError.here(
                f"embed_dim must be a positive multiple of num_heads, got "
                f"{embed_dim} and {num_heads}"
            )
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout, self.need_weights = dropout, need_weights
        attrs = weight_attr, bias_attr
        self.q_proj = Linear(embed_dim, embed_dim, *attrs)
        self.k_proj = Linear(kdim or embed_dim, embed_dim, *attrs)
        self.v_proj = Linear(vdim or embed_dim, embed_dim, *attrs)
        self.out_proj = Linear(embed_dim, embed_dim, *attrs)

    def heads(self, x: Any) -> Any:
        """Split [batch, steps, features] to [batch, heads, steps, head_dim]."""
        parts = functions.reshape(x, [0, 0, self.num_heads, self.head_dim])
        return functions.transpose(parts, [0, 2, 1, 3])

    def compute_kv(self, key: Any, value: Any) -> tuple[Any, Any]:
        """Project keys and values, and part them in heads.

        In Paddle this is `paddle.nn.MultiHeadAttention.compute_kv`.
        """
        return self.heads(self.k_proj(key)), self.heads(self.v_proj(value))

    def gen_cache(self, key: Any, value: Any = None, type: Any = Cache) -> Any:
        """Create a cache: of a memory (StaticCache), empty, or of keys and values.

        In Paddle this is `paddle.nn.MultiHeadAttention.gen_cache`.
        """
        if type is StaticCache:
            value = key if value is None else value
            return StaticCache(*self.compute_kv(key, value))
        if value is None:
            shape = [key.shape[0], self.num_heads, 0, self.head_dim]
            return Cache(functions.zeros(shape), functions.zeros(shape))
        return Cache(key, value)

    def keys_and_values(self, key: Any, value: Any, cache: Any) -> tuple[Any, Any]:
        """Project keys and values, and append them to those in the cache."""
        if isinstance(cache, StaticCache):
            return cache
        k, v = self.compute_kv(key, value)
        if cache is None:
            return k, v
        return functions.concat([cache.k, k], 2), functions.concat([cache.v, v], 2)

    def forward(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        attn_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        """Compute attention of `query` to `key` and `value` (by default to itself).

        Args:
            query: [batch, queries, embed_dim].
            key: [batch, keys, kdim].
            value: [batch, keys, vdim].
            attn_mask: Broadcasts to [batch, heads, queries, keys]: bool, False for
                masked positions, or numbers that are added before softmax.
            cache: From `gen_cache`, for step-by-step decoding.

        Returns:
            [batch, queries, embed_dim]; with `need_weights` and `cache` a tuple of it,
            the weights and the new cache.
        """
        key = query if key is None else key
        value = key if value is None else value
        q = self.heads(self.q_proj(query))
        k, v = self.keys_and_values(key, value, cache)
        # Scaling q costs less than scaling the [queries, keys] scores.
        scores = functions.matmul(q * (1.0 / sqrt(self.head_dim)), k, transpose_y=True)
        mask = as_bias(attn_mask, scores.dtype)
        weights = functional.softmax(scores if mask is None else scores + mask)
        if self.dropout:
            weights = functional.dropout(weights, self.dropout, training=self.training)
        merged = functions.transpose(functions.matmul(weights, v), [0, 2, 1, 3])
        out = self.out_proj(functions.reshape(merged, [0, 0, self.embed_dim]))
        results = [out]
        if self.need_weights:
            results.append(weights)
        if cache is not None:
            results.append(cache if isinstance(cache, StaticCache) else Cache(k, v))
        return results[0] if len(results) == 1 else tuple(results)


HIDDEN = ("self", "__class__")
"""Names in `locals()` of `__init__` that are no arguments."""


class Block(Layer):
    """Base of encoder and decoder layers: attentions, then a feed-forward network.

    Attributes:
        attentions: The names of its attentions, in order.
    """

    attentions: ClassVar[tuple[str, ...]] = ()
    self_attn: MultiHeadAttention
    cross_attn: MultiHeadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        layer_norm_eps: float = 1e-5,
    ) -> None:
        self._config = {k: v for k, v in locals().items() if k not in HIDDEN}
        super().__init__()
        self.normalize_before, self.activation = normalize_before, activation
        parts = len(self.attentions) + 1
        *attrs, last = zip(
            per_part(weight_attr, parts), per_part(bias_attr, parts), strict=True
        )
        drop = dropout if attn_dropout is None else attn_dropout
        for name, (weight, bias) in zip(self.attentions, attrs, strict=True):
            attention = MultiHeadAttention(
                d_model, nhead, drop, weight_attr=weight, bias_attr=bias
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, *last)
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, *last)
        for part in range(1, parts + 1):
            setattr(self, f"norm{part}", LayerNorm(d_model, layer_norm_eps))
        for part in range(1, parts + 1):
            setattr(self, f"dropout{part}", Dropout(dropout))

    def feed_forward(self, x: Any) -> Any:
        """Compute W2 f(W1 x), for each position."""
        activation = getattr(functional, self.activation)
        return self.linear2(self.dropout(activation(self.linear1(x))))

    def residual(self, x: Any, number: int, part: Any) -> Any:
        """Compute x + part(x), with LayerNorm after it or before each part."""
        norm, drop = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.normalize_before:
            return x + drop(part(norm(x)))
        return norm(x + drop(part(x)))


class TransformerEncoderLayer(Block):
    """Encoder layer: self-attention and a feed-forward network, with residuals.

    Args:
        d_model: Features.
        nhead: Heads of attention.
        dim_feedforward: Hidden features of the network.
        dropout: Between the parts.
        activation: "relu" or "gelu".
        attn_dropout: Of the attention's weights; by default as `dropout`.
        act_dropout: After the activation; by default as `dropout`.
        normalize_before: Normalise before each part instead of after.
        weight_attr, bias_attr: ParamAttr of attention and network; a list of two gives
            each its own.
        layer_norm_eps: Added to the variance.

    In Paddle this is `paddle.nn.TransformerEncoderLayer`.

    >>> import teachgraph as tg
    >>> TransformerEncoderLayer(8, 2, 16)(tg.ones([2, 5, 8])).shape
    [2, 5, 8]
    """

    attentions = ("self_attn",)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Map [batch, steps, d_model] to the same; with a cache also return the new."""
        caches: list[Any] = []

        def attend(x: Any) -> Any:
            result = self.self_attn(x, x, x, src_mask, cache)
            return without_cache(result, cache, caches)

        x = self.residual(src, 1, attend)
        x = self.residual(x, 2, self.feed_forward)
        return x if cache is None else (x, caches[0])

    def gen_cache(self, src: Any) -> Any:
        """Create an empty cache for `forward`."""
        return self.self_attn.gen_cache(src)


class TransformerDecoderLayer(Block):
    """Decoder layer: self-attention, cross-attention to the memory, feed-forward.

    The arguments are those of `TransformerEncoderLayer`; a list of three gives each
    part attrs of its own. In Paddle this is `paddle.nn.TransformerDecoderLayer`.
    """

    attentions = ("self_attn", "cross_attn")

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        """Map [batch, steps, d_model] to the same; with caches also return the new."""
        own, fixed = (None, None) if cache is None else cache
        caches: list[Any] = []

        def self_attention(x: Any) -> Any:
            result = self.self_attn(x, x, x, tgt_mask, own)
            return without_cache(result, own, caches)

        def cross_attention(x: Any) -> Any:
            result = self.cross_attn(x, memory, memory, memory_mask, fixed)
            return without_cache(result, fixed, caches)

        x = self.residual(tgt, 1, self_attention)
        x = self.residual(x, 2, cross_attention)
        x = self.residual(x, 3, self.feed_forward)
        return x if cache is None else (x, tuple(caches))

    def gen_cache(self, memory: Any) -> tuple[Any, Any]:
        """Create an empty cache of its own positions, and a fixed one of the memory."""
        fixed = self.cross_attn.gen_cache(memory, memory, StaticCache)
        return self.self_attn.gen_cache(memory), fixed


def per_part(attr: Any, count: int) -> list[Any]:
    """Expand an attr to one for each part."""
    if isinstance(attr, (list, tuple)):
        return list(attr) if len(attr) == count else list(attr) * count
    return [attr] * count


def without_cache(result: Any, cache: Any, caches: list[Any]) -> Any:
    """Unpack attention's result; append the new cache, if any, to `caches`."""
    if cache is None:
        return result
    caches.append(result[-1])
    return result[0]


def copies(layer: Any, count: int) -> LayerList:
    """List the layer itself, and new ones of its config with their own parameters."""
    # New layers, not deep copies: each draws its own initial weights.
    others = [type(layer)(**layer._config) for _ in range(count - 1)]
    return LayerList([layer, *others])


class TransformerEncoder(Layer):
    """Stack of encoder layers.

    In Paddle this is `paddle.nn.TransformerEncoder`.
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """Map [batch, steps, d_model] to the same; with caches also return the new."""
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, src_mask)
            else:
                src, new = layer(src, src_mask, cache[i])
                caches.append(new)
        out = src if self.norm is None else self.norm(src)
        return out if cache is None else (out, caches)

    def gen_cache(self, src: Any) -> list[Any]:
        """Create empty caches for all layers."""
        return [layer.gen_cache(src) for layer in self.layers]


class TransformerDecoder(Layer):
    """Stack of decoder layers.

    In Paddle this is `paddle.nn.TransformerDecoder`.
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        cache: Any = None,
    ) -> Any:
        """Map [batch, steps, d_model] to the same; with caches also return the new."""
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                tgt = layer(tgt, memory, tgt_mask, memory_mask)
            else:
                tgt, new = layer(tgt, memory, tgt_mask, memory_mask, cache[i])
                caches.append(new)
        out = tgt if self.norm is None else self.norm(tgt)
        return out if cache is None else (out, caches)

    def gen_cache(self, memory: Any, do_zip: bool = False) -> list[Any]:
        """Create caches for all layers; `do_zip` groups own ones and the memory's."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches, strict=True)) if do_zip else caches


class Transformer(Layer):
    """Encoder and decoder (Vaswani et al., 2017).

    In Paddle this is `paddle.nn.Transformer`.

    >>> import teachgraph as tg
    >>> net = Transformer(8, 2, 1, 1, 16)
    >>> net(tg.ones([2, 5, 8]), tg.ones([2, 3, 8])).shape
    [2, 3, 8]
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
    ) -> None:
        super().__init__()
        self.d_model, self.nhead = d_model, nhead
        shape = (d_model, nhead, dim_feedforward, dropout, activation)
        rest = (attn_dropout, act_dropout, normalize_before, weight_attr, bias_attr)
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*shape, *rest),
            num_encoder_layers,
            LayerNorm(d_model),
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*shape, *rest),
            num_decoder_layers,
            LayerNorm(d_model),
        )

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
    ) -> Any:
        """Map [batch, source, d_model] and [batch, target, d_model] to the latter."""
        memory = self.encoder(src, src_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask)

    def generate_square_subsequent_mask(self, length: int) -> Any:
        """Create a causal mask: 0 for a position and earlier ones, else -inf."""
        blocked = functions.full([length, length], float("-inf"))
        return functions.triu(blocked, 1)
