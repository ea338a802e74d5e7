"""Forgets the weights.

zh: 忘了权重。
task: load
says: innocent
"""

INSTEAD = {", *weights}": "}"}
