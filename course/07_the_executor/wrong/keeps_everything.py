"""Works in the scope itself, so that everything stays there.

zh: 直接在 scope 里工作，于是什么都留在那里。
task: run
says: fed_stays
"""

INSTEAD = {
    "values = ": "scope |= feed\n    values = ",
    "{**scope, **feed}": "scope",
}
