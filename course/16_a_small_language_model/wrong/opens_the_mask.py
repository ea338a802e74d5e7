"""Opens the mask that it was given.

zh: 把交给它的掩码打开了。
task: attention
says: changed_input
"""

INSTEAD = {
    "    shares = softmax(scores + hidden)": (
        "    mask[:] = True\n    shares = softmax(scores + hidden)"
    ),
}
