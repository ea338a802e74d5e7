"""What all optimizers share: the learning rate, and where updates go in each mode.

An update is one op on (parameter, gradient, learning rate). On Tensors it runs in
`step`; on Variables `minimize` appends it after the backward operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from teachgraph import dtypes, unique_name
from teachgraph.eager import Tensor
from teachgraph.errors import InvalidValueError, ModeError, at_user_line
from teachgraph.static import (
    Operator,
    OpRole,
    Program,
    Variable,
    append_backward,
    create_global_var,
    default_startup_program,
    program_guard,
)

__all__ = ["Optimizer"]

Pairs = list[tuple[Any, Any]]


class Optimizer:
    """Updates parameters from their gradients.

    Args:
        learning_rate: A number greater than 0.
        parameters: What to update; a static `minimize` finds them itself if need be.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The learning rate is no number greater than 0.
        TypeError: The parameters are no list of Tensors.

    In Paddle this is `paddle.optimizer.Optimizer`.
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        parameters: Iterable[Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._parameters = None if parameters is None else several(parameters)
        self._name = name
        self._variables: dict[int, Variable] = {}
        self.set_lr(learning_rate)

    def update(self, parameter: Any, grad: Any, learning_rate: Any) -> Any:
        """Apply the update op to one parameter, of either mode."""
        raise NotImplementedError

    def get_lr(self) -> float:
        """The learning rate."""
        return self._learning_rate

    def set_lr(self, value: float) -> None:
        """Set the learning rate of the steps to come.

        Raises:
            InvalidValueError: It is no number greater than 0.
            ModeError: It stands in a program, as a variable.
        """
        for variable in self._variables.values():
            raise ModeError(
                at_user_line(
                    f"the learning rate is the program's variable {variable.name!r}: "
                    "set it in the scope, by scope.var(name).get_tensor().set(value)"
                )
            )
        if not isinstance(value, (int, float, np.number)) or not 0 < value < inf:
            raise InvalidValueError(
                at_user_line(f"the learning rate must be greater than 0, got {value!r}")
            )
        self._learning_rate = float(value)
        self._rate = np.array(value, np.float32)

    @property
    def parameters(self) -> list[Tensor]:
        """What `step` updates.

        Raises:
            ModeError: None were given.
        """
        if self._parameters is None:
            raise ModeError(
                at_user_line(
                    "parameters argument given to the Optimizer should not be None in "
                    "dygraph mode: give parameters=layer.parameters()"
                )
            )
        return self._parameters

    def step(self) -> None:
        """Update every parameter that has a gradient.

        >>> import teachgraph as tg
        >>> w = tg.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> opt = tg.optimizer.SGD(learning_rate=0.5, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> w.tolist()
        [0.0, 0.0]
        """
        for parameter in self.parameters:
            grad = parameter.grad
            if grad is None or parameter.stop_gradient:
                continue
            factor = rate_factor(parameter)
            rate = self._rate if factor == 1.0 else self._rate * np.float32(factor)
            self.update(parameter, grad, rate)

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Forget the gradients of all parameters."""
        for parameter in self.parameters:
            parameter.clear_gradient(set_to_zero)

    clear_gradients = clear_grad

    def minimize(
        self,
        loss: Any,
        startup_program: Program | None = None,
        parameters: Sequence[Any] | None = None,
        no_grad_set: Any = None,
    ) -> tuple[list[Operator], Pairs]:
        """Append backward and update operators for `loss`; in dynamic mode, `step`.

        Args:
            loss: A Variable; or a Tensor whose `backward` has been called.
            startup_program: Where the learning rate is initialised.
            parameters: What to update; by default what the optimizer was given, or
                every trainable parameter reached.
            no_grad_set: Variables to be taken as constants.

        Returns:
            The update operators and the (parameter, gradient) pairs.

        Raises:
            TypeError: `loss` is neither.

        In Paddle this is `paddle.optimizer.Optimizer.minimize`.
        """
        if isinstance(loss, Tensor):
            self.step()
            return [], [(p, p.grad) for p in self.parameters if p.grad is not None]
        if not isinstance(loss, Variable):
            raise TypeError(f"minimize takes a Variable or a Tensor, got {type(loss)}")
        startup = startup_program or default_startup_program()
        wanted = self._parameters if parameters is None else parameters
        with program_guard(loss.block.program, startup):
            pairs = self.backward(loss, startup, wanted, no_grad_set)
            self.rate_variable(loss.block.program)
            return self.apply_gradients(pairs), pairs

    def backward(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameters: Sequence[Any] | None = None,
        no_grad_set: Any = None,
    ) -> Pairs:
        """Append the backward operators alone."""
        return append_backward(loss, parameters, no_grad_set)

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        """Append the update operators, in order of the parameters' names."""
        if not params_grads:
            return []
        pairs = sorted(params_grads, key=lambda pair: str(pair[0].name))
        block = pairs[0][0].block.program.current_block()
        rate = self.rate_variable(block.program)
        first = len(block.ops)
        for parameter, grad in pairs:
            with (
                block.program.with_role(OpRole.OPTIMIZE),
                block.program.within_name_scope(next_scope(block.program)),
            ):
                self.update(parameter, grad, scaled(rate, rate_factor(parameter)))
            block.ops[-1]._set_attr("op_role_var", [parameter.name, grad.name])
        made: list[Operator] = block.ops[first:]
        return made

    def rate_variable(self, program: Program) -> Variable:
        """The program's learning rate variable, `learning_rate_0`."""
        if id(program) not in self._variables:
            self._variables[id(program)] = create_global_var(
                [],
                self._learning_rate,
                dtypes.float32,
                persistable=True,
                name=unique_name.generate("learning_rate"),
            )
        return self._variables[id(program)]

    def state_dict(self) -> dict[str, Any]:
        """What resuming needs."""
        return {"learning_rate": self._learning_rate}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        self.set_lr(state["learning_rate"])


def several(parameters: Any) -> list[Any]:
    """The parameters as a list.

    Raises:
        TypeError: They are one Tensor, or something else than Tensors.
    """
    kinds = (Tensor, Variable, str)
    found = None if isinstance(parameters, kinds) else list(parameters)
    if found is None or not all(isinstance(p, kinds) for p in found):
        raise TypeError(
            "`parameters` argument given to the optimizer should be an iterable of "
            f"Tensors, such as layer.parameters(), got {parameters!r}"
        )
    return found


def rate_factor(parameter: Any) -> float:
    """A parameter's own factor of the learning rate."""
    attr = getattr(parameter, "optimize_attr", None)
    return 1.0 if attr is None else float(attr["learning_rate"])


def scaled(rate: Variable, factor: float) -> Variable:
    """The learning rate times a parameter's factor."""
    if factor == 1.0:
        return rate
    with rate.block.program.with_role(OpRole.OPTIMIZE | OpRole.RATE):
        found: Variable = rate * factor
        return found


def next_scope(program: Program) -> str:
    """Paddle's name scope for the next update: `/optimizer/`, `/optimizer_1/`, ..."""
    count = program.update_count
    program.update_count += 1
    return f"/optimizer_{count}/" if count else "/optimizer/"
