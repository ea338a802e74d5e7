"""Creates a plain variable for the parameter.

zh: 把参数建成了普通变量。
task: dense
says: parameters
"""

INSTEAD = {"main.create_parameter(": "main.create_var("}
