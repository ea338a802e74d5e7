"""Counts in a Variable that is not in the state.

zh: 用不在状态里的 Variable 计数。
task: collatz
says: inside
"""


def collatz(n):
    rounds = paddle.zeros([1], "int64")

    def step(n):
        nonlocal rounds
        rounds = rounds + 1
        return [paddle.where(n % 2 == 0, n // 2, 3 * n + 1)]

    paddle.static.nn.while_loop(lambda n: n > 1, step, [n])
    return rounds
