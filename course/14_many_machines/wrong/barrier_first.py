"""Says that all is sent before it is.

zh: 还没送完就说都送出了。
task: for_a_trainer
says: barrier_too_soon
"""

INSTEAD = {'[*rows, ("send_barrier",),': '[("send_barrier",), *rows,'}
