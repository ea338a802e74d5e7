"""Makes the layers smaller in the test instead.

zh: 改为在测试时缩小各层。
task: layer_drop
says: in_test
"""

INSTEAD = {"x = x + layer(x)\n": "x = x + layer(x) * (1.0 - rate)\n"}
