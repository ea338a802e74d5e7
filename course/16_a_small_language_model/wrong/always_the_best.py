"""Always takes the likeliest.

zh: 总是取最可能的。
task: sample
says: always
"""

INSTEAD = {"int(draw.choice(len(shares), p=shares))": "int(shares.argmax())"}
