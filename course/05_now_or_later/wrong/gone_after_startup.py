"""Creates plain variables in startup.

zh: 在 startup 里建的是普通变量。
task: dense
says: kept
"""

INSTEAD = {"startup.create_parameter(": "startup.create_var("}
