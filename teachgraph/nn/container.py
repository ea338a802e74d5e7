"""Containers: `Sequential`, `LayerList`, `LayerDict` and `ParameterList`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from teachgraph.errors import (
    DTypeError,
    InvalidValueError,
    NameKeyError,
    OutOfRangeError,
)
from teachgraph.nn.layer import Layer, check_kind

__all__ = ["LayerDict", "LayerList", "ParameterList", "Sequential"]

is_layer = Layer.__instancecheck__
"""`isinstance` of a Layer."""


class Numbered(Layer):
    """Base of lists: the items are attributes called `0`, `1`, ...

    Their names are indexes, too, as in Paddle.
    """

    def held(self) -> list[Any]:
        """Return the items in order."""
        numbers = sorted(int(name) for name in self.__dict__ if name.isdecimal())
        return [self.__dict__[str(number)] for number in numbers]

    def hold(self, things: Iterable[Any]) -> None:
        """Replace all items."""
        # A list first: `delattr` changes the dict during the loop.
        for name in [name for name in self.__dict__ if name.isdecimal()]:
            delattr(self, name)
        for number, thing in enumerate(things):
            setattr(self, str(number), thing)

    def position(self, index: Any) -> int:
        """Resolve an index or a name; a negative one counts from the end.

        Raises:
            DTypeError: The index is no integer.
            OutOfRangeError: The index is out of range.
        """
        count = len(self)
        if isinstance(index, str) and index.isdecimal():
            index = int(index)
        if not isinstance(index, (int, np.integer)):
            raise DTypeError.here(
                f"an index of a {type(self).__name__} is an integer, got {index!r}"
            )
        if not -count <= index < count:
            raise OutOfRangeError.here(
                f"index {index} is out of range for {type(self).__name__} of {count}"
            )
        return int(index) % count

    def __len__(self) -> int:
        return len(self.held())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held())

    def append(self, thing: Any) -> Self:
        """Append an item."""
        setattr(self, str(len(self)), thing)
        return self


def name_and_layer(pair: Any) -> tuple[str, Any]:
    """Take a pair apart.

    Raises:
        InvalidValueError: It is none, but a list of layers, for instance.
    """
    if (
        isinstance(pair, (tuple, list))
        and len(pair) == 2
        and not isinstance(pair[0], Layer)
    ):
        return pair[0], pair[1]
    given = type(pair).__name__
    if isinstance(pair, (tuple, list)):
        given += f" of {', '.join(type(one).__name__ for one in pair)}"
    raise InvalidValueError.here(
        f"a named layer is a (name, layer) pair, got a {given}: layers without names "
        "are given one by one, Sequential(*layers)"
    )


def named(container: Layer, name: Any) -> Layer:
    """Return the sublayer of a name.

    Raises:
        NameKeyError: There is none.
    """
    if name not in container._sub_layers:
        raise NameKeyError.here(
            f"there is no layer {name!r} in this {type(container).__name__}; there are "
            f"{', '.join(map(repr, container._sub_layers)) or 'none'}"
        )
    return container._sub_layers[name]


class Sequential(Layer):
    """Chain of layers.

    >>> from teachgraph.nn import Linear, ReLU
    >>> len(list(Sequential(Linear(4, 3), ReLU(), Linear(3, 2)).children()))
    3

    In Paddle this is `paddle.nn.Sequential`.
    """

    def __init__(self, *layers: Any) -> None:
        super().__init__()
        for position, item in enumerate(layers):
            if isinstance(item, (tuple, list)):
                self.add_sublayer(*name_and_layer(item))
            else:
                self.add_sublayer(str(position), item)

    def forward(self, input: Any) -> Any:
        """Apply the layers in order, each to the output of the one before."""
        for layer in filter(is_layer, [*self.__dict__.values()]):
            input = layer(input)
        return input

    def __setitem__(self, index: int | str, layer: Layer) -> None:
        self.add_sublayer(self.name_at(index), layer)

    def __delitem__(self, index: int | str) -> None:
        delattr(self, self.name_at(index))

    def name_at(self, index: int | str) -> str:
        """Resolve a position or a name to the name of an attribute."""
        names = list(self._sub_layers)
        if isinstance(index, str):
            return index
        if not isinstance(index, (int, np.integer)):
            raise DTypeError.here(
                f"an index of a Sequential is an integer or a name, got {index!r}"
            )
        if not -len(names) <= index < len(names):
            raise OutOfRangeError.here(
                f"index {index} is out of range for Sequential of {len(names)}"
            )
        return names[index]

    def __getitem__(self, index: int | slice | str) -> Layer:
        if isinstance(index, slice):
            return Sequential(*list(self._sub_layers.values())[index])
        return named(self, self.name_at(index))

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._sub_layers.values())


class LayerList(Numbered):
    """List of layers; it has no forward of its own.

    >>> from teachgraph.nn import Linear
    >>> layers = LayerList([Linear(4, 4) for _ in range(3)])
    >>> [name for name, _ in layers.named_parameters()][:2], len(layers)
    (['0.weight', '0.bias'], 3)

    In Paddle this is `paddle.nn.LayerList`.
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None) -> None:
        super().__init__()
        self.extend(sublayers or ())

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return LayerList(self.held()[index])
        return self.held()[self.position(index)]

    def __setitem__(self, index: int, layer: Layer) -> None:
        self.add_sublayer(str(self.position(index)), layer)

    def __delitem__(self, index: int | slice) -> None:
        items = self.held()
        del items[index if isinstance(index, slice) else self.position(index)]
        self.hold(items)

    def append(self, sublayer: Layer) -> Self:
        """Append a layer."""
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index: int, sublayer: Layer) -> None:
        """Insert a layer before the one at `index`; `append` puts one at the end.

        Raises:
            OutOfRangeError: There is no layer at `index`.
        """
        check_kind("sublayer", sublayer, (Layer,))
        items = self.held()
        items.insert(self.position(index), sublayer)
        self.hold(items)

    def extend(self, sublayers: Iterable[Layer]) -> Self:
        """Append several layers."""
        for layer in sublayers:
            self.append(layer)
        return self


class ParameterList(Numbered):
    """List of parameters.

    In Paddle this is `paddle.nn.ParameterList`.
    """

    def __init__(self, parameters: Iterable[Any] | None = None) -> None:
        super().__init__()
        for parameter in parameters or ():
            self.append(parameter)

    def __getitem__(self, index: int) -> Any:
        return self.held()[self.position(index)]

    def __setitem__(self, index: int, parameter: Any) -> None:
        setattr(self, str(self.position(index)), parameter)

    def append(self, parameter: Any) -> Self:
        """Append a parameter."""
        self.add_parameter(str(len(self)), parameter)
        return self


class LayerDict(Layer):
    """Dictionary of layers.

    >>> from teachgraph.nn import Linear, ReLU
    >>> layers = LayerDict({"in": Linear(2, 2), "bend": ReLU()})
    >>> list(layers.keys()), "bend" in layers
    (['in', 'bend'], True)

    In Paddle this is `paddle.nn.LayerDict`.
    """

    def __init__(self, sublayers: Any = None) -> None:
        super().__init__()
        self.update(sublayers or {})

    def update(self, sublayers: Any) -> None:
        """Set layers from a dict or from pairs; replace those of the same names.

        Raises:
            DTypeError: It is neither, or a value is no layer.
        """
        if not isinstance(sublayers, Iterable):
            raise DTypeError.here(
                "a LayerDict takes a dict or (name, layer) pairs, got "
                f"{type(sublayers).__name__}"
            )
        named = sublayers.items() if hasattr(sublayers, "items") else sublayers
        for name, layer in map(name_and_layer, named):
            self[name] = layer

    def __getitem__(self, key: str) -> Layer:
        return named(self, key)

    def __setitem__(self, key: str, sublayer: Layer) -> None:
        self.add_sublayer(key, sublayer)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __len__(self) -> int:
        return len(self.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: str) -> bool:
        return key in self.keys()

    def pop(self, key: str) -> Layer:
        """Remove a layer and return it.

        Raises:
            NameKeyError: There is no layer of this name.
        """
        layer = self[key]
        delattr(self, key)
        return layer

    def clear(self) -> None:
        """Remove all layers."""
        for key in self.keys():
            self.pop(key)

    def keys(self) -> list[str]:
        """Return the names, in order."""
        return list(self._sub_layers)

    def values(self) -> list[Layer]:
        """Return the layers, in order."""
        return list(self._sub_layers.values())

    def items(self) -> list[tuple[str, Layer]]:
        """Return names and layers, in order."""
        return list(self._sub_layers.items())
