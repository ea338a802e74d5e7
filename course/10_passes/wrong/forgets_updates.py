"""Asks only for readers, so that an update goes.

zh: 只看有没有读者，于是更新被去掉。
task: dead_code
says: update
"""

INSTEAD = {"writes(one, needed)": "needed & {*one.outputs}"}
