"""Hands on the first of the state only.

zh: 只把状态的第一个传下去。
task: run_rounds
says: endless
"""

INSTEAD = {"zip(block.state, block.results)": "zip(block.state[:1], block.results)"}
