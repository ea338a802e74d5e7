"""Minimises the loss before it returns it.

zh: 返回之前自己就最小化了损失。
task: digits_network
says: minimized
"""

INSTEAD = {
    "return scores, fluid.layers.mean(costs)": "loss = fluid.layers.mean(costs)\n"
    "    fluid.optimizer.SGD(learning_rate=0.1).minimize(loss)\n"
    "    return scores, loss"
}
