"""Data: sets of samples, the order they are visited in, batches, and files fetched.

In Paddle this is `paddle.io`.
"""

from teachgraph.io.collate import default_collate_fn, default_convert_fn
from teachgraph.io.dataloader import DataLoader, WorkersNotSupportedError
from teachgraph.io.dataset import (
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    UnknownLengthError,
)
from teachgraph.io.download import data_home
from teachgraph.io.reader import batch
from teachgraph.io.sampler import BatchSampler, RandomSampler, Sampler, SequenceSampler

__all__ = [
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequenceSampler",
    "Subset",
    "TensorDataset",
    "UnknownLengthError",
    "WorkersNotSupportedError",
    "batch",
    "data_home",
    "default_collate_fn",
    "default_convert_fn",
]
