"""Corrects as in the first step, always.

zh: 始终按第一步那样修正。
task: adam
says: wrong
"""

INSTEAD = {"(1 - beta1**t)": "(1 - beta1)", "(1 - beta2**t)": "(1 - beta2)"}
