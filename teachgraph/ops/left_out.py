"""Names of Paddle's that are left out, each with the reason and a replacement.

Whoever asks for such a name is told; the tests hold the table against all of Paddle's
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from sys import modules
from typing import Any, NoReturn

from teachgraph.ops.left_out_1x import LEFT_OUT_1X, LOD, MISSING, UNUSUAL
from teachgraph.ops.pytorch_names import by_name, our_name

__all__ = [
    "LEFT_OUT",
    "LOD",
    "MACHINERY",
    "ROOMS",
    "UNDERSCORED",
    "LeftOut",
    "absent",
    "no_such_method",
    "offered",
    "refuse_import",
    "refused",
    "tell_of",
    "why_left_out",
]

COMPLEX = "there are no complex numbers here; keep real and imaginary parts apart"
MACHINE = "there is one machine without a GPU: nothing to choose or to synchronise"
INSIDE = "it belongs to Paddle's own machinery, and can be imported by accident"

LEFT_OUT: dict[str, dict[str, str]] = {
    "": {
        COMPLEX: "angle as_complex as_real complex complex128 complex64 conj imag "
        "polar real",
        "NumPy computes with float16 slowly, with bfloat16 not at all; use float32": (
            "bfloat16 float16"
        ),
        MACHINE: "CUDAPinnedPlace get_cuda_rng_state set_cuda_rng_state",
        "parameters are small enough to be made at once": "LazyGuard",
        "it checks Paddle's own layers, and is public by accident": "check_shape",
    },
    "autograd": {
        "what the tape keeps are arrays, kept in `Node.saved`; to keep less there is "
        "`autograd.recompute`": "saved_tensors_hooks",
    },
    "callbacks": {
        "curves are drawn here: in a notebook `Model.fit` opens the panel of "
        "`teachgraph.monitor`": "VisualDL WandbCallback",
    },
    "distributed": {
        "all trainers form one group": "get_group new_group",
        "one layer is on one machine, whole": (
            "DistAttr ParallelMode Partial Placement ProcessMesh ReduceType Replicate "
            "Shard Strategy dtensor_from_fn reshard shard_layer shard_optimizer "
            "shard_tensor split to_static"
        ),
        "objects would travel as pickles, which may run code; send tensors": (
            "all_gather_object broadcast_object_list scatter_object_list"
        ),
        "it is for tables of Paddle's own servers": (
            "CountFilterEntry InMemoryDataset ProbabilityEntry QueueDataset "
            "ShowClickEntry"
        ),
        "Ray connects the processes": (
            "gloo_barrier gloo_init_parallel_env gloo_release"
        ),
        "each trainer has all parameters: `save` and `load` of one will do": (
            "io load_state_dict save_state_dict"
        ),
    },
    "fluid": {
        COMPLEX: "ComplexVariable",
        LOD: "LoDTensorArray create_lod_tensor create_random_int_lodtensor",
        MACHINE: "CUDAPinnedPlace cuda_pinned_places",
        UNUSUAL: "NCE TreeConv",
        "it holds what Paddle only tried": "contrib incubate",
        "`fluid.metrics` counts over batches": "evaluator",
        "`teachgraph.profiler` measures": "profiler",
        "nothing is compiled here that could fail": "install_check require_version",
        "it builds Paddle's own operators; `teachgraph.core.op.op` builds ours": (
            "layer_helper load_op_library"
        ),
        "it is for tables of Paddle's own servers": "DataFeedDesc",
    },
    "linalg": {COMPLEX: "eig eigvals"},
    "nn": {
        UNUSUAL: "BeamSearchDecoder RNNTLoss dynamic_decode",
        f"{MACHINE}; use `nn.BatchNorm1D`, `2D` or `3D`": "SyncBatchNorm",
    },
    "nn.functional": {
        UNUSUAL: "gather_tree rnnt_loss",
        "it is for classes shared out over many GPUs": "class_center_sample "
        "margin_cross_entropy",
        "it is a CUDA kernel of Paddle's; `nn.functional.scaled_dot_product_attention` "
        "with a mask does the same": "sparse_attention",
    },
    "Tensor": {
        COMPLEX: "angle as_complex as_real conj eig eigvals imag istft polar real stft",
        "it is a function of several tensors, of shapes or of none, which Paddle hangs "
        "onto its Tensor with the others; call the function of that name": "add_n "
        "broadcast_shape broadcast_tensors concat create_parameter create_tensor "
        "multi_dot multiplex scatter_nd stack",
        "it draws words for large language models on GPUs": "top_p_sampling",
    },
    "static": {
        MACHINE: "IpuCompiledProgram IpuStrategy ipu_shard_guard "
        "set_ipu_shard xpu_places",
        "it holds switches for Paddle's own threads; run the program without": (
            "ExecutionStrategy"
        ),
        "it is one sum over many machines": "ctr_metric_bundle",
    },
    "static.nn": {
        LOD: "sequence_concat sequence_conv sequence_enumerate sequence_expand "
        "sequence_expand_as sequence_first_step sequence_last_step sequence_pad "
        "sequence_pool sequence_reshape sequence_reverse sequence_scatter "
        "sequence_slice sequence_softmax sequence_unpad",
        UNUSUAL: "data_norm nce",
        "`vision.ops.DeformConv2D` has the weights": "deform_conv2d",
    },
    "vision.datasets": {
        "it is hundreds of megabytes, of pictures that nobody trains on here; "
        "`vision.datasets.ImageFolder` reads any folder of pictures": "Flowers VOC2012",
    },
    "vision.ops": {
        f"{MISSING}; the stages of a region proposal network are built of `box_coder` "
        "and `nms`": "distribute_fpn_proposals generate_proposals prior_box",
        f"{MISSING}; `nms` suppresses without weights": "matrix_nms",
        f"{MISSING}; `yolo_box` decodes what a trained network predicts": "yolo_loss",
        "`vision.image_load` reads a file to an image": "decode_jpeg read_file",
    },
    "vision.transforms": {
        f"{MISSING}; `RandomAffine` is near": "RandomPerspective",
        f"{MISSING}; `affine` is near": "perspective",
    },
}
"""For each of Paddle's modules the reasons, each with the names it holds for."""

MACHINERY: dict[str, dict[str, str]] = {
    "": {
        INSIDE: "IrGuard common_ops_import cuda_env decomposition ir_guard "
        "monkey_patch_math_tensor monkey_patch_program monkey_patch_value "
        "monkey_patch_variable pir pir_utils sysconfig",
        MACHINE: "CustomPlace IPUPlace XPUPlace",
        "`save` writes at once": "async_save clear_async_save_task_queue",
    },
    "autograd": {INSIDE: "backward_utils ir_backward"},
    "device": {MACHINE: "IPUPlace XPUPlace xpu", INSIDE: "core framework"},
    "device.cuda": {INSIDE: "core deprecated extract_cuda_device_id streams"},
    "distributed": {
        INSIDE: "backup_env cloud_utils parallel_helper passes utils",
        "one layer is on one machine, whole": (
            "auto_parallel group_sharded_parallel save_group_sharded_model shard_op "
            "sharding"
        ),
        "it is for tables of Paddle's own servers": (
            "BoxPSDataset communicator entry_attr ps"
        ),
        "Ray connects the processes": (
            "P2POp batch_isend_irecv parallel_with_gloo rpc stream"
        ),
    },
    "io": {INSIDE: "multiprocess_utils"},
    "nn": {
        UNUSUAL: "decode",
        "all is computed in float32 here": "quant",
    },
    "nn.functional": {
        "which kernel computes attention is nothing to choose here": "sdp_kernel"
    },
    "nn.initializer": {
        INSIDE: "lazy_init",
        "it is Paddle 1's: `fluid.initializer` has it": (
            "ConstantInitializer MSRAInitializer NormalInitializer "
            "NumpyArrayInitializer TruncatedNormalInitializer UniformInitializer "
            "XavierInitializer"
        ),
    },
    "optimizer.lr": {
        INSIDE: "LayerHelper Tensor Variable check_type core default_main_program "
        "in_dygraph_mode",
        "it is Paddle 1's: `fluid.layers` has it": (
            "autoincreased_step_counter cosine_decay exponential_decay "
            "inverse_time_decay linear_lr_warmup natural_exp_decay noam_decay "
            "piecewise_decay polynomial_decay"
        ),
    },
    "regularizer": {INSIDE: "framework in_dynamic_or_pir_mode pir"},
    "static": {
        INSIDE: "log_helper",
        "all is computed in float32 here": "amp quantization",
        "it is Paddle 1's: `fluid.io` has it": "load_vars save_vars",
    },
    "static.nn": {
        UNUSUAL: "continuous_value_model loss",
        LOD: "sequence_lod",
    },
    "text": {
        "nothing is downloaded here; `text.datasets` has small ones": (
            "Conll05st Imdb Imikolov Movielens UCIHousing WMT14 WMT16"
        )
    },
    "Tensor": {
        "arrays are dense here": "coalesce cols crows get_selected_rows indices nnz "
        "rows to_dense to_sparse_coo to_sparse_csr values",
        "one tensor is on one machine, whole": (
            "dist_attr num_shard placements process_mesh"
        ),
        INSIDE: "block get_map_tensor grad_ set_string_list set_vocab",
    },
    "utils": {
        INSIDE: "OpLastCheckpointChecker assert_same_structure check_shape "
        "convert_shape_to_list convert_to_list copy_mutable_vars environments flatten "
        "flops gast get_inputs_outputs_in_block get_int_tensor_list "
        "get_shape_tensor_inputs hold_mutable_vars image_util inplace_utils "
        "install_check is_sequence layers_utils lazy_import map_structure op_version "
        "pack_sequence_as padding_to_same_structure to_sequence "
        "try_get_constant_shape_from_tensor try_set_static_shape_tensor",
        "it builds Paddle's own operators; `teachgraph.core.op.op` builds ours": (
            "cpp_extension"
        ),
        "nothing is downloaded here": "download",
    },
    "vision": {
        INSIDE: "nn",
        "it is hundreds of megabytes, of pictures that nobody trains on here; "
        "`vision.datasets.ImageFolder` reads any folder of pictures": "Flowers VOC2012",
    },
    "vision.datasets": {"it reads pictures that are left out here": "flowers voc2012"},
    "vision.ops": {
        INSIDE: "BatchNorm2D Conv2D ConvNormActivation LayerHelper Normal ReLU "
        "Sequential Variable check_type check_variable_and_dtype convert_to_list core "
        "in_dygraph_mode in_dynamic_or_pir_mode",
    },
    "vision.transforms": {
        "images are arrays here, whichever package reads them": (
            "functional_cv2 functional_pil functional_tensor"
        )
    },
}
"""Of names that can be imported from Paddle's modules by accident, the same."""

UNDERSCORED: dict[str, dict[str, str]] = {
    "Tensor": {
        "arrays are dense here": "_get_tensor_from_selected_rows",
        "one tensor is on one machine, whole": (
            "_local_shape _local_value _placements_str _unset_fake_empty"
        ),
        MACHINE: "_share_memory _tensor_use_gpudnn _use_gpudnn _uva",
        "memory is free again when no name of it is left": (
            "_clear _clear_data _clear_dataptr"
        ),
        "`register_hook` does the same, and `remove()` of its handle takes it away": (
            "_register_backward_hook _register_grad_hook _remove_grad_hook"
        ),
        "it belongs to Paddle's own machinery": "_getitem_from_offset "
        "_is_dense_tensor_hold_allocation _reset_grad_inplace_version _set_grad_type "
        "_to_static_var",
    },
}
"""Of names with an underscore that code out there uses, the same."""

ROOMS: dict[str, str] = {
    "amp": "mixed precision pays on GPUs alone; all is computed in float32 here, so "
    "leave `auto_cast` and `GradScaler` out",
    "audio": UNUSUAL,
    "cuda": MACHINE,
    "fft": COMPLEX,
    "geometric": UNUSUAL,
    "hub": "nothing is downloaded here; `vision.models` and `models` hold networks",
    "incubate": "it holds what Paddle only tries",
    "quantization": "all is computed in float32 here",
    "signal": COMPLEX,
    "sparse": "arrays are dense here",
    "version": "the version is `teachgraph.__version__`",
}
"""Modules of Paddle's that are no rooms here."""


def why_left_out(module: str, name: str) -> str:
    """Why a name of a module of Paddle's is not here, nothing if that is not known.

    >>> why_left_out("static", "ctr_metric_bundle")
    'it is one sum over many machines'
    """
    if not module and name in ROOMS:
        return ROOMS[name]
    return refused(module).get(name, "")


@cache
def refused(module: str) -> dict[str, str]:
    """Collect the names of a module of Paddle's that are not here, with the reasons."""
    return {
        name: reason
        for table in (MACHINERY, LEFT_OUT, LEFT_OUT_1X, UNDERSCORED)
        for reason, names in table.get(module, {}).items()
        for name in names.split()
    }


def absent(module: str) -> Callable[[str], NoReturn]:
    """Build the `__getattr__` of a module: it refuses names, with the reason.

    >>> absent("static")("ctr_metric_bundle")
    Traceback (most recent call last):
    AttributeError: module 'teachgraph.static' has no attribute 'ctr_metric_bundle', \
which paddle.static has: it is one sum over many machines
    """
    return partial(refuse_name, module)


def refuse_name(module: str, name: str) -> NoReturn:
    """Say that a module has no such name, and why, if Paddle's has it."""
    here = f"teachgraph.{module}".rstrip(".")
    told = f"module {here!r} has no attribute {name!r}"
    if reason := why_left_out(module, name):
        paddle = f"paddle.{module}".rstrip(".")
        raise AttributeError(f"{told}, which {paddle} has: {reason}")
    if ours := our_name(module, name):
        raise AttributeError(f"{told}: PyTorch's {name} is here {ours}")
    raise AttributeError(told, name=name, obj=modules.get(here))


def refuse_import(name: str) -> None:
    """Say why a name or module of Paddle's cannot be imported from one of ours.

    Raises:
        ImportError: It is left out.

    >>> refuse_import("teachgraph.amp.auto_cast")
    Traceback (most recent call last):
    ModuleNotFoundError: no 'teachgraph.amp', which paddle has: mixed precision pays \
on GPUs alone; all is computed in float32 here, so leave `auto_cast` and \
`GradScaler` out
    """
    module, _, last = name.removeprefix("teachgraph.").rpartition(".")
    while module in ROOMS:
        module, _, last = module.rpartition(".")
    if reason := why_left_out(module, last):
        here, paddle = (
            f"{top}.{module}".rstrip(".") for top in ("teachgraph", "paddle")
        )
        # Without `name=`: Python takes that for a submodule that need not exist.
        raise ModuleNotFoundError(f"no '{here}.{last}', which {paddle} has: {reason}")


class LeftOut:
    """A method of Paddle's or PyTorch's that is not here: reading it says why.

    Where a class has `__getattr__`, Python 3.11 reads all its attributes slowly.
    """

    def __init__(self, name: str, kind: str = "Tensor") -> None:
        self.name, self.kind = name, kind

    def __get__(self, value: Any, owner: type) -> NoReturn:
        raise no_such_method(owner if value is None else value, self.name, self.kind)


def no_such_method(value: Any, name: str, kind: str = "Tensor") -> AttributeError:
    """The error for what a Tensor or Variable, or another kind of object, has not.

    >>> no_such_method(1.0, "conj").args[0].split(":")[0]
    "'float' object has no attribute 'conj', which paddle.Tensor has"
    >>> no_such_method(1.0, "permute").args[0].split(": ")[1]
    "PyTorch's permute is here transpose([1, 0])"
    """
    if isinstance(value, type):
        whose = f"type object {value.__name__!r}"
    else:
        whose = f"{type(value).__name__!r} object"
    told = f"{whose} has no attribute {name!r}"
    if reason := why_left_out(kind, name):
        return AttributeError(f"{told}, which paddle.{kind} has: {reason}")
    if ours := our_name(kind, name):
        return AttributeError(f"{told}: PyTorch's {name} is here {ours}")
    return AttributeError(told, name=name, obj=value)


def tell_of(kind: str, cls: type) -> None:
    """Let a class say what is left out of it, and what PyTorch's names are here."""
    for name in [*refused(kind), *by_name(kind)]:
        setattr(cls, name, LeftOut(name, kind))


def offered(kind: str, thing: Any, names: Iterable[str]) -> list[str]:
    """The names of an object's attributes, without those that are only told of."""
    hidden = {*refused(kind), *by_name(kind)} - getattr(thing, "__dict__", {}).keys()
    return [name for name in names if name not in hidden]
