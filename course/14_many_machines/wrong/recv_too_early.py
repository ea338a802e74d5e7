"""Receives before the barrier.

zh: 在屏障之前接收。
task: for_a_trainer
says: before_barrier
"""

INSTEAD = {
    'return [*rows, ("send_barrier",), *received, ("fetch_barrier",)]': 'return [*rows, *received, ("send_barrier",), ("fetch_barrier",)]',
}
