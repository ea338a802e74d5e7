"""Does both within a round, one after the other.

zh: 一轮里先后做了两步。
task: collatz
says: round
"""


def collatz(n):
    def step(n, rounds):
        n = paddle.where(n % 2 == 0, n // 2, n)
        return [paddle.where(n % 2 == 1, 3 * n + 1, n), rounds + 1]

    state = [n, paddle.zeros([1], "int64")]
    return paddle.static.nn.while_loop(lambda n, rounds: n > 1, step, state)[1]
