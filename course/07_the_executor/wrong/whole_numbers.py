"""Takes a number as a whole one.

zh: 把数当作了整数。
task: interpret
says: wrong
"""

INSTEAD = {
    "np.asarray(x)": "np.asarray(x, int)",
}
