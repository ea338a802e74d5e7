"""Runs all layers.

zh: 把所有的层都跑了。
task: early_exit
says: too_late
"""

INSTEAD = {"            return scores, ran\n": "            pass\n"}
