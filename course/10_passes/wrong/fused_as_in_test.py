"""Fuses as in the test program.

zh: 以为与测试程序里一样。
task: fused_in_training
says: as_in_test
"""


def fused_in_training():
    return 2
