"""Channels: memory that two actors on one machine share, and use again in each step.

What is large in a call becomes a new object in Ray's store, and to keep books on it is
most of what a step costs. A channel is one object that is written again and again. The
calls remain: they wake who waits, carry errors, and tell of a death. Only the bytes go
another way. Who asks writes before it asks, and who answers before it answers; so
nobody waits in a channel, where Ray's readers spin, and nobody touches one whose other
end has died.

Nothing depends on a channel. Where there is none, or one fails, the bytes go in a call,
and the number of the message tells what was applied already.

In Ray this is a mutable object, of which compiled graphs are made. Its interface is
experimental: another major version counts as one without, and so does whatever it
raises while channels are opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachgraph.distributed.errors import PeerError
from teachgraph.distributed.serving import Reply, Serving
from teachgraph.distributed.transport import Array, Rows, bytes_of

__all__ = ["ChannelServing", "Channels", "Circle", "channel_to", "here"]

LIMIT = 1.0
"""Seconds in a channel: what is read was written, what is written over was read."""

MAJOR = "2."
"""Versions of Ray whose channels are known."""

HEADER = 1000
"""Bytes that Ray adds to each array, and to all of them: names, shapes, alignment."""


def here() -> tuple[Any, str]:
    """This actor, and the machine that it is on."""
    import ray

    context = ray.get_runtime_context()
    return context.current_actor, context.get_node_id()


def channel_to(*readers: Any, room: int) -> Any:
    """Create a channel to actors on this machine, with so much room.

    Raises:
        Exception: This Ray has no channels, or its store has no room.
    """
    from ray import __version__
    from ray.experimental.channel.shared_memory_channel import Channel

    if not __version__.startswith(MAJOR):
        raise NotImplementedError(f"channels of Ray {__version__}")
    actor, machine = here()
    return Channel(actor, [(reader, machine) for reader in readers], HEADER + room)


def room_for(values: Mapping[str, Any]) -> int:
    """The bytes that values take in a channel, at most."""
    return sum(HEADER + len(name) + bytes_of(v) for name, v in values.items())


def written(channel: Any, value: Any) -> bool:
    """Write to a channel; False if what it holds is still in use, or it is closed."""
    from ray.exceptions import RayError

    try:
        channel.write(value, LIMIT)
    except RayError:
        return False
    return True


class Channels:
    """Two channels between a trainer and a server, as one of them has them.

    Args:
        out: The one it writes to.
        back: The one it reads from.
        room: What `out` has room for.
    """

    def __init__(self, out: Any, back: Any, room: int) -> None:
        self.out, self.back, self.room = out, back, room

    def write(self, number: int, values: Mapping[str, Array | Rows]) -> bool:
        """Write the values of a message; False if they do not fit, or it fails."""
        fits = room_for(values) <= self.room
        return fits and written(self.out, (number, dict(values)))

    def read(self, number: int) -> dict[str, Array | Rows] | None:
        """The values of a message, read-only; None if they are not there.

        They lie in the channel: it is written again when none of them is in use.
        """
        from ray.exceptions import RayError

        try:
            last, values = self.back.read(LIMIT)
        except RayError:
            return None
        return values if last == number else None


class Circle:
    """A channel from each trainer of a machine to all others, as one of them has them.

    Who has written says so where all meet, and is read after that.

    Args:
        out: The one it writes to.
        others: Those it reads from, by the rank of the writer.
        room: The bytes of a part.
    """

    def __init__(self, out: Any, others: Mapping[int, Any], room: int) -> None:
        self.out, self.others, self.room = out, others, room

    def write(self, part: Array) -> bool:
        """Write a part; False if it does not fit, or the last one is still in use."""
        return part.nbytes <= self.room and written(self.out, part)

    def read(self, rank: int, limit: float) -> Array:
        """Read what a trainer has written; it lies there until that writes again.

        Raises:
            PeerError: It did not come within the limit, in seconds.
        """
        from ray.exceptions import RayError

        try:
            part: Array = self.others[rank].read(limit)
        except RayError as error:
            raise PeerError(f"the part of trainer {rank} is lost: {error}") from None
        return part


class ChannelServing(Serving):
    """Answers trainers: those on its machine by channels, if they open some."""

    def __init__(self, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        self.channels: dict[int, Channels] = {}

    def open_channels(
        self,
        trainer: int,
        back: Any,
        reader: tuple[Any, str],
        names: Sequence[str],
    ) -> Any:
        """Take a trainer's channel; answer with one to it, or None.

        Args:
            trainer: The number of the trainer.
            back: Its channel.
            reader: The trainer itself, and the machine that it is on.
            names: Parameters that it will ask for.
        """
        actor, machine = reader
        if machine != here()[1]:
            return None
        room = room_for({name: self.pull(name, None) for name in names})
        try:
            out = channel_to(actor, room=room)
        except Exception:  # whatever an experimental interface raises
            return None
        self.channels[trainer] = Channels(out, back, room)
        return out

    def exchange_in_channels(
        self, trainer: int, number: int, names: Sequence[str]
    ) -> Reply | None:
        """Exchange gradients for parameters, both in channels.

        Returns:
            The answer; without values, if they are in the channel. None if there are no
            gradients in the channel: they are to be sent in a call.

        Raises:
            TimeLimitError: Others have not sent theirs within the limit.
            MessageError: The message is not as it must be.
        """
        channels = self.channels.get(trainer)
        messages = None if channels is None else channels.read(number)
        if channels is None or messages is None:
            return None
        reply = self.exchange(trainer, number, names, messages)
        if reply.behind is None and channels.write(number, reply.values):
            return reply._replace(values=None)
        return reply
