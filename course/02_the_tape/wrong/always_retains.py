"""Retains the graph each time.

zh: 每次都保留图。
task: accumulate
says: retains
"""

INSTEAD = {"backward(loss, retain_graph)": "backward(loss, True)"}
