"""Hooks of Variables: functions that replace a gradient while it is appended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from teachgraph.core.backward import Backward, Visit, visitor
from teachgraph.core.program import Operator, OpRole, Program, Variable

__all__ = ["add_hook", "apply_hooks", "hooks_of", "share_hooks"]


def add_hook(variable: Variable, key: object, hook: Callable[[Any], Any]) -> Any:
    """Add a hook under a key; return all hooks of the variable."""
    visitor.wrap(with_hooks)
    hooks = vars(variable).setdefault("gradient_hooks", {})
    hooks[key] = hook
    return hooks


def with_hooks(inner: Any) -> Any:
    """Let every reverse pass send gradients through hooks."""
    return lambda backward, visit: hooked_reverse(backward, inner(backward, visit))


def hooks_of(variable: Variable) -> Collection[Callable[[Any], Any]]:
    """Return the functions that `register_hook` was given."""
    hooks: dict[Any, Callable[[Any], Any]] = vars(variable).get("gradient_hooks", {})
    return hooks.values()


def share_hooks(program: Program, clone: Program) -> None:
    """Let a clone's variables have the hooks of the program's."""
    for name, variable in program.global_block().vars.items():
        if hooks := vars(variable).get("gradient_hooks"):
            vars(clone.global_block().vars[name])["gradient_hooks"] = hooks


def hooked_reverse(backward: Backward, visit: Visit) -> Visit:
    """Wrap a reverse pass: gradients go through the hooks of their variables."""

    def visit_hooked(operator: Operator, wanted: Sequence[str]) -> None:
        for name in operator.output_arg_names:
            variable = backward.block.vars.get(name)
            if variable is not None and hooks_of(variable) and name in backward.names:
                backward.accumulate([name])
                apply_hooks(backward, backward.names, variable)
        visit(operator, wanted)

    return visit_hooked


def apply_hooks(backward: Backward, names: dict[str, str], variable: Variable) -> None:
    """Replace a gradient by what the hooks make of it: they append operators."""
    gradient: Any = backward.block.var(names[variable.name])
    with backward.block.program.with_role(OpRole.BACKWARD):
        for hook in hooks_of(variable):
            changed = hook(gradient)
            gradient = gradient if changed is None else changed
    names[variable.name] = gradient.name
