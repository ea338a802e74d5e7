# %% [markdown]
# # Digits with a ReLU of your own
#
# A framework brings its own operators along. Sooner or later you want one that it does
# not have. Here you write one with NumPy, forward and backward, hang it into a program
# with `py_func`, and train the program on 1,437 real handwritten digits. To see that
# all is well, the same network with the built-in `relu` trains beside it.
#
# You need NumPy and the chain rule. The notebook runs in seconds, from top to bottom,
# on one thread: the matrices are small.

# %%
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import matplotlib.pyplot as plt
import numpy as np

import teachgraph
import teachgraph.fluid as fluid
from teachgraph.io import DataLoader
from teachgraph.vision.datasets import Digits

# %% [markdown]
# ## The data
#
# Pictures of 28 x 28 pixels, from 0 (paper) to 255 (ink). The network gets each as a
# row of 784 numbers from -1 to 1.


# %%
def scaled(image):
    return image.reshape(784) / 127.5 - 1


train = Digits("train", transform=scaled)
test = Digits("test", transform=scaled)
print(len(train), "to train with,", len(test), "to test")

figure, axes = plt.subplots(1, 10, figsize=(10, 1.2))
for axis, image, label in zip(axes, train.images[:10], train.labels[:10], strict=True):
    axis.imshow(image, cmap="gray_r")
    axis.set_title(label.item())
    axis.axis("off")


# %% [markdown]
# ## The operator
#
# The rectified linear unit is $y = \max(x, 0)$. Where $x$ is positive, $y$ grows as $x$
# does, elsewhere it stays 0. So the gradient $dy$ that arrives from the loss passes
# where $y > 0$:
#
# $$dx = dy \cdot [y > 0]$$
#
# The backward function needs $y$ and $dy$, in this order, but not $x$. Naming $x$ in
# `skip_vars_in_backward_input` spares the program from keeping it.


# %%
def relu(x):
    return np.maximum(x, 0.0)


def relu_grad(y, dy):
    return dy * (y > 0)


def py_func_relu(x):
    block = fluid.default_main_program().current_block()
    y = block.create_var(name="my_relu", shape=x.shape, dtype="float32")
    return fluid.layers.py_func(
        func=relu,
        x=x,
        out=y,
        backward_func=relu_grad,
        skip_vars_in_backward_input=x,
    )


# %% [markdown]
# ## The program
#
# Two fully connected layers, of 100 and 10 units, with the activation between them.
# `startup` gives the parameters their first values, `main` is one step of training, and
# `test` is `main` without its backward and its updates.


# %%
def build(activation):
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = 90
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        image = fluid.layers.data(name="image", shape=[784], dtype="float32")
        label = fluid.layers.data(name="label", shape=[1], dtype="int64")
        hidden = activation(fluid.layers.fc(input=image, size=100))
        prediction = fluid.layers.fc(input=hidden, size=10, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
        accuracy = fluid.layers.accuracy(prediction, label)
        fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
        test = main.clone(for_test=True)
    return main, startup, test, [loss, accuracy]


main, *_ = build(py_func_relu)
print([op.type for op in main.global_block().ops])

# %% [markdown]
# `py_func` stands there twice: third from the left on the way forward, and again on the
# way back, where it calls `relu_grad`. The same, drawn:

# %%
teachgraph.show(main)

# %% [markdown]
# ## Training
#
# Five epochs in batches of 256, and after each a look at digits the network has never
# seen. Both networks start from the same parameters, because their startup programs
# have the same seed.


# %%
def feeds(dataset, batch_size):
    for image, label in DataLoader(dataset, batch_size=batch_size):
        yield {"image": image.numpy(), "label": label.numpy()}


def run(activation):
    main, startup, test_program, fetch = build(activation)
    executor, scope, losses = fluid.Executor(), fluid.Scope(), []
    executor.run(startup, scope=scope)
    for epoch in range(5):
        for feed in feeds(train, 256):
            loss, _ = executor.run(main, feed, fetch, scope=scope)
            losses.append(loss.item())
        (everything,) = feeds(test, len(test))
        loss, accuracy = executor.run(test_program, everything, fetch, scope=scope)
        print(f"epoch {epoch + 1}: test loss {loss:.3f}, accuracy {accuracy:.1%}")
    return losses


print("your relu")
own = run(py_func_relu)
print("the built-in relu")
native = run(fluid.layers.relu)

# %% [markdown]
# ## One curve, twice
#
# The two losses are the same, step for step: the dots lie on the line.

# %%
plt.plot(native, label="built-in relu")
plt.plot(own, ".", label="your relu, by py_func")
plt.xlabel("step")
plt.ylabel("loss of the batch")
plt.legend()
plt.show()

largest = np.abs(np.subtract(own, native)).max()
print(f"largest difference in {len(own)} steps: {largest:.1e}")
assert largest <= 1e-6

# %% [markdown]
# ## What it costs
#
# The executor writes a built-in ReLU into its plan as a line of NumPy. Yours it has to
# call, and it checks what comes back. Two programs are timed, each with either ReLU:
# the step of training above, and one that has only the ReLU and its gradient. The two
# ReLUs take turns, and the fastest of twenty turns counts, in time of the processor.


# %%
def step_of_training(activation):
    main, startup, _, fetch = build(activation)
    return main, startup, fetch, next(feeds(train, 256))


def operator_alone(activation):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.layers.data(name="x", shape=[100], dtype="float32")
        x.stop_gradient = False
        gradients = fluid.gradients(activation(x), x)
    x = np.random.default_rng(0).normal(size=[256, 100]).astype("float32")
    return main, startup, gradients, {"x": x}


def timed(make, turns=20, steps=10):
    scopes = {py_func_relu: fluid.Scope(), fluid.layers.relu: fluid.Scope()}
    executor, made, fastest = fluid.Executor(), {}, dict.fromkeys(scopes, np.inf)
    for activation, scope in scopes.items():
        made[activation] = main, startup, fetch, feed = make(activation)
        if startup.global_block().ops:
            executor.run(startup, scope=scope)
        executor.run(main, feed, fetch, scope=scope)
    for _ in range(turns):
        for activation, (main, _, fetch, feed) in made.items():
            begin = time.process_time()
            for _ in range(steps):
                executor.run(main, feed, fetch, scope=scopes[activation])
            seconds = (time.process_time() - begin) / steps
            fastest[activation] = min(fastest[activation], seconds)
    return fastest.values()


print(f"{'':18}{'py_func':>12}{'native op':>12}{'ratio':>8}")
for name, make in (
    ("step of training", step_of_training),
    ("operator alone", operator_alone),
):
    mine, builtin = timed(make)
    times = f"{1e3 * mine:9.3f} ms{1e3 * builtin:9.3f} ms"
    print(f"{name:18}{times}{mine / builtin:8.2f}")

# %% [markdown]
# In a step the products of the matrices take most of the time, so that an operator of
# your own may be slower and nobody notices.

# %% [markdown]
# ## Over to you
#
# - Let `relu_grad` return `dy` as it came, and run again. The network still learns, but
#   the curves part. Whose gradient does it follow now?
# - Write a leaky ReLU, $y = \max(x, 0.1 x)$. Its gradient needs $y$ and $dy$ only, too.
# - Return `dy[0]` from `relu_grad` and read the error: it names your function, the
#   variable, the shapes and the line.
#
# In Paddle this is `fluid.layers.py_func` (1.x) and `paddle.static.py_func` (2.x).
# There the functions are given tensors, which they turn into arrays with
# `np.array(x)`; here they are arrays to begin with.
