"""Modules that Paddle splits its rooms into, under whose names ours can be imported.

`from paddle.nn.layer.common import Linear` asks for a module that is finer than a room
here, and each name is in one place: so the room itself goes by that name too.
"""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType
from typing import Any

__all__ = ["FINER", "known_as"]

FINER: dict[str, str] = {
    "autograd": "autograd backward_mode",
    "base": "unique_name",
    "distributed": "collective parallel spawn communication communication.all_gather "
    "communication.all_reduce communication.all_to_all communication.broadcast "
    "communication.gather communication.group communication.recv communication.reduce "
    "communication.reduce_scatter communication.scatter communication.send",
    "fluid": "data_feeder parallel_executor unique_name",
    "fluid.dygraph": "checkpoint container io layers learning_rate_scheduler",
    "fluid.dygraph.dygraph_to_static": "program_translator",
    "fluid.layers": "control_flow io learning_rate_scheduler loss metric_op nn ops "
    "tensor",
    "fluid.transpiler": "distribute_transpiler ps_dispatcher",
    "framework": "dtype framework io random",
    "hapi": "dynamic_flops model_summary",
    "io": "reader dataloader.batch_sampler dataloader.collate dataloader.dataset "
    "dataloader.sampler dataloader.worker",
    "jit": "api dy2static.logging_utils",
    "metric": "metrics",
    "nn": "clip layer layer.activation layer.common layer.container layer.conv "
    "layer.distance layer.layers layer.loss layer.norm layer.pooling layer.rnn "
    "layer.transformer layer.vision",
    "nn.functional": "activation common conv distance extension flash_attention input "
    "loss norm pooling vision",
    "nn.initializer": "Bilinear assign constant dirac initializer kaiming normal "
    "orthogonal uniform xavier",
    "nn.utils": "clip_grad_norm_ clip_grad_value_ spectral_norm_hook "
    "transform_parameters weight_norm_hook",
    "optimizer": "adamw",
    "static": "input io",
    "static.nn": "common metric static_pylayer",
    "tensor": "array attribute creation einsum linalg logic manipulation math ops "
    "random search stat to_string",
    "vision.models": "alexnet densenet googlenet inceptionv3 lenet mobilenetv1 "
    "mobilenetv2 mobilenetv3 resnet shufflenetv2 squeezenet vgg",
    "vision.transforms": "transforms",
}
"""For each room the modules of Paddle's, below it, whose names are in the room here."""


def known_as(room: str) -> None:
    """Let a room be imported by the names of Paddle's modules in it.

    A module of the room's own that has such a name, but not all of its contents, finds
    the rest in the room.
    """
    whole = f"teachgraph.{room}"
    here = sys.modules[whole]
    for name in FINER[room].split():
        _, _, last = name.rpartition(".")
        own = vars(here).setdefault(last, here)
        alias = own if isinstance(own, ModuleType) else here
        module = sys.modules.setdefault(f"{whole}.{name}", alias)
        if module is not here:
            vars(module).setdefault("__getattr__", partial(in_room, whole))


def in_room(room: str, name: str) -> Any:
    """Return what a room has under a name; Python's own names are each module's."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(sys.modules[room], name)
