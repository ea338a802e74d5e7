"""Data sets, samplers, batching, data loading with worker processes, downloads.

In Paddle this is `paddle.io`.
"""

from typing import TYPE_CHECKING

from teachgraph.io.collate import default_collate_fn, default_convert_fn
from teachgraph.io.combine import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    random_split,
)
from teachgraph.io.dataloader import DataLoader
from teachgraph.io.dataset import (
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    UnknownLengthError,
)
from teachgraph.io.distributed import DistributedBatchSampler
from teachgraph.io.download import data_home
from teachgraph.io.pool import WorkerTimeoutError
from teachgraph.io.reader import batch
from teachgraph.io.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from teachgraph.io.worker import WorkerError, WorkerInfo, get_worker_info
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ComposeDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedBatchSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequenceSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "UnknownLengthError",
    "WeightedRandomSampler",
    "WorkerError",
    "WorkerInfo",
    "WorkerTimeoutError",
    "batch",
    "data_home",
    "default_collate_fn",
    "default_convert_fn",
    "get_worker_info",
    "random_split",
]

if not TYPE_CHECKING:
    __getattr__ = absent("io")

known_as("io")
