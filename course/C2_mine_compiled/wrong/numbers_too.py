"""Writes numbers among the arguments.

zh: 把数也写进参数。
task: call_line
says: raised
"""

INSTEAD = {" if isinstance(x, Variable)": ""}
