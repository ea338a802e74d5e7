"""Never clears the gradients.

zh: 从不清零梯度。
task: train_step
says: once
"""


def train_step(net, loss_of, optimizer, images, labels):
    loss = loss_of(net(images), labels)
    loss.backward()
    optimizer.step()
    return loss.item()
