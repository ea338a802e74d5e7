"""Lets the scope win over what is fed.

zh: 让 scope 盖过喂进来的值。
task: run_once
says: scope_first
"""

INSTEAD = {
    "{**scope, **feed}": "{**feed, **scope}",
}
