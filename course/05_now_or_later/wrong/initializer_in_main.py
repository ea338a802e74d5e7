"""Fills the parameters in main, so that every run forgets what was learnt.

zh: 在 main 里填参数，于是每次运行都忘掉学到的东西。
task: dense
says: filled_in_main
"""

INSTEAD = {
    "startup.append_op(": "main.append_op(",
    'outputs={"Out": first}': 'outputs={"Out": main.var(name)}',
}
