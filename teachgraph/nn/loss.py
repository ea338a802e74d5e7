"""Loss layers: each applies a function of `nn.functional` with its options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.function_layer import FunctionLayer
from teachgraph.nn.functional.reduction import check_reduction
from teachgraph.nn.layer import Layer

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "PairwiseDistance",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class Loss(FunctionLayer):
    """Base of loss layers: a function of predictions and targets.

    Attributes:
        reductions: Further ways of reduction than "mean", "sum" and "none".
    """

    reductions: tuple[str, ...] = ()

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if "reduction" in options:
            check_reduction(options["reduction"], *self.reductions)


class CrossEntropyLoss(Loss):
    """Cross entropy loss with softmax, averaged over the batch.

    >>> import teachgraph as tg
    >>> loss = tg.nn.CrossEntropyLoss()
    >>> round(loss(tg.zeros([2, 4]), tg.to_tensor([0, 3])).item(), 4)
    1.3863
    """

    function = functional.cross_entropy

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        label_smoothing: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__(
            weight=weight,
            ignore_index=ignore_index,
            reduction=reduction,
            soft_label=soft_label,
            axis=axis,
            use_softmax=use_softmax,
            label_smoothing=label_smoothing,
            name=name,
        )


class NLLLoss(Loss):
    """The mean of -input[label], for logarithms of probabilities."""

    function = functional.nll_loss

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__(
            weight=weight, ignore_index=ignore_index, reduction=reduction, name=name
        )


class MSELoss(Loss):
    """The mean of (input - label)^2."""

    function = functional.mse_loss

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)


class L1Loss(Loss):
    """The mean of |input - label|."""

    function = functional.l1_loss

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__(reduction=reduction, name=name)


class SmoothL1Loss(Loss):
    """Huber's loss: quadratic where |input - label| <= delta, linear beyond."""

    function = functional.smooth_l1_loss

    def __init__(
        self, reduction: str = "mean", delta: float = 1.0, name: str | None = None
    ) -> None:
        super().__init__(reduction=reduction, delta=delta, name=name)


class BCELoss(Loss):
    """Binary cross entropy of probabilities."""

    function = functional.binary_cross_entropy

    def __init__(
        self, weight: Any = None, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__(weight=weight, reduction=reduction, name=name)


class BCEWithLogitsLoss(Loss):
    """Binary cross entropy of logits, numerically stable."""

    function = functional.binary_cross_entropy_with_logits

    def __init__(
        self,
        weight: Any = None,
        reduction: str = "mean",
        pos_weight: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            weight=weight, reduction=reduction, pos_weight=pos_weight, name=name
        )


class KLDivLoss(Loss):
    """Kullback-Leibler divergence of a target distribution from log-probabilities."""

    function = functional.kl_div
    reductions = ("batchmean",)

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction=reduction, log_target=log_target)


class SoftMarginLoss(Loss):
    """The mean of log(1 + exp(-label input)), for labels 1 and -1."""

    function = functional.soft_margin_loss

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__(reduction=reduction, name=name)


class MultiLabelSoftMarginLoss(Loss):
    """Binary cross entropy of the logits of independent classes."""

    function = functional.multi_label_soft_margin_loss

    def __init__(
        self, weight: Any = None, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__(weight=weight, reduction=reduction, name=name)


class HingeEmbeddingLoss(Loss):
    """The input where the label is 1, max(0, margin - input) where it is -1."""

    function = functional.hinge_embedding_loss

    def __init__(
        self, margin: float = 1.0, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__(margin=margin, reduction=reduction, name=name)


class MarginRankingLoss(Loss):
    """The mean of max(0, margin - label (input - other))."""

    function = functional.margin_ranking_loss

    def __init__(
        self, margin: float = 0.0, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__(margin=margin, reduction=reduction, name=name)


class CosineEmbeddingLoss(Loss):
    """1 - cos where the label is 1, max(0, cos - margin) where it is -1."""

    function = functional.cosine_embedding_loss

    def __init__(
        self, margin: float = 0.0, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__(margin=margin, reduction=reduction, name=name)


class TripletMarginLoss(Loss):
    """The mean of max(0, |input - positive| - |input - negative| + margin)."""

    function = functional.triplet_margin_loss

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        epsilon: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__(
            margin=margin,
            p=p,
            epsilon=epsilon,
            swap=swap,
            reduction=reduction,
            name=name,
        )


class CosineSimilarity(Loss):
    """The cosine of the angle between two vectors along `axis`."""

    function = functional.cosine_similarity

    def __init__(self, axis: int = 1, eps: float = 1e-8) -> None:
        super().__init__(axis=axis, eps=eps)

    def extra_repr(self) -> str:
        """Format the options for `repr`."""
        return "axis={axis}, eps={eps}".format_map(self.options)


class GaussianNLLLoss(Loss):
    """Negative log-likelihood of normally distributed labels."""

    function = functional.gaussian_nll_loss

    def __init__(
        self,
        full: bool = False,
        epsilon: float = 1e-6,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__(full=full, epsilon=epsilon, reduction=reduction, name=name)


class PoissonNLLLoss(Loss):
    """Negative log-likelihood of Poisson distributed counts."""

    function = functional.poisson_nll_loss

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        epsilon: float = 1e-8,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__(
            log_input=log_input,
            full=full,
            epsilon=epsilon,
            reduction=reduction,
            name=name,
        )


class MultiMarginLoss(Loss):
    """Multi-class hinge loss: wrong classes within a margin of the right one."""

    function = functional.multi_margin_loss

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Any = None,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__(
            p=p, margin=margin, weight=weight, reduction=reduction, name=name
        )


class TripletMarginWithDistanceLoss(Loss):
    """Triplet margin loss with any distance function."""

    function = functional.triplet_margin_with_distance_loss

    def __init__(
        self,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__(
            distance_function=distance_function,
            margin=margin,
            swap=swap,
            reduction=reduction,
            name=name,
        )


class PairwiseDistance(Loss):
    """The p-norm of the difference of two vectors."""

    function = functional.pairwise_distance

    def __init__(
        self,
        p: float = 2.0,
        epsilon: float = 1e-6,
        keepdim: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(p=p, epsilon=epsilon, keepdim=keepdim, name=name)

    def extra_repr(self) -> str:
        """Format the norm, and what is unusual, for `repr`."""
        usual = {"epsilon": 1e-6, "keepdim": False}
        shown = {k: v for k, v in self.options.items() if v != usual.get(k)}
        return ", ".join(f"{name}={value}" for name, value in shown.items())


class CTCLoss(Layer):
    """Connectionist temporal classification loss, see `functional.ctc_loss`."""

    def __init__(self, blank: int = 0, reduction: str = "mean") -> None:
        super().__init__()
        self.blank, self.reduction = blank, reduction

    def forward(
        self,
        log_probs: Any,
        labels: Any,
        input_lengths: Any,
        label_lengths: Any,
        norm_by_times: bool = False,
    ) -> Any:
        """Apply `ctc_loss` to sequences and their labels."""
        return functional.ctc_loss(
            log_probs,
            labels,
            input_lengths,
            label_lengths,
            self.blank,
            self.reduction,
            norm_by_times,
        )
