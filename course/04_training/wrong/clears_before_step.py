"""Clears the gradients before they are used.

zh: 梯度还没用就清零了。
task: train_step
says: cleared
"""


def train_step(net, loss_of, optimizer, images, labels):
    loss = loss_of(net(images), labels)
    loss.backward()
    optimizer.clear_grad()
    optimizer.step()
    return loss.item()
