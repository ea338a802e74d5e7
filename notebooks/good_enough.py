# %% [markdown]
# # Stop at the first model that is good enough
#
# Three networks for handwritten digits stand in a row, from small to large. Most digits
# are easy: the smallest one is sure of them. Only where it is not is the next one
# asked. A loop in Python does that, line by line, and the graph is another for each
# digit; the figures below say what it saves and what it costs.
#
# You need to know what a softmax is.

# %%
# %load_ext teachgraph
import matplotlib.pyplot as plt
import numpy as np

import teachgraph as tg
from teachgraph import nn
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import Digits


# %%
def scaled(image):
    return (image.reshape(1, 28, 28) / 127.5 - 1).astype("float32")


train, test = (Digits(mode, transform=scaled) for mode in ("train", "test"))
tg.seed(0)
models = {
    "linear": nn.Sequential(nn.Flatten(), nn.Linear(784, 10)),
    "one layer": nn.Sequential(
        nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10)
    ),
    "LeNet": tg.vision.models.LeNet(),
}


# %%
def learn(net, epochs=3):
    optimizer = tg.optimizer.Adam(0.003, parameters=net.parameters())
    for _ in range(epochs):
        for image, label in DataLoader(train, batch_size=64, shuffle=True):
            loss = nn.functional.cross_entropy(net(image), label)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()


def multiplications(net):
    sizes = {"LeNet": 28 * 28 * 9 * 6 + 10 * 10 * 25 * 6 * 16}
    dense = sum(p.size for p in net.parameters() if len(p.shape) == 2)
    return dense + (sizes["LeNet"] if net is models["LeNet"] else 0)


images, labels = next(iter(DataLoader(test, batch_size=len(test))))
truth = labels.numpy().ravel()
answers = {}
for name, net in models.items():
    learn(net)
    net.eval()
    with tg.no_grad():
        answers[name] = nn.functional.softmax(net(images)).numpy()
    right = (answers[name].argmax(1) == truth).mean()
    print(f"{name:<10} {multiplications(net):>8} multiplications, {right:.1%} right")


# %% [markdown]
# ## The loop
#
# A model is asked only if no model before it was sure enough.


# %%
def good_enough(image, sure):
    for net in models.values():
        chances = nn.functional.softmax(net(image))
        if chances.max().item() >= sure:
            break
    return chances


# %% [markdown]
# An easy digit, and one on which the small networks hesitate: the second graph is
# longer, because the loop went on.

# %%
first = answers["linear"].max(1)
easy, hard = images[int(first.argmax())], images[int(first.argmin())]

# %%
# %%trace --title "An easy digit, then a hard one"
with tg.no_grad():
    good_enough(easy.unsqueeze(0), 0.9)
    good_enough(hard.unsqueeze(0), 0.9)

# %% [markdown]
# ## What it saves
#
# The higher the bar, the more digits go on to the next network.


# %%
def cascade(sure):
    said, spent, asked = np.zeros(len(truth), int), np.zeros(len(truth)), []
    going = np.ones(len(truth), bool)
    for name, net in models.items():
        asked.append(int(going.sum()))
        said[going] = answers[name].argmax(1)[going]
        spent[going] += multiplications(net)
        going &= answers[name].max(1) < sure
    return (said == truth).mean(), spent.mean(), asked


bars = [0.0, 0.5, 0.7, 0.9, 0.99, 1.01]
found = {sure: cascade(sure) for sure in bars}
print("sure of   right   multiplications   digits asked of each")
for sure, (right, spent, asked) in found.items():
    print(f"{sure:>7.2f} {right:>7.1%} {spent:>17.0f}   {asked}")

figure, axis = plt.subplots(figsize=(8, 3))
axis.plot(
    [spent for _, spent, _ in found.values()], [r for r, *_ in found.values()], "o-"
)
axis.set_xlabel("multiplications for a digit, on average")
axis.set_ylabel("digits right")
figure.tight_layout()

# %% [markdown]
# The loop gives what the table says, digit for digit.

# %%
with tg.no_grad():
    one_by_one = [
        good_enough(image.unsqueeze(0), 0.9).argmax().item() for image in images
    ]
alike = (np.mean(np.array(one_by_one) == truth)) == found[0.9][0]
share = found[0.9][1] / found[1.01][1]
print("the loop is right as often:", bool(alike))
print(f"at 0.9 it needs {share:.0%} of the multiplications of asking all three")
