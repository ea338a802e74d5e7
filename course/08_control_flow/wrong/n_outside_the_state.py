"""Leaves n out of the state.

zh: 没有把 n 放进状态。
task: collatz
says: no_n
"""


def collatz(n):
    def step(rounds):
        halved_or_not = paddle.where(n % 2 == 0, n // 2, 3 * n + 1)
        return [rounds + 1]

    start = [paddle.zeros([1], "int64")]
    return paddle.static.nn.while_loop(lambda rounds: n > 1, step, start)[0]
