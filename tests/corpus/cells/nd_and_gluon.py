# The nd face, autograd and gluon: bit for bit.
# floats: 0

# %% setup
import numpy as np
from jupyter_hybrid import autograd, gluon, nd

x = nd.arange(12).reshape((3, 4))
w = nd.array([[1.0, -2, 0.5, 3], [0, 1, 1, -1]])

# %% arithmetic
y = x * 2 + 1
z = (y - x) / 3
s = z.sum()

# %% dense by hand
h = nd.dot(x, w.T)
a = nd.relu(h - 3)
out = a.mean(axis=1)

# %% unary functions
y = nd.exp(x / 10)
z = nd.log(y) + nd.sqrt(x) + nd.tanh(x - 5)
t = nd.sigmoid(z)

# %% in-place writes
y = x.copy()
y += 1
y[0] = 5
y[1:3] = y[1:3] * 2
y[:] = y - 0.5

# %% input written
x += 1
x[0] = 0
x[:, 1] = 7
total = x.sum()

# %% slices and views
a = x[1]
b = x[0:2]
c = x[:, 1:3]
d = x.reshape((4, 3))
e = d.T

# %% two names
y = x
y += 2
same = y is x

# %% reductions
a = x.sum(axis=0)
b = x.max(axis=1)
c = x.mean()
d = nd.argmax(x, axis=1)
e = nd.norm(x)

# %% softmax
p = nd.softmax(x)
q = nd.log_softmax(x)
loss = -nd.pick(q, nd.array([0, 1, 2])).mean()

# %% concat and stack
a = nd.concat(x, x * 2, dim=0)
b = nd.stack(x, x + 1)
c = nd.split(x, num_outputs=2, axis=1)
d = c[0] + c[1]

# %% comparison and where
m = x > 5
y = nd.where(m, x, -x)
k = (x == 3).sum()

# %% scalar value read
s = x.sum().asscalar()
y = x / s
n = int(s) + 1

# %% branch on a value
if x.max().asscalar() > 10:
    y = x * 10
else:
    y = x

# %% asnumpy and back
a = (x * 2).asnumpy()
b = nd.array(a + 1)
c = b - x

# %% print an array
y = x * 2
print(y.sum())
z = y + 1

# %% casting
i = x.astype("int32")
j = i * 2
k = j.astype("float64") / 4
kind = j.dtype

# %% random draws
a = nd.random.uniform(shape=(3,))
b = nd.random.normal(0, 2, shape=(2, 2))
c = a.sum() + b.mean()

# %% loop
y = x
for i in range(4):
    y = y * 0.5 + i

# %% broadcast
row = nd.array([1, 2, 3, 4])
col = nd.array([[1], [2], [3]])
y = x * row + col

# %% take and one hot
i = nd.array([2, 0])
y = nd.take(x, i)
h = nd.one_hot(i, 4)


# %% function and closure
def layer(w, b):
    def forward(v):
        return nd.relu(nd.dot(v, w.T) + b)

    return forward


f = layer(w, nd.ones((2,)))
y = f(x)

# %% list of arrays
parts = [x * i for i in range(3)]
total = sum(parts)
table = {"a": parts[0] + 1}


# %% attribute
class Model:
    def __init__(self):
        self.w = nd.ones((4,))

    def step(self, v):
        self.w = self.w - 0.1 * v.mean(axis=0)
        return (v * self.w).sum()


model = Model()
losses = [model.step(x) for _ in range(2)]

# %% autograd
v = nd.array([1.0, 2.0, 3.0])
v.attach_grad()
with autograd.record():
    y = (v * v).sum()
y.backward()
g = v.grad

# %% gradient step by hand
weight = nd.array([[0.5, -0.5, 0.25, 0.0]])
weight.attach_grad()
target = nd.array([1.0, 2.0, 3.0])
for _ in range(3):
    with autograd.record():
        loss = ((nd.dot(x, weight.T).reshape((3,)) - target) ** 2).mean()
    loss.backward()
    weight -= 0.001 * weight.grad


# %% window of an input, then the input written by a helper
def clear_first(v):
    v[0] = 0


row = x[0]
clear_first(x)

# %% window computed early, then its base written
flat = x.reshape((-1,))
w[0:1] = 0.5
w[0:1] += 0.5
x[0] = 0
total = flat.sum()

# %% windows whose base has no name
y = x * 2
one = y[0]
two = y[0:2]
del y
print(one.sum())
two[0] = 7
after = one + 1

# %% window printed, then its base written
y = x * 2
row = y[0]
print(row.sum())
y[0] = 7
after = row * 1

# %% window of a window written
flat = x.reshape((4, 3))
part = flat[1]
part += 5
twice = x * 2

# %% window and its base both left pending
y = x * 2
row = y[1]
z = row + 1

# %% setup
from jupyter_hybrid import autograd, gluon, init, nd

net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.Dense(3))
net.initialize(init.Xavier())
x = nd.arange(12).reshape((3, 4)) / 10
label = nd.array([0, 2, 1])

# %% net called
y = net(x)
p = nd.softmax(y)
best = nd.argmax(p, axis=1)

# %% hybridized net called
net.hybridize()
y = net(x)
z = net(x * 2)

# %% loss
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
loss = loss_of(net(x), label)
mean = loss.mean()

# %% training step
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
with autograd.record():
    loss = loss_of(net(x), label)
loss.backward()
trainer.step(3)
after = net(x)

# %% training loop
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
loss_of = gluon.loss.L2Loss()
losses = []
for epoch in range(3):
    with autograd.record():
        loss = loss_of(net(x), nd.ones((3, 3)))
    loss.backward()
    trainer.step(3)
    losses.append(loss.mean().asscalar())

# %% network made and trained in one cell
small = gluon.nn.HybridSequential()
small.add(gluon.nn.Dense(6, activation="tanh"), gluon.nn.Dense(1))
small.initialize(init.Constant(0.1))
fit = gluon.Trainer(small.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.9})
square = gluon.loss.L2Loss()
for epoch in range(4):
    with autograd.record():
        error = square(small(x), label)
    error.backward()
    fit.step(3)
fitted = small(x)

# %% linear regression by hand
w = nd.zeros((4, 1))
w.attach_grad()
for i in range(5):
    with autograd.record():
        error = ((nd.dot(x, w) - label.reshape((3, 1))) ** 2).mean()
    error.backward()
    w[:] = w - 0.1 * w.grad
final = nd.dot(x, w)

# %% gradient accumulated over two batches
w = nd.array([1.0, -2.0, 3.0])
w.attach_grad("add")
for part in (x[0:1, 0:3], x[1:3, 0:3]):
    with autograd.record():
        error = (nd.dot(part, w) ** 2).sum()
    error.backward()
total = w.grad * 0.5
w.grad[:] = 0

# %% head gradient and several heads
u = nd.array([[1.0, 2.0], [3.0, 4.0]])
u.attach_grad()
with autograd.record():
    p = u * u
    q = nd.exp(u)
autograd.backward([p, q], [nd.ones((2, 2)) * 3, None])
slope = u.grad

# %% second derivative
u = nd.array([0.5, 1.5])
u.attach_grad()
with autograd.record():
    cube = (u**3).sum()
    (first,) = autograd.grad(cube, [u], create_graph=True)
    total = first.sum()
total.backward()
second = u.grad

# %% detached and paused parts
u = nd.array([0.5, 1.5])
u.attach_grad()
with autograd.record():
    a = u * 2
    with autograd.pause():
        k = a + 1
    b = (a.detach() * u + k * u).sum()
b.backward()
slope = u.grad

# %% dropout in training and in prediction
with autograd.train_mode():
    dropped = nd.Dropout(x, p=0.4)
kept = nd.Dropout(x, p=0.4)

# %% backward without a recording
u = nd.ones((2, 2))
u.attach_grad()
v = u * 2
v.backward()


# %% own block
class Gate(gluon.HybridBlock):
    def hybrid_forward(self, F, v):
        return F.sigmoid(v) * v


gate = Gate()
y = gate(x)
gate.hybridize()
z = gate(x)

# %% parameters read
y = net(x)
names = len(net.collect_params())
weight = list(net.collect_params().values())[0].data()
scaled = weight * 2

# %% nd shape error
y = x * 2
z = y + nd.ones((5, 5))
never = 1

# %% nd index error
y = x + 1
z = y[9]

# %% nd with numpy
import numpy as np

a = x.asnumpy()
b = np.maximum(a, 0.5) * 2
c = nd.array(b) + x
