"""Lets no token look at itself.

zh: 不让词元看自己。
task: may_look
says: itself
"""

INSTEAD = {">= places": "> places"}
