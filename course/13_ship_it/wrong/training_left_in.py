"""Keeps the updates, as dead_code keeps who writes a parameter.

zh: 像 dead_code 留下写参数的算子那样，把更新留下了。
task: prune
says: training
"""

INSTEAD = {"if writes:": 'if writes or "ParamOut" in one.outputs:'}
