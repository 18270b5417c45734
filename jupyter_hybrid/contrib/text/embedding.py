"""Vectors of words, from local files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import nd
from ...gluon.checks import CheckError
from .pretrained import FAST_TEXT, GLOVE
from .vector_files import read_vectors
from .vocab import UNKNOWN_IDX, Vocabulary

ROOT = os.path.join(os.environ.get("MXNET_HOME", os.path.join("~", ".mxnet")), "embeddings")
_registry: dict[str, type[_TokenEmbedding]] = {}


def register(embedding_cls: type[_TokenEmbedding]) -> type[_TokenEmbedding]:
    """Makes an embedding known by its name in lower case; usable as a decorator."""
    _registry[embedding_cls.__name__.lower()] = embedding_cls
    return embedding_cls


def create(embedding_name: str, **kwargs: Any) -> _TokenEmbedding:
    """An embedding by its name, such as "glove", with its arguments.

    Raises:
        CheckError: no embedding of that name is known.
    """
    if embedding_name.lower() not in _registry:
        known = ", ".join(sorted(_registry))
        raise CheckError(f"create: no embedding {embedding_name!r}; there are {known}")
    return _registry[embedding_name.lower()](**kwargs)


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Names of the files that an embedding reads, or those of all embeddings by name.

    Raises:
        KeyError: no embedding of that name is known.
    """
    if embedding_name is None:
        return {name: list(cls.pretrained_files) for name, cls in _registry.items()}
    if embedding_name not in _registry:
        raise KeyError(f"no embedding {embedding_name!r}; there are {', '.join(sorted(_registry))}")
    return list(_registry[embedding_name].pretrained_files)


class _TokenEmbedding(Vocabulary):
    """Words with a vector each; the unknown word's is the first."""

    pretrained_files: tuple[str, ...] = ()
    _vec_len: int
    _idx_to_vec: Any

    def _load(
        self,
        path: str,
        delimiter: str,
        init_unknown_vec: Callable,
        vocabulary: Vocabulary | None,
        encoding: str = "utf8",
    ) -> None:
        words, rows, unknown = read_vectors(path, delimiter, encoding, self.unknown_token)
        self._vec_len = rows.shape[1]
        if unknown is None:
            unknown = init_unknown_vec(shape=(self._vec_len,)).asnumpy()
        # Reserved words that the file has not get zeros.
        known = dict(zip(words, rows, strict=True))
        new = [word for word in words if word not in self._token_to_idx]
        self._token_to_idx |= {word: len(self) + i for i, word in enumerate(new)}
        self._idx_to_token += new
        zeros = np.zeros(self._vec_len, dtype=np.float32)
        vectors = [unknown, *(known.get(word, zeros) for word in self._idx_to_token[1:])]
        self._idx_to_vec = nd.array(np.stack(vectors))
        if vocabulary is not None:
            self._restrict(vocabulary)

    def _restrict(self, vocabulary: Vocabulary) -> None:
        """Takes the words of a vocabulary alone."""
        _check_vocabulary(vocabulary)
        self._join([self], vocabulary)

    def _join(self, embeddings: list[_TokenEmbedding], vocabulary: Vocabulary) -> None:
        words = vocabulary.idx_to_token[1:]
        parts = []
        for embedding in embeddings:
            first = embedding.idx_to_vec[:1]
            rest = [embedding.get_vecs_by_tokens(words)] if words else []
            parts.append(nd.concat(first, *rest, dim=0))
        joined = nd.concat(*parts, dim=1)
        self._idx_to_token = list(vocabulary.idx_to_token)
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._unknown_token = vocabulary.unknown_token
        reserved = vocabulary.reserved_tokens
        self._reserved_tokens = None if reserved is None else list(reserved)
        self._idx_to_vec, self._vec_len = joined, joined.shape[1]

    @property
    def vec_len(self) -> int:
        """Elements of a vector."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> Any:
        """The vectors as rows in the order of the indices: an NDArray (words, vec_len)."""
        return self._idx_to_vec

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> Any:
        """The vector of a word, or those of a list of words as rows; unknown words have the first.

        Args:
            lower_case_backup: a word that is not there is looked for in lower case.
        """
        words = tokens if isinstance(tokens, list) else [tokens]
        indices = [self._index(word, lower_case_backup) for word in words]
        rows = nd.take(self._idx_to_vec, nd.array(indices, dtype="int64"), axis=0)
        return rows if isinstance(tokens, list) else rows[0]

    def _index(self, word: Any, lower_case_backup: bool) -> int:
        if word not in self._token_to_idx and lower_case_backup:
            word = word.lower()
        return self._token_to_idx.get(word, UNKNOWN_IDX)

    def update_token_vectors(self, tokens: Any, new_vectors: Any) -> None:
        """Replaces the vectors of words.

        Args:
            tokens: a word or a list of words.
            new_vectors: an NDArray of a row a word; of one word it may be its vector.

        Raises:
            CheckError: it has another shape.
            ValueError: a word is unknown; the unknown word itself is given by its own name.
        """
        words = tokens if isinstance(tokens, list) else [tokens]
        if not hasattr(new_vectors, "asnumpy"):
            kind = type(new_vectors).__name__
            raise CheckError(f"update_token_vectors: expected an NDArray, got {kind}")
        shape = tuple(new_vectors.shape)
        if shape != (len(words), self._vec_len) and (len(words) > 1 or shape != (self._vec_len,)):
            raise CheckError(
                f"update_token_vectors: expected shape {(len(words), self._vec_len)}, got {shape}"
            )
        unknown = [word for word in words if word not in self._token_to_idx]
        if unknown:
            raise ValueError(
                f"update_token_vectors: {unknown[0]!r} is unknown; the vector of unknown words is "
                f"that of {self._idx_to_token[UNKNOWN_IDX]!r}"
            )
        rows = new_vectors.reshape((len(words), self._vec_len))
        for i, word in enumerate(words):
            self._idx_to_vec[self._token_to_idx[word]] = rows[i]


def _check_vocabulary(vocabulary: Any) -> None:
    if not isinstance(vocabulary, Vocabulary):
        raise CheckError(f"expected a Vocabulary, got {type(vocabulary).__name__}")


class _Pretrained(_TokenEmbedding):
    """Vectors of a file of a known name; nothing is downloaded here."""

    def _load_known(
        self, name: str, root: str, init_unknown_vec: Callable, vocabulary: Vocabulary | None
    ) -> None:
        kind = type(self).__name__
        if name not in self.pretrained_files:
            raise KeyError(
                f"{kind}: no file {name!r}; get_pretrained_file_names({kind.lower()!r}) tells which"
            )
        path = os.path.join(os.path.expanduser(root), kind.lower(), name)
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"{kind}: nothing is downloaded here; get {name} yourself and put it at {path}"
            )
        self._load(path, " ", init_unknown_vec, vocabulary)


@register
class GloVe(_Pretrained):
    """Vectors of Pennington, Socher and Manning (2014).

    Args:
        pretrained_file_name: one of :func:`get_pretrained_file_names`.
        embedding_root: the file is ``embedding_root/glove/pretrained_file_name``.
        init_unknown_vec: makes the vector of unknown words, by ``shape=``.
        vocabulary: only the vectors of its words are kept.
        kwargs: see :class:`Vocabulary`.

    Raises:
        KeyError: there is no file of that name.
        FileNotFoundError: it is not there; the message says where to put it.
    """

    pretrained_files = GLOVE

    def __init__(
        self,
        pretrained_file_name: str = "glove.840B.300d.txt",
        embedding_root: str = ROOT,
        init_unknown_vec: Callable = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._load_known(pretrained_file_name, embedding_root, init_unknown_vec, vocabulary)


@register
class FastText(_Pretrained):
    """Vectors of Bojanowski et al. (2017); see :class:`GloVe` for the arguments."""

    pretrained_files = FAST_TEXT

    def __init__(
        self,
        pretrained_file_name: str = "wiki.simple.vec",
        embedding_root: str = ROOT,
        init_unknown_vec: Callable = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._load_known(pretrained_file_name, embedding_root, init_unknown_vec, vocabulary)


class CustomEmbedding(_TokenEmbedding):
    """Vectors of a file of one's own: a line a word, its elements behind it.

    Args:
        pretrained_file_path: the file.
        elem_delim: stands between word and elements.
        encoding: of the file.
        init_unknown_vec, vocabulary, kwargs: see :class:`GloVe`.
    """

    def __init__(
        self,
        pretrained_file_path: str,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Callable = nd.zeros,
        vocabulary: Vocabulary | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self._load(pretrained_file_path, elem_delim, init_unknown_vec, vocabulary, encoding)


class CompositeEmbedding(_TokenEmbedding):
    """The words of a vocabulary, each with the vectors of several embeddings joined.

    Raises:
        CheckError: an argument is no vocabulary or no embedding.
    """

    def __init__(self, vocabulary: Vocabulary, token_embeddings: Any):
        super().__init__()
        _check_vocabulary(vocabulary)
        listed = token_embeddings if isinstance(token_embeddings, list) else [token_embeddings]
        for embedding in listed:
            if not isinstance(embedding, _TokenEmbedding):
                raise CheckError(f"expected an embedding, got {type(embedding).__name__}")
        self._join(listed, vocabulary)
