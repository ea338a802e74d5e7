"""Stories: what is asked of Paddle and of us in several lines of code."""

from collections.abc import Callable
from typing import Any

__all__ = ["Story", "named"]

Story = Callable[[Any], Any]
"""Takes the framework; returns what is to be compared."""


def named(name: str, story: Story) -> Story:
    """A story under a name of its own."""

    def told(paddle: Any) -> Any:
        return story(paddle)

    told.__name__ = name
    return told
