"""Values that a learner's code returned, described in a few words for a message."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.course.messages import shown

__all__ = ["in_short", "kind_of", "not_plain"]

LONGEST = 40
"""Characters of a repr that a message shows."""

CALLABLE = (FunctionType, MethodType, BuiltinFunctionType)
LAZY = (Iterator, KeysView, ValuesView, ItemsView, range)


def kind_of(value: Any) -> str:
    """The type of a value, by name; one of the framework's is told from the learner's.

    >>> import teachgraph
    >>> kind_of([]), kind_of(teachgraph.ones([2]))
    ('list', 'teachgraph.Tensor')
    """
    kind = type(value)
    ours = kind.__module__.startswith("teachgraph.")
    return f"teachgraph.{kind.__name__}" if ours else kind.__name__


def in_short(value: Any) -> str:
    """A value as it prints, if that is short; else its type, its shape or its length.

    >>> in_short([[1.0, 2.0], [3.0]]), in_short("many words " * 9), in_short(np.eye(9))
    ('[[1.0, 2.0], [3.0]]', 'str of 99', 'ndarray (9, 9)')
    """
    if isinstance(value, np.ndarray):
        dtype = "" if value.dtype.kind in "biuf" else f" of dtype {value.dtype}"
        return f"ndarray {value.shape}{dtype}" if value.ndim else repr(shown(value[()]))
    plain = isinstance(value, bool | int | float | str | list | tuple | dict)
    if not plain and value is not None:
        return kind_of(value)
    text = repr(of_lists(shown(value)))
    if len(text) <= LONGEST:
        return text
    sized = isinstance(value, str | list | tuple | dict)
    return f"{kind_of(value)} of {len(value)}" if sized else kind_of(value)


def of_lists(value: Any) -> Any:
    """A value with its arrays as lists, which print in one line."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return type(value)(of_lists(item) for item in value)
    if isinstance(value, dict):
        return {of_lists(key): of_lists(item) for key, item in value.items()}
    return value


def not_plain(value: Any) -> tuple[str, str]:
    """The sentence for a value that a judge cannot compare, and the name of its type.

    >>> not_plain(x for x in "ab"), not_plain(...)
    (('lazy', 'generator'), ('dots', 'ellipsis'))
    """
    if value is ...:
        return "dots", kind_of(value)
    if isinstance(value, CALLABLE):
        return "not_called", kind_of(value)
    if isinstance(value, LAZY):
        return "lazy", kind_of(value)
    if isinstance(value, set | frozenset):
        return "unordered", kind_of(value)
    if isinstance(value, np.ndarray):
        return "not_plain", in_short(value)
    if isinstance(value, Tensor):
        return "its_numbers", kind_of(value)
    return "not_plain", kind_of(value)
