# %% [markdown]
# # A parameter server on Ray
#
# Two processes compute gradients, each on its half of the data. A third keeps the
# parameters: it waits for both gradients, takes their mean, makes the optimizer's
# step and sends the parameters back. Nobody writes that by hand: a *transpiler* takes
# the program of one process and rewrites it into the programs of all of them.
#
# Here you read these programs, run them in the threads of this process, then as
# processes on [Ray](https://ray.io), kill the server in the middle, and see that
# nothing changes. At the end you let a thousand trainers take part, in a simulation.
# You need `pip install "teachgraph[distributed]"`. The notebook runs in a minute or
# two.

# %%
# %load_ext teachgraph
import os
import signal

import matplotlib.pyplot as plt
import numpy as np

from teachgraph import distributed as dist
from teachgraph import fluid
from teachgraph.distributed.simulation import Network, fitted, ring_step, server_step
from teachgraph.vision.datasets import Digits

# %% [markdown]
# ## One process
#
# A network of one hidden layer reads 1,437 handwritten digits. Each step takes 64 of
# them, drawn with the step's number as the seed, so that every run sees the same.

# %%
STEPS, BATCH = 30, 64
train_set = Digits("train", transform=lambda image: image.reshape(784) / 127.5 - 1)
images = np.stack([image for image, _ in train_set]).astype("float32")
labels = train_set.labels.reshape(-1, 1).astype("int64")


def fixed(*shape):
    numbers = np.random.default_rng(0).normal(0, 0.05, shape).astype("float32")
    return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(numbers))


def build():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.layers.data("x", [784])
        y = fluid.layers.data("y", [1], dtype="int64")
        hidden = fluid.layers.fc(x, 32, act="relu", param_attr=fixed(784, 32))
        logits = fluid.layers.fc(hidden, 10, param_attr=fixed(32, 10))
        loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(logits, y))
        fluid.optimizer.Momentum(0.05, 0.9).minimize(loss)
    return main, startup, loss


def batch(step, part=slice(None)):
    rows = np.random.default_rng(step).integers(0, len(images), BATCH)[part]
    return {"x": images[rows], "y": labels[rows]}


def weights():
    return np.array(fluid.global_scope().find_var("fc_1.w_0").get_tensor())


def alone():
    main, startup, loss = build()
    executor = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        executor.run(startup)
        losses = [executor.run(main, batch(s), [loss])[0].item() for s in range(STEPS)]
        return losses, weights()


losses_alone, weights_alone = alone()
print(f"loss {losses_alone[0]:.3f} -> {losses_alone[-1]:.3f}")

# %% [markdown]
# ## The programs of three processes
#
# The transpiler is told who takes part: this is trainer 0 of 2, and one server.
# `ps0:6174` is a name like a host and a port.

# %%
SERVER = "ps0:6174"
main, startup, loss = build()
transpiler = fluid.DistributeTranspiler()
transpiler.transpile(0, main, SERVER, trainers=2, startup_program=startup)
trainer_program = transpiler.get_trainer_program()
server_program, server_startup = transpiler.get_pserver_programs(SERVER)

trainer_ops = trainer_program.global_block().ops
server_blocks = server_program.blocks[1:]
print("trainer:", ", ".join(op.type for op in trainer_ops[-12:]))
for block in server_blocks:
    print(f"server, block {block.idx}:", ", ".join(op.type for op in block.ops))

# %% [markdown]
# The trainer's program has lost its `momentum`, and sends each gradient as soon as it
# is there. The server has a block for each parameter.

# %% [markdown]
# ## In threads
#
# `run_local` calls one function as every process, in threads of this one, one at a
# time. The function asks who it is and does its part. Each trainer takes every second
# row of a batch; the server's mean of two halves is the gradient of the whole.


# %%
def work(steps=STEPS):
    role = dist.current_role()
    main, startup, loss = build()
    transpiler = fluid.DistributeTranspiler()
    number = 0 if role.is_server else role.index
    transpiler.transpile(number, main, SERVER, role.trainers, True, startup)
    executor = fluid.Executor()
    if role.is_server:
        program, startup = transpiler.get_pserver_programs(SERVER)
        executor.run(startup)
        executor.run(program)
        return None
    program = transpiler.get_trainer_program()
    executor.run(startup)
    part = slice(role.index, None, role.trainers)
    losses = []
    for step in range(dist.get_start_step(), steps):
        losses += executor.run(program, batch(step, part), [loss])
    return np.ravel(losses).tolist(), weights()


(losses_0, weights_0), (losses_1, weights_1) = dist.run_local(
    lambda role: work(), trainers=2, pservers=SERVER
)
print("trainers agree bit for bit:", bool((weights_0 == weights_1).all()))
print(
    f"largest difference from one process: {abs(weights_0 - weights_alone).max():.1e}"
)

# %% [markdown]
# Three steps of it, watched. *Cluster* draws the programs side by side, with an arc for
# each gradient on its way to the server and each parameter on its way back; below them
# the same step as a timeline, with who waits for whom. `‹` and `›` go from step to
# step, and so does the slider. One thread runs at a time here: who waits also waits for
# its turn.

# %%
# %%trace --title "Two trainers and a server"
_ = dist.run_local(lambda role: work(3) and None, trainers=2, pservers=SERVER)

# %% [markdown]
# ## On Ray
#
# `spawn` calls the same function in processes: Ray places them, moves their messages,
# and restarts those that die. Here the server is killed after some steps. It comes
# back from its checkpoint, and the trainers send again what it has not seen. The result
# is that of the threads, bit for bit where NumPy computes with as many threads in both.

# %%
killed = []


def kill_the_server(cluster):
    for role, status in cluster.statuses.items():
        if role.is_server and status.step >= 8 and not killed:
            killed.append(status.step)
            os.kill(status.pid, signal.SIGKILL)


on_ray = dist.spawn(work, nprocs=2, endpoints=(SERVER,), watch=kill_the_server)
print("the server was killed:", bool(killed))
farthest = max(abs(found - weights_0).max() for _, found in on_ray)
print(f"largest difference from the threads: {farthest:.1e}")

# %%
figure, axis = plt.subplots(figsize=(6, 3))
axis.plot(losses_alone, label="one process", linewidth=4, alpha=0.3)
axis.plot(np.mean([losses_0, losses_1], 0), label="mean of two trainers")
axis.set(xlabel="step", ylabel="loss")
axis.legend()
plt.show()

# %% [markdown]
# ## A thousand trainers
#
# Does a server scale? All gradients go through its line, in both directions: with $N$
# trainers, $S$ servers, a model of $M$ bytes and a line of $B$ bytes a second a step
# takes about
#
# $$t_{server} = t_{compute} + \frac{2 N M}{S B}, \qquad
#   t_{ring} = t_{compute} + 2 (N - 1) \left(\frac{M}{N B} + latency\right)$$
#
# In a ring of trainers, each passing parts on to the next, every line carries $2 M /
# B$, however many there are, but the latency adds up. The simulation sends message by
# message. Does it tell the truth? Nine steps of one server were measured, on Ray on one
# machine with two processors. Five of them (filled) give bandwidth, overhead and
# latency; what the simulation says of the others are the lines.

# %%
MB = 2**20
milliseconds = {  # by the number of trainers and megabytes, without the computing
    (1, 0.25): 4.0, (1, 1): 5.0, (1, 4): 9.1,
    (2, 0.25): 7.1, (2, 1): 8.6, (2, 4): 14.5,
    (3, 0.25): 10.9, (3, 1): 12.2, (3, 4): 21.1,
}  # fmt: skip
measured = {(n, size * MB): t / 1e3 for (n, size), t in milliseconds.items()}
known = {point for point in measured if point[0] == 1}
known |= {(2, 0.25 * MB), (2, 4 * MB)}
here = fitted({point: measured[point] for point in known})

figure, axis = plt.subplots(figsize=(6, 4))
colors = {0.25: "tab:blue", 1: "tab:orange", 4: "tab:green"}
for size, color in colors.items():
    told = [1e3 * server_step(n, size * MB, network=here) for n in (1, 2, 3, 4)]
    axis.plot([1, 2, 3, 4], told, color=color, label=f"{size} MB")
    for n in (1, 2, 3):
        face = color if (n, size * MB) in known else "none"
        axis.plot(n, milliseconds[n, size], "o", color=color, markerfacecolor=face)
axis.set(xlabel="trainers", ylabel="milliseconds of a step", xticks=[1, 2, 3, 4])
axis.legend()
plt.show()
others = [point for point in measured if point not in known]
ratios = [server_step(*p, network=here) / measured[p] for p in others]
print(f"simulated over measured: {min(ratios):.2f} to {max(ratios):.2f}")

# %% [markdown]
# The points lie around the lines, not on them: three trainers and a server share two
# processors here. The shape is right: what a server does for each trainer adds up. So
# much for one machine; now many, on a network.

# %%
network, model, compute = Network(bandwidth=1.25e9, latency=50e-6), 100e6, 0.2
counts = [1, 2, 4, 8, 16, 32, 64, 128, 256]
schedules = {
    "1 server": [server_step(n, model, compute, 1, network) for n in counts],
    "8 servers": [server_step(n, model, compute, 8, network) for n in counts],
    "ring": [ring_step(n, model, compute, network) for n in counts],
}
schedules["ring"].append(ring_step(1000, model, compute, network))

figure, axis = plt.subplots(figsize=(6, 4))
for name, seconds in schedules.items():
    axis.loglog([*counts, 1000][: len(seconds)], seconds, "o-", label=name)
axis.set(xlabel="trainers", ylabel="seconds of a step")
axis.set_title("100 MB, 0.2 s of compute, 10 Gbit/s, 50 microseconds")
axis.legend()
plt.show()
ring_1000 = schedules["ring"][-1]
print(f"a ring of 1000: {ring_1000:.2f} s a step; 256 at one server: "
      f"{schedules['1 server'][-1]:.1f} s")  # fmt: skip
