# %% [markdown]
# # Four lines, drawn
#
# Four lines of Paddle 1.x make a network ready to train. Nothing is computed while they
# run: each *writes* operators into two programs. Here they are drawn, run, and followed
# to the number that each of them makes.
#
# You need to know what a gradient is.

# %%
# %load_ext teachgraph
import matplotlib.pyplot as plt
import numpy as np

import teachgraph.fluid as fluid

# %% [markdown]
# ## What each line writes
#
# Step with the arrow keys: every row has the colour of the line that wrote it. The
# fourth line writes most: a gradient for each operator, last one first, and an update
# for each parameter.

# %% tags=["quiet"]
# %%trace --title "The four lines"
x = fluid.data(name="X", shape=[None, 1], dtype="float32")
y = fluid.layers.fc(input=x, size=10)
loss = fluid.layers.mean(y)
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)

# %%
main, startup = fluid.default_main_program(), fluid.default_startup_program()
for name, program in (("startup", startup), ("main", main)):
    print(name, *(op.type for op in program.global_block().ops), sep="\n    ")

# %% [markdown]
# ## What runs
#
# `startup` runs once and fills the parameters; `main` runs at every step. The loss is
# the mean of $x w + b$, which has no minimum: its gradient is the same at every step,
# 0.1 times the mean of $x$ for each weight. So the loss falls along a straight line.

# %%
executor = fluid.Executor()
executor.run(startup)
feed = {"X": np.arange(4, dtype="float32").reshape(4, 1)}
losses, slopes = [], []
for _ in range(50):
    value, slope = executor.run(main, feed, [loss, "fc_0.w_0@GRAD"])
    losses.append(value.item())
    slopes.append(slope)

figure, axis = plt.subplots(figsize=(8, 3))
axis.plot(losses)
axis.set_xlabel("step")
axis.set_ylabel("loss")
figure.tight_layout()

falls = -np.diff(losses)
expected = 0.01 * (10 * 0.15**2 + 10 * 0.1**2)
print("each gradient is 0.15:", bool(np.allclose(slopes, 0.15)))
print(f"a step falls by {falls.mean():.6f}, as the chain rule says: {expected:.6f}")
assert np.allclose(falls, expected, atol=1e-5)

# %% [markdown]
# ## One step, drawn as it runs
#
# The same program with the numbers of this step on its edges.

# %%
# %%trace --title "One step of main"
executor.run(main, feed, [loss])
# %% [markdown]
# ## What a reader of the program gets
#
# A program is data. This is the Python that stands for `main`: what an expert would
# have written by hand.

# %%
print(executor.compiled(main, [loss]).source)
