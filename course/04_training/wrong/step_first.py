"""Takes the step before there are gradients.

zh: 还没有梯度就走了一步。
task: train_step
says: early
"""


def train_step(net, loss_of, optimizer, images, labels):
    loss = loss_of(net(images), labels)
    optimizer.step()
    loss.backward()
    optimizer.clear_grad()
    return loss.item()
