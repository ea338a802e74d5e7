"""Multiplies where it should divide.

zh: 该除却乘了。
task: layer_drop
says: times
"""

INSTEAD = {"/ (1.0 - rate)": "* (1.0 - rate)"}
