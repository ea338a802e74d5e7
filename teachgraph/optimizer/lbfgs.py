"""L-BFGS: quasi-Newton steps, with curvature from the last gradient differences."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.grad_mode import enable_grad
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.core.modes import in_dynamic_mode
from teachgraph.optimizer.line_search import Point, strong_wolfe
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer, Pairs
from teachgraph.static.operator import Operator

__all__ = ["LBFGS"]

CURVED = 1e-10
"""Pairs with a smaller y @ s are skipped, so that H stays positive definite."""


class LBFGS(Optimizer):
    """L-BFGS: steps along -H grad, H an approximation of the inverse Hessian.

    H is never a matrix: its product with a vector is computed from the last differences
    s of the parameters and y of the gradients (Liu and Nocedal, 1989).

    Args:
        learning_rate: The length of a step, or the initial one of a line search.
        max_iter: The number of directions that one call of `step` follows.
        max_eval: The limit of loss evaluations; by default 5 / 4 of `max_iter`.
        tolerance_grad: Stop when no element of the gradient is larger.
        tolerance_change: Stop when neither parameters nor loss change by more.
        history_size: The number of stored differences.
        line_search_fn: None, or "strong_wolfe" to choose the length of each step.
        parameters: The parameters to update.
        weight_decay: None; add it to the loss, which the line search evaluates.
        grad_clip: None, for the same reason.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: An unknown line search, or a decay or a clip.

    In Paddle this is `paddle.optimizer.LBFGS`.

    >>> import teachgraph as tg
    >>> x = tg.create_parameter([2], "float32")
    >>> optimizer = LBFGS(line_search_fn="strong_wolfe", parameters=[x])
    >>> def closure():
    ...     optimizer.clear_grad()
    ...     loss = ((x - tg.to_tensor([1.0, -3.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)
    >>> x.numpy().round(4).tolist()
    [1.0, -3.0]
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, name=name)
        if line_search_fn not in (None, "strong_wolfe"):
            raise InvalidValueError.here(
                f"line_search_fn is None or 'strong_wolfe', got {line_search_fn!r}"
            )
        if weight_decay is not None or grad_clip is not None:
            raise InvalidValueError.here(
                "LBFGS has no weight_decay or grad_clip: add a decay to the loss"
            )
        self.max_iter, self.max_eval = max_iter, max_eval or max_iter * 5 // 4
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.line_search_fn = line_search_fn
        self._pairs: deque[tuple[Any, Any]] = deque(maxlen=history_size)
        self._last: tuple[Any, Any] | None = None
        self.directions = self.evaluations = 0

    def state_dict(self) -> dict[str, Any]:
        """Return what is known of the curvature, and counts, under "state"."""
        history = {
            "func_evals": self.evaluations,
            "n_iter": self.directions,
            "pairs": [list(pair) for pair in self._pairs],
            "last": None if self._last is None else list(self._last),
        }
        return {"state": history} | super().state_dict()

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore a saved state; training then continues as it would have."""
        rest = {name: v for name, v in state_dict.items() if name != "state"}
        super().set_state_dict(rest)
        if (history := state_dict.get("state")) is None:
            return
        self.evaluations, self.directions = history["func_evals"], history["n_iter"]
        self._pairs.clear()
        self._pairs.extend(arrays(pair) for pair in history["pairs"])
        last = history["last"]
        self._last = None if last is None else arrays(last)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Follow up to `max_iter` directions.

        Args:
            closure: Clears the gradients, computes the loss, runs its backward and
                returns it. It is called many times.

        Returns:
            The loss at the beginning.

        Raises:
            ModeError: In static mode, or without a closure.
        """
        if closure is None or not in_dynamic_mode():
            raise ModeError.here("LBFGS.step needs a closure, in dynamic mode")
        loss, grad = self.evaluated(closure)
        first, evaluations, previous = loss, 1, float(loss)
        for count in range(1, self.max_iter + 1):
            if np.abs(grad).max(initial=0.0) <= self.tolerance_grad:
                break
            self.directions += 1
            direction, step = self.direction(grad), self.first_step(grad)
            slope = float(grad @ direction)
            if slope > -self.tolerance_change:
                break
            start, last = Point(0.0, previous, slope, grad), count == self.max_iter
            point, cost = self.moved(closure, start, direction, step, last=last)
            self._last = point.step * direction, grad
            evaluations += cost
            change = abs(point.loss - previous)
            grad, previous = point.grad, point.loss
            longest = np.abs(self._last[0]).max()
            if min(longest, change) <= self.tolerance_change and not last:
                break
            if evaluations >= self.max_eval:
                break
        return first

    def step_along(self, pairs: Pairs) -> list[Operator]:
        """Refuse: each step computes gradients by its closure; raises ModeError."""
        return self.step()  # type: ignore[no-any-return]

    def evaluated(self, closure: Callable[[], Any]) -> tuple[Any, Any]:
        """Compute the loss, and the gradients of all parameters as one vector."""
        self.evaluations += 1
        # The closure runs a backward pass, also where `step` is called under `no_grad`.
        with enable_grad():
            loss = closure()
        grads = [
            np.zeros(p.size, p.dtype) if p.grad is None else p.grad.numpy().ravel()
            for p in self.trainable()
        ]
        return loss, np.concatenate(grads)

    def trainable(self) -> list[Any]:
        """List the parameters that require a gradient."""
        return [p for p in self._parameters or () if not p.stop_gradient]

    def place(self) -> Any:
        """Concatenate the parameters to one vector."""
        return np.concatenate([p.numpy().ravel() for p in self.trainable()])

    def go_to(self, place: Any) -> None:
        """Set the parameters from one vector."""
        parameters = self.trainable()
        ends = np.cumsum([p.size for p in parameters])
        for parameter, part in zip(parameters, np.split(place, ends[:-1]), strict=True):
            parameter.set_value(part.reshape(parameter.shape))

    def direction(self, grad: Any) -> Any:
        """Compute -H grad by the two-loop recursion over the stored pairs."""
        if self._last is not None:
            s, y = self._last[0], grad - self._last[1]
            # Any other pair would make H indefinite, and the direction no descent.
            if y @ s > CURVED:
                self._pairs.append((s, y))
        direction, alphas = -grad, []
        for s, y in reversed(self._pairs):
            alpha = (s @ direction) / (y @ s)
            direction = direction - alpha * y
            alphas.append(alpha)
        if self._pairs:
            # The initial H: the identity, scaled by the newest pair's curvature.
            s, y = self._pairs[-1]
            direction = direction * ((y @ s) / (y @ y))
        for (s, y), alpha in zip(self._pairs, reversed(alphas), strict=True):
            direction = direction + s * (alpha - (y @ direction) / (y @ s))
        return direction

    def first_step(self, grad: Any) -> float:
        """Choose the initial step; the very first is short, as H is still unknown."""
        rate = self.get_lr()
        return rate if self._last else min(1.0, 1.0 / float(np.abs(grad).sum())) * rate

    def moved(
        self,
        closure: Callable[[], Any],
        start: Point,
        direction: Any,
        step: float,
        *,
        last: bool,
    ) -> tuple[Point, int]:
        """Step along a direction; return the new point and the number of evaluations.

        Without a line search the last step is not evaluated: its loss is unused.
        """
        place = self.place()

        def evaluate(step: float) -> Point:
            self.go_to(place + (step * direction).astype(place.dtype, copy=False))
            loss, grad = self.evaluated(closure)
            return Point(step, float(loss), float(grad @ direction), grad)

        if self.line_search_fn is None and last:
            self.go_to(place + (step * direction).astype(place.dtype, copy=False))
            return start._replace(step=step), 0
        if self.line_search_fn is None:
            return evaluate(step), 1
        longest = float(np.abs(direction).max())
        tolerance = self.tolerance_change
        point, cost = strong_wolfe(evaluate, start, step, longest, tolerance)
        self.go_to(place + (point.step * direction).astype(place.dtype, copy=False))
        return point, cost


def arrays(pair: Sequence[Any]) -> tuple[Any, Any]:
    """Return a pair of vectors, which a file gives as Tensors, as arrays."""
    one, other = (v.numpy() if isinstance(v, Tensor) else v for v in pair)
    return one, other
