"""Begins each round with the first state.

zh: 每一轮都从最初的状态开始。
task: run_rounds
says: endless
"""

INSTEAD = {"values = {**values, x.name: scope[result.name]}": "pass"}
