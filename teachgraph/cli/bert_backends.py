"""BERT classifier in several backends, each a function that predicts one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from teachgraph import onnx
from teachgraph.autograd.creation import to_tensor
from teachgraph.core import modes
from teachgraph.core.random import seed
from teachgraph.deploy.inference import Config, InferenceModel
from teachgraph.jit import save
from teachgraph.models import BertConfig, BertForSequenceClassification, BertModel
from teachgraph.static import InputSpec

__all__ = [
    "SIZES",
    "Prediction",
    "backends",
    "classifier",
    "of_classifier",
    "saved",
    "spread",
    "words_of",
]

Array = np.ndarray[Any, Any]
Prediction = Callable[[], Array]

SIZES = {"tiny": (128, 2, 2), "mini": (256, 4, 4), "base": (768, 12, 12)}
"""Features, layers, and heads of attention in each."""


def classifier(size: str) -> BertForSequenceClassification:
    """Create a classifier of two classes, in evaluation mode."""
    seed(0)
    features, layers, heads = SIZES[size]
    config = BertConfig(
        hidden_size=features,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * features,
    )
    net = BertForSequenceClassification(BertModel(config), 2)
    net.eval()
    return net


def backends(size: str, length: int, threads: int) -> dict[str, Prediction | None]:
    """Return the backends by name, None for one whose library is not installed."""
    net, words = classifier(size), words_of(length)
    with saved(net, length) as path:
        return of_classifier(net, path, words, threads)


def words_of(length: int) -> Array:
    """Draw a sentence of random words."""
    return np.random.default_rng(0).integers(1000, 30000, [1, length])


def spec_of(length: int) -> list[InputSpec]:
    """Return the input spec of one sentence."""
    return [InputSpec([1, length], "int64", "input_ids")]


@contextmanager
def saved(net: BertForSequenceClassification, length: int) -> Iterator[Path]:
    """Save the classifier; yield its path, which is removed at the end."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(net, path, spec_of(length))
        yield path


def of_classifier(
    net: BertForSequenceClassification, path: Path, words: Array, threads: int
) -> dict[str, Prediction | None]:
    """Return the backends of one classifier, saved under a path, for one sentence."""

    def dynamic() -> Array:
        with modes.no_grad():
            return np.asarray(net(to_tensor(words)).numpy())

    onnx = exported(net, path, words, threads)
    static, default = by_plan(path), InferenceModel(config_of(path, threads))
    # ONNX Runtime replaces the plan after two runs.
    for _ in range(2):
        default(words)
    return {
        "dynamic": dynamic,
        "ONNX": onnx,
        "static": lambda: static(words),
        "predictor": lambda: default(words),
    }


def config_of(path: Path, threads: int) -> Config:
    """Return the Config of a model with a number of threads."""
    config = Config(path)
    config.set_cpu_math_library_num_threads(threads)
    return config


def by_plan(path: Path, *without: str) -> InferenceModel:
    """Return a model that runs by its plan, without some of the passes."""
    config = Config(path)
    config.disable_onnxruntime()
    for name in without:
        config.delete_pass(name)
    return InferenceModel(config)


def exported(net: Any, path: Path, words: Array, threads: int) -> Prediction | None:
    """Return the prediction by ONNX Runtime, None if it is not installed."""
    try:
        runtime = import_module("onnxruntime")
        onnx.export(net, str(path), spec_of(words.shape[1]))
    except ImportError:
        return None
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(
        f"{path}.onnx", options, providers=["CPUExecutionProvider"]
    )
    feed = {session.get_inputs()[0].name: words}
    return lambda: np.asarray(session.run(None, feed)[0])


def spread(answers: Sequence[Array]) -> float:
    """Return the largest difference between any two answers."""
    pairs = combinations(answers, 2)
    return max((float(abs(a - b).max()) for a, b in pairs), default=0.0)
