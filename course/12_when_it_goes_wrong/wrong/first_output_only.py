"""Looks at the first output only.

zh: 只看第一个输出。
task: note
says: missed
"""

INSTEAD = {"not finite(outputs)": "not finite(outputs[:1])"}
