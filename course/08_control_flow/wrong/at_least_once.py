"""Runs the block before it asks.

zh: 先运行块，再问条件。
task: run_rounds
says: none
"""

INSTEAD = {"    while go_on": "    while go_on or not scopes"}
