"""Forgets to say that all is sent.

zh: 忘了说都送出了。
task: for_a_trainer
says: no_barrier
"""

INSTEAD = {
    'return [*rows, ("send_barrier",), *received, ("fetch_barrier",)]': 'return [*rows, *received, ("fetch_barrier",)]',
}
