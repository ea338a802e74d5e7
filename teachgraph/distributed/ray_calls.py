"""Calls to a server that may die: each is sent again until it is answered.

A server takes a call that it knows already for a repetition: nothing is applied twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from teachgraph.distributed.errors import (
    DistributedError,
    MissingRayError,
    PeerError,
    TimeLimitError,
)
from teachgraph.distributed.ray_process import Job
from teachgraph.distributed.roles import Role

__all__ = ["LOST", "Call", "Calls", "full", "ray_module", "summary"]

PAUSE = 0.2
"""Seconds between two attempts to reach a server that is being restarted."""

LOST: Any = object()
"""Stands for the answer of a server that died before it gave one."""


def ray_module() -> Any:
    """Ray.

    Raises:
        MissingRayError: It is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingRayError(
            'Ray is not installed: pip install "teachgraph[distributed]"'
        ) from error
    return ray


class Call(NamedTuple):
    """A call of a server's method.

    Attributes:
        endpoint: The server's address.
        what: The method and its arguments.
        messages: Gradients, or a reference to them, which come after these.
    """

    endpoint: str
    what: tuple[Any, ...]
    messages: Any = None


class Calls:
    """The calls of one process to the servers of its job.

    Args:
        job: The job.
        role: The part of this process.
        step: Tells at which step it is, for errors.
    """

    def __init__(self, job: Job, role: Role, step: Callable[[], int]) -> None:
        self.job, self.role, self.step = job, role, step
        self.ray = ray_module()
        self.errors = self.ray.exceptions
        self.actors: dict[str, Any] = {}

    def actor(self, endpoint: str) -> Any:
        """The actor of a server: it stays the same when it is restarted.

        Raises:
            ValueError: Ray knows no such actor yet.
        """
        if endpoint not in self.actors:
            name = self.job.actor_name(f"server {endpoint}")
            self.actors[endpoint] = self.ray.get_actor(name, namespace="teachgraph")
        return self.actors[endpoint]

    def send(self, call: Call) -> Any:
        """Send a call; return the reference to its answer.

        Ray packs and unpacks each argument by itself: the small ones go as one.
        """
        return self.actor(call.endpoint).ask.remote(call.what, call.messages)

    def sent(self, call: Call) -> Any:
        """Send a call, and return the reference to its answer; None if it fails."""
        try:
            return self.send(call)
        except (self.errors.RayError, ValueError):
            return None

    def end(self) -> float:
        """The time by which an answer must come that is asked for now."""
        return time.monotonic() + self.job.limit

    def answer(self, call: Call) -> Any:
        """The answer to a call, which is sent again while the server is restarted.

        Raises:
            PeerError: The server died, and is not back within the limit.
            TimeLimitError: The answer does not come within the limit.
            DistributedError: The server refused, or the object store is full.
        """
        end = self.end()
        while (found := self.attempt(call, None, end)) is LOST:
            pass
        return found

    def attempt(self, call: Call, sent: Any, end: float) -> Any:
        """The answer to a call that is sent once; after a pause LOST, if none comes.

        Args:
            call: The call.
            sent: The reference to its answer, if it was sent already.
            end: The time by which the server must answer, or be back.

        Raises:
            PeerError: The server died, and is not back by then.
            TimeLimitError: The answer does not come by then.
            DistributedError: The server refused, or the object store is full.
        """
        # No actor of that name, yet; or it died before what it refers to was read.
        gone = self.errors.RayActorError, self.errors.ObjectLostError, ValueError
        try:
            sent = self.send(call) if sent is None else sent
            left = end - time.monotonic() + 5.0  # servers have limits of their own
            return self.ray.get(sent, timeout=max(left, 0.1))
        except self.errors.RayTaskError as error:
            raise self.cause_of(error) from None
        except self.errors.GetTimeoutError:
            self.late(call)
        except full(self.errors) as error:
            raise self.store_full(error) from None
        except gone as error:
            if time.monotonic() > end:
                raise self.lost(call, error) from None
        time.sleep(PAUSE)
        return LOST

    def first(self, sent: Sequence[Any], seconds: float) -> Any:
        """The reference of the first that is answered; None if none is in time."""
        ready, _ = self.ray.wait([*sent], num_returns=1, timeout=seconds)
        return ready[0] if ready else None

    # Errors.

    def cause_of(self, error: Any) -> Exception:
        """The error that the other process raised."""
        cause = error.cause
        if isinstance(cause, DistributedError):
            return cause
        return PeerError(f"{self.role}, step {self.step()}: {error}")

    def late(self, call: Call) -> NoReturn:
        """Raise the error for an answer that does not come."""
        raise TimeLimitError(
            f"{self.role}, step {self.step()}: server {call.endpoint} did not answer "
            f"within {self.job.limit:g} s"
        )

    def lost(self, call: Call, error: Exception) -> PeerError:
        """The error for a server that died and is not back."""
        return PeerError(
            f"{self.role}, step {self.step()}: server {call.endpoint} died and was not "
            f"back within {self.job.limit:g} s: {summary(error)}"
        )

    def store_full(self, error: Exception) -> DistributedError:
        """The error for a full object store."""
        return DistributedError(
            f"{self.role}, step {self.step()}: Ray's object store is full: start Ray "
            f"with a larger object_store_memory, or free the disk. {error}"
        )


def summary(error: Exception) -> str:
    """The first line of an error of Ray's, and of a traceback also the last.

    >>> error = RuntimeError(chr(10).join(["Died in its creation task.", "E: no x"]))
    >>> summary(error)
    'Died in its creation task: E: no x'
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    told = [lines[0].rstrip(".")] if "creation task" in lines[0] else []
    return ": ".join([*told, lines[-1].strip() if told else lines[0]])


def full(errors: Any) -> tuple[type[Exception], ...]:
    """Ray's errors for a full store: it puts what has no room on the disk at first."""
    return errors.ObjectStoreFullError, errors.OutOfDiskError
