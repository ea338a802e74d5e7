"""Pictures: data sets of them.

In Paddle this is `paddle.vision`.
"""

from teachgraph.vision import datasets

__all__ = ["datasets"]
