# Python numbers: plain again wherever they are bound.
# floats: 0

# %% add four
def add(a, b):
    return a + b
def fancy(a, b, c, d):
    e = add(a, b)
    f = add(c, d)
    g = add(e, f)
    return g
print(fancy(1, 2, 3, 4))

# %% every operator
a, b = 17, 5
results = [a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +a, abs(-a), divmod(a, b)]
bits = [a & b, a | b, a ^ b, a << 2, a >> 1, ~a]
order = [a < b, a <= b, a == b, a != b, a >= b, a > b]

# %% big integers
n = 2**62
m = n + n
k = m * m + 1
f = 1
for i in range(1, 30):
    f *= i
digits = len(str(f))

# %% floats
x = 0.1 + 0.2
y = 1e308 * 10
z = -0.0 * 1
w = 5.0 // 2 + 7.5 % 2
t = 2.5**0.5
nan = y - y != y - y

# %% division by zero
n = 4
before = n * 2
after = n / (n - 4)

# %% mixed ints and floats
i = 3
x = i * 0.5
y = i + x
j = int(y)
k = round(x, 1)
whole = x.is_integer()
pair = (i / 1).as_integer_ratio()

# %% bools are not ints
t = 3 > 2
f = not t
s = t + t
b = True and 5
o = 0 or 7
count = sum([True, False, True])

# %% fractions and decimals
from decimal import Decimal
from fractions import Fraction
third = Fraction(1, 3)
half = third + Fraction(1, 6)
mixed = third * 3 + 2
price = Decimal("1.10") * 3
exact = price == Decimal("3.30")

# %% numpy scalars
import numpy as np
a = np.float32(1.5)
b = np.int8(100)
c = a * 2
d = a + 1.0
e = b // 3
f = np.float64(2) ** 0.5
g = np.int64(7) / 2

# %% numpy scalar overflow
import numpy as np
with np.errstate(all="ignore"):
    x = np.int8(100) + np.int8(100)
    y = np.uint8(3) - np.uint8(5)

# %% complex
z = 3 + 4j
size = abs(z)
w = z * 2 - 1
c = z.conjugate() * z

# %% containers of numbers
n = 4
xs = [n, n * 2, (n + 1, n - 1), {"k": n * 3, n + 5: "five"}]
s = {n, n * 2}
fs = frozenset([n + 1])
t = (n,) * 3

# %% dict keys
n = 2
table = {}
for i in range(3):
    table[n * i] = n + i
    table[i + 0.5] = -n
keys = [type(k).__name__ for k in table]

# %% comprehensions
n = 3
squares = [n * i for i in range(4)]
table = {i + n: i * n for i in range(3)}
seen = {n * 2 for _ in range(2)}
nested = [[n + i * j for i in range(2)] for j in range(2)]

# %% generators
n = 5
def countdown(k):
    while k > 0:
        yield k
        k -= 1
values = list(countdown(n))
total = sum(x * 2 for x in countdown(n - 2))
rest = countdown(n + 1)
first = next(rest)

# %% closures
def counter(start):
    n = start + 1
    def step(by=2):
        nonlocal n
        n = n + by
        return n
    return step
step = counter(10)
one, two = step(), step(5)

# %% lambda defaults
k = 3
fs = [lambda x, i=i, k=k * 2: x + i + k for i in range(3)]
values = [f(10) for f in fs]

# %% attributes
class Point:
    scale = 2 * 3
    def __init__(self, x, y):
        self.x = x + 1
        self.y = y * self.scale
    @property
    def sum(self):
        return self.x + self.y
p = Point(1, 2)
p.z = p.sum * 2
Point.scale = p.z + 1

# %% dataclass
from dataclasses import dataclass, field
@dataclass
class Box:
    width: float
    height: float = 1.5 * 2
    tags: list = field(default_factory=list)
    def area(self):
        return self.width * self.height
box = Box(2 + 1)
area = box.area()
box.tags.append(area + 1)

# %% slots
class Cell:
    __slots__ = ("a", "b")
    def __init__(self, a):
        self.a = a * 2
        self.b = (a + 1, [a - 1])
c = Cell(4)

# %% named tuple
from collections import namedtuple
Pair = namedtuple("Pair", "left right")
n = 6
p = Pair(n * 2, n / 4)
q = p._replace(left=n + 1)

# %% counter and defaultdict
from collections import Counter, defaultdict, deque
n = 2
c = Counter([n, n + 1, n])
d = defaultdict(int)
for i in range(5):
    d[i % n] += i * n
q = deque([n], maxlen=3)
q.append(n + 1)
q.appendleft(n - 1)

# %% star arguments
def show(*args, sep=1 + 1, **rest):
    return args, sep, rest
n = 3
result = show(n, *[n + 1, n * 2], key=n - 1, **{"other": n / 2})

# %% string formatting
n = 7
x = n / 3
text = f"{n + 1:>4}|{x:.2f}|{n!r}|{n:,}"
old = "%d %.1f" % (n * 2, x)
new = "{} {:e}".format(n + 1, x * 1)
joined = ",".join(str(i * n) for i in range(3))

# %% indexing with numbers
n = 2
word = "hybrid"[n - 1 : n + 2]
letter = "hybrid"[n * 2]
row = [10, 20, 30, 40][n]
part = list(range(10))[n : n * 4 : n]

# %% range and slices
n = 3
r = range(n, n * 4, n - 1)
s = slice(n, n + 2)
values = list(r)
total = 0
for i in r:
    total += i * n

# %% math and builtins
import math
n = 9
root = math.sqrt(n)
g = math.gcd(n * 4, n + 6)
lg = math.log(n, 3)
m = max(n, n + 1, n - 1), min(n * 2, n)
p = pow(n, 2), pow(n, -1, 7)
h = hex(n * 3), bin(n), chr(n + 60)

# %% int methods
n = 2**40 + 1
bits = n.bit_length()
data = (n * 3).to_bytes(8, "big")
back = int.from_bytes(data, "big")
kind = type(n + 1), isinstance(n * 2, int), type(n / 2)

# %% walrus
if (n := 3 * 4) > 10:
    m = n + 1
values = [y := 1, y + 1, (y := y * 5) + 2]

# %% match on numbers
def name(x):
    match x:
        case 0:
            return "zero"
        case int(n) if n > 10:
            return f"big {n}"
        case float():
            return "float"
        case (a, b):
            return a + b
        case {"k": v}:
            return v * 2
        case _:
            return "other"
names = [name(0), name(5 * 4), name(1.5 * 2), name((1, 2)), name({"k": 4}), name(3)]

# %% chained comparison
n = 5
inside = 1 < n < 10
outside = 1 < n > 10
is_same = n is n

# %% augmented numbers
n = 10
n += 5
n -= 3
n *= 2
n //= 5
n **= 2
n %= 7
x = 1.5
x /= 4

# %% tuple swap and fibonacci
a, b = 0, 1
series = []
for _ in range(12):
    a, b = b, a + b
    series.append(a)

# %% recursion
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
def fib(n, memo={}):
    if n < 2:
        return n
    if n not in memo:
        memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]
values = fact(10), fib(20)

# %% sorting with a key
n = 3
words = sorted([5, 1, 4], key=lambda v: (v * n) % 7)
pairs = sorted({"a": 3 * n, "b": n - 1}.items(), key=lambda kv: kv[1])

# %% map and reduce
from functools import reduce
n = 2
mapped = list(map(lambda v: v * n, range(4)))
total = reduce(lambda a, b: a + b * n, [1, 2, 3], n - 2)
zipped = list(zip(mapped, map(lambda v: v + 0.5, mapped)))

# %% json and copies
import copy, json, pickle
n = 4
text = json.dumps({"n": n * 2, "xs": [n, n / 8]})
again = json.loads(text)
both = copy.deepcopy([n + 1, {"k": n}]), pickle.loads(pickle.dumps(n * 3))

# %% ternary and short circuit
n = 0
a = n + 1 if n else n - 1
b = n or 3 * 2
c = n and 5 / n

# %% counting loop
total = 0
for i in range(3000):
    total += i
last = i * 2

# %% type of a number
n = 3
kinds = [type(n), type(n * 1.0), type(n == 3), type(-n), type(n).__name__]
same = type(n + 1) is int
