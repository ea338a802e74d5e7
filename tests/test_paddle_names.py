"""Every public name of Paddle 2.6.2 is ours too, or is left out for a reason told here.

The names are asked of Paddle by `tests/oracle/names.py`.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import teachgraph as tg

FILE = Path(__file__).parent / "oracle" / "paddle_names.json"
NAMES: dict[str, list[str]] = json.loads(FILE.read_text("utf-8"))

COMPLEX = "there are no complex numbers here"
MACHINE = "there is one machine without a GPU: nothing to choose or to synchronise"
LATER = "whole features that come as rooms of their own"
MISSING = "not built yet"
LOD = "tensors carry no levels of detail here: sequences are padded, with a mask"
UNUSUAL = "for one kind of model, which nobody has built here yet"

LEFT_OUT: dict[str, dict[str, str]] = {
    "": {
        COMPLEX: "angle as_complex as_real complex complex128 complex64 conj imag "
        "polar real",
        "NumPy computes with float16 slowly, with bfloat16 not at all": "bfloat16 "
        "float16",
        MACHINE: "CUDAPinnedPlace get_cuda_rng_state set_cuda_rng_state",
        LATER: "DataParallel Model",
        "parameters are small enough to be made at once": "LazyGuard",
        "a check for Paddle's own layers, public by accident": "check_shape",
    },
    "autograd": {
        "what the tape keeps are arrays, kept in `Node.saved`; to keep less there is "
        "`autograd.recompute`": "saved_tensors_hooks",
    },
    "linalg": {COMPLEX: "eig eigvals"},
    "nn": {
        UNUSUAL: "BeamSearchDecoder RNNTLoss dynamic_decode",
        MACHINE: "SyncBatchNorm",
    },
    "nn.functional": {
        UNUSUAL: "gather_tree rnnt_loss",
        "for classes shared out over many GPUs": "class_center_sample "
        "margin_cross_entropy",
        "a CUDA kernel of Paddle's; a mask does the same": "sparse_attention",
    },
    "Tensor": {
        COMPLEX: "angle as_complex as_real conj eig eigvals imag istft polar real stft",
        "functions of several tensors, of shapes or of none, which Paddle hangs onto "
        "its Tensor with the others": "add_n broadcast_shape broadcast_tensors concat "
        "create_parameter create_tensor is_tensor multi_dot multiplex scatter_nd stack",
        "draws words for large language models on GPUs": "top_p_sampling",
    },
    "static": {
        MACHINE: "IpuCompiledProgram IpuStrategy cuda_places ipu_shard_guard "
        "set_ipu_shard xpu_places",
        "switches for Paddle's own threads": "ExecutionStrategy",
        "one sum over many machines": "ctr_metric_bundle",
    },
    "static.nn": {
        LOD: "sequence_concat sequence_conv sequence_enumerate sequence_expand "
        "sequence_expand_as sequence_first_step sequence_last_step sequence_pad "
        "sequence_pool sequence_reshape sequence_reverse sequence_scatter "
        "sequence_slice sequence_softmax sequence_unpad",
        UNUSUAL: "data_norm deform_conv2d nce",
        MISSING: "static_pylayer",
    },
    "vision.datasets": {
        "hundreds of megabytes, of pictures that nobody trains on here": "Flowers "
        "VOC2012",
    },
    "vision.models": {
        "other networks of the kinds that are here": "AlexNet DenseNet GoogLeNet "
        "InceptionV3 MobileNetV1 MobileNetV3Large MobileNetV3Small ShuffleNetV2 "
        "SqueezeNet VGG alexnet densenet121 densenet161 densenet169 densenet201 "
        "densenet264 googlenet inception_v3 mobilenet_v1 mobilenet_v3_large "
        "mobilenet_v3_small shufflenet_v2_swish shufflenet_v2_x0_25 "
        "shufflenet_v2_x0_33 shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 "
        "shufflenet_v2_x2_0 squeezenet1_0 squeezenet1_1 vgg11 vgg13 vgg16 vgg19",
        "the same ResNet, wider or in groups": "resnext101_32x4d resnext101_64x4d "
        "resnext152_32x4d resnext152_64x4d resnext50_32x4d resnext50_64x4d "
        "wide_resnet101_2 wide_resnet50_2",
    },
    "vision.transforms": {MISSING: "RandomPerspective perspective"},
}


def holder(module: str) -> Any:
    """Where names of a module of Paddle's are looked for here."""
    if module == "Tensor":
        return tg.Tensor
    return import_module(f"teachgraph.{module}" if module else "teachgraph")


def left_out(module: str) -> set[str]:
    reasons = LEFT_OUT.get(module, {}).values()
    return {name for names in reasons for name in names.split()}


@pytest.mark.parametrize("module", NAMES)
def test_what_is_missing_is_what_is_left_out(module: str) -> None:
    here = holder(module)
    missing = {name for name in NAMES[module] if not hasattr(here, name)}
    assert missing == left_out(module)


@pytest.mark.parametrize("module", LEFT_OUT)
def test_a_name_is_left_out_for_one_reason(module: str) -> None:
    names = " ".join(LEFT_OUT[module].values()).split()
    assert sorted(names) == sorted(set(names))


def test_most_is_there() -> None:
    tools = NAMES.keys() - {"vision.models"}
    absent = sum(len(left_out(module)) for module in tools)
    assert absent < 0.071 * sum(len(NAMES[module]) for module in tools)
