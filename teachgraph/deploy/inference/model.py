"""A saved model as a function of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from teachgraph.core.errors import FeedError
from teachgraph.deploy.inference.config import Config
from teachgraph.deploy.inference.predictor import Predictor

__all__ = ["InferenceModel"]


class InferenceModel:
    """A saved model that is called with arrays and returns arrays.

    It may be called from several threads at once.

    Args:
        modelpath: The prefix of the model's files, its folder, or a Config.

    Raises:
        InvalidValueError: There is no such model.
        DataError: A file is damaged, or lacks a parameter.

    >>> import tempfile, teachgraph as tg
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "double"
    >>> spec = [tg.static.InputSpec([None], "float32", "x")]
    >>> tg.jit.save(lambda x: x * 2.0, path, spec)
    >>> InferenceModel(path)(np.ones(2, "float32"))
    array([2., 2.], dtype=float32)
    """

    def __init__(self, modelpath: Any) -> None:
        config = modelpath if isinstance(modelpath, Config) else Config(modelpath)
        self.predictor = Predictor(config)

    @property
    def inputs(self) -> list[str]:
        """The names of its inputs, in order."""
        return self.predictor.get_input_names()

    @property
    def outputs(self) -> list[str]:
        """The names of its outputs, in order."""
        return self.predictor.get_output_names()

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run the model; return an array, or a list of several.

        Args:
            inputs: Arrays in order, or one mapping of arrays by name.
            named: Arrays by name.

        Raises:
            FeedError: An input is missing, or of another shape or dtype.
        """
        arrays = list(inputs)
        if len(arrays) == 1 and isinstance(arrays[0], Mapping):
            named |= arrays.pop()
        rest = self.inputs[len(arrays) :]
        if set(rest) != set(named):
            message = (
                f"the model takes {', '.join(self.inputs)}; got {len(arrays)} by place "
                f"and {list(named)} by name"
            )
            raise FeedError.here(message)
        feed = self.predictor.as_feed([*arrays, *(named[name] for name in rest)])
        # Copies: a plan may return views of its own buffers.
        results = [np.array(value) for value in self.predictor.ready.run(feed)]
        return results[0] if len(results) == 1 else results
