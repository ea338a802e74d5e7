"""Forgets what is fetched.

zh: 忘了要取的。
task: dead_code
says: fetched
"""

INSTEAD = {"set(fetch)": "set()"}
