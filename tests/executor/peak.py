"""Runs one training step of a large model in a process of its own, and prints as JSON
how much memory was planned and how much the process took more.

    python -m tests.executor.peak resnet50
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

import teachgraph as tg
from teachgraph import static
from teachgraph.models.bert import BertConfig, BertForSequenceClassification, BertModel
from teachgraph.nn import functional as F
from teachgraph.vision.models import resnet50

Feed = dict[str, np.ndarray[Any, Any]]


def resnet(rng: np.random.Generator) -> tuple[Any, Feed]:
    """ResNet50 on two pictures, with momentum."""
    image = static.data("image", [2, 3, 224, 224])
    label = static.data("label", [2, 1], "int64")
    loss = F.cross_entropy(resnet50()(image), label)
    tg.optimizer.Momentum(0.01).minimize(loss)
    pictures = rng.standard_normal((2, 3, 224, 224), dtype="float32")
    return loss, {"image": pictures, "label": rng.integers(0, 1000, (2, 1))}


def bert(rng: np.random.Generator) -> tuple[Any, Feed]:
    """BERT of the size mini on eight texts of 128 words, with AdamW."""
    words = static.data("words", [8, 128], "int64")
    label = static.data("label", [8, 1], "int64")
    body = BertModel(BertConfig(30522, 256, 4, 4, 1024))
    loss = F.cross_entropy(BertForSequenceClassification(body)(words), label)
    tg.optimizer.AdamW(1e-3).minimize(loss)
    texts = rng.integers(0, 30522, (8, 128))
    return loss, {"words": texts, "label": rng.integers(0, 2, (8, 1))}


def resident(what: str) -> int:
    """Bytes of this process in memory: VmRSS now, VmHWM at most."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def measured(build: Any) -> dict[str, int]:
    """Plan a step, run it, and see what it took."""
    loss, feed = build(np.random.default_rng(0))
    executor = static.Executor()
    executor.run(static.default_startup_program())
    plan = executor.memory_plan(feed=feed, fetch_list=[loss])
    many = np.ones((4, 512, 512), "float32")
    many @ many  # what the library of matrix products sets aside is no value
    del many
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    executor.run(feed=feed, fetch_list=[loss])
    taken = resident("VmHWM") - before
    return {
        "naive": plan.naive_peak,
        "planned": plan.planned_peak,
        "taken": taken,
    }


if __name__ == "__main__":
    tg.enable_static()
    tg.seed(0)
    models = {"resnet50": resnet, "bert-mini": bert}
    print(json.dumps(measured(models[sys.argv[1]])))
