"""Reads the file with `eval`, which runs what stands in it.

zh: 用 `eval` 读文件，里面写什么就运行什么。
task: load
says: ran_text
"""

INSTEAD = {
    "json.loads(text)": 'eval(text.replace("null", "None"))',
}
