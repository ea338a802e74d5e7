# %% [markdown]
# # Why it does not learn
#
# A network that stays at its first guess, and a loss that becomes NaN: two faults that
# every beginner makes once, each found by looking. The pictures are the ones that
# `%%trace`, `tg.monitor`, `tg.check_nan_inf` and `tg.explain` draw and print.
#
# You need to know what a gradient is, and how one trains a network.

# %%
# %load_ext teachgraph
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import teachgraph as tg
from teachgraph import nn
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import Digits


# %%
def flat(image):
    return (image.reshape(-1) / 127.5 - 1).astype("float32")


train, test = (Digits(mode, transform=flat) for mode in ("train", "test"))

# %% [markdown]
# ## A deep network
#
# Six layers with sigmoids between them, and weights as the textbooks of 1990 drew them:
# small numbers about zero. Nothing in it is forbidden.


# %%
def network(activation, weights):
    sizes = [784, 32, 32, 32, 32, 32]
    parts = []
    for width, following in pairwise(sizes):
        parts += [nn.Linear(width, following, weight_attr=weights), activation()]
    return nn.Sequential(*parts, nn.Linear(32, 10, weight_attr=weights))


def learn(net, epochs):
    optimizer = tg.optimizer.SGD(0.03, parameters=net.parameters())
    loader = DataLoader(train, batch_size=64, shuffle=True)
    watched = tg.monitor(loader, model=net, optimizer=optimizer, epochs=epochs)
    for image, label in watched:
        loss = nn.functional.cross_entropy(net(image), label)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        watched.log(loss=loss)
    return watched


def accuracy(net):
    images, labels = next(iter(DataLoader(test, batch_size=len(test))))
    with tg.no_grad():
        said = net(images).argmax(axis=-1)
    return 100 * float((said.numpy() == labels.numpy().ravel()).mean())


# %%
tg.seed(0)
small = nn.initializer.Normal(0.0, 0.05)
net = network(nn.Sigmoid, small)
shy = learn(net, epochs=4)
print(f"sigmoid, small weights: accuracy {accuracy(net):.1f}%")

# %% [markdown]
# One guess in ten is right: it guesses. The loss stands where it began. Trying other
# learning rates would take the afternoon. Instead, look at one step. Press *Unfold*
# over the backward graph and follow its right side upwards: the edges, as wide as the
# norm of the gradient on them, become thin within three layers.

# %%
# %%trace --title "One step of five sigmoids"
image, label = next(iter(DataLoader(train, batch_size=64)))
loss = nn.functional.cross_entropy(net(image), label)
loss.backward()

# %% [markdown]
# The same as curves, of all steps: each layer's gradient is a small share of the one
# behind it. The derivative of a sigmoid is at most a quarter, and the weights are far
# below one, so what comes back through five of them is next to nothing.

# %%
figure, axis = plt.subplots(figsize=(8, 3))
tg.plot.gradient_norms(shy, ax=axis)
axis.set_title("Sigmoids")
figure.tight_layout()

norms = [float(np.linalg.norm(layer.weight.grad.numpy())) for layer in net[::2]]
print("first layer over last:", f"{norms[0] / norms[-1]:.0e}")

# %% [markdown]
# ## What helps
#
# A ReLU's derivative is 1 where it is open, and weights as He and others draw them keep
# the size of what passes, in both directions.

# %%
tg.seed(0)
net = network(nn.ReLU, nn.initializer.KaimingNormal())
open_ = learn(net, epochs=4)
print(f"relu, weights that keep the size: accuracy {accuracy(net):.1f}%")

# %%
figure, axis = plt.subplots(figsize=(8, 3))
tg.plot.gradient_norms(open_, ax=axis)
axis.set_title("ReLUs")
figure.tight_layout()

# %% [markdown]
# ## A loss that is no number
#
# Somebody writes the cross entropy as it stands in the book: the logarithm of a
# softmax. With logits that are far apart the softmax is 0 to all digits of a float, and
# its logarithm is infinite; times the 0 of a class that it is not, that is no number at
# all. Nothing complains, and after the next step every weight is NaN.


# %%
def by_the_book(logits, label):
    probability = nn.functional.softmax(logits)
    surprise = -tg.log(probability)
    return (surprise * nn.functional.one_hot(label.reshape([-1]), 10)).sum(-1).mean()


logits = 60 * net(image)
loss = by_the_book(logits, label)
print("loss:", loss.item())

# %% [markdown]
# `check_nan_inf` stops at the first operator that makes one, on the line that called
# it, and says what it was given: probabilities from 0 on.

# %%
with tg.check_nan_inf():
    try:
        by_the_book(logits, label)
    except FloatingPointError as error:
        print(error)

# %% [markdown]
# `explain` tells how a value came about: here the last five operators of the loss.

# %%
tg.explain(loss, most=5)

# %% [markdown]
# `log_softmax` subtracts the largest logit before it takes any exponential, so nothing
# overflows and no logarithm sees a zero; `cross_entropy` is made of it.

# %%
print("loss:", round(nn.functional.cross_entropy(logits, label).item(), 3))
