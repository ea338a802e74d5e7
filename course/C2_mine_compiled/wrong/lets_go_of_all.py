"""Lets go of what is fetched.

zh: 把要取的也放手了。
task: body_lines
says: fetched
"""

INSTEAD = {" and x not in fetch": ""}
