"""`Model`: a network with its optimizer, loss and metrics, trained in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.callbacks import (
    Callback,
    CallbackList,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    MonitorPanel,
    ProgBarLogger,
)
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ModeError,
    ShapeError,
)
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.hapi.batches import (
    count_of,
    loader_of,
    named_inputs,
    samples_in,
    values_in,
)
from teachgraph.hapi.dynamic import Dynamic
from teachgraph.hapi.programs import Programs
from teachgraph.io.prefix import file_prefix
from teachgraph.io.saving import load as load_state
from teachgraph.io.saving import save as save_state
from teachgraph.metric import Metric
from teachgraph.nn import Layer
from teachgraph.nn.layer import mismatch
from teachgraph.nn.summary import summary
from teachgraph.static.input_spec import InputSpec

__all__ = ["Model"]


class Model:
    """A network, and all that is needed to train, evaluate and use it.

    Args:
        network: The Layer.
        inputs: An InputSpec for each input, or a list of them; in dynamic mode they may
            be left out, and a batch's first values are the arguments of `forward`.
        labels: The same for the labels.

    Attributes:
        network: The Layer.
        stop_training: Set by a callback, it ends the training after the epoch.

    Raises:
        DTypeError: The network is no Layer, or a spec no InputSpec.
        ModeError: In static mode, the specs are missing.

    In Paddle this is `paddle.Model`.

    >>> import teachgraph as tg
    >>> from teachgraph.io import TensorDataset
    >>> _ = tg.seed(0)
    >>> x = np.random.default_rng(0).normal(size=(64, 2)).astype("float32")
    >>> y = (x.sum(1, keepdims=True) > 0).astype("int64")
    >>> net = tg.nn.Linear(2, 2)
    >>> model = Model(net)
    >>> optimizer = tg.optimizer.Adam(0.1, parameters=net.parameters())
    >>> model.prepare(optimizer, tg.nn.CrossEntropyLoss(), tg.metric.Accuracy())
    >>> model.fit(TensorDataset([x, y]), batch_size=16, epochs=5, verbose=0)
    >>> model.evaluate(TensorDataset([x, y]), batch_size=16, verbose=0)["acc"] > 0.9
    True
    """

    def __init__(self, network: Layer, inputs: Any = None, labels: Any = None) -> None:
        if not isinstance(network, Layer):
            raise DTypeError.here(f"the network is a paddle.nn.Layer, got {network!r}")
        self.network, self.stop_training, self.is_training = network, False, False
        self.inputs, self.labels = specs("inputs", inputs), specs("labels", labels)
        self.optimizer: Any = None
        self.loss: Callable[..., Any] | None = None
        self.metrics: list[Metric] = []
        self.is_prepared = False
        self.last_inputs: list[Any] = []
        self.mode = "train"
        self.steps: Dynamic | Programs = (
            Dynamic(self) if in_dynamic_mode() else Programs(self)
        )

    @property
    def _optimizer(self) -> Any:
        """The optimizer, under the name that callbacks written for Paddle ask for."""
        return self.optimizer

    def prepare(
        self,
        optimizer: Any = None,
        loss: Any = None,
        metrics: Any = None,
        amp_configs: Any = None,
    ) -> None:
        """Say how it is trained and measured.

        Args:
            optimizer: Updates the parameters; needed for training.
            loss: A Layer or function of outputs and labels; needed for training.
            metrics: A metric, or a list of them.
            amp_configs: Taken for Paddle's sake; all is computed in float32.

        Raises:
            DTypeError: The loss cannot be called, or a metric is none.
        """
        if loss is not None and not callable(loss):
            raise DTypeError.here(
                "'loss' must be sub classes of `paddle.nn.Layer` or any callable "
                f"function, got {loss!r}"
            )
        for metric in values_in(metrics):
            if not isinstance(metric, Metric):
                raise DTypeError.here(f"{metric!r} is not sub class of Metric")
        self.optimizer, self.loss = optimizer, loss
        self.metrics, self.is_prepared = values_in(metrics), True
        if isinstance(self.steps, Programs):
            self.steps.built.clear()

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """Train on one batch.

        Args:
            inputs: Arrays or Tensors, one or a list.
            labels: The same for the labels.
            update: Update the parameters; otherwise gradients accumulate.

        Returns:
            The losses, each an array of one number; with metrics, (losses, values).

        Raises:
            ModeError: `prepare` was given no optimizer or no loss.
        """
        self.require_training()
        self.mode = "train"
        return self.figures(
            *self.train_on(values_in(inputs), values_in(labels), update)
        )

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Losses and metrics on one batch, as `train_batch` returns them.

        Raises:
            ModeError: `prepare` was not called.
        """
        self.require_prepared()
        self.mode = "eval"
        return self.figures(*self.steps.evaluate(values_in(inputs), values_in(labels)))

    def predict_batch(self, inputs: Any) -> list[Any]:
        """The network's outputs on one batch, as arrays."""
        self.mode = "test"
        return self.steps.predict(values_in(inputs))

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: int = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | Path | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Any = None,
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
    ) -> None:
        """Train for some epochs; in a notebook the training is drawn as it runs.

        Args:
            train_data: A Dataset, or what gives batches: inputs, then labels.
            eval_data: The same to evaluate on, or None.
            batch_size: Samples per batch, where a Dataset is given.
            epochs: Passes over the training data.
            eval_freq: Epochs from one evaluation to the next.
            log_freq: Steps from one printed line to the next.
            save_dir: The folder of checkpoints; None for none.
            save_freq: Epochs from one checkpoint to the next.
            verbose: 0 prints nothing, 1 a bar, 2 lines.
            drop_last: Leave out a last batch that is not full.
            shuffle: Visit the samples in a new random order each epoch.
            num_workers: Processes that make batches.
            callbacks: A Callback, or a list of them.
            accumulate_grad_batches: Batches whose gradients are added up per update.
            num_iters: The number of steps, whatever the epochs.

        Raises:
            ModeError: `prepare` was given no optimizer or no loss.
            InvalidValueError: There is no training data.
        """
        if train_data is None:
            raise InvalidValueError.here("train_data must be given!")
        self.require_training()
        settings = {"batch_size": batch_size, "num_workers": num_workers}
        train = loader_of(train_data, shuffle=shuffle, drop_last=drop_last, **settings)
        evaluation = None if eval_data is None else loader_of(eval_data, **settings)
        count = count_of(train)
        if num_iters is not None:
            epochs = 1 if not count else -(-num_iters // count)
        panel = MonitorPanel(False if not verbose else None)
        lines = 0 if verbose == 1 and panel.show else verbose
        added = [ProgBarLogger(log_freq, lines), panel, LRScheduler()]
        each = self.with_defaults(
            [*added, ModelCheckpoint(save_freq, save_dir)],
            values_in(callbacks),
            {
                "batch_size": batch_size,
                "epochs": epochs,
                "steps": fewer(count, num_iters),
                "verbose": verbose,
                "save_dir": save_dir,
            },
        )

        def evaluate(epoch: int) -> dict[str, Any] | None:
            if evaluation is None or epoch % eval_freq:
                return None
            return self.evaluate_with(evaluation, each, None)

        self.stop_training, self.is_training = False, True
        try:
            self.train_epochs(
                train, each, epochs, num_iters, accumulate_grad_batches, evaluate
            )
        finally:
            self.is_training = False
            for callback in each:
                if isinstance(callback, MonitorPanel):
                    callback.close()

    def evaluate(
        self,
        eval_data: Any,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Any = None,
        num_iters: int | None = None,
    ) -> dict[str, Any]:
        """Measure it on data, and return loss and metrics by name.

        Args:
            eval_data: A Dataset, or what gives batches: inputs, then labels.
            batch_size: Samples per batch, where a Dataset is given.
            log_freq: Batches from one printed line to the next.
            verbose: 0 prints nothing, 1 a bar, 2 lines.
            num_workers: Processes that make batches.
            callbacks: A Callback, or a list of them.
            num_iters: The number of batches, if not all.

        Returns:
            `loss`, a list, of the last batch; each metric over all batches.

        Raises:
            ModeError: `prepare` was not called.
        """
        self.require_prepared()
        loader = loader_of(eval_data, batch_size=batch_size, num_workers=num_workers)
        params = {"batch_size": batch_size, "verbose": verbose}
        each = self.with_defaults(
            [ProgBarLogger(log_freq, verbose)], values_in(callbacks), params
        )
        logs = self.evaluate_with(loader, each, num_iters)
        return {name: logs[name] for name in self.names() if name in logs}

    def predict(
        self,
        test_data: Any,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        verbose: int = 1,
        callbacks: Any = None,
    ) -> list[Any]:
        """The network's outputs on data.

        Args:
            test_data: A Dataset, or what gives batches; labels are left aside.
            batch_size: Samples per batch, where a Dataset is given.
            num_workers: Processes that make batches.
            stack_outputs: Join the batches of each output to one array.
            verbose: 0 prints nothing, 1 a bar, 2 lines.
            callbacks: A Callback, or a list of them.

        Returns:
            For each output of the network, a list of its batches, or one array.
        """
        loader = loader_of(test_data, batch_size=batch_size, num_workers=num_workers)
        params = {"batch_size": batch_size, "verbose": verbose}
        each = self.with_defaults(
            [ProgBarLogger(2, verbose)], values_in(callbacks), params
        )
        each.on_predict_begin({"steps": count_of(loader)})
        batches, logs = [], dict[str, Any]()
        for step, batch in enumerate(loader):
            inputs, _ = self.parted(batch)
            each.on_predict_batch_begin(step, logs)
            batches.append(self.predict_batch(inputs))
            logs = {"step": step, "batch_size": samples_in(inputs)}
            each.on_predict_batch_end(step, logs)
        each.on_predict_end(logs)
        outputs = [list(parts) for parts in zip(*batches, strict=True)]
        if stack_outputs:
            return [np.vstack(parts) for parts in outputs]
        return outputs

    def save(self, path: str | Path, training: bool = True) -> None:
        """Save it, to go on training or to be used.

        Args:
            path: The beginning of the files' names.
            training: Save parameters to `path.pdparams` and the optimizer's state to
                `path.pdopt`; otherwise what `jit.load` and the predictor load.

        Raises:
            InvalidValueError: The path names no file.
            ModeError: The shapes of the inputs are not known.
        """
        path = file_prefix(path)
        if not training:
            self.save_for_use(path)
            return
        save_state(self.steps.state(), f"{path}.pdparams")
        state = {} if self.optimizer is None else self.optimizer.state_dict()
        if state:
            save_state(state, f"{path}.pdopt")

    def save_for_use(self, path: str | Path) -> None:
        """Save the network as an inference model."""
        if isinstance(self.steps, Programs):
            self.steps.save_for_use(path)
            return
        from teachgraph.jit import save  # heavy, and for this alone

        specs = self.inputs
        if not specs:
            if not self.last_inputs:
                raise ModeError.here(
                    "Saving inference model needs 'inputs' or running before "
                    "saving: Model(network, inputs=InputSpec(...))"
                )
            arrays = [np.asarray(x) for x in self.last_inputs]
            specs = [InputSpec(list(array.shape), array.dtype) for array in arrays]
            warnings.warn(
                "'inputs' was not specified when Model initialization, so the input "
                f"shape to be saved is that of the last batch, {list(arrays[0].shape)}",
                stacklevel=3,
            )
        save(self.network, str(path), specs)

    def load(
        self,
        path: str | Path,
        skip_mismatch: bool = False,
        reset_optimizer: bool = False,
    ) -> None:
        """Load what `save` saved for training.

        Args:
            path: The beginning of the files' names, or the name of one of them.
            skip_mismatch: Warn of parameters that do not fit, and leave them as they
                are.
            reset_optimizer: Leave the optimizer as it is.

        Raises:
            InvalidValueError: There is no such file.
            ShapeError: A parameter is missing or of another shape.
        """
        prefix = str(path).removesuffix(".pdparams").removesuffix(".pdopt")
        state = load_state(f"{prefix}.pdparams")
        fitting = {}
        for name, parameter in self.network.state_dict().items():
            wrong = mismatch(name, parameter, state.get(name), "providing file")
            if wrong and not skip_mismatch:
                raise ShapeError.here(wrong)
            if wrong:
                warnings.warn(f"Skip loading for {name}. {wrong}", stacklevel=2)
            else:
                fitting[name] = state[name]
        self.steps.load(fitting)
        saved = Path(f"{prefix}.pdopt")
        if self.optimizer is not None and not reset_optimizer and saved.is_file():
            self.steps.load_optimizer(load_state(saved))

    def parameters(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The network's parameters."""
        parameters: list[Any] = self.network.parameters(*args, **kwargs)
        return parameters

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """Print a table of the network's layers; see `teachgraph.summary`.

        Raises:
            InvalidValueError: No size is known.
        """
        if input_size is None and not self.inputs:
            raise InvalidValueError.here("'input_size' or 'self._input' must be set")
        sizes = input_size or [tuple(spec.shape) for spec in self.inputs]
        return summary(self.network, sizes, dtype)

    def require_prepared(self) -> None:
        """Require that `prepare` was called.

        Raises:
            ModeError: It was not.
        """
        if not self.is_prepared:
            raise ModeError.here("model not ready, please call `model.prepare()` first")

    def require_training(self) -> None:
        """Require what training needs.

        Raises:
            ModeError: There is no optimizer or no loss.
        """
        self.require_prepared()
        if self.optimizer is None or self.loss is None:
            raise ModeError.here(
                "model not ready, please call `model.prepare()` first, with an "
                "optimizer and a loss"
            )

    def parted(self, batch: Any) -> tuple[list[Any], list[Any]]:
        """The inputs and the labels of a batch."""
        values = values_in(batch)
        return values[: self.input_count], values[self.input_count :]

    @cached_property
    def input_count(self) -> int | None:
        """The number of inputs in a batch; None if all of it is input."""
        return len(self.inputs) or named_inputs(self.network) or None

    def train_on(
        self, inputs: list[Any], labels: list[Any], update: bool
    ) -> tuple[list[Any], list[Any]]:
        """One step, whose inputs are kept: `save` may ask for their shapes."""
        self.last_inputs = inputs
        return self.steps.train(inputs, labels, update=update)

    def figures(self, losses: list[Any], values: list[Any]) -> Any:
        """The losses; with metrics, (losses, values)."""
        if not self.metrics:
            return losses
        return (losses, values) if self.loss is not None else values

    def names(self) -> list[str]:
        """The names of the figures of a step."""
        metrics = [name for metric in self.metrics for name in values_in(metric.name())]
        return [*(["loss"] if self.loss is not None else []), *metrics]

    def logs_of(self, step: int, samples: int, losses: list[Any]) -> dict[str, Any]:
        """The figures after a step, by name: metrics over all steps so far."""
        logs: dict[str, Any] = {}
        if losses:
            logs["loss"] = [float(np.ravel(loss)[0]) for loss in losses]
        for metric in self.metrics:
            names, value = values_in(metric.name()), metric.accumulate()
            logs.update(zip(names, values_in(value), strict=True))
        return logs | {"step": step, "batch_size": samples}

    def reset_metrics(self) -> None:
        """Begin to measure anew."""
        for metric in self.metrics:
            metric.reset()

    def pass_over(
        self,
        batches: Iterable[Any],
        steps: int | None,
        run: Callable[[int, list[Any], list[Any]], list[Any]],
        begin: Callable[[int, dict[str, Any]], None],
        end: Callable[[int, dict[str, Any]], None],
    ) -> dict[str, Any]:
        """Run a step for each batch; return the last figures.

        Args:
            batches: The batches.
            steps: How many of them, None for all.
            run: Takes a step's number, inputs and labels; returns its losses.
            begin: Called before each step, with the figures of the one before.
            end: Called after each step, with its figures.
        """
        logs: dict[str, Any] = {}
        for step, batch in enumerate(batches):
            inputs, labels = self.parted(batch)
            begin(step, logs)
            losses = run(step, inputs, labels)
            logs = self.logs_of(step, samples_in(inputs), losses)
            end(step, logs)
            if step + 1 == steps:
                break
        return logs

    def train_epochs(
        self,
        loader: Any,
        each: CallbackList,
        epochs: int,
        most: int | None,
        accumulate: int,
        evaluate: Callable[[int], dict[str, Any] | None],
    ) -> None:
        """Passes over the training data, of at most so many steps in all."""
        logs: dict[str, Any] = {}
        each.on_train_begin(None)
        for epoch in range(epochs):
            each.on_epoch_begin(epoch, None)
            self.reset_metrics()
            steps = fewer(count_of(loader), most)
            logs = self.train_epoch(loader, each, steps, accumulate)
            most = None if most is None or steps is None else most - steps
            each.on_epoch_end(epoch, logs)
            logs = evaluate(epoch) or logs
            if self.stop_training:
                break
        each.on_train_end(logs)

    def train_epoch(
        self, loader: Any, each: CallbackList, steps: int | None, accumulate: int
    ) -> dict[str, Any]:
        """One pass over the training data; returns the last figures."""

        def run(step: int, inputs: list[Any], labels: list[Any]) -> list[Any]:
            update = (step + 1) % accumulate == 0 or step + 1 == steps
            return self.train_on(inputs, labels, update)[0]

        self.mode = "train"
        calls = each.on_train_batch_begin, each.on_train_batch_end
        return self.pass_over(loader, steps, run, *calls)

    def evaluate_with(
        self, loader: Any, each: CallbackList, most: int | None
    ) -> dict[str, Any]:
        """One pass over evaluation data; returns the last figures."""
        self.reset_metrics()
        self.mode = "eval"
        steps = fewer(count_of(loader), most)
        each.on_eval_begin({"steps": steps, "metrics": self.names()})

        def run(step: int, inputs: list[Any], labels: list[Any]) -> list[Any]:
            return self.steps.evaluate(inputs, labels)[0]

        calls = each.on_eval_batch_begin, each.on_eval_batch_end
        logs = self.pass_over(loader, steps, run, *calls)
        each.on_eval_end(logs)
        return logs

    def with_defaults(
        self, defaults: Sequence[Callback], own: list[Any], params: dict[str, Any]
    ) -> CallbackList:
        """The user's callbacks, and those that they do not bring themselves."""
        kinds = tuple({type(callback) for callback in own})
        missing = [d for d in defaults if not isinstance(d, kinds)]
        bars = [d for d in missing if isinstance(d, (ProgBarLogger, MonitorPanel))]
        rest = [d for d in missing if d not in bars]
        for callback in own:
            if isinstance(callback, EarlyStopping):
                callback.save_dir = params.get("save_dir")
        params = {**params, "metrics": self.names()}
        return CallbackList([*bars, *own, *rest], self, params)


def specs(what: str, given: Any) -> list[InputSpec]:
    """Specs as a list.

    Raises:
        DTypeError: One is no InputSpec.
    """
    items = list(given.values()) if isinstance(given, dict) else values_in(given)
    for spec in items:
        if not isinstance(spec, InputSpec):
            raise DTypeError.here(f"{what} are InputSpecs, got {spec!r}")
    return items


def fewer(steps: int | None, most: int | None) -> int | None:
    """The steps of a pass of which there are to be at most so many."""
    return min((n for n in (steps, most) if n is not None), default=None)
