"""Refuses without saying why.

zh: 拒绝了，却不说原因。
task: load
says: no_name
"""

INSTEAD = {"f\"no kernel for {row['type']}\"": '"a bad file"'}
