# %% [markdown]
# # Memory
#
# An executor that keeps every value to the end needs far more memory than a step uses
# at any one moment. At the end of this lesson your framework knows how long each value
# is needed, gives all of them a place in one array, and trades a second computation for
# a lower peak. A question worth asking: when may two values lie at the same place?
#
# ## Watch it happen
#
# The memory plan of a program with its way back. A rectangle is a **buffer**: from left
# to right the steps through which it is needed, from bottom to top its bytes in the
# **arena**, the one array that holds them all. The **peak** is the arena's height.
# Point at a buffer: it says where it begins and ends.

# %% [markdown] lang="zh"
# # 内存
#
# 把每个值都留到最后的执行器，所需的内存远多于任何一刻真正用到的。学完这一课，你的框架会
# 知道每个值要用多久，给它们在同一个数组里各安排一个位置，还会用重算一遍来换取更低的
# 峰值。有个问题值得一问：两个值什么时候可以放在同一个地方？
#
# ## 看它发生
#
# 一个程序连同返回的路的内存规划。一个矩形就是一块**缓冲区**：从左到右是需要它的那些步，
# 从下到上是它在**内存池**里的字节；内存池是装下所有缓冲区的那个数组。**峰值**就是内存池
# 的高度。指着一块缓冲区：它会说自己从哪里开始，到哪里结束。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside
from teachgraph.course.checks import attempt, begin
from teachgraph.course.wrong import wrong_answer

check = begin("11")
paddle.enable_static()

# %%
main = paddle.static.Program()
with paddle.static.program_guard(main):
    h = paddle.static.data("x", [64, 32])
    for size in (64, 32, 16):
        h = paddle.nn.functional.relu(paddle.static.nn.fc(h, size))
    loss = paddle.mean(h)
    paddle.static.append_backward(loss)

exe, feed = paddle.fluid.Executor(), {"x": np.ones([64, 32], "float32")}
paddle.show(exe.memory_plan(main, feed, [loss]))

# %% [markdown]
# Some values wait at the bottom for a long time: gradients will need them.
#
# ## Predict
#
# In the right half of the picture, at which type of operator are the most bytes needed
# for the first time? Then three buffers without a picture: `a` of 8 bytes, needed in
# steps 0 and 1; `b` of 4 bytes, in 1 and 2; `c` of 8 bytes, in 2 and 3. What is the
# lowest peak?

# %% [markdown] lang="zh"
# 有些值在底下等了很久：梯度还要用它们。
#
# ## 预测
#
# 在图的右半边，到哪种类型的算子处，所需的字节第一次最多？然后是没有图的三块缓冲区：`a`
# 有 8 字节，第 0、1 步需要；`b` 有 4 字节，第 1、2 步需要；`c` 有 8 字节，第 2、3 步需
# 要。最低的峰值是多少？


# %% task="highest" tags=["quiz"]
### 说明 在哪种算子处所需的字节第一次最多：它的类型，例如 "relu"。
def highest():
    """The type of operator where most bytes are needed first, such as "relu"."""
    ### BEGIN SOLUTION
    return "mul_grad"
    ### END SOLUTION


# %% tags=["check"] task="highest"
check(highest)


# %% task="three_buffers" tags=["quiz"]
### 说明 a、b、c 最低的峰值，以字节计。
def three_buffers():
    """The lowest peak of a, b and c, in bytes."""
    ### BEGIN SOLUTION
    return 12
    ### END SOLUTION


# %% tags=["check"] task="three_buffers"
check(three_buffers)

# %% [markdown]
# ## Build it: lifetimes
#
# The **lifetime** of a value begins with the step that writes it, and ends with the
# last step that reads it. Steps are counted from 0. What is fetched is needed to the
# last step; what nobody reads, only in its own. Each value is written once here.
# Parameters and data are there anyway: they have no lifetime here.

# %% [markdown] lang="zh"
# ## 动手：生存期
#
# 一个值的**生存期**从写它的那一步开始，到最后读它的那一步为止。步从 0 数起。要取的值
# 一直用到最后一步；没有人读的，只占写它的那一步。参数和数据本来就在：它们在这里没有生存
# 期。

# %%
from teachgraph.course.mine import Executor, Program, Variable, append_backward
from teachgraph.course.mine import compute, optimized, reading, smooth


# %% task="lifetimes"
### 说明 字典 {Variable: (第一步, 最后一步)}，包含算子写出而又不持久的每个 Variable。
def lifetimes(ops, fetch):
    """{Variable: (first step, last step)} for all written that are not persistable."""
    ### BEGIN SOLUTION
    lives = {}
    for step, one in enumerate(ops):
        for x in one.inputs:
            if isinstance(x, Variable) and x in lives:
                lives[x] = (lives[x][0], step)
        for x in one.outputs:
            if x is not None and not x.persistable:
                lives[x] = (step, step)
    for x in fetch:
        if x in lives:
            lives[x] = (lives[x][0], len(ops) - 1)
    return lives
    ### END SOLUTION


# %% tags=["check"] task="lifetimes"
check(lifetimes)

# %% [markdown]
# ## Build it: a place for each
#
# A buffer has a `size` in bytes, a first step `start` and a last one, `end`. Two of
# them `meet` if there is a step that needs both. Mind the step that reads one and
# writes the other: a kernel may write its first element before it has read the last.

# %% [markdown] lang="zh"
# ## 动手：各就各位
#
# 一块缓冲区有字节数 `size`，第一步 `start` 和最后一步 `end`。如果有一步同时需要两块，
# 它们就相遇（`meet`）。注意读一块、写另一块的那一步：核函数可能在读完最后一个元素之前，
# 就写下了第一个。


# %% tags=["mine"]
### 说明 内存池的一部分，以及需要它的那些步。
class Buffer:
    """A part of the arena, and the steps that need it."""

    def __init__(self, name, size, start, end):
        self.name, self.size, self.start, self.end = name, size, start, end
        self.offset, self.names, self.since = 0, [name], [start]  # for the picture


# %% task="meet"
### 说明 有一步同时需要缓冲区 a 和 b，就是 True。
def meet(a, b):
    """True if there is a step that needs both buffers, a and b."""
    ### BEGIN SOLUTION
    return a.start <= b.end and b.start <= a.end
    ### END SOLUTION


# %% tags=["check"] task="meet"
check(meet)

# %% [markdown]
# The way is called **first fit**: take the buffers one by one, the *largest first*, and
# give each the lowest `offset` at which it overlaps with none that was placed before
# and that it meets. So go over those in the order of their offsets: if the gap before
# one is large enough, that is the place; else look behind it. Set `offset` in each
# buffer, and return the peak.

# %% [markdown] lang="zh"
# **首次适配**：一块一块地取缓冲区，*最大的在先*。每一块都得到最低的偏移（`offset`），使
# 它不与任何先放好又与它相遇的缓冲区重叠。所以按偏移的顺序走过那些缓冲区：如果某一块前面
# 的空隙够大，位置就在那里；否则看它的后面。在每块缓冲区里设好 `offset`，并返回峰值。


# %% task="first_fit"
### 说明 给每块缓冲区一个 offset；返回峰值，即内存池的字节数，没有缓冲区时是 0。
def first_fit(buffers):
    """Give each buffer an offset; return the peak, the arena's bytes, 0 for none."""
    ### BEGIN SOLUTION
    placed = []
    for one in sorted(buffers, key=lambda b: b.size, reverse=True):
        others = [b for b in placed if meet(b, one)]
        one.offset = 0
        for other in sorted(others, key=lambda b: b.offset):
            if one.offset + one.size <= other.offset:
                break
            one.offset = max(one.offset, other.offset + other.size)
        placed.append(one)
    return max([b.offset + b.size for b in placed], default=0)
    ### END SOLUTION


# %% tags=["check"] task="first_fit"
check(first_fit)

# %% [markdown]
# ## Build it: compute it again
#
# A `Plan` is your lifetimes and your places for a program. `run_in` runs the program
# with all its values in one arena. Then **recomputation**: `recomputed` rewrites a
# program, so that values of the way there need not wait for the way back. That
# computes them once more, from the nearest *checkpoint*, a value that was kept.

# %% [markdown] lang="zh"
# ## 动手：再算一遍
#
# `Plan` 就是你为一个程序得出的生存期和位置。`run_in` 运行程序，所有的值都在一个内存池
# 里。然后是**重算**：`recomputed` 会改写程序，使去程的值不必再等返回的路。返回时从最近
# 的*检查点*，即一个留下的值出发，把它们再算一遍。


# %% tags=["mine"]
### 说明 程序写出的每个值在内存池里的位置；形状里的 -1 换成 batch。
### 说明 在一个内存池里运行程序；返回 memory，即 {名字: 数组}。
### 说明 这些算子，返回时把检查点之间的值再算一遍。
class Plan:
    """A place in the arena for each value that a program writes; -1 is the batch."""

    def __init__(self, program, fetch, place, lives, batch=1):
        self.steps, self.buffers = [one.op.name for one in program.ops], []
        for x, (start, end) in lives(program.ops, fetch).items():
            size = 8 * int(np.prod([batch if n == -1 else n for n in x.shape]))
            self.buffers.append(Buffer(x.name, size, start, end))
        self.naive_peak = sum(b.size for b in self.buffers)
        self.planned_peak = place(self.buffers)

    def __str__(self):
        return f"{self.planned_peak} bytes instead of {self.naive_peak}"


def run_in(program, plan, memory):
    """Run a program in an arena; return memory, {name: array}."""
    arena = np.zeros(plan.planned_peak // 8)
    first = {b.name: b.offset // 8 for b in plan.buffers}
    for one in program.ops:
        arrays = [memory.get(getattr(x, "name", None), x) for x in one.inputs]
        for x, result in zip(one.outputs, compute(one, arrays)):
            if x is not None:
                value = np.asarray(result, float)
                if x.name in first:
                    flat = arena[first[x.name] :][: value.size]
                    flat[:] = value.ravel()
                    value = flat.reshape(value.shape)
                memory[x.name] = value
    return memory


def recomputed(ops, checkpoints):
    """The operators; the way back computes again what is between checkpoints."""
    segment, count = {}, 0
    for one in ops:
        if one.role == "forward":
            segment[one] = count
            count += one.outputs[0] in checkpoints
    new, same, done = [], {}, {None, count}
    for one in ops:
        number = segment.get(one.twin)
        if number not in done:
            done.add(number)
            *inner, _ = (o for o in segment if segment[o] == number)
            copies, fresh = again(inner)  # all but the one that writes the checkpoint
            new += copies
            same.update(fresh)
        new.append(reading(one, same) if one.role == "backward" else one)
    return new


# %% [markdown]
# `again` makes the copies for one segment, the operators between two checkpoints. Each
# is a copy that reads the new values of the others (`reading`), and writes new
# Variables of the same shapes: `x.program.new_name(x.name)` gives a name. Return the
# copies, and what was replaced by what.

# %% [markdown] lang="zh"
# `again` 为一段，即两个检查点之间的算子，造出副本。每个副本读其他副本的新值
# （`reading`），并写出形状相同的新 Variable：`x.program.new_name(x.name)` 给出名字。
# 返回这些副本，以及什么被什么代替了。


# %% task="again"
### 说明 写出新 Variable 的副本，以及字典 {旧的: 新的}。
def again(operators):
    """Copies that write new Variables, and the dict {old: new}."""
    ### BEGIN SOLUTION
    copies, same = [], {}
    for one in operators:
        copy = reading(one, same)
        for k, x in enumerate(one.outputs):
            name = x.program.new_name(x.name)
            copy.outputs[k] = same[x] = Variable(x.program, name, x.shape)
        copies.append(copy)
    return copies, same
    ### END SOLUTION


# %% tags=["check"] task="again"
check(again)

# %% [markdown]
# A chain of nine layers and its way back: the plan without checkpoints, and with two,
# the layers 3 and 6. The mountain becomes a row of hills. Which two give the lowest
# peak? Try others: `staircases(2, 5)`, in a cell of your own.

# %% [markdown] lang="zh"
# 九层的链和它返回的路：没有检查点的规划，以及有两个检查点（第 3 层和第 6 层）的规划。
# 一座高山变成了几座小丘。哪两层的峰值最低？试试别的：在自己的单元格里写
# `staircases(2, 5)`。


# %%
def chain(length):
    main = Program()
    w = Variable(main, "w", [64], stop_gradient=False, persistable=True)
    h = [w]
    for _ in range(length):
        h.append(smooth(h[-1]))
    return main, h, [append_backward(h[-1].sum())[w]]


def staircases(first, second):
    main, h, fetch = chain(9)
    thrifty = lambda ops, fetch: recomputed(ops, [h[first], h[second]])
    shorter = optimized(main, fetch, [thrifty])
    plans = [Plan(one, fetch, first_fit, lifetimes) for one in (main, shorter)]
    return beside(*plans, names=("yours", "yours, with checkpoints"))


attempt(staircases, 3, 6, otherwise="")


# %% task="two_checkpoints" tags=["quiz"]
### 说明 九层中哪两层作检查点时峰值最低，按先后写成列表。
def two_checkpoints():
    """The two of the nine layers that give the lowest peak: a list, in their order."""
    ### BEGIN SOLUTION
    return [4, 7]
    ### END SOLUTION


# %% tags=["check"] task="two_checkpoints"
check(two_checkpoints)

# %% [markdown]
# ## Break it
#
# Lifetimes that end with the write: every value gets the same place, and the run in
# the arena reads what another operator has put there. No error, other numbers:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 生存期在写下时就结束：每个值都得到同一个位置，在内存池里运行时，读到的是别的算子放在
# 那里的东西。不会报错，只是数不同：


# %%
def in_arena(lives=lifetimes):
    main, h, fetch = chain(2)
    plan = Plan(main, fetch, first_fit, lives)
    way = lambda program, feed, fetch, scope: run_in(program, plan, feed)
    Executor(way).run(main, {"w": np.ones(64)})


too_short = wrong_answer("11", "ends_with_the_write", globals()).lifetimes
beside(in_arena, lambda: in_arena(too_short), names=("yours", "too short"))

# %% [markdown]
# ## In Paddle this is ...
#
# ... `memory_optimize_pass` with its lifetimes, and `paddle.distributed.fleet.utils
# .recompute`. In PyTorch an allocator finds places while it runs, and
# `torch.utils.checkpoint` computes again. Here it is `teachgraph/planning/`:
# `arena.py` takes the *smallest* gap that fits.
#
# ## What next
#
# Take the smallest gap, too: is the peak ever lower? In the checkpoint that follows,
# Program, passes and plan become one compiled step.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`memory_optimize_pass` 和它的生存期，以及
# `paddle.distributed.fleet.utils.recompute`。在 PyTorch 中，分配器在运行时找位置，
# `torch.utils.checkpoint` 则负责再算一遍。在这里就是 `teachgraph/planning/`：`arena.py`
# 取的是够大的空隙中*最小*的那个。
#
# ## 接下来
#
# 你也取最小的空隙试试：峰值会更低吗？在接下来的检查点里，Program、pass 和规划合成编译好
# 的一步。
