"""Does not look at what the model gives.

zh: 不看模型给出什么。
task: load
says: accepts_gives
"""

INSTEAD = {'for name in model["gives"]:': "for name in []:"}
