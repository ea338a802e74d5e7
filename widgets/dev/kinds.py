"""Scripts of the kinds that people trace first, written as a user writes them.

None is tuned to the picture; they are small in data only, so that each records in some
seconds. `widgets.dev.gallery` photographs them, `tests/browser/test_first_view.py`
measures what their first view shows.
"""

from __future__ import annotations

__all__ = ["KINDS"]

MLP = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn
from teachgraph.io import DataLoader, Dataset

class Squares(Dataset):
    def __init__(self, count):
        self.x = np.random.default_rng(0).normal(size=(count, 8)).astype("float32")
        self.y = (self.x ** 2).sum(axis=1, keepdims=True)

    def __getitem__(self, index):
        return self.x[index], self.y[index]

    def __len__(self):
        return len(self.x)

paddle.seed(0)
loader = DataLoader(Squares(96), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = paddle.optimizer.Adam(learning_rate=0.01, parameters=model.parameters())
loss_fn = nn.MSELoss()
for epoch in range(4):
    for x, y in loader:
        prediction = model(x)
        loss = loss_fn(prediction, y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    print(epoch, float(loss))
"""

PLAIN_LOOP = """\
import numpy as np
import teachgraph as paddle

x = paddle.to_tensor(np.linspace(-1, 1, 32, dtype="float32").reshape(32, 1))
y = x * 3.0 + 0.5
w = paddle.to_tensor([[0.0]], stop_gradient=False)
b = paddle.to_tensor([0.0], stop_gradient=False)
for step in range(20):
    error = paddle.matmul(x, w) + b - y
    loss = (error ** 2).mean()
    loss.backward()
    w.set_value(w - 0.3 * w.grad)
    b.set_value(b - 0.3 * b.grad)
    w.clear_gradient()
    b.clear_gradient()
print(float(w), float(b))
"""

RESNET_BLOCK = """\
import teachgraph as paddle
from teachgraph import nn
import teachgraph.nn.functional as F

class Block(nn.Layer):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2D(inputs, outputs, 3, stride, 1, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(outputs)
        self.conv2 = nn.Conv2D(outputs, outputs, 3, 1, 1, bias_attr=False)
        self.bn2 = nn.BatchNorm2D(outputs)
        self.shortcut = nn.Sequential(
            nn.Conv2D(inputs, outputs, 1, stride, bias_attr=False),
            nn.BatchNorm2D(outputs),
        )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.shortcut(x))

block = Block(4, 8, stride=2)
images = paddle.randn([2, 4, 12, 12])
features = block(images)
loss = features.mean()
loss.backward()
"""

RESNET18 = """\
import numpy as np
import teachgraph as paddle
from teachgraph.vision.models import resnet18

paddle.seed(1)
model = resnet18(num_classes=10)
optimizer = paddle.optimizer.Momentum(0.01, parameters=model.parameters())
images = paddle.randn([2, 3, 32, 32])
labels = paddle.to_tensor([[3], [7]])
logits = model(images)
loss = paddle.nn.functional.cross_entropy(logits, labels)
loss.backward()
optimizer.step()
optimizer.clear_grad()
"""

LSTM = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn

class Tagger(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 16)
        self.lstm = nn.LSTM(16, 24, num_layers=2)
        self.head = nn.Linear(24, 5)

    def forward(self, words):
        states, _ = self.lstm(self.embedding(words))
        return self.head(states)

paddle.seed(0)
model = Tagger()
clip = nn.ClipGradByGlobalNorm(1.0)
optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters(), grad_clip=clip)
rng = np.random.default_rng(0)
for step in range(6):
    words = paddle.to_tensor(rng.integers(0, 40, size=(4, 7)))
    tags = paddle.to_tensor(rng.integers(0, 5, size=(4, 7, 1)))
    loss = nn.functional.cross_entropy(model(words), tags)
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

LSTM_CELL = """\
import teachgraph as paddle
from teachgraph import nn

paddle.seed(0)
cell = nn.LSTMCell(8, 16)
head = nn.Linear(16, 1)
optimizer = paddle.optimizer.SGD(0.1, parameters=cell.parameters() + head.parameters())
series = paddle.randn([4, 10, 8])
target = series.sum(axis=[1, 2]).unsqueeze(1)
for epoch in range(5):
    h = paddle.zeros([4, 16])
    c = paddle.zeros([4, 16])
    for t in range(10):
        out, (h, c) = cell(series[:, t], (h, c))
    loss = ((head(out) - target) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

TRANSFORMER = """\
import teachgraph as paddle
from teachgraph import nn

paddle.seed(0)
layer = nn.TransformerEncoderLayer(d_model=16, nhead=2, dim_feedforward=32)
x = paddle.randn([2, 6, 16])
mask = paddle.triu(paddle.full([6, 6], float("-inf")), diagonal=1)
y = layer(x, src_mask=mask)
loss = y.square().mean()
loss.backward()
"""

BERT = """\
import numpy as np
import teachgraph as paddle
from teachgraph.models import BertConfig, BertForSequenceClassification, BertModel

paddle.seed(0)
config = BertConfig(
    vocab_size=100, hidden_size=16, num_hidden_layers={layers},
    num_attention_heads=2, intermediate_size=32, max_position_embeddings=32,
)
model = BertForSequenceClassification(BertModel(config), num_classes=2)
optimizer = paddle.optimizer.AdamW(0.001, parameters=model.parameters())
words = paddle.to_tensor(np.random.default_rng(0).integers(1, 100, size=(2, 8)))
labels = paddle.to_tensor([[0], [1]])
logits = model(words)
loss = paddle.nn.functional.cross_entropy(logits, labels)
loss.backward()
optimizer.step()
optimizer.clear_grad()
"""

GAN = """\
import teachgraph as paddle
from teachgraph import nn
import teachgraph.nn.functional as F

paddle.seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_opt = paddle.optimizer.Adam(0.002, parameters=generator.parameters())
d_opt = paddle.optimizer.Adam(0.002, parameters=discriminator.parameters())
ones, zeros = paddle.ones([8, 1]), paddle.zeros([8, 1])
for step in range(12):
    real = paddle.randn([8, 2]) * 0.5 + 1.0
    fake = generator(paddle.randn([8, 4]))
    d_loss = F.binary_cross_entropy_with_logits(discriminator(real), ones)
    d_loss += F.binary_cross_entropy_with_logits(discriminator(fake.detach()), zeros)
    d_loss.backward()
    d_opt.step()
    d_opt.clear_grad()
    g_loss = F.binary_cross_entropy_with_logits(discriminator(fake), ones)
    g_loss.backward()
    g_opt.step()
    g_opt.clear_grad()
    d_opt.clear_grad()
"""

PENALTY = """\
import teachgraph as paddle
from teachgraph import nn

paddle.seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = paddle.optimizer.Adam(0.001, parameters=critic.parameters())
for step in range(5):
    real = paddle.randn([8, 2])
    fake = paddle.randn([8, 2]) + 2.0
    alpha = paddle.rand([8, 1])
    mixed = alpha * real + (1.0 - alpha) * fake
    mixed.stop_gradient = False
    (slope,) = paddle.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = ((slope.norm(axis=1) - 1.0) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10.0 * penalty
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

REINFORCE = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn
import teachgraph.nn.functional as F

paddle.seed(0)
rng = np.random.default_rng(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = paddle.optimizer.Adam(0.01, parameters=policy.parameters())

def play():
    state, log_probs, rewards = rng.normal(size=3), [], []
    for t in range(5):
        x = paddle.to_tensor(state.astype("float32")).unsqueeze(0)
        log_prob = F.log_softmax(policy(x))
        action = int(rng.random() < float(log_prob[0, 1].exp()))
        log_probs.append(log_prob[0, action])
        rewards.append(float(state[0] * (1 if action else -1)))
        state = rng.normal(size=3)
    return log_probs, rewards

for episode in range(4):
    log_probs, rewards = play()
    returns = np.cumsum(rewards[::-1])[::-1].astype("float32")
    loss = -(paddle.stack(log_probs) * paddle.to_tensor(returns.copy())).sum()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

STATIC = """\
import numpy as np
import teachgraph as paddle
from teachgraph import static

paddle.enable_static()
x = static.data("x", [None, 8])
y = static.data("y", [None, 1])
hidden = static.nn.fc(x, 16, activation="relu")
prediction = static.nn.fc(hidden, 1)
loss = ((prediction - y) ** 2).mean()
test_program = static.default_main_program().clone(for_test=True)
paddle.optimizer.SGD(0.01).minimize(loss)

exe = static.Executor()
exe.run(static.default_startup_program())
rng = np.random.default_rng(0)
data = rng.normal(size=(40, 8)).astype("float32")
target = (data ** 2).sum(axis=1, keepdims=True)
for epoch in range(4):
    for start in range(0, 40, 8):
        feed = {"x": data[start:start + 8], "y": target[start:start + 8]}
        (value,) = exe.run(feed=feed, fetch_list=[loss])
    (test,) = exe.run(test_program, feed={"x": data, "y": target}, fetch_list=[loss])
    print(epoch, value, test)
paddle.disable_static()
"""

CONTROL = """\
import numpy as np
import teachgraph as paddle
from teachgraph import static

paddle.enable_static()
x = static.data("x", [2, 4])
w = static.create_parameter([4, 4], "float32")
i = paddle.full([1], 0, "int64")
n = paddle.full([1], 3, "int64")
h = paddle.matmul(x, w)
i, h = static.nn.while_loop(
    lambda i, h: i < n,
    lambda i, h: [i + 1, paddle.tanh(paddle.matmul(h, w))],
    [i, h],
)
out = static.nn.cond(h.mean() > 0, lambda: h * 2.0, lambda: h - 1.0)
loss = (out ** 2).mean()
paddle.optimizer.SGD(0.1).minimize(loss)
exe = static.Executor()
exe.run(static.default_startup_program())
for step in range(3):
    exe.run(feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])
paddle.disable_static()
"""

PY_FUNC = """\
import numpy as np
import teachgraph as paddle
from teachgraph import static

def swish(x):
    x = np.array(x)
    return x / (1.0 + np.exp(-x))

def swish_grad(x, y, dy):
    s = 1.0 / (1.0 + np.exp(-np.array(x)))
    return np.array(dy) * (s + np.array(y) * (1.0 - s))

paddle.enable_static()
x = static.data("x", [None, 4])
hidden = static.nn.fc(x, 8)
active = static.default_main_program().current_block().create_var(
    name="active", dtype="float32", shape=hidden.shape)
static.py_func(func=swish, x=hidden, out=active, backward_func=swish_grad)
loss = active.mean()
paddle.optimizer.SGD(0.1).minimize(loss)
exe = static.Executor()
exe.run(static.default_startup_program())
exe.run(feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])
paddle.disable_static()
"""

TO_STATIC = """\
import teachgraph as paddle
from teachgraph import nn

class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @paddle.jit.to_static
    def forward(self, x, turns):
        for i in range(turns):
            x = paddle.tanh(self.fc(x))
        if x.mean() > 0:
            x = x * 2.0
        else:
            x = -x
        return x

paddle.seed(0)
net = Net()
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
for step in range(3):
    loss = (net(paddle.ones([2, 4]), paddle.to_tensor(3)) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

ERROR = """\
import teachgraph as paddle
from teachgraph import nn

encoder = nn.Linear(8, 16)
decoder = nn.Linear(12, 8)
x = paddle.randn([4, 8])
code = nn.functional.relu(encoder(x))
back = decoder(code)
loss = ((back - x) ** 2).mean()
loss.backward()
"""

NAN = """\
import teachgraph as paddle

x = paddle.to_tensor([0.5, 0.0, 2.0])
w = paddle.to_tensor([1.0, 1.0, -1.0], stop_gradient=False)
logs = paddle.log(x * w)
loss = logs.sum()
loss.backward()
print(w.grad)
"""

MANY = """\
import teachgraph as paddle
from teachgraph import nn

paddle.seed(0)
layers = [nn.Linear(8, 8) for _ in range({layers})]
x = paddle.randn([4, 8])
for layer in layers:
    x = paddle.tanh(layer(x)) * 0.9 + 0.1
loss = x.mean()
loss.backward()
"""

FIT = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn
from teachgraph.io import TensorDataset

paddle.seed(0)
rng = np.random.default_rng(0)
images = paddle.to_tensor(rng.normal(size=(48, 1, 8, 8)).astype("float32"))
labels = paddle.to_tensor(rng.integers(0, 3, size=(48, 1)))
network = nn.Sequential(
    nn.Conv2D(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3)
)
model = paddle.Model(network)
model.prepare(
    paddle.optimizer.Adam(0.01, parameters=model.parameters()),
    nn.CrossEntropyLoss(),
    paddle.metric.Accuracy(),
)
model.fit(TensorDataset([images, labels]), epochs=2, batch_size=16, verbose=0)
"""

TIED = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn

class Language(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 12)
        self.hidden = nn.Linear(12, 12)

    def forward(self, words):
        h = paddle.tanh(self.hidden(self.embedding(words)))
        return paddle.matmul(h, self.embedding.weight, transpose_y=True)

paddle.seed(0)
model = Language()
optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters())
words = paddle.to_tensor(np.random.default_rng(0).integers(0, 30, size=(4, 6)))
for step in range(5):
    logits = model(words[:, :-1])
    loss = nn.functional.cross_entropy(logits, words[:, 1:].unsqueeze(-1))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

IN_PLACE = """\
import teachgraph as paddle

w = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
x = w * 2.0
x.add_(paddle.ones([3]))
y = paddle.exp(x)
buffer = paddle.zeros([3])
buffer[0] = y[2]
loss = (y + buffer).sum()
loss.backward()
print(w.grad)
"""

PY_LAYER = """\
import teachgraph as paddle
from teachgraph.autograd import PyLayer

class Clamp(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return paddle.clip(x, -1.0, 1.0)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * paddle.cast(x.abs() <= 1.0, "float32")

x = paddle.to_tensor([-2.0, 0.5, 3.0], stop_gradient=False)
y = Clamp.apply(x * 1.5)
loss = (y ** 2).sum()
loss.backward()
print(x.grad)
"""

RECOMPUTE = """\
import teachgraph as paddle
from teachgraph import nn
from teachgraph.autograd import recompute

paddle.seed(0)
first = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8))
second = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
x = paddle.randn([4, 8])
x.stop_gradient = False
hidden = recompute(first, x)
loss = recompute(second, hidden).mean()
loss.backward()
"""

AUTOENCODER = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn
import teachgraph.nn.functional as F

class AutoEncoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2D(1, 4, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2D(4, 8, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.bottleneck = nn.Linear(8 * 4 * 4, 6)
        self.expand = nn.Linear(6, 8 * 4 * 4)
        self.decoder = nn.Sequential(
            nn.Conv2DTranspose(8, 4, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2DTranspose(4, 1, 4, stride=2, padding=1), nn.Sigmoid(),
        )

    def forward(self, images):
        code = self.bottleneck(paddle.flatten(self.encoder(images), 1))
        grown = F.relu(self.expand(code)).reshape([-1, 8, 4, 4])
        return self.decoder(grown), code

paddle.seed(3)
model = AutoEncoder()
optimizer = paddle.optimizer.Adam(1e-2, parameters=model.parameters())
images = paddle.to_tensor(np.random.default_rng(1).random((6, 1, 16, 16)), "float32")
history = []
for epoch in range(3):
    model.train()
    noisy = paddle.clip(images + 0.1 * paddle.randn(images.shape), 0.0, 1.0)
    rebuilt, code = model(noisy)
    loss = F.mse_loss(rebuilt, images) + 1e-3 * code.abs().mean()
    optimizer.clear_grad()
    loss.backward()
    optimizer.step()
    history.append(float(loss))
    model.eval()
    with paddle.no_grad():
        clean, _ = model(images)
        print(epoch, history[-1], float(F.mse_loss(clean, images)))
"""

LANGUAGE = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn

text = "to be or not to be that is the question "
letters = sorted(set(text))
ids = np.array([letters.index(letter) for letter in text])

class CharRNN(nn.Layer):
    def __init__(self, vocabulary, hidden=24):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 12)
        self.rnn = nn.GRU(12, hidden)
        self.dropout = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, x, state=None):
        h, state = self.rnn(self.embed(x), state)
        return self.out(self.dropout(h)), state

paddle.seed(0)
net = CharRNN(len(letters))
scheduler = paddle.optimizer.lr.CosineAnnealingDecay(learning_rate=0.02, T_max=8)
opt = paddle.optimizer.AdamW(
    learning_rate=scheduler, parameters=net.parameters(), weight_decay=0.01
)
criterion = nn.CrossEntropyLoss()
for step in range(8):
    start = step * 3
    x = paddle.to_tensor(ids[None, start:start + 12])
    y = paddle.to_tensor(ids[None, start + 1:start + 13, None])
    logits, _ = net(x)
    loss = criterion(logits, y)
    loss.backward()
    opt.step()
    opt.clear_grad()
    scheduler.step()
net.eval()
x, state, said = paddle.to_tensor(ids[None, :1]), None, []
with paddle.no_grad():
    for _ in range(6):
        logits, state = net(x, state)
        x = logits[:, -1].argmax(axis=-1, keepdim=True)
        said.append(letters[int(x)])
print("".join(said))
"""

U_NET = """\
import teachgraph as paddle
from teachgraph import nn
import teachgraph.nn.functional as F

def double(inputs, outputs):
    return nn.Sequential(
        nn.Conv2D(inputs, outputs, 3, padding=1), nn.BatchNorm2D(outputs), nn.ReLU(),
        nn.Conv2D(outputs, outputs, 3, padding=1), nn.BatchNorm2D(outputs), nn.ReLU(),
    )

class UNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = double(1, 4), double(4, 8)
        self.middle = double(8, 16)
        self.up2 = nn.Conv2DTranspose(16, 8, 2, stride=2)
        self.conv2 = double(16, 8)
        self.up1 = nn.Conv2DTranspose(8, 4, 2, stride=2)
        self.conv1 = double(8, 4)
        self.head = nn.Conv2D(4, 1, 1)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(F.max_pool2d(d1, 2))
        m = self.middle(F.max_pool2d(d2, 2))
        u2 = self.conv2(paddle.concat([self.up2(m), d2], axis=1))
        u1 = self.conv1(paddle.concat([self.up1(u2), d1], axis=1))
        return self.head(u1)

paddle.seed(0)
unet = UNet()
optimizer = paddle.optimizer.Momentum(0.05, parameters=unet.parameters())
image = paddle.randn([2, 1, 16, 16])
mask = paddle.cast(image > 0.5, "float32")
for step in range(2):
    logits = unet(image)
    bce = F.binary_cross_entropy_with_logits(logits, mask)
    p = F.sigmoid(logits)
    dice = 1.0 - 2.0 * (p * mask).sum() / (p.sum() + mask.sum() + 1e-6)
    loss = bce + dice
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""

FOLDS = """\
import numpy as np
import teachgraph as paddle
from teachgraph import nn

rng = np.random.default_rng(5)
X = rng.normal(size=(30, 4)).astype("float32")
y = (X[:, :1] * X[:, 1:2] + 0.1 * rng.normal(size=(30, 1))).astype("float32")

def train(model, X, y, epochs=4):
    optimizer = paddle.optimizer.Adam(0.05, parameters=model.parameters())
    for _ in range(epochs):
        for begin in range(0, len(X), 10):
            batch = paddle.to_tensor(X[begin:begin + 10])
            target = paddle.to_tensor(y[begin:begin + 10])
            loss = nn.functional.mse_loss(model(batch), target)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()

scores = {"linear": [], "mlp": []}
for fold in range(3):
    test = np.arange(30) % 3 == fold
    linear = nn.Linear(4, 1)
    mlp = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    for name, model in [("linear", linear), ("mlp", mlp)]:
        train(model, X[~test], y[~test])
        with paddle.no_grad():
            error = nn.functional.mse_loss(
                model(paddle.to_tensor(X[test])), paddle.to_tensor(y[test])
            )
        scores[name].append(float(error))
print({name: np.mean(found) for name, found in scores.items()})
"""

STATIC_MIXED = """\
import numpy as np
import teachgraph as paddle
from teachgraph import static

def top(x):
    return np.sort(np.array(x), axis=-1)[:, ::-1].copy()

paddle.enable_static()
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    x = static.data("x", [3, 4], "float32")
    weight = static.create_parameter([4, 4], "float32", name="weight")
    ranked = main.current_block().create_var("ranked", dtype="float32", shape=[3, 4])
    static.py_func(func=top, x=x, out=ranked)
    i = paddle.zeros([1], "int64")
    state = static.nn.fc(ranked, 4, activation="tanh")

    def more(i, state):
        return i < 4

    def body(i, state):
        state = paddle.nn.functional.relu(paddle.matmul(state, weight)) + 0.1 * state
        return [i + 1, state]

    i, state = static.nn.while_loop(more, body, [i, state])
    score = static.nn.fc(state, 1)
    loss = (score ** 2).mean() + 1e-4 * (weight ** 2).sum()
    paddle.optimizer.Adam(0.01).minimize(loss)
exe = static.Executor()
exe.run(startup)
rng = np.random.default_rng(0)
for step in range(5):
    (value,) = exe.run(
        main, feed={"x": rng.normal(size=(3, 4)).astype("float32")}, fetch_list=[loss]
    )
paddle.disable_static()
"""

KINDS = {
    "mlp": MLP,
    "plain-loop": PLAIN_LOOP,
    "resnet-block": RESNET_BLOCK,
    "resnet18": RESNET18,
    "lstm-clipping": LSTM,
    "lstm-cell": LSTM_CELL,
    "transformer-mask": TRANSFORMER,
    "bert-2": BERT.format(layers=2),
    "bert-12": BERT.format(layers=12),
    "gan": GAN,
    "gradient-penalty": PENALTY,
    "reinforce": REINFORCE,
    "static-epochs": STATIC,
    "cond-while": CONTROL,
    "py-func": PY_FUNC,
    "to-static": TO_STATIC,
    "error": ERROR,
    "nan": NAN,
    "ops-2000": MANY.format(layers=400),
    "ops-10000": MANY.format(layers=2000),
    "model-fit": FIT,
    "tied-weights": TIED,
    "in-place": IN_PLACE,
    "py-layer": PY_LAYER,
    "recompute": RECOMPUTE,
    "autoencoder": AUTOENCODER,
    "language-model": LANGUAGE,
    "u-net": U_NET,
    "k-fold": FOLDS,
    "static-mixed": STATIC_MIXED,
}
"""A script of each kind, by its name."""
