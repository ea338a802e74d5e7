"""Takes the softmax twice, so that no score can be far from another.

zh: 做了两次 softmax，分数之间就拉不开了。
task: digits_network
says: wrong
"""

INSTEAD = {
    "size=10)": 'size=10, act="softmax")',
}
