"""Turns the switch instead of turning it off.

zh: 把开关拨一下，而不是关掉。
task: no_grad
says: inside_inner
"""

INSTEAD = {"recording.on = False": "recording.on = not before"}
