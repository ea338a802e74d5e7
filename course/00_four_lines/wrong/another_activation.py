"""Takes tanh for relu.

zh: 用 tanh 代替了 relu。
task: digits_network
says: another_act
"""

INSTEAD = {'act="relu"': 'act="tanh"'}
