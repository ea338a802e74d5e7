"""Makes a sum of its own.

zh: 另造了一个求和算子。
task: joined
says: another_op
"""

INSTEAD = {"append_back(add_up,": 'append_back(Op("add_n", lambda *p: sum(p), None),'}
