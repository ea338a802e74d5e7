"""A server among processes: requests wait for steps, steps are saved, all with limits.

Requests come in threads of their own. One lock guards the Server; who has to wait for a
step waits on it, until the step is there or its time is over.

A checkpoint is written in the thread that serves, while trainers compute the next step:
arrays of a state are never written to, so it needs no lock. At most one is outstanding.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Condition
from typing import Any, NamedTuple

from teachgraph.distributed.checkpoint import checkpoint_file, load_state, save_state
from teachgraph.distributed.errors import CheckpointError, TimeLimitError
from teachgraph.distributed.record import announce_since
from teachgraph.distributed.server import BehindError, Message, Server, State
from teachgraph.distributed.transport import Array

__all__ = ["Greeting", "Reply", "Serving"]


class Greeting(NamedTuple):
    """Answer to a trainer's first request.

    Attributes:
        sync: Whether the server waits for all trainers.
        step: The number of steps it has applied.
        saved: The number of this trainer's last message that a restarted server would
            know: a trainer that comes anew begins behind it, so that it has all those
            that the server may ask for.
    """

    sync: bool
    step: int
    saved: int


class Reply(NamedTuple):
    """Answer to a trainer's gradients.

    Attributes:
        step: The step that the values are of.
        saved: The last message of this trainer that a restarted server would know.
        values: The parameters that were asked for; None if they are in a channel.
        behind: If not None, the number of the last message that the server has: those
            after it are to be sent again.
    """

    step: int
    saved: int
    values: Any
    behind: int | None = None


class Serving:
    """Answers trainers, until all have finished.

    Args:
        server: The server.
        folder: Where it is saved.
        every: After how many steps.
        limit: Seconds that anybody waits for anything.
        restarted: Whether this process takes the place of one that died.

    Raises:
        CheckpointError: A restarted server finds neither what it has saved nor the
            mark that says that nothing was.
    """

    def __init__(
        self,
        server: Server,
        folder: Path,
        *,
        every: int = 1,
        limit: float = 60.0,
        restarted: bool = False,
    ) -> None:
        self.server, self.every, self.limit = server, every, limit
        self.file = checkpoint_file(folder, server.endpoint)
        self.changed, self.finished = Condition(), set[int]()
        self.unsaved: State | None = None
        # A server that comes back is as far behind as the last checkpoint on its disk:
        # the one being written may be lost with it.
        server.history = 2 * every + 1
        state = load_state(self.file) if restarted else None
        # A server saves before it serves: in its own folder no file means no step.
        if restarted and state is None and not mark_of(folder).exists():
            raise CheckpointError(
                f"{server.endpoint} was restarted and finds no checkpoint {self.file}: "
                "it refuses to begin again at step 0. Put the folder on a disk that "
                "all machines share"
            )
        if state is not None:
            server.restore(state)
        self.save(server.state())

    def save(self, state: State) -> None:
        """Write a checkpoint."""
        begin = time.perf_counter()
        save_state(self.file, state)
        with self.changed:  # no update, which runs unwatched, is under way
            self.saved, self.unsaved = list(state.applied), None
            announce_since(begin, f"server {self.server.endpoint}", state.step, "save")
            self.changed.notify_all()

    def hello(self, trainer: int) -> Greeting:
        """Answer a trainer's first request.

        Raises:
            MessageError: It is none of the trainers.
        """
        with self.changed:
            self.server.check_sender(trainer, 1)
            self.finished.discard(trainer)
            saved = self.saved[trainer]
            return Greeting(self.server.sync, self.server.step, saved)

    def exchange(
        self,
        trainer: int,
        number: int,
        names: Sequence[str],
        messages: Mapping[str, Message],
    ) -> Reply:
        """Take gradients; answer with parameters, in sync mode those of that step.

        Raises:
            TimeLimitError: Others have not sent theirs within the limit.
            MessageError: The message is not as it must be.
        """
        with self.changed:
            try:
                self.push(trainer, number, messages)
            except BehindError as error:
                return Reply(self.server.step, self.saved[trainer], {}, error.at)
            step = number if self.server.sync else None
            if step is not None:
                self.wait_for(step)
            values = {name: self.server.pull(name, step) for name in names}
            return Reply(self.server.step, self.saved[trainer], values)

    def push(self, trainer: int, number: int, messages: Mapping[str, Message]) -> None:
        """Apply what is complete, and have it saved if its time has come.

        Raises:
            TimeLimitError: The checkpoint before is not written within the limit.
            MessageError: The message is not as it must be.
        """
        before = self.server.step
        self.server.push(trainer, number, messages)
        if self.server.step != before:
            self.changed.notify_all()
            if self.server.step % self.every == 0:
                self.wait_until_saved()
                self.unsaved = self.server.state()  # async, others may have gone on
                self.changed.notify_all()

    def wait_until_saved(self) -> None:
        """Wait until the checkpoint before is written.

        Raises:
            TimeLimitError: It is not within the limit.
        """
        if not self.changed.wait_for(lambda: self.unsaved is None, self.limit):
            raise TimeLimitError(
                f"{self.server.endpoint}: {self.file} was not written within "
                f"{self.limit:g} s"
            )

    def pull(self, name: str, step: int | None, rows: Array | None = None) -> Array:
        """One slice, or some of its rows, as of a step.

        Raises:
            BehindError: The step, once applied, is not any more.
            MessageError: There is no such slice, or the step is long past.
        """
        with self.changed:
            if step is not None:
                told = f"was asked for step {step}"
                self.server.check_reached(step, self.server.step, told)
            return self.server.pull(name, step, rows)

    def last(self, trainer: int) -> int:
        """The number of a trainer's last message that is applied."""
        with self.changed:
            return self.server.last(trainer)

    def wait_for(self, step: int) -> None:
        """Wait until a step is applied.

        Raises:
            TimeLimitError: It is not within the limit.
        """
        end = time.monotonic() + self.limit
        while self.server.step < step:
            if not self.changed.wait(end - time.monotonic()):
                every = range(self.server.fan_in)
                missing = [t for t in every if t not in self.server.pending]
                raise TimeLimitError(
                    f"{self.server.endpoint}: step {step} did not come within "
                    f"{self.limit:g} s; no gradients from trainers {missing}"
                )

    def bye(self, trainer: int, number: int = 0) -> None:
        """Note that a trainer has finished, once what it sent is saved.

        Args:
            trainer: The number of the trainer.
            number: That of its last message.

        Raises:
            BehindError: The server lacks messages of this trainer.
            TimeLimitError: They are not saved within the limit.
        """
        with self.changed:
            told = f"trainer {trainer} ends after step {number}"
            self.server.check_reached(number, self.server.last(trainer), told)
            if self.saved[trainer] < number:
                self.wait_until_saved()
                self.unsaved = self.server.state()
                self.changed.notify_all()
                self.wait_until_saved()
            self.finished.add(trainer)
            self.changed.notify_all()

    def run(self) -> None:
        """Save what is due until all trainers have finished.

        Who starts them sets the limit.
        """
        while self.wait_for_work():
            assert self.unsaved is not None
            self.save(self.unsaved)
        self.save(self.server.state())

    def wait_for_work(self) -> bool:
        """Wait for a checkpoint to write; False when there will be no other."""
        with self.changed:
            self.changed.wait_for(lambda: self.unsaved is not None or self.all_done())
            return self.unsaved is not None

    def all_done(self) -> bool:
        """True when all trainers have finished."""
        return len(self.finished) == self.server.fan_in

    def step_now(self) -> int:
        """The number of steps that are applied."""
        return self.server.step


def mark_of(folder: Path) -> Path:
    """The file by which a server knows the folder of its job."""
    return folder / "job"
