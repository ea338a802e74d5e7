"""Takes the names that are done out of the dict that it was given.

zh: 把用完的名字从交给它的字典里取走了。
task: body_lines
says: changed_input
"""

INSTEAD = {
    "            names[x]\n            for x, (_, end)": (
        "            names.pop(x)\n            for x, (_, end)"
    ),
}
