"""Writes a rule of one input.

zh: 规则只接收一样东西。
task: hook
says: rule_of_two
"""

INSTEAD = {"rule(dout, value)": "rule(dout)"}
