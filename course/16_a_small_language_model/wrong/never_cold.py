"""Forgets the temperature.

zh: 忘了温度。
task: sample
says: no_temperature
"""

INSTEAD = {"warm = scores / temperature": "warm = scores"}
