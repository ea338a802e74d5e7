"""Takes x off the tape before the heads are added.

zh: 在加上各个头之前，把 x 从磁带上取了下来。
task: predict
says: gradients
"""

INSTEAD = {
    "    for head, (mixed, _) in found.items():\n": (
        "    x = Tensor(x.data)\n    for head, (mixed, _) in found.items():\n"
    ),
}
