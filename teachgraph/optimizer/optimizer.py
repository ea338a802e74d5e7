"""What all optimizers share: the way from gradients to updates, in both modes.

Gradients are clipped, then decay is added, then each parameter is updated by one op on
(parameter, gradient, learning rate, what is remembered). On Tensors all that runs in
`step`; on Variables `minimize` appends it after the backward operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from teachgraph.autograd.tensor import Tensor
from teachgraph.core import modes, naming
from teachgraph.core.errors import ModeError, at_user_line
from teachgraph.ops.inplace import add_onto
from teachgraph.optimizer.accumulators import Accumulators, Kept
from teachgraph.optimizer.checks import Range, check
from teachgraph.optimizer.groups import (
    Group,
    clip_of,
    groups_of,
    name_of,
    regularizer_of,
)
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.rate import Rate
from teachgraph.optimizer.serving import mark
from teachgraph.regularizer import WeightDecayRegularizer
from teachgraph.static import (
    Operator,
    OpRole,
    Program,
    Variable,
    append_backward,
    default_main_program,
    default_startup_program,
    program_guard,
)

__all__ = ["Optimizer"]

Pairs = list[tuple[Any, Any]]

SCHEDULE = "LR_Scheduler"
GENERATED = naming.Plain("_generated_var")


class Optimizer:
    """Updates parameters from their gradients.

    Args:
        learning_rate: A number greater than 0, or a schedule of `optimizer.lr`.
        parameters: What to update; a static `minimize` finds them itself if need be. A
            list of dicts makes groups, each with `params` and settings of its own:
            `learning_rate` (a factor), `weight_decay`, `grad_clip` and the numbers of
            the optimizer.
        weight_decay: An `L1Decay` or `L2Decay` that is added to the gradients, or the
            strength of the latter. A parameter's own `regularizer` goes before it.
        grad_clip: How to clip gradients, such as `nn.ClipGradByGlobalNorm(1.0)`.
        name: Accepted for Paddle's sake.
        options: The optimizer's own numbers.

    Raises:
        InvalidValueError: The learning rate is no number greater than 0, or another
            number is out of its range.
        DTypeError: The decay or the clip is none.
        TypeError: The parameters are no list of Tensors.

    In Paddle this is `paddle.optimizer.Optimizer`.
    """

    ranges: ClassVar[Mapping[str, Range]] = {}
    finishing: ClassVar[str] = "finish"

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        *,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._name = name
        self._rate = Rate(learning_rate)
        self._common = Group(
            regularizer=regularizer_of(weight_decay),
            clip=clip_of(grad_clip),
            options=dict(options or {}),
        )
        self._groups = groups_of(parameters, self._common)
        for group in (self._common, *self._groups):
            check(group.options, self.ranges)
        self._group_of = {
            name_of(p): group
            for group in self._groups
            for p in (group.parameters or () if len(self._groups) > 1 else ())
        }
        self._parameters = None
        if parameters is not None:
            self._parameters = [p for g in self._groups for p in g.parameters or ()]
        self._accumulators = Accumulators()

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """Apply the update op to one parameter, of either mode.

        Args:
            parameter: A Tensor or a Variable.
            grad: Its gradient, clipped and with its decay.
            learning_rate: That of this parameter.
            kept: What `keeps` asked for.
        """
        raise NotImplementedError

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """What is remembered of a parameter from step to step."""
        return ()

    def finish(self, parameter: Any, *kept: Any) -> None:
        """What is still to do for a parameter after all have been updated."""

    def decay(self, parameter: Any) -> WeightDecayRegularizer | None:
        """The decay that is added to a parameter's gradient."""
        own = getattr(parameter, "regularizer", None)
        return self.group(parameter).regularizer if own is None else own

    def group(self, parameter: Any) -> Group:
        """The settings that a parameter is trained with."""
        if not self._group_of:
            return self._groups[0]
        return self._group_of.get(parameter.name, self._common)

    def options(self, parameter: Any) -> Mapping[str, Any]:
        """The optimizer's own numbers, for a parameter."""
        return self.group(parameter).options

    @property
    def _learning_rate(self) -> float | LRScheduler:
        return self._rate.scheduler or self._rate.now()

    def get_lr(self) -> float:
        """The learning rate, as it is now."""
        return self._rate.now()

    def set_lr(self, value: float) -> None:
        """Set the learning rate of the steps to come.

        Raises:
            InvalidValueError: It is no number greater than 0.
            ModeError: It stands in a program, as a variable, or follows a schedule.
        """
        self._rate.set(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Let the learning rate follow a schedule from now on.

        Raises:
            TypeError: It is no schedule.
        """
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(f"an LRScheduler was expected, got {scheduler!r}")
        self._rate.follow(scheduler)

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
        pairs = [
            (parameter, grad)
            for parameter in self.parameters
            if not parameter.stop_gradient and (grad := parameter.grad) is not None
        ]
        with modes.no_grad():
            if any(self.changes_gradient(parameter) for parameter, _ in pairs):
                copies = [(parameter, Tensor(grad.data)) for parameter, grad in pairs]
                pairs = self.prepared(copies, None)
            self.improve(pairs, None)

    def changes_gradient(self, parameter: Any) -> bool:
        """Whether a gradient is clipped or gets a decay before the update."""
        clip = self.group(parameter).clip
        return clip is not None or self.decay(parameter) is not None

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
            if not pairs:
                self._rate.variable(default_main_program())
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
        """Append clipping, decay and updates, in order of the parameters' names.

        Returns:
            The update operators.
        """
        if not params_grads:
            return []
        pairs = sorted(params_grads, key=lambda pair: str(pair[0].name))
        program = pairs[0][0].block.program
        ops: list[Operator] = program.current_block().ops
        first = len(ops)
        with program.with_role(OpRole.OPTIMIZE):
            pairs = self.prepared(pairs, program)
            updates = len(ops)
            self.improve(pairs, program)
        mark(ops[first:], pairs, self._accumulators.by_parameter)
        return ops[updates:]

    def prepared(self, pairs: Pairs, program: Program | None) -> Pairs:
        """The gradients clipped, and with the decay: now, or else in `program`."""
        with scope(program, "gradient_clip"):
            pairs = self.clipped(pairs)
        with scope(program, "regularization"), naming.scope(GENERATED):
            for parameter, grad in pairs:
                decay = self.decay(parameter)
                if decay is not None:
                    add_onto(grad, decay.gradient(parameter))
        return pairs

    def improve(self, pairs: Pairs, program: Program | None) -> None:
        """Step along prepared gradients: now, or else in `program`."""
        if program is not None:
            self._rate.variable(program)
        kept = [self._accumulators.of(p, self.keeps(p)) for p, _ in pairs]
        for (parameter, grad), own in zip(pairs, kept, strict=True):
            with scope(program, "optimizer"):
                rate = self.rate_of(parameter, program)
                self.update(parameter, grad, rate, *own)
        for (parameter, _), own in zip(pairs, kept, strict=True):
            with scope(program, self.finishing):
                self.finish(parameter, *own)

    def clipped(self, pairs: Pairs) -> Pairs:
        """The gradients clipped, group by group."""
        found = dict(pairs)
        for group in dict.fromkeys(self.group(parameter) for parameter, _ in pairs):
            own = [pair for pair in pairs if self.group(pair[0]) is group]
            if group.clip is not None:
                found.update(group.clip(own))
        return [(parameter, found[parameter]) for parameter, _ in pairs]

    def rate_of(self, parameter: Any, program: Program | None) -> Any:
        """A parameter's learning rate: an array, or a variable of `program`."""
        factor = self.group(parameter).factor(parameter)
        if program is None:
            return self._rate.array(factor)
        return self._rate.scaled(program, factor)

    def state_dict(self) -> dict[str, Any]:
        """What resuming needs: what is remembered, by Paddle's names, and the schedule.

        In static mode the values are those in the scope in use.

        Raises:
            NotInitializedError: In static mode, the startup program was not run.
        """
        state: dict[str, Any] = dict(self._accumulators.state())
        if self._rate.scheduler is not None:
            state[SCHEDULE] = self._rate.scheduler.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on from a saved state; steps then give the same bits.

        In static mode call it after `minimize` and after running the startup program.

        Raises:
            ShapeError: Something remembered is of another shape.
            InvalidValueError: Nothing in it is of these parameters, or parts miss.
        """
        kept = {name: v for name, v in state_dict.items() if name != SCHEDULE}
        if self._rate.scheduler is not None and SCHEDULE in state_dict:
            self._rate.scheduler.set_state_dict(state_dict[SCHEDULE])
        known = [p for p in self._parameters or () if isinstance(p, Tensor)]
        self._accumulators.load(kept, {p: self.keeps(p) for p in known})

    set_dict = set_state_dict


NOWHERE: AbstractContextManager[Any] = nullcontext()


def scope(program: Program | None, name: str) -> AbstractContextManager[Any]:
    """In a program, the next name scope of this kind; for Tensors there is none."""
    if program is None:
        return NOWHERE
    return program.within_name_scope(program.child_scope(name))
