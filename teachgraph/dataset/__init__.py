"""Data sets as readers, the 1.x way: functions that return a reader of samples.

In Paddle this is `paddle.dataset`; Paddle 2's are in `teachgraph.vision.datasets`.
"""

from teachgraph.dataset import digits, mnist

__all__ = ["digits", "mnist"]
