"""Receives before the barrier.

zh: 在屏障之前接收。
task: for_a_trainer
says: before_barrier
"""

INSTEAD = {'("send_barrier",), *received,': '*received, ("send_barrier",),'}
