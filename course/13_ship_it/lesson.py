# %% [markdown]
# # Ship it
#
# A network that lives in your notebook helps nobody else. But a trained network is only
# a list of operators and some arrays: data, which others can read, check and run
# without your code. At the end of this lesson one network runs in four ways, the last
# one in a runtime, a program that runs models and knows nothing of this framework, and
# all four agree. A question worth asking: when you open somebody's file, whose code
# runs?
#
# ## Watch it happen
#
# First the program that has trained a network for digits: the way there, the way back,
# the updates. Between its two layers stands `batch_norm`, which subtracts a mean from
# each number and divides by a spread. Then the framework saves what *reading* digits
# needs, and draws the saved file on a page of its own: `shipped/digits.html`, beside
# your notebook. Open it in a browser: the picture answers to mouse and keys, and no
# Python is behind it.

# %% [markdown] lang="zh"
# # 交付
#
# 只活在你的笔记本里的网络，帮不了别人。但训练好的网络不过是一张算子的列表和一些数组：都
# 是数据，别人不用你的代码就能读、能检查、能运行。学完这一课，同一个网络会以四种方式运
# 行，最后一种所在的运行环境，即运行模型的程序，对这个框架一无所知，而四种结果一致。有
# 个问题值得一问：打开别人的文件时，运行的是谁的代码？
#
# ## 看它发生
#
# 先看训练了一个识别手写数字的网络的程序：前向、反向、更新。它的两层之间有
# `batch_norm`，给每个数减去一个平均，再除以散布。然后框架把*认*数字所需的部分保存下
# 来，并把保存的文件画在单独的一页上：`shipped/digits.html`，就在你的笔记本旁边。用浏览
# 器打开它：图仍会响应鼠标和键盘，而背后没有 Python。

# %%
# %load_ext teachgraph
import json
import pickle
from copy import deepcopy
from time import perf_counter

import numpy as np

import teachgraph as paddle
from teachgraph.course import beside
from teachgraph.course.checks import attempt, begin
from teachgraph.course.digits import test_digits
from teachgraph.course.shipping import KERNELS, eager, onnx_file, onnx_runtime, page
from teachgraph.course.shipping import run, static, table, trained, whole, write

check = begin("13")
main, x, scores, net = trained()
paddle.show(main)

# %% tags=["long"]
exe = paddle.fluid.Executor()
paddle.static.save_inference_model("shipped/digits", [x], [scores], exe, program=main)
page("shipped/digits")

# %% [markdown]
# ## Predict
#
# How many of the 23 operators are left on the page? And Python's own `pickle` saves any
# object, together with what is to be *called* when the file is read. The object below
# asks for a `print`. How many lines are printed, once `gift` is read three times?

# %% [markdown] lang="zh"
# ## 预测
#
# 23 个算子，页面上还剩几个？另外，Python 自带的 `pickle` 能保存任何对象，连同读文件时要
# *调用*的东西。下面的对象要求调用 `print`。把 `gift` 读三次，会打印几行？


# %% task="operators_left" tags=["quiz"]
### 说明 保存的程序里有几个算子。
def operators_left():
    """The number of operators in the saved program."""
    ### BEGIN SOLUTION
    return 6
    ### END SOLUTION


# %% tags=["check"] task="operators_left"
check(operators_left)


# %%
class Gift:
    def __reduce__(self):
        return print, ("This line runs on your machine.",)


gift = pickle.dumps(Gift())


# %% task="lines_printed" tags=["quiz"]
### 说明 调用三次 pickle.loads(gift) 会打印几行。
def lines_printed():
    """The number of lines that three calls of pickle.loads(gift) print."""
    ### BEGIN SOLUTION
    return 3
    ### END SOLUTION


# %% tags=["check"] task="lines_printed"
check(lines_printed)

# %%
pickle.loads(gift)

# %% [markdown]
# ## Build it: prune
#
# To **prune** a program is to keep only what some of its values need. Walk from the
# last operator to the first, as in `dead_code`: the names in `gives` are needed; an
# operator that writes a needed name stays, and then what it reads is needed as well.
# Nothing else is a reason to stay: an update has no work any more.
#
# Return a list of *rows*, plain dicts, in the order of the program: `type`; `reads`, a
# list of names; `writes`, only those of its names that were needed when you came to it;
# and `attrs`, a copy. If the copy has an attribute `is_test`, set it to True. An
# operator has `type`, `input_arg_names`, `output_arg_names` and `attrs`.

# %% [markdown] lang="zh"
# ## 动手：剪枝
#
# **剪枝**就是只留下程序中某些值所需的部分。像 `dead_code` 那样，从最后一个算子走到第一
# 个：`gives` 里的名字是需要的；写出所需名字的算子留下，于是它读的也是需要的。此外没有别
# 的理由留下：更新已经没有用处了。
#
# 返回*行*的列表，顺序与程序相同，每行是一个普通的字典：`type`；`reads`，名字的列表；
# `writes`，它写的名字中，走到它时所需的那些；以及 `attrs` 的副本。副本里如果有属性
# `is_test`，它就是 True。算子有 `type`、`input_arg_names`、`output_arg_names` 和
# `attrs`。


# %% task="prune" tags=["apart"]
### 说明 gives 里的名字所需的算子，写成普通数据的各行，处于测试模式。
def prune(ops, gives):
    """The operators that the names in gives need: rows of plain data, in test mode."""
    ### BEGIN SOLUTION
    needed, rows = {*gives}, []
    for one in reversed(ops):
        writes = [name for name in one.output_arg_names if name in needed]
        if writes:
            needed.update(one.input_arg_names)
            attrs = dict(one.attrs)
            if "is_test" in attrs:
                attrs["is_test"] = True
            row = {"type": one.type, "reads": one.input_arg_names}
            rows.append({**row, "writes": writes, "attrs": attrs})
    return rows[::-1]
    ### END SOLUTION


# %% tags=["check"] task="prune"
check(prune)

# %% [markdown]
# ## Build it: a loader that refuses
#
# Your rows are saved as JSON, which has dicts, lists, numbers and text, and nothing
# that runs. A careless reader brings the danger back: `eval(row["type"])` runs whatever
# the file says. So what may run stands in a dict, `kernels`, by type. `load` reads the
# text (`json.loads`) and returns the model: a dict with the lists of names `takes` and
# `gives`, and the rows `ops`. But it raises a `ValueError` that names the culprit for
#
# - a type that has no kernel;
# - a name that is read too early: not taken, no weight (`weights` is a dict by name),
#   and not written by a row *before*;
# - a name in `gives` that is none of these either.
#
# While it loads, no kernel runs.

# %% [markdown] lang="zh"
# ## 动手：会拒绝的加载器
#
# 你的各行保存成 JSON，里面只有字典、列表、数和文字，没有能运行的东西。粗心的读法会把危
# 险带回来：`eval(row["type"])` 会运行文件里写的任何东西。所以，什么可以运行，按类型写在
# 字典 `kernels` 里。`load` 读取文字（`json.loads`），返回模型：一个字典，里面有名字的列
# 表 `takes` 和 `gives`，以及各行 `ops`。但遇到下列情况，要引发 `ValueError`，并在其中说
# 出是哪个名字：
#
# - 没有核函数的类型；
# - 读得太早的名字：不是 `takes` 里的，不是权重（`weights` 是按名字的字典），也没有
#   被*前面的*行写出；
# - `gives` 里的某个名字，也同样没有来源。
#
# 加载时，一个核函数也不运行。


# %% task="load" tags=["apart"]
### 说明 文字所写的模型；有什么不能运行，就引发 ValueError，说出名字。
def load(text, weights, kernels):
    """The model in a text; ValueError, with the name, for what could not run."""
    ### BEGIN SOLUTION
    model = json.loads(text)
    known = {*model["takes"], *weights}
    for row in model["ops"]:
        if row["type"] not in kernels:
            raise ValueError(f"no kernel for {row['type']}")
        for name in row["reads"]:
            if name not in known:
                raise ValueError(f"{row['type']} reads {name} too early")
        known.update(row["writes"])
    for name in model["gives"]:
        if name not in known:
            raise ValueError(f"nothing gives {name}")
    return model
    ### END SOLUTION


# %% tags=["check"] task="load"
check(load)

# %% [markdown]
# ## Build it: ONNX by hand
#
# **ONNX** is a format for models that dozens of runtimes read. A file is one *message*:
# fields, one after the other. A field begins with a key, its number times 8 plus its
# kind. Kind 0 is a whole number (an int), which follows at once. Kind 2 is text in
# UTF-8, or bytes, or another message: first follows how many bytes these are, then they
# do. `whole(n)` gives the bytes of a whole number; keys and counts are such numbers,
# too. So `field(1, "x")` is 10, 1, 120.

# %% [markdown] lang="zh"
# ## 动手：亲手写 ONNX
#
# **ONNX** 是一种模型格式，几十种运行环境都能读。一个文件就是一条*消息*：一个接一个的字
# 段。字段以键开头，键等于它的编号乘以 8 再加上种类。种类 0 是整数（int），紧跟在后面。
# 种类 2 是 UTF-8 的文字，或者字节，或者另一条消息：先写有多少字节，再写这些字节。
# `whole(n)` 给出一个整数的字节；键和字节数也是这样的整数。所以 `field(1, "x")` 就是
# 10、1、120。


# %% task="field" tags=["apart"]
### 说明 一个字段的字节：编号，以及内容（整数、文字或字节）。
def field(number, value):
    """The bytes of one field: its number, and a value that is int, text or bytes."""
    ### BEGIN SOLUTION
    if isinstance(value, int):
        return whole(number * 8) + whole(value)
    if isinstance(value, str):
        value = value.encode()
    return whole(number * 8 + 2) + whole(len(value)) + value
    ### END SOLUTION


# %% tags=["check"] task="field"
check(field)

# %% [markdown]
# An operator is a message: a field 1 for each name that it reads, a field 2 for each
# that it writes, and in field 4 its type. ONNX calls `mul` `MatMul` (its own `Mul` is
# no product of matrices), `elementwise_add` `Add`, `relu` `Relu` and `batch_norm`
# `BatchNormalization`; each reads the same in the same order. With your two functions
# `onnx_file` writes a whole file.

# %% [markdown] lang="zh"
# 一个算子是一条消息：它读的每个名字一个字段 1，写的每个名字一个字段 2，字段 4 里是它的
# 类型。ONNX 把 `mul` 叫作 `MatMul`（它自己的 `Mul` 不是矩阵的乘积），把
# `elementwise_add` 叫作 `Add`，`relu` 叫作 `Relu`，`batch_norm` 叫作
# `BatchNormalization`；读的东西和顺序都相同。`onnx_file` 用你的这两个函数写出整个文件。


# %% task="node" tags=["apart"]
### 说明 一行（一个算子）的 ONNX 消息。
def node(row):
    """The ONNX message of a row, one operator."""
    ### BEGIN SOLUTION
    kinds = {"mul": "MatMul", "elementwise_add": "Add", "relu": "Relu"}
    kinds["batch_norm"] = "BatchNormalization"
    reads = [field(1, name) for name in row["reads"]]
    writes = [field(2, name) for name in row["writes"]]
    return b"".join([*reads, *writes, field(4, kinds[row["type"]])])
    ### END SOLUTION


# %% tags=["check"] task="node"
check(node)

# %% [markdown]
# ## Build it: measure honestly
#
# A first call plans, compiles and fills caches: it is not what a user waits for. And
# one measurement is an accident. So call `call()` once without the clock, then `times`
# times, each between two readings of `clock()`, in seconds. Return the three
# **quartiles**, between which half of all calls lie:
# `np.percentile(seconds, [25, 50, 75])`.

# %% [markdown] lang="zh"
# ## 动手：如实测量
#
# 第一次调用要做规划、编译、填缓存：用户等的不是它。而只测一次，不过是碰巧。所以先不看钟
# 调用一次 `call()`，再调用 `times` 次，每次前后各读一次 `clock()`，以秒计。返回三个
# **四分位数**，所有调用的一半落在它们之间：`np.percentile(seconds, [25, 50, 75])`。


# %% task="measured" tags=["apart"]
### 说明 一次调用所用秒数的四分位数；第一次不计。
def measured(call, clock=perf_counter, times=200):
    """The quartiles of the seconds of a call; the first one does not count."""
    ### BEGIN SOLUTION
    call()
    seconds = []
    for _ in range(times):
        begin = clock()
        call()
        seconds.append(clock() - begin)
    return np.percentile(seconds, [25, 50, 75])
    ### END SOLUTION


# %% tags=["check"] task="measured"
check(measured)

# %% [markdown]
# One network, four ways: layers; the saved program in our executor; your rows, on
# `KERNELS` of NumPy; your bytes in ONNX Runtime. `differs` is the largest distance from
# the scores of the first row, on 360 digits; the times are those of a single digit.
# ONNX Runtime comes with `pip install "teachgraph[deploy]"`; without it a note stands
# in the place of its row, and no check needs it. Where two intervals overlap, do not
# call either faster.

# %% [markdown] lang="zh"
# 一个网络，四种方式：层；在我们的执行器里运行保存下来的程序；你的各行，用的是 NumPy 的
# `KERNELS`；以及由 ONNX Runtime 运行你写出的字节。`differs` 是在 360 个数字上与第一行分
# 数的最大差距；时间是认一个数字的时间。ONNX Runtime 用
# `pip install "teachgraph[deploy]"` 安装；没有它时，那一行的位置上是一条说明，而检查都
# 不需要它。两个区间重叠时，别说哪个更快。


# %% tags=["long"]
def four_ways():
    rows = prune(main.global_block().ops, [scores.name])
    text, weights = write("shipped/mine", rows, "x", scores.name)
    model = load(text, weights, KERNELS)
    content = onnx_file(model, weights, field, node)
    return {
        "eager": eager(net),
        "static": static("shipped/digits"),
        "yours": lambda images: run(model, weights, {"x": images})[0],
        "ONNX": onnx_runtime("shipped/mine.onnx", content),
    }


print(attempt(lambda: table(four_ways(), measured), otherwise=""))

# %% [markdown]
# ## Break it
#
# Somebody forgot `is_test`. In training mode, batch norm subtracts the mean of the
# batch that it is given, and divides by its spread. With all 360 digits at once nobody
# notices. Then a user comes with a single digit. Compare the last scores, and look at
# the first difference: even the mean of the training has moved.

# %% [markdown] lang="zh"
# ## 弄坏它
#
# 有人忘了 `is_test`。在训练模式下，batch norm（批归一化）减去的是眼前这个批次的平均，再
# 除以它的散布。360 个数字一起来时，没人察觉。后来有个用户只带来一个数字。比较最后的分
# 数，再看第一处差异：连训练得来的平均也变了。

# %%
image, forgotten = paddle.to_tensor(test_digits()[0][:1]), deepcopy(net)
forgotten.train()
names = ("in test mode", "in training mode")
beside(lambda: net(image), lambda: forgotten(image), names=names)


# %% task="different_answers" tags=["quiz"]
### 说明 在训练模式下，把 360 个数字一个一个地交给它，会得到几种不同的分数。
def different_answers():
    """The number of different score rows of 360 digits, one by one, in training."""
    ### BEGIN SOLUTION
    return 1
    ### END SOLUTION


# %% tags=["check"] task="different_answers"
check(different_answers)

# %% [markdown]
# ## In Paddle this is ...
#
# ... `paddle.static.save_inference_model`, which prunes (`normalize_program`), and
# `paddle.onnx.export`. In PyTorch it is `torch.export` and `torch.onnx.export`;
# `torch.load` reads pickles, and now refuses most of what they could call
# (`weights_only=True`). Here it is `teachgraph/static/pruning.py`,
# `static/serialize.py` and `deploy/onnx/`; `course/shipping.py` has the rest of your
# file.
#
# ## What next
#
# Change a byte in the middle of `shipped/mine.onnx`, and of `digits.pdiparams`. Who
# notices? In lesson 14 the updates move out, to another machine.

# %% [markdown] lang="zh"
# ## 在 Paddle 中，这就是……
#
# ……会剪枝（`normalize_program`）的 `paddle.static.save_inference_model`，以及
# `paddle.onnx.export`。在 PyTorch 中是 `torch.export` 和 `torch.onnx.export`；
# `torch.load` 读的是 pickle，如今会拒绝其中大多数的调用（`weights_only=True`）。在这里
# 就是 `teachgraph/static/pruning.py`、`static/serialize.py` 和 `deploy/onnx/`；你那个文
# 件的其余部分在 `course/shipping.py` 里。
#
# ## 接下来
#
# 改动 `shipped/mine.onnx` 中间的一个字节，再改 `digits.pdiparams` 的。谁会发现？在第 14
# 课，更新要搬出去，搬到另一台机器上。
