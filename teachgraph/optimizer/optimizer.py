"""`Optimizer`, base of all optimizers: clipping, weight decay and updates.

Gradients are clipped, then decay is added, then each parameter is updated by one op on
(parameter, gradient, learning rate, accumulators). On Tensors all that runs in `step`;
on Variables `minimize` appends it after the backward operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, ClassVar

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.backward import append_backward
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ModeError,
    ShapeError,
)
from teachgraph.core.modes import recording
from teachgraph.core.program import OpRole
from teachgraph.ops import naming
from teachgraph.ops.inplace import add_onto
from teachgraph.ops.left_out import offered, tell_of
from teachgraph.ops.number_arguments import number
from teachgraph.optimizer.accumulators import Accumulators, Kept
from teachgraph.optimizer.checks import Range, check
from teachgraph.optimizer.groups import (
    KINDS,
    TENSORS,
    Group,
    clip_of,
    groups_of,
    name_of,
    parameter_list,
    regularizer_of,
)
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.rate import Rate
from teachgraph.optimizer.serving import mark_role
from teachgraph.planning.whole_steps import WholeStep
from teachgraph.regularizer import WeightDecayRegularizer
from teachgraph.static.append_backward import Callback, calling_back, require_types
from teachgraph.static.layers import child_scope, in_child_scope, marked
from teachgraph.static.operator import Operator
from teachgraph.static.program import (
    Program,
    default_main_program,
    program_guard,
)
from teachgraph.static.variable import Variable

__all__ = ["Optimizer"]

Pairs = list[tuple[Any, Any]]

PREPARING = "gradient_clip", "regularization"
"""Paddle's name scopes for what happens to gradients before an update."""

SCHEDULE = "LR_Scheduler"

record = recording.set


class Optimizer:
    """Updates parameters from their gradients.

    Args:
        learning_rate: A number greater than 0, or a schedule of `optimizer.lr`.
        parameters: The parameters to update; a static `minimize` finds them itself if
            None. A list of dicts makes groups, each with `params` and settings of its
            own: `learning_rate` (a factor), `weight_decay`, `grad_clip` and the
            optimizer's hyper-parameters.
        weight_decay: An `L1Decay` or `L2Decay` that is added to the gradients, or the
            strength of the latter. A parameter's own `regularizer` takes precedence.
        grad_clip: The gradient clipping, such as `nn.ClipGradByGlobalNorm(1.0)`.
        name: Accepted for Paddle's sake.
        options: The optimizer's hyper-parameters.

    Raises:
        InvalidValueError: The learning rate is no number greater than 0, or another
            number is out of its range.
        DTypeError: The decay is no decay, or the clip no clip.
        DTypeError: The parameters are no list of Tensors.

    In Paddle this is `paddle.optimizer.Optimizer`.
    """

    ranges: ClassVar[Mapping[str, Range]] = {}
    finishing: ClassVar[str] = ""
    kinds: ClassVar[tuple[type, ...]] = TENSORS

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
        self._name, self._rate = name, Rate(learning_rate)
        self._common = Group(
            regularizer=None if weight_decay is None else regularizer_of(weight_decay),
            clip=None if grad_clip is None else clip_of(grad_clip),
            options={name: number(v) for name, v in (options or {}).items()},
        )
        self._groups, self._parameters = [self._common], None
        if parameters is not None:
            self._groups = groups_of(parameters, self._common, self.kinds)
            self._parameters = [p for g in self._groups for p in g.parameters or ()]
        self._only_group = self._groups[0] if len(self._groups) == 1 else None
        for group in (self._common, *self._groups) if self.ranges else ():
            check(group.options, self.ranges)

    @cached_property
    def _group_of(self) -> Mapping[str, Group]:
        """The group of each parameter, by its name."""
        return {name_of(p): g for g in self._groups for p in g.parameters or ()}

    @cached_property
    def _groups_change_gradients(self) -> bool:
        """True if a group clips or decays."""
        groups = (self._common, *self._groups)
        return any(g.clip is not None or g.regularizer is not None for g in groups)

    @cached_property
    def _accumulators(self) -> Accumulators:
        return Accumulators()

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """Apply the update op to one parameter, of either mode.

        Args:
            parameter: A Tensor or a Variable.
            grad: Its gradient, clipped and with its decay.
            learning_rate: That of this parameter.
            kept: The accumulators that `keeps` declares.
        """
        raise NotImplementedError

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare the accumulators of a parameter."""
        return ()

    def finish(self, parameter: Any, *kept: Any) -> None:
        """Finish a parameter's step after all have been updated; by default nothing."""

    def decay(self, parameter: Any) -> WeightDecayRegularizer | None:
        """Return the decay that is added to a parameter's gradient."""
        own = getattr(parameter, "regularizer", None)
        return self.group(parameter).regularizer if own is None else own

    def group(self, parameter: Any) -> Group:
        """Return the group of a parameter."""
        if (alone := self._only_group) is not None:
            return alone
        return self._group_of.get(parameter.name, self._common)

    def factor(self, parameter: Any) -> float:
        """Return the factor of the learning rate for a parameter."""
        attr = getattr(parameter, "optimize_attr", None)
        if attr is not None:
            return attr["learning_rate"]  # type: ignore[no-any-return]
        factor = self.group(parameter).learning_rate
        return 1.0 if factor is None else factor

    def options(self, parameter: Any) -> Mapping[str, Any]:
        """Return the hyper-parameters for a parameter."""
        return self.group(parameter).options

    @property
    def _learning_rate(self) -> float | LRScheduler:
        return self._rate.scheduler or self._rate.now()

    def get_lr(self) -> float:
        """Return the current learning rate."""
        return self._rate.now()

    def set_lr(self, value: float) -> None:
        """Set the learning rate of later steps.

        Raises:
            InvalidValueError: The value is no number greater than 0.
            ModeError: The rate is a program's variable, or follows a schedule.
        """
        self._rate.set(value)

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Let the learning rate follow a schedule from now on.

        Raises:
            DTypeError: `scheduler` is no schedule.
        """
        if not isinstance(scheduler, LRScheduler):
            raise DTypeError.here(f"an LRScheduler was expected, got {scheduler!r}")
        self._rate.follow(scheduler)

    @property
    def parameters(self) -> list[Tensor]:
        """Parameters that `step` updates.

        Raises:
            ModeError: The optimizer was created without parameters.
            InvalidValueError: It was given a list of none.
        """
        if not self._parameters:
            raise no_parameters(self._parameters)
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
        self.step_along(with_gradient(self.parameters))

    def step_along(self, pairs: Pairs) -> list[Operator]:
        """Update Tensors by these gradients, clipped and with decay; no operators."""
        with WholeStep():
            switch = record(False)
            try:
                if self.changes_gradients(pairs):
                    # On Tensors of their own: clipping and decay in place must not
                    # reach `.grad`.
                    own = [
                        (parameter, Tensor.results(grad.data))
                        for parameter, grad in pairs
                    ]
                    pairs = self.prepared(own, None)
                self.update_tensors(pairs)
            finally:
                recording.reset(switch)
        return []

    def changes_gradients(self, pairs: Pairs) -> bool:
        """True if a gradient is clipped or decayed before its parameter's update."""
        decays = [getattr(parameter, "regularizer", None) for parameter, _ in pairs]
        return self._groups_change_gradients or any(decays)

    def update_tensors(self, pairs: Pairs) -> None:
        """Step along prepared gradients, parameter by parameter."""
        rates = self._rate.tensors()
        keeping = type(self).keeps is not Optimizer.keeps
        for parameter, grad in pairs:
            kept = self.remembered(parameter) if keeping else ()
            self.update(parameter, grad, rates[self.factor(parameter)], *kept)
        for parameter, _ in pairs if self.finishing else ():
            self.finish(parameter, *self.remembered(parameter))

    def remembered(self, parameter: Any) -> Sequence[Any]:
        """The state of a parameter, created when first asked for."""
        wanted = self.keeps(parameter)
        return self._accumulators.of(parameter, wanted) if wanted else ()

    def __dir__(self) -> list[str]:
        return offered("Optimizer", self, super().__dir__())

    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Clear the gradients of all parameters."""
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
            parameters: The parameters to update; by default those of the optimizer, or
                every trainable parameter that `loss` depends on.
            no_grad_set: Variables to treat as constants.

        Returns:
            The update operators and the (parameter, gradient) pairs.

        Raises:
            DTypeError: `loss` is neither.
            ShapeError: The Variable has more than one element.

        In Paddle this is `paddle.optimizer.Optimizer.minimize`.
        """
        if not isinstance(loss, Variable):
            return [], self.stepped(loss, parameters)
        wanted = self._parameters if parameters is None else parameters
        with program_guard(loss.block.program, startup_program):
            pairs = self.backward(loss, startup_program, wanted, no_grad_set)
            if not pairs:
                self._rate.variable(default_main_program())
            return self.apply_gradients(pairs), pairs

    def stepped(self, loss: Any, parameters: Sequence[Any] | None) -> Pairs:
        """Step along the gradients there are: `minimize` of a Tensor.

        Raises:
            DTypeError: `loss` is no Tensor.
        """
        if not isinstance(loss, Tensor):
            raise DTypeError.here(
                f"minimize takes a Variable or a Tensor, got {type(loss)}"
            )
        tensors = parameter_list(parameters or self.parameters, TENSORS)
        pairs = with_gradient(tensors)
        self.step_along(pairs)
        return pairs

    def backward(
        self,
        loss: Variable,
        startup_program: Program | None = None,
        parameters: Sequence[Any] | None = None,
        no_grad_set: Any = None,
        callbacks: Sequence[Callback] | None = None,
    ) -> Pairs:
        """Append the backward operators, without updates.

        Of a Tensor, whose `backward` has been called, collect the gradients.

        Args:
            loss: What to differentiate.
            startup_program: Accepted for Paddle's sake.
            parameters: The parameters to update; by default every trainable one.
            no_grad_set: Variables to treat as constants.
            callbacks: Called as f(block, context) after each gradient operator.

        Returns:
            The (parameter, gradient) pairs.

        Raises:
            ShapeError: The Variable has more than one element.
        """
        if isinstance(loss, Tensor):
            return self.collected(parameters)
        wanted = None if parameters is None else parameter_list(parameters, KINDS)
        if no_grad_set is not None or any(size != 1 for size in loss.shape):
            require_backward(loss, no_grad_set)
        wrappers = [calling_back(callbacks)] if callbacks else ()
        return append_backward(loss, wanted, no_grad_set or (), wrappers)

    def collected(self, parameters: Sequence[Any] | None) -> Pairs:
        """The gradients that the `backward` of a Tensor has given parameters.

        Raises:
            DTypeError: One is no Tensor, but a name, for instance.
        """
        own = self.parameters if parameters is None else parameters
        return with_gradient(parameter_list(own, TENSORS))

    def apply_gradients(self, params_grads: Pairs) -> list[Operator]:
        """Append clipping, decay and updates, in order of the parameters' names.

        Tensors are updated at once, as by `step`.

        Returns:
            The update operators.
        """
        if not params_grads or isinstance(params_grads[0][0], Tensor):
            return self.step_along(params_grads)
        pairs = sorted(params_grads, key=lambda pair: str(pair[0].name))
        program = pairs[0][0].block.program
        ops: list[Operator] = program.current_block().ops
        first = len(ops)
        with program.with_role(OpRole.OPTIMIZE):
            if self.changes_gradients(pairs):
                pairs = self.prepared(pairs, program)
                mark_role(ops[first:], pairs)
            else:  # their scopes are counted all the same
                for unused in PREPARING:
                    child_scope(program, unused)
            updates = len(ops)
            self.append_updates(pairs, program)
        return ops[updates:]

    def prepared(self, pairs: Pairs, program: Program | None) -> Pairs:
        """Clip the gradients and add the decay, on Tensors or in `program`."""
        with scope(program, PREPARING[0]):
            pairs = self.clipped(pairs)
        with scope(program, PREPARING[1]), naming.plain("_generated_var"):
            for parameter, grad in pairs:
                decay = self.decay(parameter)
                if decay is not None:
                    add_onto(grad, decay.gradient(parameter))
        return pairs

    def append_updates(self, pairs: Pairs, program: Program) -> None:
        """Append to a program the step along prepared gradients.

        All accumulators are created before the first update, as in Paddle's programs.
        """
        common = self._rate.variable(program)
        kept = [self.remembered(parameter) for parameter, _ in pairs]
        for pair, own in zip(pairs, kept, strict=True):
            with scope(program, "optimizer"):
                factor = self.factor(pair[0])
                rate = common if factor == 1.0 else self._rate.scaled(program, factor)
                with serving(pair):
                    self.update(*pair, rate, *own)
        for pair, own in zip(pairs, kept, strict=True) if self.finishing else ():
            with scope(program, self.finishing), serving(pair):
                self.finish(pair[0], *own)

    def clipped(self, pairs: Pairs) -> Pairs:
        """Clip the gradients of each group."""
        gradients = dict(pairs)
        for group in dict.fromkeys(self.group(parameter) for parameter, _ in pairs):
            own = [pair for pair in pairs if self.group(pair[0]) is group]
            if group.clip is not None:
                gradients.update(group.clip(own))
        return [(parameter, gradients[parameter]) for parameter, _ in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Return the accumulators, by Paddle's names, and the schedule's state.

        In static mode the values are those in the current scope.

        Raises:
            NotInitializedError: In static mode, the startup program was not run.
        """
        state: dict[str, Any] = dict(self._accumulators.state())
        if self._rate.scheduler is not None:
            state[SCHEDULE] = self._rate.scheduler.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore a saved state; training then continues identically to the bit.

        In static mode call it after `minimize` and after running the startup program.
        An optimizer that has no accumulators, such as SGD, ignores those of others.

        Raises:
            ShapeError: An accumulator has another shape.
            InvalidValueError: No accumulator is of these parameters, or some miss.
        """
        kept = {name: v for name, v in state_dict.items() if name != SCHEDULE}
        if self._rate.scheduler is not None and SCHEDULE in state_dict:
            self._rate.scheduler.set_state_dict(state_dict[SCHEDULE])
        if type(self).keeps is Optimizer.keeps:
            return
        known = [p for p in self._parameters or () if isinstance(p, Tensor)]
        self._accumulators.load(kept, {p: self.keeps(p) for p in known})

    set_dict = set_state_dict


def require_backward(loss: Variable, no_grad_set: Any) -> None:
    """Require a loss of one element, as the sum of several is seldom meant.

    Raises:
        DTypeError: `no_grad_set` is no collection, but a text, for instance.
        ShapeError: The loss has more elements, or a size that only a run tells.
    """
    require_types("append_backward", no_grad_set=no_grad_set)
    if any(size != 1 for size in loss.shape):
        raise ShapeError.here(
            "The number of elements of loss should be 1, but the current loss "
            f"'{loss.name}' has shape {[*loss.shape]}: minimize its mean or its sum"
        )


def with_gradient(tensors: Iterable[Tensor]) -> Pairs:
    """The parameters that are trained and have a gradient, each with it."""
    return [
        (parameter, grad)
        for parameter in tensors
        if not parameter.stop_gradient and (grad := parameter.grad) is not None
    ]


def no_parameters(given: Sequence[Any] | None) -> ModeError | InvalidValueError:
    """The error for an optimizer that has nothing to update."""
    if given is None:
        return ModeError.here(
            "parameters argument given to the Optimizer should not be None in dygraph "
            "mode: give parameters=layer.parameters()"
        )
    return InvalidValueError.here(
        "the optimizer was given a list of no parameters: a layer finds those of its "
        "attributes; layers in a list belong into an nn.LayerList"
    )


def serving(pair: tuple[Any, Any]) -> AbstractContextManager[Any]:
    """Mark the operators of an update with its (parameter, gradient): `op_role_var`."""
    return marked(op_role_var=[variable.name for variable in pair])


NOWHERE: AbstractContextManager[Any] = nullcontext()


def scope(program: Program | None, name: str) -> AbstractContextManager[Any]:
    """Enter the next name scope of this kind in a program; nothing for Tensors."""
    return in_child_scope(program, name) if program else NOWHERE


tell_of("Optimizer", Optimizer)
