"""Lines and stories of Paddle code, by topic."""

from __future__ import annotations

from typing import NamedTuple

from tests.paddle_answers.ask import Story
from tests.paddle_answers.cases import (
    attributes,
    control,
    detection,
    devices,
    distributions,
    feeding,
    functional,
    groups,
    images,
    in_place,
    indexing,
    integers,
    kinds,
    late,
    layers,
    limits,
    linalg,
    losses,
    mixed,
    model,
    modes,
    names,
    nothing,
    numbers,
    numbers_as_dtypes,
    places,
    printing,
    programs,
    pylayers,
    ranges,
    reach,
    refusals,
    saved,
    sharing,
    small,
    state,
    tensors,
    traced,
    training,
    underscored,
    upstream,
    varying,
    wrong_arguments,
)

__all__ = ["TOPICS", "Topic"]


class Topic(NamedTuple):
    """What is asked about one thing."""

    lines: list[str]
    stories: list[Story]


def topic(lines: str = "", *stories: Story) -> Topic:
    return Topic(lines.split("\n")[1:-1], list(stories))


TOPICS = {
    "attributes": topic("", *attributes.STORIES),
    "control": topic("", *control.STORIES),
    "detection": topic("", *detection.STORIES),
    "devices": topic(devices.LINES, *devices.STORIES),
    "distributions": topic(distributions.LINES, *distributions.STORIES),
    "feeding": topic("", *feeding.STORIES),
    "images": topic(images.LINES),
    "in_place": topic("", *in_place.STORIES),
    "functional": topic(functional.LINES),
    "groups": topic(groups.LINES, *groups.STORIES),
    "indexing": topic(indexing.LINES, *indexing.STORIES),
    "integers": topic(integers.LINES),
    "kinds": topic("", *kinds.STORIES),
    "late": topic(late.LINES, *late.STORIES),
    "layers": topic("", *layers.STORIES),
    "limits": topic(limits.LINES),
    "linalg": topic(linalg.LINES),
    "losses": topic(losses.LINES),
    "mixed": topic(mixed.LINES),
    "model": topic("", *model.STORIES),
    "names": topic(names.LINES, *names.STORIES),
    "nothing": topic(nothing.LINES),
    "numbers": topic(numbers.LINES, *numbers.STORIES),
    "modes": topic("", *modes.STORIES),
    "printing": topic("", *printing.STORIES),
    "numbers_as_dtypes": topic(numbers_as_dtypes.LINES),
    "places": topic(places.LINES, *places.STORIES),
    "programs": topic("", *programs.STORIES),
    "pylayers": topic("", *pylayers.STORIES),
    "ranges": topic(ranges.LINES),
    "refusals": topic(refusals.LINES),
    "reach": topic(reach.LINES, *reach.STORIES),
    "saved": topic("", *saved.STORIES),
    "sharing": topic("", *sharing.STORIES),
    "small": topic(small.LINES, *small.STORIES),
    "state": topic(state.LINES, *state.STORIES),
    "tensors": topic(tensors.LINES, *tensors.STORIES),
    "traced": topic("", *traced.STORIES),
    "training": topic("", *training.STORIES),
    "underscored": topic("", *underscored.STORIES),
    "upstream": topic("", *upstream.STORIES),
    "varying": topic("", *varying.STORIES),
    "wrong_arguments": topic(wrong_arguments.LINES, *wrong_arguments.STORIES),
}
