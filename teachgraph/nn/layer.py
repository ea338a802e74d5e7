"""`Layer`, base of all layers: parameters and sublayers, hooks, state, modes."""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from teachgraph.autograd.creation import Parameter
from teachgraph.autograd.hooks import HookHandle, register
from teachgraph.autograd.places import place_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.autograd.views import store
from teachgraph.core import dtypes, modes, unique_name
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    ModeError,
    OpError,
    ProgramError,
    at_user_line,
)
from teachgraph.core.observe import announce, observers
from teachgraph.core.program import current_block
from teachgraph.errors import NameKeyError
from teachgraph.nn.training import chosen
from teachgraph.ops.default_dtype import get_default_dtype, is_floating
from teachgraph.ops.initializer import Constant, XavierUniform, global_default
from teachgraph.ops.left_out import offered, tell_of
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.static.variable import Parameter as StaticParameter
from teachgraph.static.variable import Variable

__all__ = ["Layer"]

ParameterLike = (Parameter, StaticParameter)


class Changes:
    """Counter of attribute changes in all layers; equal counts mean no change."""

    count = 0


changes = Changes()


def note_change() -> None:
    """Count a change of a layer."""
    changes.count += 1


class Layer:
    """Base class of layers and networks.

    Subclasses assign parameters and sublayers to attributes in `__init__` and define
    `forward`. In static mode the parameters are Variables and `forward` appends
    operators; the code is the same.

    Attributes:
        training: True in training mode, which turns on dropout and the like.

    In Paddle this is `paddle.nn.Layer`.

    >>> import teachgraph as tg
    >>> class Affine(tg.nn.Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = self.create_parameter([2, 1])
    ...     def forward(self, x):
    ...         return x @ self.weight
    >>> [name for name, _ in Affine().named_parameters()]
    ['weight']
    """

    training: bool

    def __init__(self, name_scope: str | None = None, dtype: Any = None) -> None:
        self.__dict__["training"] = True
        if name_scope is not None and not isinstance(name_scope, str):
            raise no_name_scope(self, name_scope)
        key = name_scope or snake_case(type(self).__name__)
        self._full_name = unique_name.generate(key)
        self._dtype = dtypes.convert(dtype or get_default_dtype())
        self._buffers: dict[str, bool] = {}
        self._pre_hooks: dict[Any, Callable[..., Any]] = {}
        self._post_hooks: dict[Any, Callable[..., Any]] = {}

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Compute the outputs from the inputs."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks and observers there are."""
        if observers or self._pre_hooks or self._post_hooks:
            return self.call_hooked(inputs, kwargs)
        return self.forward(*inputs, **kwargs)

    def call_hooked(self, inputs: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run `forward` between the hooks, and tell the observers."""
        announce("layer_begin", self)
        try:
            # A list: a hook may remove itself.
            for pre_hook in list(self._pre_hooks.values()):
                changed = pre_hook(self, inputs)
                if changed is not None:
                    inputs = changed if isinstance(changed, tuple) else (changed,)
            output = self.forward(*inputs, **kwargs)
            for post_hook in list(self._post_hooks.values()):
                changed = post_hook(self, inputs, output)
                output = output if changed is None else changed
            return output
        finally:
            announce("layer_end", self)

    def full_name(self) -> str:
        """Return the unique name, such as `linear_0`."""
        return self._full_name

    def __setattr__(self, name: str, value: Any) -> None:
        if "_buffers" not in self.__dict__ and isinstance(
            value, (Layer, Tensor, Variable)
        ):
            raise ProgramError(
                "super(YourLayer, self).__init__() should be called first: before "
                f"{name!r} is assigned"
            )
        self.refuse_other_kind(name, value)
        changes.count += 1
        if type(value) is Tensor:  # a buffer that is no part of the state
            self._buffers.setdefault(name, False)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        changes.count += 1
        self._buffers.pop(name, None)
        object.__delattr__(self, name)

    def refuse_other_kind(self, name: str, value: Any) -> None:
        """Refuse to replace a sublayer or a parameter by a value of another kind."""
        old = self.__dict__.get(name)
        if type(old) is Tensor and not (
            value is None or isinstance(value, (Tensor, Variable))
        ):
            raise DTypeError(
                f"assignment to buffers {name!r} should be of type Tensor or None, "
                f"but got {type(value).__name__!r}"
            )
        for kind, word in ((Layer, "sublayer"), (ParameterLike, "parameter")):
            if isinstance(old, kind) and not (value is None or isinstance(value, kind)):
                wanted = "Layer" if word == "sublayer" else "Parameter"
                raise DTypeError(
                    f"assignment to {word} {name!r} should be of type {wanted} or "
                    f"None, but got {type(value).__name__!r}"
                )

    def create_parameter(
        self,
        shape: Sequence[int],
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Any = None,
    ) -> Any:
        """Create a parameter of this layer, in the current mode.

        Args:
            shape: Its sizes.
            attr: A ParamAttr, a name, an initializer, or False for none (returns None).
            dtype: By default the layer's.
            is_bias: A bias starts at 0, a weight Xavier-uniform.
            default_initializer: Replaces these defaults.

        Raises:
            InvalidValueError: A size is negative, or its name is another's.
        """
        wanted = ParamAttr.of(attr)
        if wanted is False:
            return None
        if any(size < 0 for size in shape):
            raise InvalidValueError.here(
                f"{type(self).__name__}: each dimension of a parameter is greater "
                f"than 0, got {list(shape)}"
            )
        suffix = "b" if is_bias else "w"
        name = wanted.name or unique_name.generate(f"{self._full_name}.{suffix}")
        usual = Constant(0.0) if is_bias else XavierUniform()
        asked = wanted.initializer or global_default(is_bias=is_bias)
        initializer = asked or default_initializer or usual
        kind = dtypes.convert(dtype or self._dtype)
        make = modes.interpreter().create_parameter
        return make(name, shape, kind, wanted, initializer)

    def create_variable(
        self,
        name: str | None = None,
        persistable: bool | None = None,
        dtype: Any = None,
    ) -> Any:
        """Create a variable to write to: a Tensor of one 0, or one of the Program.

        In Paddle `create_tensor` does the same.

        Args:
            name: What follows the layer's name; by default `_generated_var_N`.
            persistable: A Program keeps it from run to run.
            dtype: By default the layer's.
        """
        full = f"{self._full_name}.{name or '_generated_var'}"
        full = full if name else unique_name.generate(full)
        kind = dtypes.convert(dtype or self._dtype)
        if not modes.in_dynamic_mode():
            return current_block().create_var(
                full, dtype=kind, persistable=bool(persistable)
            )
        variable = Tensor(np.zeros((), kind))
        variable.name, variable.persistable = full, bool(persistable)
        return variable

    create_tensor = create_variable

    def add_parameter(self, name: str, parameter: Any) -> Any:
        """Register a parameter under a name.

        Raises:
            NameKeyError: The name is taken, empty or has a dot.
            DTypeError: It is neither a parameter nor None.
        """
        self.check_name(name)
        check_kind("parameter", parameter, ParameterLike)
        setattr(self, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: Layer | None) -> Layer | None:
        """Register a sublayer under a name.

        Raises:
            DTypeError: It is neither a layer nor None, or the name is no text.
        """
        require_text(name, "sublayer")
        check_kind("sublayer", sublayer, (Layer,))
        setattr(self, name, sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Any, persistable: bool = True) -> None:
        """Register a buffer: a tensor that is no parameter but part of the state.

        Raises:
            NameKeyError: The name is taken by what is no buffer, empty or has a dot.
            DTypeError: It is neither a tensor nor None, but a parameter, for instance.
        """
        if name not in self._buffers:
            self.check_name(name)
        check_kind("buffer", tensor, (Tensor, Variable))
        if isinstance(tensor, ParameterLike):
            raise DTypeError.here(
                f"the buffer {name!r} should be a Tensor, but received a parameter, "
                f"'{tensor.name}', which optimizers train: use add_parameter, or "
                "register its detach()"
            )
        self._buffers[name] = persistable
        setattr(self, name, tensor)

    def check_name(self, name: str) -> None:
        """Require a free name without a dot, the separator in structured names."""
        require_text(name, "parameter or buffer")
        if not name or "." in name:
            raise NameKeyError.here(
                "The name of a parameter or buffer can not be empty or contain '.'"
            )
        if name in self.__dict__ or hasattr(type(self), name):
            raise NameKeyError.here(
                f"The {name!r} of {self._full_name} already exists: take another name"
            )

    @property
    def _sub_layers(self) -> dict[str, Layer]:
        """The direct sublayers by name, under Paddle's name for their dict."""
        attributes = self.__dict__.items()
        return {name: value for name, value in attributes if isinstance(value, Layer)}

    @property
    def _parameters(self) -> dict[str, Any]:
        """The parameters of this layer itself by name, likewise."""
        return dict(self.named_parameters(include_sublayers=False))

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """Yield the direct sublayers with their names; each once, by its first."""
        seen = set()
        for name, layer in self._sub_layers.items():
            if id(layer) not in seen:
                seen.add(id(layer))
                yield name, layer

    def children(self) -> Iterator[Layer]:
        """Yield the direct sublayers."""
        return (layer for _, layer in self.named_children())

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False
    ) -> Iterator[tuple[str, Layer]]:
        """Yield all sublayers with names, depth first; each once."""
        yield from self.walk(prefix, set() if include_self else {id(self)})

    def walk(self, prefix: str, seen: set[int]) -> Iterator[tuple[str, Layer]]:
        """Yield this layer and all sublayers not yet seen."""
        # A layer may be a sublayer of several.
        if id(self) not in seen:
            seen.add(id(self))
            yield prefix, self
        for name, child in self.named_children():
            if id(child) not in seen:
                yield from child.walk(structured_name(prefix, name), seen)

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """List all sublayers."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield own parameters, then those of sublayers, with names; each once."""
        yield from self.named_members(ParameterLike, prefix, include_sublayers)

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield own buffers, then those of sublayers, with names."""
        yield from self.named_members(None, prefix, include_sublayers)

    def named_members(
        self, kinds: Any, prefix: str, include_sublayers: bool
    ) -> Iterator[tuple[str, Any]]:
        """Yield the attributes of these kinds, or the buffers if that is None."""
        layers = [(prefix, self)]
        if include_sublayers:
            layers += self.named_sublayers(prefix)
        seen: set[int] = set()
        for path, layer in layers:
            for name, value in layer.__dict__.items():
                wanted = (
                    name in layer._buffers
                    if kinds is None
                    else isinstance(value, kinds)
                )
                if wanted and value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield structured_name(path, name), value

    def parameters(self, include_sublayers: bool = True) -> list[Any]:
        """List the parameters."""
        named = self.named_parameters(include_sublayers=include_sublayers)
        return [parameter for _, parameter in named]

    def buffers(self, include_sublayers: bool = True) -> list[Any]:
        """List the buffers."""
        named = self.named_buffers(include_sublayers=include_sublayers)
        return [buffer for _, buffer in named]

    def state_dict(
        self,
        destination: dict[str, Any] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Any]:
        """Return parameters and persistable buffers by name, such as `body.0.weight`.

        A shared one is included under each of its names.

        Args:
            destination: A dictionary to put them into.
            include_sublayers: Include those of the sublayers.
            structured_name_prefix: What each name begins with.
            use_hook: Accepted for Paddle's sake.
        """
        state = OrderedDict() if destination is None else destination
        own = None if include_sublayers else {*self._parameters, *self._buffers}
        for name, value in self.named_state():
            if own is None or name in own:
                state[f"{structured_name_prefix}{name}"] = value
        return state

    def to_static_state_dict(
        self,
        destination: dict[str, Any] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Any]:
        """Return the state with all buffers, those that are not persistable too."""
        state = self.state_dict(
            destination,
            include_sublayers=include_sublayers,
            structured_name_prefix=structured_name_prefix,
        )
        for name, value in self.named_buffers(include_sublayers=include_sublayers):
            state[f"{structured_name_prefix}{name}"] = value
        return state

    def named_state(self, prefix: str = "") -> Iterator[tuple[str, Any]]:
        """Yield own parameters, own buffers, then the state of the sublayers."""
        for name, value in self.__dict__.items():
            if isinstance(value, ParameterLike):
                yield structured_name(prefix, name), value
        for name, persistable in self._buffers.items():
            if persistable and self.__dict__.get(name) is not None:
                yield structured_name(prefix, name), self.__dict__[name]
        for name, child in self._sub_layers.items():
            yield from child.named_state(structured_name(prefix, name))

    def set_state_dict(
        self, state_dict: Mapping[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Load saved values; warn of those that are missing or of another shape.

        Returns:
            The missing names (not in the state) and the unexpected names (only there);
            what has another shape is in both.

        Raises:
            InvalidValueError: A value has another dtype; nothing has changed.
            DTypeError: `state_dict` is no dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise DTypeError.here(
                "a state is a dictionary from names to values, as state_dict() or "
                f"load() give it, got {type(state_dict).__name__}"
            )
        own = self.state_dict()
        named = own if use_structured_name else {v.name: v for v in own.values()}
        reasons = {k: mismatch(k, v, state_dict.get(k)) for k, v in named.items()}
        known = {k: v for k, v in state_dict.items() if reasons.get(k) == ""}
        # If one value does not fit, none is loaded.
        before = {name: named[name].data for name in known}
        try:
            for name, value in known.items():
                named[name].set_value(value)
        except OpError as error:
            for done, data in before.items():
                store(named[done], data)
            raise type(error)(at_user_line(f"{name}: {error}")) from None
        missing = [name for name in named if name not in known]
        for name in missing:
            warnings.warn(f"Skip loading for {name}. {reasons[name]}", stacklevel=2)
        return missing, [name for name in state_dict if name not in known]

    set_dict = load_dict = set_state_dict

    def train(self) -> Self:
        """Set training mode, here and in all sublayers."""
        changes.count += 1
        chosen.training = True
        for layer in self.sublayers(include_self=True):
            layer.__dict__["training"] = True
        return self

    def eval(self) -> Self:
        """Set evaluation mode, here and in all sublayers."""
        changes.count += 1
        chosen.training = False
        for layer in self.sublayers(include_self=True):
            layer.__dict__["training"] = False
        return self

    def apply(self, function: Callable[[Layer], Any]) -> Self:
        """Call a function on every sublayer, then on this layer."""
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    def astype(self, dtype: Any) -> Self:
        """Cast floating parameters and buffers, also those of sublayers.

        Raises:
            DTypeError: The dtype is not floating.
            ModeError: The layer belongs to a program.

        >>> from teachgraph.nn import Linear
        >>> Linear(2, 3).astype("float64").weight.dtype
        dtype('float64')
        """
        wanted = dtypes.convert(dtype)
        if not is_floating(wanted):
            raise DTypeError.here(f"a layer computes in floats, not {wanted}")
        for tensor in [*self.parameters(), *self.buffers()]:
            if isinstance(tensor, Variable):
                raise ModeError.here("the parameters of a program keep their dtype")
            if is_floating(tensor.dtype):
                tensor.data = tensor.data.astype(wanted)
        for layer in self.sublayers(include_self=True):
            layer._dtype = wanted
        return self

    def float(self) -> Self:
        """Cast parameters and buffers to float32."""
        return self.astype("float32")

    def float16(self, excluded_layers: Any = None) -> Self:
        """Keep the dtype, with a warning: as in Paddle, the CPU has no float16."""
        warnings.warn("the CPU has no float16: the dtype stays", stacklevel=2)
        return self

    def bfloat16(self, excluded_layers: Any = None) -> Self:
        """Refuse to cast to bfloat16, which NumPy has not; raises DTypeError."""
        return self.astype("bfloat16")

    def to(
        self, device: Any = None, dtype: Any = None, blocking: bool | None = None
    ) -> Self:
        """Move to a device (only the CPU is supported), or cast to another dtype.

        Raises:
            InvalidValueError: The device is another one.
            DTypeError: It is no device.
        """
        if device is not None:
            place_of(device)
        return self if dtype is None else self.astype(dtype)

    def backward(self, *inputs: Any) -> None:
        """Refuse: layers have no backward of their own; raises ProgramError."""
        kind = type(self).__name__
        raise ProgramError.here(
            f"Layer shouldn't implement backward: a {kind} is made first, and what its "
            f"call gives has a backward, as in {kind}()(x).backward()"
        )

    def __dir__(self) -> list[str]:
        return offered("Layer", self, super().__dir__())

    def clear_gradients(self) -> None:
        """Clear the gradients of all parameters."""
        for parameter in self.parameters():
            parameter.clear_gradient()

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Register hook(layer, inputs) before forward; it may return other inputs."""
        return self.noticed(register(self._pre_hooks, hook))

    def register_forward_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Register hook(layer, inputs, output) after forward; it may replace output."""
        return self.noticed(register(self._post_hooks, hook))

    @staticmethod
    def noticed(handle: HookHandle) -> HookHandle:
        """Wrap a hook's handle; registering and removing it count as changes."""
        changes.count += 1
        handle.removed = note_change
        return handle

    def extra_repr(self) -> str:
        """Format the layer's settings for `repr`; by default empty."""
        return ""

    def __repr__(self) -> str:
        children = list(self._sub_layers.items())
        if not children:
            return f"{type(self).__name__}({self.extra_repr()})"
        lines = [
            f"({name}): {child!r}".replace("\n", "\n  ") for name, child in children
        ]
        opening = f"{type(self).__name__}({self.extra_repr()}"
        return "\n  ".join([opening, *lines]) + "\n)"


def structured_name(prefix: str, name: str) -> str:
    """Join a prefix and a name to a structured name.

    >>> structured_name("", "bias"), structured_name("body.0", "bias")
    ('bias', 'body.0.bias')
    """
    return f"{prefix}.{name}" if prefix else name


def mismatch(
    name: str, parameter: Any, value: Any, source: str = "provided dict"
) -> str:
    """Why a loaded value does not fit a parameter; nothing if it does."""
    if value is None:
        return f"{name} is not found in the {source}."
    shape = list(value.shape if hasattr(value, "shape") else np.shape(value))
    if shape != list(parameter.shape):
        return (
            f"{name} receives a shape {shape}, but the expected shape is "
            f"{list(parameter.shape)}."
        )
    return ""


def check_kind(word: str, value: Any, kinds: tuple[type, ...]) -> None:
    """Require a value of the right kind (parameter, layer or buffer), or None.

    Raises:
        DTypeError: It is something else.
    """
    if value is not None and not isinstance(value, kinds):
        raise DTypeError.here(
            f"the {word} to be added should be of type {kinds[0].__name__} or "
            f"None, but got {type(value).__name__!r}"
        )


def require_text(name: Any, word: str) -> None:
    """Require that the name of an attribute is a text.

    Raises:
        DTypeError: It is not.
    """
    if not isinstance(name, str):
        raise DTypeError.here(
            f"the name of a {word} should be a string, but received {name!r}"
        )


def no_name_scope(layer: Layer, given: Any) -> DTypeError:
    """The error for a layer that was given what an instance of it is called with."""
    kind = type(layer).__name__
    return DTypeError.here(
        f"the name_scope of a {kind} is a str, got a {type(given).__name__}: if that "
        f"is its input, make the layer first and call it then: {kind}()(x)"
    )


def snake_case(name: str) -> str:
    """Convert a class name to snake case, as Paddle does.

    >>> snake_case("MyNet"), snake_case("Conv2D"), snake_case("ReLU")
    ('my_net', 'conv2d', 're_lu')
    """
    # Two steps, so that `GRUCell` becomes `gru_cell`, not `g_r_u_cell`.
    words = re.sub(r"(?<=.)(?=[A-Z][a-z])", "_", name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", words).lower()


tell_of("Layer", Layer)
