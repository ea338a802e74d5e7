"""BERT classifier in PyTorch, a script for a Python that has PyTorch.

Its arguments are a file of parameters, one of words, the heads of attention, the
threads and a clock of `time`. It prints its logits, and then for each number that it
reads, the seconds of that many predictions.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

EPSILON = 1e-12


def main() -> None:
    """Print the logits once, then the seconds of as many predictions as asked for."""
    values, words, heads, threads, clock = sys.argv[1:]
    torch = import_module("torch")
    torch.set_num_threads(int(threads))
    torch.set_grad_enabled(False)
    with np.load(values) as file:
        parameters = {name: torch.tensor(file[name]) for name in file.files}
    net = Classifier(torch, parameters, int(heads))
    ids, now = torch.tensor(np.load(words)), getattr(time, clock)
    print(*net(ids).flatten().tolist(), flush=True)
    for line in sys.stdin:
        net(ids)  # others have had the caches before
        start = now()
        for _ in range(int(line)):
            net(ids)
        print(now() - start, flush=True)


class Classifier:
    """BERT for text classification, of the functions that PyTorch's layers call.

    Args:
        torch: The package.
        values: The parameters by our names; our weights are [inputs, outputs].
        heads: Heads of attention in each layer.
    """

    def __init__(self, torch: Any, values: Mapping[str, Any], heads: int) -> None:
        self.F, self.heads = torch.nn.functional, heads
        self.values = {
            name: value
            if "embeddings" in name or value.ndim < 2
            else value.T.contiguous()
            for name, value in values.items()
        }
        layers = {name.split(".")[3] for name in values if ".layers." in name}
        self.layers = [f"bert.encoder.layers.{n}" for n in sorted(map(int, layers))]

    def __call__(self, words: Any) -> Any:
        """Compute logits [1, classes] of words [1, length]."""
        x = self.embedded(words)
        for layer in self.layers:
            x = self.norm(f"{layer}.norm1", x + self.attention(f"{layer}.self_attn", x))
            inner = self.F.gelu(self.linear(f"{layer}.linear1", x))
            x = self.norm(f"{layer}.norm2", x + self.linear(f"{layer}.linear2", inner))
        pooled = self.linear("bert.pooler", x[:, 0]).tanh()
        return self.linear("classifier", pooled)

    def embedded(self, words: Any) -> Any:
        """Sum the embeddings of word, position and token type."""
        table = "bert.embeddings.{}_embeddings.weight".format
        values = self.values
        positions = values[table("position")][: words.shape[1]]
        x = self.F.embedding(words, values[table("word")]) + positions
        return self.norm(
            "bert.embeddings.layer_norm", x + values[table("token_type")][0]
        )

    def linear(self, name: str, x: Any) -> Any:
        """Compute x W' + b."""
        return self.F.linear(
            x, self.values[f"{name}.weight"], self.values[f"{name}.bias"]
        )

    def norm(self, name: str, x: Any) -> Any:
        """Apply a layer norm."""
        scale, bias = self.values[f"{name}.weight"], self.values[f"{name}.bias"]
        return self.F.layer_norm(x, scale.shape, scale, bias, EPSILON)

    def attention(self, name: str, x: Any) -> Any:
        """Compute softmax(Q K' / sqrt D) V of each head."""
        q, k, v = (
            self.linear(f"{name}.{part}_proj", x)
            .unflatten(-1, (self.heads, -1))
            .transpose(1, 2)
            for part in "qkv"
        )
        out = self.F.scaled_dot_product_attention(q, k, v)
        return self.linear(f"{name}.out_proj", out.transpose(1, 2).flatten(2))


if __name__ == "__main__":
    main()
