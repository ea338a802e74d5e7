"""What Paddle 1.8.5's `fluid` takes, ours takes: by name, in order, by default.

`tests/oracle/fluid_arguments.py` asked it. What we lack stands here with its reason.
"""

from __future__ import annotations

import json
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

import pytest

from teachgraph import fluid
from teachgraph.fluid.aliases import arguments, renamed
from tests.oracle.held import ours, words

FILE = Path(__file__).with_name("arguments.json")
ARGUMENTS: dict[str, str | None] = json.loads(FILE.read_text("utf-8"))

LOD = "tensors carry no levels of detail here: sequences are padded, with their lengths"
LEFT_OUT = {
    LOD: (
        "LoDTensorArray create_lod_tensor create_random_int_lodtensor "
        "layers.chunk_eval layers.dynamic_gru layers.dynamic_lstm layers.dynamic_lstmp "
        "layers.im2sequence layers.lod_append layers.lod_reset "
        "layers.reorder_lod_tensor_by_rank layers.sequence_concat layers.sequence_conv "
        "layers.sequence_enumerate layers.sequence_expand layers.sequence_expand_as "
        "layers.sequence_first_step layers.sequence_last_step layers.sequence_pad "
        "layers.sequence_pool layers.sequence_reshape layers.sequence_reverse "
        "layers.sequence_scatter layers.sequence_slice layers.sequence_softmax "
        "layers.sequence_unpad nets.sequence_conv_pool"
    ),
    "rows of a gradient that are stored without the others: gradients are whole here": (
        "layers.get_tensor_from_selected_rows layers.merge_selected_rows"
    ),
    "there are no complex numbers here": "ComplexVariable",
    "there is one machine without a GPU": "CUDAPinnedPlace cuda_pinned_places",
    "compressed gradients, pipelines, and data sets that Paddle's own trainers read": (
        "io.DataLoader.from_dataset "
        "optimizer.DGCMomentumOptimizer optimizer.PipelineOptimizer"
    ),
    "readers that operators ask for batches: loop over them, and feed what they give": (
        "DataFeedDesc io.multiprocess_reader "
        "layers.create_py_reader_by_data layers.double_buffer layers.load "
        "layers.py_reader layers.read_file"
    ),
    "time is taken by observers, never by the framework: see `teachgraph_widgets`": (
        "profiler.cuda_profiler profiler.profiler profiler.reset_profiler "
        "profiler.start_profiler profiler.stop_profiler"
    ),
    "libraries of C++, and which Paddle there is": "load_op_library require_version",
    "detection of objects, which nobody has built here": (
        "layers.anchor_generator layers.bipartite_match layers.box_clip "
        "layers.box_coder layers.box_decoder_and_assign layers.collect_fpn_proposals "
        "layers.deformable_conv layers.deformable_roi_pooling layers.density_prior_box "
        "layers.detection_output layers.distribute_fpn_proposals "
        "layers.generate_mask_labels layers.generate_proposal_labels "
        "layers.generate_proposals layers.iou_similarity layers.locality_aware_nms "
        "layers.matrix_nms layers.multi_box_head layers.multiclass_nms "
        "layers.polygon_box_transform layers.prior_box layers.prroi_pool "
        "layers.psroi_pool layers.retinanet_detection_output "
        "layers.retinanet_target_assign layers.roi_align "
        "layers.roi_perspective_transform layers.roi_pool layers.rpn_target_assign "
        "layers.sigmoid_focal_loss layers.ssd_loss layers.target_assign "
        "layers.yolo_box layers.yolov3_loss metrics.DetectionMAP"
    ),
    "for one kind of model, which nobody has built here yet": (
        "dygraph.NCE dygraph.TreeConv layers.bpr_loss layers.center_loss "
        "layers.continuous_value_model layers.crf_decoding layers.ctc_greedy_decoder "
        "layers.data_norm layers.edit_distance layers.filter_by_instag layers.hash "
        "layers.hsigmoid layers.inplace_abn layers.linear_chain_crf layers.nce "
        "layers.random_crop layers.sampled_softmax_with_cross_entropy "
        "layers.sampling_id layers.similarity_focus "
        "layers.teacher_student_sigmoid_loss"
    ),
    "decoding by beams, which `teachgraph.models.decoding` does, and cells for it": (
        "layers.BasicDecoder layers.BeamSearchDecoder layers.DecodeHelper "
        "layers.Decoder layers.GRUCell layers.GreedyEmbeddingHelper layers.LSTMCell "
        "layers.RNNCell layers.SampleEmbeddingHelper layers.TrainingHelper "
        "layers.beam_search layers.beam_search_decode layers.dynamic_decode "
        "layers.gather_tree layers.lstm layers.rnn layers.tensor_array_to_tensor"
    ),
    "not built yet": (
        "Variable.clear_gradient clip.ErrorClipByValue dygraph.Layer.create_variable "
        "layers.Categorical layers.MultivariateNormalDiag layers.Normal layers.Uniform "
        "optimizer.DecayedAdagrad optimizer.DecayedAdagradOptimizer optimizer.Dpsgd "
        "optimizer.DpsgdOptimizer optimizer.Ftrl optimizer.FtrlOptimizer "
        "optimizer.LarsMomentum optimizer.LarsMomentumOptimizer "
        "optimizer.ModelAverage"
    ),
}

OTHER_ARGUMENTS = {
    "made by functions, never by hand: fluid.data, TracedLayer.trace": (
        "Variable dygraph.TracedLayer"
    ),
    "methods of 2.x's Layer, which is the same class": (
        "dygraph.DataParallel.load_dict dygraph.DataParallel.set_dict "
        "dygraph.Layer.load_dict dygraph.Layer.named_sublayers dygraph.Layer.set_dict "
        "dygraph.Layer.sublayers "
        "optimizer.RecomputeOptimizer.load"
    ),
    "2.x's name for what is a decorator in both": "dygraph.no_grad",
    "counters of names here, a prefix there": "unique_name.guard unique_name.switch",
}

OTHER_ORDER = {"2.x's argument stands before the name": "layers.prelu"}

OTHER_DEFAULTS = {
    "what has no default there may be left out here": "name_scope",
    "made by functions, never by hand": "Variable",
    "None is the dtype in use, float32 unless it was changed": (
        "dygraph.Layer.create_parameter"
    ),
}

UNKNOWN = ...
"""A default of Paddle's that has no literal."""


def parameters(taken: Signature) -> dict[str, Parameter]:
    """What a function takes besides the object that it is a method of."""
    return {name: p for name, p in taken.parameters.items() if name != "self"}


HERE = {
    path: (parameters(arguments(text)), parameters(signature(thing)))
    for path, text in ARGUMENTS.items()
    if text is not None and (thing := ours(fluid, path)) is not None
}


def open_ended(found: dict[str, Parameter]) -> bool:
    """Whether it takes any name."""
    return any(p.kind is Parameter.VAR_KEYWORD for p in found.values())


def test_what_is_missing_is_what_is_left_out() -> None:
    missing = {path for path in ARGUMENTS if ours(fluid, path) is None}
    left_out = words(LEFT_OUT)
    whole = {path for path in missing if path.rpartition(".")[0] not in missing}
    assert whole == left_out


def test_most_is_there() -> None:
    assert len(words(LEFT_OUT)) < 0.25 * len(ARGUMENTS)


def test_every_argument_is_taken_by_its_name() -> None:
    lacking = {
        path
        for path, (wanted, found) in HERE.items()
        if not open_ended(found) and not wanted.keys() <= found.keys()
    }
    assert lacking == words(OTHER_ARGUMENTS)


def test_arguments_stand_in_the_same_order() -> None:
    moved = {
        path
        for path, (wanted, found) in HERE.items()
        if not open_ended(found)
        and wanted.keys() <= found.keys()
        and [*found][: len(wanted)] != [*wanted]
    }
    assert moved == words(OTHER_ORDER)


def same(mine: Any, yours: Any) -> bool:
    """Whether one default is the other; a tuple is as good as a list."""
    return bool((list(mine) if isinstance(yours, list) else mine) == yours)


def test_what_is_not_given_is_the_same() -> None:
    other = {
        path
        for path, (wanted, found) in HERE.items()
        for name, given in wanted.items()
        if given.default not in (Parameter.empty, UNKNOWN)
        and name in found
        and not same(found[name].default, given.default)
    }
    assert other == words(OTHER_DEFAULTS)


@pytest.mark.parametrize(
    ("args", "named", "told"),
    [
        ((), {"base": 2}, "missing a required argument: 'exponent'"),
        ((3, 2, 1), {}, "too many positional arguments"),
        ((3,), {"exponent": 2}, "multiple values for argument 'exponent'"),
        ((3,), {"mod": 2}, "unexpected keyword argument 'mod'"),
    ],
)
def test_a_renamed_function_refuses_other_arguments(
    args: Any, named: Any, told: str
) -> None:
    power = renamed(pow, "exponent, base=2", exponent="exp")
    with pytest.raises(TypeError, match=told):
        power(*args, **named)
