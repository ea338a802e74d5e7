"""A recorder of one thread's eager code: the tape, in some of its training steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from types import FrameType
from typing import Any

from teachgraph.autograd.observed import attach, detach
from teachgraph.nn.layer import Layer
from teachgraph.utils.observe import Observer
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.lines import Cursor
from teachgraph_widgets.log import EventLog, clean
from teachgraph_widgets.step_sampling import Pause, Region, StepSampler
from teachgraph_widgets.tape import TapeRecorder, is_update

__all__ = ["SKIPPED", "EagerRecorder", "announcements_to"]


class EagerRecorder(Observer):
    """Records Tensors and backward passes of the thread that makes it.

    Of a long training only some steps are recorded; during the others it pauses.

    Args:
        log: The log.
        cursor: The position of the thread in the source.
        budget: Limits what is summarised.
        values: True to summarise values too.
        first: The number of its first tensor and op.
        process: The name of its process, inside of which its layers are drawn.
    """

    def __init__(
        self,
        log: EventLog,
        cursor: Cursor,
        budget: Budget,
        *,
        values: bool = True,
        first: int = 0,
        process: str | None = None,
    ) -> None:
        self.log, self.cursor, self.sampler = log, cursor, StepSampler()
        self.tape = TapeRecorder(
            log, cursor, budget, values=values, first=first, process=process
        )
        self.tape.pass_ended = self.pass_ended
        self.layers = self.tape.layers
        # Methods as instance attributes: an announcement costs one call, not two, and
        # a pause removes them.
        self._listening = announcements_to(self.tape)
        self._unheard_passes: list[int] = []
        self._region = Region(None, 0, 0)
        self._skipped = 0
        vars(self).update(self._listening)

    def op_begin(
        self, op: str, inputs: Sequence[Any], attrs: Mapping[str, Any]
    ) -> None:
        """Find out if an op is the first of a step, and pause or resume recording."""
        sampler = self.sampler
        if sampler.recording and not sampler.after_pass:  # first: most ops end here
            return
        if get_ident() != self.cursor.thread:
            return
        frame = sys._getframe(1)
        if self._region.left(frame):
            if not sampler.outside:
                self.leave()
        elif sampler.after_pass and not is_update(op) and not self.is_behind(frame):
            before = sampler.recording
            sampler.forward_begins()
            if sampler.recording != before:
                self.resume() if sampler.recording else self.pause(frame)

    def is_behind(self, frame: FrameType) -> bool:
        """True if the op under way is further down in the loop than the last pass.

        An update written by hand, or a metric, belongs to the step before it.
        """
        self.cursor.place()
        lines = self.cursor.lines_in(self._region, frame)
        pairs = zip(lines, self._region.lines, strict=False)
        return next((here > there for here, there in pairs if here != there), False)

    def layer_begin(self, layer: Layer) -> None:
        """Note a layer's call, also in a pause: a recorded step may begin inside."""
        if get_ident() == self.cursor.thread:
            self.layers.enter(layer)

    def layer_end(self, layer: Layer) -> None:
        """Note the end of a layer's call."""
        if get_ident() == self.cursor.thread:
            self.layers.leave(layer)

    def batch_begin(self, source: object) -> None:
        """Note that a DataLoader makes a batch."""
        if get_ident() == self.cursor.thread:
            self.layers.enter_named(source, "DataLoader")

    def batch_end(self, source: object) -> None:
        """Note the end of a batch."""
        if get_ident() == self.cursor.thread:
            self.layers.leave(source)

    def recompute_begin(self, segment: object) -> None:
        """Note that a backward pass computes a segment of the forward again."""
        if get_ident() == self.cursor.thread:
            self.layers.enter_named(segment, FORWARD_AGAIN)

    def recompute_end(self, segment: object) -> None:
        """Note the end of a segment's second run."""
        if get_ident() == self.cursor.thread:
            self.layers.leave(segment)

    def clip_begin(self, clip: object) -> None:
        """Note that gradients are clipped."""
        if get_ident() == self.cursor.thread:
            name = clean(type(clip).__name__).removeprefix("ClipGrad")
            self.layers.enter_named(clip, f"ClipGrad{name}")

    def clip_end(self, clip: object) -> None:
        """Note the end of a clipping."""
        if get_ident() == self.cursor.thread:
            self.layers.leave(clip)

    def pass_ended(self, line: int) -> None:
        """Note the end of a recorded backward pass that began at `line`."""
        self._region = self.cursor.region()
        self.sampler.pass_ended(line)

    def backward_begin(self, roots: Sequence[Any]) -> None:
        """Count a backward pass during a pause; resume if it is another loop's."""
        if get_ident() == self.cursor.thread:
            line = self.cursor.place()
            self._unheard_passes.append(line)
            if not self.sampler.knows(line):
                self.resume()
                self.tape.backward_begin(roots)

    def backward_end(self, roots: Sequence[Any]) -> None:
        """Count the end of a backward pass during a pause."""
        if get_ident() == self.cursor.thread and self._unheard_passes:
            self.sampler.pass_ended(self._unheard_passes.pop())

    def pause(self, frame: FrameType) -> None:
        """Stop recording Tensors until the next step that is recorded.

        If the loop's lines have markers, which end the pause, nothing else is recorded
        either.

        Args:
            frame: The innermost frame of the first op that is not recorded.
        """
        for name in self._listening:
            del vars(self)[name]
        region, cursor = self._region, self.cursor
        body = cursor.source.bodies.get(region.first, 0)
        if cursor.marking and body > region.first:
            cursor.pause = Pause(
                region,
                body,
                has_begun=cursor.lines_in(region, frame)[:1] >= [body],
                visits=cursor.visits,
                sampler=self.sampler,
                end=self.pause_ends,
            )
            detach(self)

    def pause_ends(self, line: int) -> None:
        """End a pause at a marker: at a turn of the loop, or where the loop is left."""
        pause = self.cursor.pause
        if pause is None:
            return
        self.cursor.pause = None
        self.layers.look()
        attach(self)
        if line != pause.line:
            pause.count_steps(under_way=0)
            self.leave()
        else:
            pause.count_steps(under_way=1)
            # A step that begins in the loop's header begins before the next turn does.
            if pause.has_begun:
                self.resume()

    def leave(self) -> None:
        """Record what follows the loop, until the loop is entered again."""
        self.sampler.loop_left()
        if not self.sampler.recording:
            self.resume()
        self.sampler.after_pass = True

    def resume(self) -> None:
        """Record everything again."""
        self._unheard_passes.clear()
        self.sampler.recording, self.sampler.after_pass = True, False
        self.cursor.due = 0.0
        vars(self).update(self._listening)
        self.tell_skipped()

    def count_last_steps(self) -> None:
        """Count the steps of a pause that the end of the recording finds under way."""
        if self.cursor.pause is not None:
            self.cursor.pause.count_steps(under_way=0)
        elif not self.sampler.recording:
            self.sampler.loop_left()

    def tell_skipped(self) -> None:
        """Write how many training steps went by since that was last written."""
        if skipped := self.sampler.skipped - self._skipped:
            self._skipped = self.sampler.skipped
            line = self.cursor.line
            self.log.add(line, "dropped", skipped, "training steps", SKIPPED)


ANNOUNCEMENTS = [name for name in vars(Observer) if not name.startswith("_")]
FORWARD_AGAIN = "forward again"
"""The scope of what a backward pass computes a second time, as `recompute` asks for."""
SKIPPED = "the first 10 are recorded, then the 16th, the 32nd and so on"


def announcements_to(watcher: Observer) -> dict[str, Callable[..., Any]]:
    """Return the announcements that an observer overrides, with its methods."""
    return {
        name: getattr(watcher, name)
        for name in ANNOUNCEMENTS
        if getattr(type(watcher), name) is not getattr(Observer, name)
    }
