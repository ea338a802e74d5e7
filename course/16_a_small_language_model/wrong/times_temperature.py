"""Multiplies by the temperature.

zh: 乘了温度。
task: sample
says: times
"""

INSTEAD = {"warm = scores / temperature": "warm = scores * temperature"}
