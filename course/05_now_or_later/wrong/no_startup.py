"""Creates the parameters, and never fills them.

zh: 创建了参数，却从没填过。
task: dense
says: startup
"""

INSTEAD = {"startup.append_op(": "dict("}
