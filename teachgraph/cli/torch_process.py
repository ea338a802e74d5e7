"""PyTorch in a process of its own, for a comparison.

It runs in this Python if it has PyTorch, else in the one of TORCH_PYTHON, else in the
one of `make bench-peers`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Self

import numpy as np

from teachgraph.models import BertForSequenceClassification

__all__ = ["TorchProcess", "python_with_torch"]

Array = np.ndarray[Any, Any]

SCRIPT = Path(__file__).with_name("torch_bert.py")
PEERS = Path(".cache/torch/bin/python")


def python_with_torch() -> str | None:
    """Return the path of a Python that can import torch, None if none is known."""
    if find_spec("torch") is not None:
        return sys.executable
    named = os.environ.get("TORCH_PYTHON", str(PEERS))
    return named if Path(named).exists() else None


class TorchProcess:
    """A process that runs `torch_bert`.

    Attributes:
        answer: The logits.

    Raises:
        OSError: It did not start.
    """

    def __init__(
        self,
        python: str,
        net: BertForSequenceClassification,
        words: Array,
        threads: int,
        clock: str,
    ) -> None:
        self.python, heads = python, net.bert.config.num_attention_heads
        with TemporaryDirectory() as folder:
            files = [str(Path(folder) / name) for name in ("values.npz", "words.npy")]
            np.savez(files[0], **{n: v.numpy() for n, v in net.state_dict().items()})
            np.save(files[1], words)
            arguments = [*files, str(heads), str(threads), clock]
            # -P: the script's own folder must not shadow a package of that Python.
            self.process = subprocess.Popen(
                [python, "-P", str(SCRIPT), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self.answer = np.array([[float(word) for word in self.line().split()]])

    def line(self) -> str:
        """Read the next line of its output."""
        line = pipe(self.process.stdout).readline()
        if not line:
            self.end()
            raise OSError(f"{self.python} could not run PyTorch")
        return line

    def seconds(self, count: int) -> float:
        """Measure a number of predictions."""
        print(count, file=pipe(self.process.stdin), flush=True)
        return float(self.line())

    def end(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            pipe(self.process.stdin).close()
        self.process.wait()
        pipe(self.process.stdout).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def pipe(stream: IO[str] | None) -> IO[str]:
    """Return a stream that is known to exist."""
    assert stream is not None
    return stream
