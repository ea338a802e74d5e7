"""Assigns the rows, so of two for one token the last stays.

zh: 用赋值写入各行，同一词元的两行只留下后一行。
task: take_rule
says: once
"""

INSTEAD = {"np.add.at(gradient, index, dout)": "gradient[index] = dout"}
