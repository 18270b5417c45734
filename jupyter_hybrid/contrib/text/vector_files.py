"""Files of word vectors: a line a word, its elements behind it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import numpy as np

from ...gluon.checks import CheckError


def read_vectors(
    path: str, delimiter: str, encoding: str, unknown: object
) -> tuple[list[str], np.ndarray, np.ndarray | None]:
    """Words, their vectors as rows of float32, and the vector of the unknown word if it is there.

    A line of one number is a header and is left out with a warning; so is a word's second line.

    Raises:
        ValueError: there is no such file, or a line has no numbers.
        CheckError: a line has another number of elements.
    """
    path = os.path.expanduser(path)
    if not os.path.isfile(path):
        raise ValueError(f"word vectors: there is no file {path}")
    words: dict[str, list[float]] = {}
    of_unknown: list[float] | None = None
    length = 0
    for number, word, vector in _lines(path, delimiter, encoding):
        where = f"line {number} of {path}"
        if word == unknown and of_unknown is None:
            of_unknown = vector
        elif word in words or word == unknown:
            warnings.warn(f"{where}: {word} is there already and is left out", stacklevel=4)
        elif len(vector) == 1:
            warnings.warn(f"{where}: {word} {vector[0]:g} is taken for a header", stacklevel=4)
        else:
            length = length or len(vector)
            if len(vector) != length:
                raise CheckError(f"{where}: expected {length} numbers, got {len(vector)}")
            words[word] = vector
    rows = np.array(list(words.values()), dtype=np.float32).reshape(len(words), length)
    unknown_row = None if of_unknown is None else np.array(of_unknown, dtype=np.float32)
    return list(words), rows, unknown_row


def _lines(path: str, delimiter: str, encoding: str) -> Iterator[tuple[int, str, list[float]]]:
    with open(path, encoding=encoding) as file:
        for number, line in enumerate(file, start=1):
            word, *elements = line.rstrip().split(delimiter)
            if not elements:
                raise CheckError(f"line {number} of {path}: expected a word and numbers")
            try:
                yield number, word, [float(e) for e in elements]
            except ValueError as error:
                raise ValueError(f"line {number} of {path}: {error}") from None
