"""Forgets to say that all is sent.

zh: 忘了说都送出了。
task: for_a_trainer
says: no_barrier
"""

INSTEAD = {'("send_barrier",), ': ""}
