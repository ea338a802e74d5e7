"""Lets k ask and q answer.

zh: 让 k 去问，q 来答。
task: attention
says: turned
"""

INSTEAD = {"matmul(q, turn(k))": "matmul(k, turn(q))"}
