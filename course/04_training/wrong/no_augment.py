"""Has no augment.

zh: 没有 augment。
task: recipe
says: augment
"""

INSTEAD = {"return net, optimizer, augment": "return net, optimizer, None"}
