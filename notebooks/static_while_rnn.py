# %% [markdown]
# # A recurrent network as a loop in a program
#
# A recurrent layer does the same thing at every step. Written out, ten steps are ten
# times the same operators. Written as `while_loop`, they stand in the program once, in
# a block of their own, and run as often as the condition holds. Here both are built,
# and their gradients and their memory compared.
#
# $$h_t = \tanh(x_t W + h_{t-1} U)$$
#
# $x_t$ is the input of step $t$, and $h_t$ the state that it leaves to the next one.

# %%
# %load_ext teachgraph
import matplotlib.pyplot as plt
import numpy as np

import teachgraph as paddle
from teachgraph import passes, static
from teachgraph.core import unique_name
from teachgraph.fluid.layers import array_write, create_array

paddle.enable_static()
STEPS, BATCH, INPUTS, HIDDEN = 10, 16, 8, 32

# %% [markdown]
# ## The loop
#
# Each round takes its own step of `x`, and writes its result into an array. The loop
# variables are the counter, the state, and the results so far: what a round returns for
# them is what the next one is given.


# %%
def parameters():
    """W and U, under names that both programs share."""
    start = paddle.nn.initializer.Uniform(-0.3, 0.3)
    return (
        static.create_parameter([INPUTS, HIDDEN], "float32", "W", None, False, start),
        static.create_parameter([HIDDEN, HIDDEN], "float32", "U", None, False, start),
    )


def looped(x, h):
    """The states after all steps, by `while_loop`."""
    w, u = parameters()
    states = create_array("float32")
    i = paddle.full([1], 0, "int64")
    last = paddle.full([1], STEPS, "int64")

    def go_on(i, h, states):
        return i < last

    def step(i, h, states):
        now = paddle.squeeze(paddle.gather(x, i), 0)
        h = paddle.tanh(paddle.matmul(now, w) + paddle.matmul(h, u))
        states = array_write(h, i, states)
        return i + 1, h, states

    _, h, states = static.nn.while_loop(go_on, step, [i, h, states])
    return h, states


def unrolled(x, h):
    """The same, each step written out."""
    w, u = parameters()
    states = []
    for t in range(STEPS):
        h = paddle.tanh(paddle.matmul(x[t], w) + paddle.matmul(h, u))
        states.append(h)
    return h, states


def built(network):
    """Both programs, the loss, and the gradients of W and U."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), unique_name.guard():
        x = static.data("x", [STEPS, BATCH, INPUTS])
        h = static.data("h", [BATCH, HIDDEN])
        last, _ = network(x, h)
        loss = paddle.mean(last * last)
        forward = main.clone()
        gradients = static.append_backward(loss)
    return main, startup, forward, [loss, *(grad for _, grad in gradients)]


loop, startup, forward, wanted = built(looped)
for block in forward.blocks:
    print(f"block {block.idx}", *(op.type for op in block.ops), sep="\n    ")

# %% [markdown]
# The second block is the body. Nothing in it says how often it runs: `while` does, by
# its condition, which the body computes anew at its end. Drawn with its way back, the
# body is a frame that opens.

# %%
paddle.show(loop)

# %% [markdown]
# ## The way back
#
# `append_backward` gives the loop a `while_grad` with a block of its own, which runs
# once for each round, the last one first. It reads what the rounds have left behind,
# and adds up what each of them gives to W and U. The unrolled program does the same
# with one `sum` at the end.

# %%
straight, other_startup, _, wanted_straight = built(unrolled)
for name, program in (("loop", loop), ("unrolled", straight)):
    counts = [len(block.ops) for block in program.blocks]
    print(f"{name:>8}: {sum(counts):3} operators, in blocks of {counts}")

# %%
numbers = np.random.default_rng(0)
feed = {
    "x": numbers.normal(size=(STEPS, BATCH, INPUTS)).astype("float32"),
    "h": np.zeros((BATCH, HIDDEN), "float32"),
}
executor = static.Executor()
executor.run(startup)
one = executor.run(loop, feed, wanted)
two = executor.run(straight, feed, wanted_straight)
for name, a, b in zip(("loss", "dW", "dU"), one, two, strict=True):
    far = np.abs(a - b).max()
    print(f"{name:>5}: up to {np.abs(a).max():.3f}, largest difference {far:.1e}")
difference = max(np.abs(a - b).max() for a, b in zip(one, two, strict=True))
print("alike to 1e-6:", bool(difference < 1e-6))

# %% [markdown]
# ## What the passes make of them
#
# A pass rewrites a copy of a program. Two of them have something to do here: one joins
# the sum and its tanh into one kernel, in each step; the other forgets some states on
# the way there and computes them once more on the way back. Each line of the report
# says which operators gave way to what.

# %%
names = ["elementwise_fusion", "recompute"]
thrifty = passes.apply_pass(straight, names, fetches=wanted_straight)
for line in str(thrifty.report).splitlines():
    print(line if len(line) <= 88 else line[:85] + "...")

# %% [markdown]
# ## Where the values lie
#
# The memory plan knows when each value is written and when it is needed last, and lays
# out one arena in which those that never live at the same time share their bytes. In
# the picture, a rectangle is a buffer: from left to right the steps it lives through,
# from bottom to top its bytes.

# %%
plans = {
    "loop": executor.memory_plan(loop, feed, wanted),
    "unrolled": executor.memory_plan(straight, feed, wanted_straight),
    "recomputed": executor.memory_plan(thrifty, feed, wanted_straight),
}
print(f"{'':10}{'steps':>6}{'buffers':>9}{'naive kB':>10}{'planned kB':>12}")
for name, plan in plans.items():
    sizes = f"{plan.naive_peak / 1024:10.1f}{plan.planned_peak / 1024:12.1f}"
    print(f"{name:10}{len(plan.steps):6}{len(plan.buffers):9}{sizes}")
print("known only when it runs:", len(plans["loop"].uncounted), "values of the loop")

# %%
figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), sharey=True)
for axis, (name, plan) in zip(axes, plans.items(), strict=True):
    for at, buffer in enumerate(plan.buffers):
        axis.broken_barh(
            [(buffer.start, buffer.end - buffer.start + 1)],
            (buffer.offset / 1024, buffer.size / 1024),
            color=plt.cm.tab20(at % 20),
            edgecolor="white",
            linewidth=0.3,
        )
    axis.set_title(f"{name}: {len(plan.buffers)} buffers")
    axis.set_xlabel("step")
axes[0].set_ylabel("kB into the arena")
figure.tight_layout()

# %% [markdown]
# The staircase in the middle is the price of a gradient: the states of the steps must
# stay until the way back has read them. Who computes some of them twice climbs less
# high. The loop keeps its states as well, but round by round, in memory that is asked
# for while it runs: how many rounds there will be, no plan can know.
