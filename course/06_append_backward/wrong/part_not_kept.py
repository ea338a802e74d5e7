"""Makes the part and does not keep it.

zh: 造出了这一份，却没有留下。
task: new_part
says: added
"""

INSTEAD = {
    "parts.append(Variable(x.program, name, x.shape))": "",
    "parts[-1]": "Variable(x.program, name, x.shape)",
}
