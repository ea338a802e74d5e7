"""Works in the scope itself, so that everything stays there.

zh: 直接在 scope 里工作，于是什么都留在那里。
task: run_once
says: fed_stays
"""

INSTEAD = {
    "memory = ": "scope |= feed\n    memory = ",
    "{**scope, **feed}": "scope",
}
