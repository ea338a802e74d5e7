"""Stops the gradient at the guesses themselves, which are then never trained.

zh: 在猜测本身上停掉了梯度，它们就再也学不到东西。
task: policy_loss
says: changed_input
"""

INSTEAD = {
    "better = earned - guesses.detach()": (
        "guesses.stop_gradient = True\n    better = earned - guesses"
    )
}
