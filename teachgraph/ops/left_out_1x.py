"""Names of the modules of Paddle 1.x's `fluid` that are left out, with the reasons."""

from __future__ import annotations

__all__ = ["LEFT_OUT_1X", "LOD", "MISSING", "UNUSUAL"]

LOD = (
    "tensors carry no levels of detail here: pad the sequences, and pass their lengths "
    "(`nn.LSTM(...)(x, sequence_length=n)`) or a mask "
    "(`nn.functional.sequence_mask`)"
)
MISSING = "it is not built yet"
UNUSUAL = "it is for one kind of model, which nobody has built here yet"
ROWS = "rows of a gradient are not stored without the others: use the gradient as it is"
READERS = "no operator asks a reader for batches: loop over the reader, and feed them"
DETECTION = "detection of objects is not built for 1.x; `vision.ops` has parts of it"
BEAMS = "`teachgraph.models.decoding` decodes by beams; `nn.RNN` runs a cell"
GPUS = "it is for training on many GPUs or by Paddle's own trainers"

LEFT_OUT_1X: dict[str, dict[str, str]] = {
    "fluid.clip": {MISSING: "ErrorClipByValue"},
    "fluid.dygraph": {UNUSUAL: "NCE TreeConv"},
    "fluid.io": {READERS: "multiprocess_reader"},
    "fluid.layers": {
        LOD: "chunk_eval dynamic_gru dynamic_lstm dynamic_lstmp im2sequence "
        "lod_append lod_reset reorder_lod_tensor_by_rank sequence_concat sequence_conv "
        "sequence_enumerate sequence_expand sequence_expand_as sequence_first_step "
        "sequence_last_step sequence_pad sequence_pool sequence_reshape "
        "sequence_reverse sequence_scatter sequence_slice sequence_softmax "
        "sequence_unpad",
        ROWS: "get_tensor_from_selected_rows merge_selected_rows",
        READERS: "create_py_reader_by_data double_buffer load py_reader read_file",
        DETECTION: "anchor_generator bipartite_match box_clip box_coder "
        "box_decoder_and_assign collect_fpn_proposals deformable_conv "
        "deformable_roi_pooling density_prior_box detection_output "
        "distribute_fpn_proposals generate_mask_labels generate_proposal_labels "
        "generate_proposals iou_similarity locality_aware_nms matrix_nms "
        "multi_box_head multiclass_nms polygon_box_transform prior_box prroi_pool "
        "psroi_pool retinanet_detection_output retinanet_target_assign roi_align "
        "roi_perspective_transform roi_pool rpn_target_assign sigmoid_focal_loss "
        "ssd_loss target_assign yolo_box yolov3_loss",
        UNUSUAL: "bpr_loss center_loss continuous_value_model crf_decoding "
        "ctc_greedy_decoder data_norm edit_distance filter_by_instag hash hsigmoid "
        "inplace_abn linear_chain_crf nce random_crop "
        "sampled_softmax_with_cross_entropy sampling_id similarity_focus "
        "teacher_student_sigmoid_loss",
        BEAMS: "BasicDecoder BeamSearchDecoder DecodeHelper Decoder GRUCell "
        "GreedyEmbeddingHelper LSTMCell RNNCell SampleEmbeddingHelper TrainingHelper "
        "beam_search beam_search_decode dynamic_decode gather_tree lstm rnn",
        "`teachgraph.distribution` has it": (
            "Categorical MultivariateNormalDiag Normal Uniform"
        ),
    },
    "fluid.lod_tensor": {LOD: "create_lod_tensor create_random_int_lodtensor"},
    "fluid.metrics": {DETECTION: "DetectionMAP"},
    "fluid.nets": {LOD: "sequence_conv_pool"},
    "fluid.optimizer": {
        MISSING: "DecayedAdagrad DecayedAdagradOptimizer Dpsgd DpsgdOptimizer Ftrl "
        "FtrlOptimizer LarsMomentum LarsMomentumOptimizer ModelAverage",
        GPUS: "DGCMomentumOptimizer PipelineOptimizer",
    },
}
"""For each module the reasons, each with the names it holds for."""
