# %% [markdown]
# # Now or later?
#
# So far every op of yours ran at once. Now you write down what is to run, and run it
# later: that is a *Program*. At the end of this lesson one line of code, yours, does
# either: on numbers it runs, on names for numbers it is written down. A question worth
# asking: how can a line know the shape of its result, if nothing is computed and the
# batch has no size yet?
#
# ## Watch it happen
#
# The same function, called with numbers and called with names for numbers. Step through
# both: on the left values appear at once, on the right only rows, until `exe.run`.

# %% [markdown] lang="zh"
# # 现在还是以后？
#
# 到目前为止，你的每个算子都立即运行。现在你要先写下要运行什么，以后再运行：这就是
# *Program*（程序）。学完这一课，你写的同一行代码两样都行：遇到数就运行，遇到数的名字就
# 写下来。
# 有个问题值得一问：什么都还没算，批次也还没有大小，一行代码怎么会知道结果的形状？
#
# ## 看它发生
#
# 同一个函数，一次用数来调用，一次用数的名字来调用。把两边都走一遍：左边的值立刻出现，
# 右边只出现一行行记录，直到 `exe.run`。

# %%
# %load_ext teachgraph
import numpy as np

import teachgraph as paddle
from teachgraph.course import beside, watch
from teachgraph.course.checks import begin
from teachgraph.course.wrong import wrong_answer

check = begin("05")


# %%
def layer(x, w):
    return paddle.nn.functional.relu(paddle.matmul(x, w))


numbers = {"x": np.float32([[1, -2]]), "w": np.float32([[1, 2], [3, -4]])}


def now():
    x = paddle.to_tensor(numbers["x"])
    w = paddle.to_tensor(numbers["w"])
    y = layer(x, w)


def later():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [-1, 2])
        w = paddle.static.data("w", [2, 2])
        y = layer(x, w)
    paddle.fluid.Executor().run(main, feed=numbers, fetch_list=[y])


beside(now, later, names=("now", "later"))

# %% [markdown]
# On the right `x` is a **Variable**: a name and a shape. -1 stands for a size that only
# a run knows. What a line does is append an **Operator** to the program.
#
# ## Predict
#
# For each of six lines: does it compute numbers when it runs (n), or does it only write
# operators for later (l)? `X` and `h` are Variables; the other names are those of
# lesson 00. Answer with six letters.
#
# 1. `t = paddle.to_tensor(2.0) * 3.0`
# 2. `h = fluid.layers.fc(X, size=10)`
# 3. `sgd.minimize(loss)`
# 4. `exe.run(startup)`
# 5. `for _ in range(3): h = paddle.nn.functional.relu(h)`
# 6. `exe.run(main, feed={"X": x}, fetch_list=[h])`

# %% [markdown] lang="zh"
# 右边的 `x` 是一个 **Variable**（变量）：一个名字和一个形状。-1 表示只有运行时才知道的
# 大小。一行代码所做的，就是往程序里追加一个 **Operator**（算子记录）。
#
# ## 预测
#
# 下面六行，每一行运行时是立即算出数来（n），还是只写下算子留待以后（l）？`X` 和 `h`
# 是 Variable，其余的名字与第 00 课相同。用六个字母回答。
#
# 1. `t = paddle.to_tensor(2.0) * 3.0`
# 2. `h = fluid.layers.fc(X, size=10)`
# 3. `sgd.minimize(loss)`
# 4. `exe.run(startup)`
# 5. `for _ in range(3): h = paddle.nn.functional.relu(h)`
# 6. `exe.run(main, feed={"X": x}, fetch_list=[h])`


# %% task="six_lines" tags=["quiz"]
### 说明 六个字母，每行一个：n 表示现在，l 表示以后。
def six_lines():
    """Six letters, one a line: n for now, l for later."""
    ### BEGIN SOLUTION
    return "nllnln"
    ### END SOLUTION


# %% tags=["check"] task="six_lines"
check(six_lines)


# %% task="relus" tags=["quiz"]
### 说明 第 5 行之后，程序里有几个 relu 算子。
def relus():
    """The number of relu operators in the program after line 5."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="relus"
check(relus)

# %% [markdown]
# ## Build it: a layer, by hand
#
# `fluid.layers.fc` is a few calls of `append_op`. Write it: relu(x w + b), with `w` and
# `b` of ones. A program's rows stand in its *block*: `main` and `startup` are those of
# two programs, `x` is a Variable of `main`. In `main` each parameter is created, and
# three operators use them; in `startup` it is created too, and one operator *fills* it.
# The calls:
#
# - `block.create_parameter(name="w", shape=[2, 3], dtype="float32")`
# - `block.create_var(name="y", dtype="float32")`, for a result: the name is yours, the
#   shape is inferred
# - `block.append_op(type="mul", inputs={"X": x, "Y": w}, outputs={"Out": y})`, and so
#   on. This `mul` is Paddle's product of matrices. `elementwise_add` (X, Y) needs
#   `attrs={"axis": 1}`: b belongs to axis 1. Then `relu` (X)
# - in `startup` it is `fill_constant`, which has no inputs:
#   `attrs={"shape": w.shape, "dtype": w.dtype, "value": 1.0}`.

# %% [markdown] lang="zh"
# ## 动手：亲手写一层
#
# `fluid.layers.fc` 不过是几次 `append_op`。把它写出来：relu(x w + b)，`w` 和 `b`
# 全是 1。程序的各行都在它的*块*里：`main` 和 `startup` 是两个程序的块，`x` 是 `main`
# 的 Variable。
# 在 `main` 里创建每个参数，再用三个算子使用它们；在 `startup` 里也创建它，并用一个算子
# 把它*填好*。要用的调用：
#
# - `block.create_parameter(name="w", shape=[2, 3], dtype="float32")`
# - `block.create_var(name="y", dtype="float32")`，表示结果：名字由你取，形状会推断出来
# - `block.append_op(type="mul", inputs={"X": x, "Y": w}, outputs={"Out": y})`，
#   依此类推。这个 `mul` 是 Paddle 的矩阵乘法。`elementwise_add`（X、Y）要
#   `attrs={"axis": 1}`：b 属于第 1 轴。然后是 `relu`（X）
# - 在 `startup` 里是 `fill_constant`，它没有输入：
#   `attrs={"shape": w.shape, "dtype": w.dtype, "value": 1.0}`。


# %% task="dense" tags=["apart"]
### 说明 在 main 里追加 relu(x w + b)，在 startup 里追加 w 和 b 的初值；返回结果。
def dense(main, startup, x, size):
    """Append relu(x w + b) to main, and to startup how w and b begin; the result."""
    ### BEGIN SOLUTION
    for name, shape in (("w", [x.shape[1], size]), ("b", [size])):
        main.create_parameter(name=name, shape=shape, dtype="float32")
        first = startup.create_parameter(name=name, shape=shape, dtype="float32")
        attrs = {"shape": shape, "dtype": first.dtype, "value": 1.0}
        startup.append_op(type="fill_constant", outputs={"Out": first}, attrs=attrs)
    w, b = main.var("w"), main.var("b")
    xw, t, y = (main.create_var(name=n, dtype="float32") for n in ("xw", "t", "y"))
    main.append_op(type="mul", inputs={"X": x, "Y": w}, outputs={"Out": xw})
    pair, axis = {"X": xw, "Y": b}, {"axis": 1}
    main.append_op(type="elementwise_add", inputs=pair, outputs={"Out": t}, attrs=axis)
    main.append_op(type="relu", inputs={"X": t}, outputs={"Out": y})
    return y
    ### END SOLUTION


# %% tags=["check"] task="dense"
check(dense)

# %% [markdown]
# ## Build it: a shape without numbers
#
# `append_op` knew the shape of `y`. Your own engine can find it out too: run the kernel
# on zeros of these shapes, with -1 replaced by a **trial size**. Make them whole
# numbers (`int`), since some kernels take labels. Do it twice, with two sizes: where
# the two results differ, the size is unknown, -1.

# %% [markdown] lang="zh"
# ## 动手：没有数也知道形状
#
# `append_op` 知道 `y` 的形状。你自己的引擎也能得出来：在这些形状的零上运行核函数，其中
# -1 换成一个**试用大小**。零要用整数（`int`），因为有些核函数要的是标签。用两个大小做两
# 次：两次结果不同的地方，大小就是未知的 -1。


# %% task="infer_shape"
### 说明 核函数对这些形状的输入给出的形状，是一个列表；-1 表示未知。
def infer_shape(kernel, shapes, attrs):
    """The shape, a list, that a kernel gives for inputs of these; -1 is unknown."""
    ### BEGIN SOLUTION
    results = []
    for size in (2, 3):
        known = [[size if n == -1 else n for n in shape] for shape in shapes]
        zeros = [np.zeros(shape, int) for shape in known]  # labels are whole numbers
        results.append(np.shape(kernel(*zeros, **attrs)))
    return [a if a == b else -1 for a, b in zip(*results)]
    ### END SOLUTION


# %% tags=["check"] task="infer_shape"
check(infer_shape)

# %% [markdown]
# ## Build it: run, or write down
#
# Here are a `Variable`, an `Operator` and a `Program` for your framework. A Variable
# has the methods of your Tensor: they only call ops, so they need not know which of the
# two they are called on.

# %% [markdown] lang="zh"
# ## 动手：运行，还是写下来
#
# 这里是你的框架要用的 `Variable`、`Operator` 和 `Program`。Variable 有着与 Tensor
# 相同的方法：它们只调用算子，所以不必知道自己是在哪一种上被调用的。

# %%
from teachgraph.course.mine import Op, Tensor, announce, forward, matmul
from teachgraph.course.mine import mul, record_if_on, smooth


# %% tags=["mine"]
### 说明 一个名字和一个形状；值只在运行时才有。
### 说明 一个算子、它将读的东西，以及它将写的 Variable。
### 说明 若干算子，按它们运行的顺序。
### 说明 还没有用过的名字：mul_0、mul_1……
### 说明 main 的一个参数；它如何开始，写在 startup 里。
### 说明 若有输入是 Variable，就追加这个算子；否则现在运行。
class Variable:
    """A name and a shape; it has a value only in a run."""

    def __init__(
        self, program, name, shape, stop_gradient=True, persistable=False, is_data=False
    ):
        self.program, self.name, self.shape = program, name, tuple(shape)
        self.stop_gradient = stop_gradient
        self.persistable, self.is_data = persistable, is_data
        program.variables[name] = self
        announce("variable_created", self)

    ndim = property(lambda self: len(self.shape))
    __add__ = __radd__ = Tensor.__add__
    __mul__ = __rmul__ = Tensor.__mul__
    __sub__, __rsub__, sum = Tensor.__sub__, Tensor.__rsub__, Tensor.sum
    __array_ufunc__ = None


class Operator:
    """An op, what it will read, and the Variables it will write."""

    def __init__(self, op, inputs, outputs, attrs=None, role="forward", twin=None):
        self.op, self.attrs = op, dict(attrs or {})
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.role, self.twin = role, twin  # for lesson 06


class Program:
    """Operators, in the order in which they will run."""

    def __init__(self, title="main"):
        self.title, self.ops, self.variables = title, [], {}

    def insert(self, operator):
        operator.program = self
        self.ops.append(operator)
        announce("operator_inserted", operator, len(self.ops) - 1)

    def new_name(self, prefix):
        """A name that is not taken: mul_0, mul_1 ..."""
        numbers = (f"{prefix}_{n}" for n in range(len(self.variables) + 1))
        return next(name for name in numbers if name not in self.variables)


def parameter(main, startup, name, value):
    """A parameter of main; startup says how it begins."""
    constant = Op("constant", lambda value: np.array(value), None)
    first = Variable(
        startup, name, np.shape(value), stop_gradient=False, persistable=True
    )
    startup.insert(Operator(constant, [], [first], {"value": value}))
    return Variable(main, name, np.shape(value), stop_gradient=False, persistable=True)


def now_or_later(op, *inputs, **attrs):
    """Append the op if an input is a Variable; else run it now."""
    later = any(isinstance(x, Variable) for x in inputs)
    return (append if later else record_if_on)(op, *inputs, **attrs)


Op.__call__ = now_or_later

# %% [markdown]
# What is left is `append`: it inserts an Operator (`program.insert`) and returns what
# that will write, a new Variable of the same program, called after the op
# (`new_name(op.name)`), whose shape you infer; it wants a gradient if any Variable
# among the inputs does. Other inputs are plain numbers: `np.shape` works on both.

# %% [markdown] lang="zh"
# 剩下的就是 `append`：它放进一个 Operator（`program.insert`），并返回它将写的东西，即
# 同一个程序里的一个新 Variable，以算子命名（`new_name(op.name)`），形状由你推断；输入的
# Variable 中只要有一个要梯度，它就要梯度。其余的输入只是普通的数：`np.shape` 对两种
# 都行。


# %% task="append"
### 说明 把算子追加到其输入所在的程序；返回它将写的 Variable。
def append(op, *inputs, **attrs):
    """Append op to the program of its inputs; return the Variable it will write."""
    ### BEGIN SOLUTION
    variables = [x for x in inputs if isinstance(x, Variable)]
    program = variables[0].program
    stop = all(x.stop_gradient for x in variables)
    shape = infer_shape(op.kernel, [np.shape(x) for x in inputs], attrs)
    out = Variable(program, program.new_name(op.name), shape, stop)
    program.insert(Operator(op, inputs, [out], attrs))
    return out
    ### END SOLUTION


# %% tags=["check"] task="append"
check(append)

# %% [markdown]
# Your `forward` of the checkpoint was written for Tensors. Give it Variables:

# %% [markdown] lang="zh"
# 检查点里你写的 `forward` 是为 Tensor 写的。现在给它 Variable：


# %%
def written():
    main, startup = Program("main"), Program("startup")
    w = parameter(main, startup, "w", np.ones((2, 3)))
    b = parameter(main, startup, "b", np.zeros(3))
    x = Variable(main, "x", [-1, 2], is_data=True)
    h = smooth(matmul(x, w) + b)
    scores = forward(h, [(np.ones((3, 2)), 1.0)])


watch(written)

# %% [markdown]
# ## Break it
#
# With one trial size instead of two, the program says that every batch has two rows.
# The pictures differ first at a shape:

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 只用一个试用大小而不是两个，程序就会说每个批次都有两行。两张图最先不同的是一个形状：


# %%
def two_ops(append):
    h = append(mul, Variable(Program(), "x", [-1, 2], is_data=True), 3.0)
    y = append(smooth, h)


def yours():
    two_ops(append)


def loses_the_batch():
    two_ops(wrong_answer("05", "loses_the_batch", globals()).append)


beside(yours, loses_the_batch, names=("yours", "loses the batch"))


# %% task="shape_of_scores" tags=["quiz"]
### 说明 若 x 的形状是 [-1, 2]，那么 scores.shape 是什么，写成列表。
def shape_of_scores():
    """The shape of scores, as a list."""
    ### BEGIN SOLUTION
    return [-1, 2]
    ### END SOLUTION


# %% tags=["check"] task="shape_of_scores"
check(shape_of_scores)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.static.Program`, `Block.append_op` and `Variable`; each op has a C++
# `InferShape` (here a trial, unless the op knows better). In PyTorch `torch.compile`
# writes such a program by watching your function, and calls it a `Graph`. Here it is
# `teachgraph/core/program.py`, and `core/build.py` tries two sizes as you do.
#
# ## What next
#
# Draw a random number in Python while you write a program: `y = x + np.random.rand()`.
# How many different results do ten runs have? In lesson 06 the program writes its own
# backward.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……`paddle.static.Program`、`Block.append_op` 和 `Variable`；每个算子有一个 C++ 的
# `InferShape`（在这里则是试算，除非算子自己知道得更清楚）。在 PyTorch 中，
# `torch.compile` 看着你的函数运行，写下这样一个程序，称为 `Graph`。在这里就是
# `teachgraph/core/program.py`，而 `core/build.py` 也像你一样试两个大小。
#
# ## 接下来
#
# 在写程序时用 Python 抽一个随机数：`y = x + np.random.rand()`。运行十次会有几种不同的
# 结果？在第 06 课，程序会自己写下自己的反向。
