"""Receives the gradients.

zh: 接收的是梯度。
task: for_a_trainer
says: not_received
"""

INSTEAD = {
    '("recv", op.inputs["Param"][0])': '("recv", op.inputs["Grad"][0])',
}
