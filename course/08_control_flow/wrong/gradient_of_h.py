"""Puts dh under the name of the gradient of h.

zh: 把 dh 放在了 h 的梯度名下。
task: unwind
says: not_there
"""

INSTEAD = {'f"{block.results[0].name}@GRAD"': 'f"{block.state[0].name}@GRAD"'}
