"""Returns the new state in another order than the loop has.

zh: 返回新状态的顺序与循环的不同。
task: collatz
says: round
"""

INSTEAD = {
    "[paddle.where(n % 2 == 0, n // 2, 3 * n + 1), rounds + 1]": "[rounds + 1, "
    "paddle.where(n % 2 == 0, n // 2, 3 * n + 1)]"
}
