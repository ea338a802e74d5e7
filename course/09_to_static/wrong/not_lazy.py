"""Asks for both sides at once.

zh: 两边一起问。
task: condition_of
says: eager
"""

INSTEAD = {"lambda: {source})": "(lambda x: lambda: x)({source}))"}
