# %% [markdown]
# # LeNet reads digits
#
# A network of 1998, on 1,437 real handwritten digits: two convolutions that look for
# strokes, two poolings that forget where exactly they were, and three products that
# decide. It learns in half a minute, and afterwards you look at what it saw.
#
# You need to know what a gradient is. The words are those of Paddle 2: with
# `import paddle` instead of the first line the cells say the same.

# %%
# %load_ext teachgraph
import matplotlib.pyplot as plt
import numpy as np

import teachgraph as paddle
from teachgraph import nn
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import Digits
from teachgraph.vision.models import LeNet

# %% [markdown]
# ## The data
#
# Pictures of 28 x 28 pixels. A convolution wants a dimension for channels, of which
# grey pictures have one, and numbers about zero.


# %%
def scaled(image):
    return (image.reshape(1, 28, 28) / 127.5 - 1).astype("float32")


train, test = (Digits(mode, transform=scaled) for mode in ("train", "test"))
print(len(train), "to train with,", len(test), "to test")

# %% [markdown]
# ## The network
#
# The table shows what becomes of one picture. Most of the numbers that are learned
# stand in the first product, most of the multiplications in the second convolution.

# %%
paddle.seed(0)
net = LeNet(num_classes=10)
facts = paddle.summary(net, (1, 1, 28, 28))
print(f"{paddle.flops(net, [1, 1, 28, 28]):,} multiplications")

# %% [markdown]
# One step of it, drawn: the layers on the left as they run, their gradients across.
# Point at a box for its formula and its numbers; `+` opens one.

# %%
# %%trace --title "One step of LeNet"
image, label = next(iter(DataLoader(train, batch_size=8)))
loss = nn.functional.cross_entropy(net(image), label)
loss.backward()
net.clear_gradients()

# %% [markdown]
# ## Training
#
# A step is always the same four lines: the loss, its gradients, the update, and a clean
# slate. `eval` and `no_grad` say that the test only looks.


# %%
def learn(loader, optimizer):
    net.train()
    losses = []
    for image, label in loader:
        loss = nn.functional.cross_entropy(net(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
    return losses


def examine(loader):
    net.eval()
    right = paddle.metric.Accuracy()
    with paddle.no_grad():
        for image, label in loader:
            right.update(right.compute(net(image), label))
    return right.accumulate()


batches = DataLoader(train, batch_size=64, shuffle=True)
rest = DataLoader(test, batch_size=180)
optimizer = paddle.optimizer.Adam(0.002, parameters=net.parameters())
losses = []
for epoch in range(4):
    losses += learn(batches, optimizer)
    print(f"epoch {epoch + 1}: accuracy {100 * examine(rest):.1f}%")

# %%
figure, axis = plt.subplots(figsize=(8, 2.5))
axis.plot(losses, linewidth=1)
axis.set_xlabel("step")
axis.set_ylabel("loss")
axis.set_yscale("log")
figure.tight_layout()

# %% [markdown]
# ## What it saw
#
# The six filters of the first convolution, and what each made of one digit. Bright is
# where the filter found what it looks for.

# %%
digit = test[0][0]
first = net.features[0]
with paddle.no_grad():
    maps = nn.functional.relu(first(paddle.to_tensor(digit[None]))).numpy()[0]
figure, axes = plt.subplots(2, 7, figsize=(10, 3))
pictures = [(digit[0], "the digit"), *((m, f"map {i + 1}") for i, m in enumerate(maps))]
for axis, (picture, title) in zip(axes[0], pictures, strict=True):
    axis.imshow(picture, cmap="gray")
    axis.set_title(title, fontsize=9)
for axis, weight in zip(axes[1, 1:], first.weight.numpy()[:, 0], strict=True):
    axis.imshow(weight, cmap="RdBu", vmin=-abs(weight).max(), vmax=abs(weight).max())
for axis in axes.ravel():
    axis.axis("off")
figure.tight_layout()

# %% [markdown]
# ## Where it errs
#
# The test digits it takes for others, with what it said and what they are.

# %%
images, labels = next(iter(DataLoader(test, batch_size=len(test))))
with paddle.no_grad():
    said = net(images).argmax(axis=-1).numpy()
wrong = np.flatnonzero(said != labels.numpy().ravel())[:10]
figure, axes = plt.subplots(1, 10, figsize=(10, 1.6))
for axis in axes:
    axis.axis("off")
for axis, i in zip(axes, wrong, strict=False):
    axis.imshow(images.numpy()[i, 0], cmap="gray_r")
    axis.set_title(f"{said[i]}, is {labels.numpy().ravel()[i]}", fontsize=9)
figure.tight_layout()

# %% [markdown]
# ## Keeping it
#
# What was learned goes into a file of plain numbers, from which another network takes
# it over and gives the same answers.

# %%
paddle.save(net.state_dict(), "lenet.pdparams")
again = LeNet(num_classes=10)
again.set_state_dict(paddle.load("lenet.pdparams"))
again.eval()
with paddle.no_grad():
    difference = paddle.abs(again(images) - net(images)).max().item()
print(f"difference after loading: {difference:g}")
