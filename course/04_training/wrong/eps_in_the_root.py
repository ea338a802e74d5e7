"""Adds eps inside the root.

zh: 把 eps 加在了根号里面。
task: adam
says: first
"""

INSTEAD = {
    "np.sqrt(s_whole) + eps": "np.sqrt(s_whole + eps)",
}
