"""Paddle's `fleet.utils`: recomputation, which needs one machine only.

>>> import teachgraph as tg
>>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
>>> recompute(lambda x: x * x * x, x).sum().backward()
>>> x.grad.tolist()
[3.0, 12.0]
"""

from teachgraph.autograd.recompute import recompute

__all__ = ["recompute"]
