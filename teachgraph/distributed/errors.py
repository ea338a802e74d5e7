"""Errors of distributed training: each says who, at which step, and what to do."""

from __future__ import annotations

from teachgraph.core.errors import ProgramError, TeachgraphError

__all__ = [
    "CheckpointError",
    "DeadlockError",
    "DistributedError",
    "MessageError",
    "MissingRayError",
    "NoTransportError",
    "PeerError",
    "StartError",
    "TimeLimitError",
    "TranspilerError",
    "VersionMismatchError",
]


class TranspilerError(ProgramError):
    """A program, or arguments, from which no distributed programs can be made."""


class DistributedError(TeachgraphError, RuntimeError):
    """Something that went wrong between processes.

    Attributes:
        explained: Its message is whole: the executor adds nothing.
    """

    explained = True


class NoTransportError(DistributedError):
    """An operator that sends or receives, in a process that is part of no cluster."""


class MessageError(DistributedError, ValueError):
    """A message of the wrong name, shape, dtype, step or sender."""


class PeerError(DistributedError):
    """A process of the cluster that died."""


class DeadlockError(DistributedError):
    """Processes that all wait for each other."""


class TimeLimitError(DistributedError, TimeoutError):
    """A wait that came to its limit."""


class CheckpointError(DistributedError):
    """A server that cannot go on from where it was."""


class StartError(DistributedError):
    """A cluster that did not start."""


class VersionMismatchError(StartError):
    """Machines with different versions of Python, Ray or teachgraph."""


class MissingRayError(DistributedError, ImportError):
    """Ray is not installed."""
