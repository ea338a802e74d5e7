"""Changes everything.

zh: 什么都改。
task: cures
says: two
"""

INSTEAD = {"stiff = {": 'stiff = {"rate": 0.02, "activation": "tanh", '}
