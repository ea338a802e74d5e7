"""Calls the parameters otherwise.

zh: 给参数取了别的名字。
task: dense
says: startup
"""

INSTEAD = {
    '(("w", [': '(("weight", [',
    '("b", [size]))': '("bias", [size]))',
    'main.var("w"), main.var("b")': 'main.var("weight"), main.var("bias")',
}
