"""Forgets to say that all is received.

zh: 忘了说都收到了。
task: for_a_trainer
says: fetch_barrier
"""

INSTEAD = {', ("fetch_barrier",)]': "]"}
