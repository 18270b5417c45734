"""Data made here, equal in every version of NumPy: figures, text, shapes, sentences."""

from __future__ import annotations

import numpy as np

# Of the seven segments of a figure (row, column, height, width in tenths) those of each digit.
_SEGMENTS = (
    (0, 1, 1, 5),  # top
    (1, 0, 4, 1),  # upper left
    (1, 6, 4, 1),  # upper right
    (5, 1, 1, 5),  # middle
    (6, 0, 4, 1),  # lower left
    (6, 6, 4, 1),  # lower right
    (9, 1, 1, 5),  # bottom
)
_DIGITS = ("012456", "25", "02346", "02356", "1235", "01356", "013456", "025", "0123456", "012356")


def digits(count: int, size: int = 28, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Noisy figures: images (count, 1, size, size) from -1 to 1, and labels (count,)."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 10, size=count)
    images = rng.uniform(-1.0, -0.5, size=(count, 1, size, size))
    tenth = size // 14
    for image, label in zip(images, labels):
        top, left = size // 7 + rng.randint(3), size // 4 + rng.randint(3)
        for number in _DIGITS[label]:
            row, column, height, width = (tenth * part for part in _SEGMENTS[int(number)])
            rows = slice(top + row, top + row + height)
            image[0, rows, left + column : left + column + width] += 1.5
    return images.astype(np.float32), labels.astype(np.float32)


def line(count: int, features: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points (count, features) and a linear function of them with a little noise (count,)."""
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(count, features))
    y = x @ rng.uniform(-4.0, 4.0, size=features) + 4.2 + rng.normal(0.0, 0.01, size=count)
    return x.astype(np.float32), y.astype(np.float32)


_GRAMMAR = {
    "S": ["N V N .", "N V N and V N .", "when N V N , N V N ."],
    "N": ["the A K", "a K", "every K", "the K"],
    "A": ["small", "grey", "clever", "sleepy"],
    "K": ["cat", "dog", "miller", "sailor", "bird", "fox"],
    "V": ["sees", "follows", "likes", "hears", "calls"],
}


def words(count: int, seed: int = 0) -> list[str]:
    """At least so many words of sentences that follow a grammar."""
    rng = np.random.RandomState(seed)

    def grow(symbol: str) -> list[str]:
        if symbol not in _GRAMMAR:
            return [symbol]
        rule = _GRAMMAR[symbol][rng.randint(len(_GRAMMAR[symbol]))]
        return [word for part in rule.split() for word in grow(part)]

    said: list[str] = []
    while len(said) < count:
        said += grow("S")
    return said


def indices(said: list[str]) -> tuple[np.ndarray, int]:
    """What was said as numbers, and how many different ones there are."""
    order = {word: number for number, word in enumerate(sorted(set(said)))}
    return np.array([order[word] for word in said], dtype=np.int64), len(order)


def shapes(count: int, size: int = 64, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """One bright square or frame on a dark noisy ground.

    Images (count, 3, size, size), labels (count, 1, 5): class, and left, top, right, bottom as
    parts of the size.
    """
    rng = np.random.RandomState(seed)
    images = rng.uniform(0.0, 0.3, size=(count, 3, size, size))
    labels = np.zeros((count, 1, 5))
    for image, label in zip(images, labels[:, 0]):
        edge = rng.randint(size // 4, size // 2)
        top, left = rng.randint(0, size - edge, size=2)
        kind = rng.randint(2)
        image[kind, top : top + edge, left : left + edge] += 0.7
        if kind:
            inner = edge // 4
            image[kind, top + inner : top + edge - inner, left + inner : left + edge - inner] -= 0.7
        label[:] = [kind, *(np.array([left, top, left + edge, top + edge]) / size)]
    return images.astype(np.float32), labels.astype(np.float32)


def picture(size: int, seed: int) -> np.ndarray:
    """Smooth coloured waves (1, 3, size, size) around 0."""
    rng = np.random.RandomState(seed)
    rows, columns = np.mgrid[0:size, 0:size] / size
    made = np.zeros((1, 3, size, size))
    for channel in made[0]:
        for _ in range(4):
            across, down, turn = rng.uniform(1.0, 20.0, size=3)
            channel += np.sin(across * rows + down * columns + turn) * 0.5
    return made.astype(np.float32)


def sentences(count: int, length: int, vocabulary: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Pairs of a sentence and its "translation": other words in the opposite order.

    Sources (count, length), targets (count, length) that end with word 2 and are filled up with 0,
    and what counts of the targets, 1 or 0. Word 1 begins a sentence.
    """
    rng = np.random.RandomState(seed)
    meaning = 3 + rng.permutation(vocabulary - 3)
    source, target = np.zeros((2, count, length), dtype=np.float32)
    for row, (heard, said) in enumerate(zip(source, target)):
        n = rng.randint(length // 2, length)
        drawn = 3 + (rng.randint(3, vocabulary) + np.arange(n) * (1 + row % 3)) % (vocabulary - 3)
        heard[:n], said[:n] = drawn, meaning[drawn - 3][::-1]
        heard[n] = said[n] = 2
    return source, target, (target > 0).astype(np.float32)
