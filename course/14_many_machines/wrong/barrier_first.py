"""Says that all is sent before it is.

zh: 还没送完就说都送出了。
task: for_a_trainer
says: barrier_too_soon
"""

INSTEAD = {
    'return [*rows, ("send_barrier",), *received, ("fetch_barrier",)]': 'return [("send_barrier",), *rows, *received, ("fetch_barrier",)]',
}
