"""Vocabulary: words by index."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...gluon.checks import CheckError

UNKNOWN_IDX = 0


class Vocabulary:
    """Words and their indices: the unknown word is 0, then come the reserved ones, then the words
    of the counter, the most frequent first and equally frequent ones in the order of letters.

    Args:
        counter: how often each word is there; None for no words.
        most_freq_count: no more words than these are taken from the counter.
        min_freq: words that are rarer are left out.
        unknown_token: stands for every word that has no index.
        reserved_tokens: words that come first, each once.

    Raises:
        CheckError: an argument does not fit; see the message.
    """

    def __init__(
        self,
        counter: Counter | None = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: Any = "<unk>",
        reserved_tokens: list[Any] | None = None,
    ):
        reserved = [] if reserved_tokens is None else list(reserved_tokens)
        if min_freq <= 0:
            raise CheckError(f"Vocabulary: min_freq: expected at least 1, got {min_freq}")
        if unknown_token in reserved:
            raise CheckError(f"Vocabulary: reserved_tokens hold the unknown word {unknown_token!r}")
        if len(set(reserved)) != len(reserved):
            raise CheckError("Vocabulary: reserved_tokens hold a word twice")
        if counter is not None and not isinstance(counter, Counter):
            raise CheckError(f"Vocabulary: expected a Counter, got {type(counter).__name__}")
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else reserved
        self._idx_to_token = [unknown_token, *reserved]
        first = set(self._idx_to_token)
        by_frequency = sorted(sorted((counter or {}).items()), key=lambda item: -item[1])
        words = [w for w, count in by_frequency if count >= min_freq and w not in first]
        self._idx_to_token += words[:most_freq_count]
        self._token_to_idx = {token: index for index, token in enumerate(self._idx_to_token)}

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[Any, int]:
        """Word to index."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[Any]:
        """The words in the order of their indices."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> Any:
        """What stands for words without an index."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[Any] | None:
        """The words that come first."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """The index of a word, or a list of those of a list of words; 0 for unknown ones."""
        if not isinstance(tokens, list):
            return self._token_to_idx.get(tokens, UNKNOWN_IDX)
        return [self._token_to_idx.get(token, UNKNOWN_IDX) for token in tokens]

    def to_tokens(self, indices: Any) -> Any:
        """The word of an index, or a list of those of a list of indices.

        Raises:
            ValueError: an index is no whole number, or there is no word of it.
        """
        if not isinstance(indices, list):
            return self._word(indices)
        return [self._word(index) for index in indices]

    def _word(self, index: Any) -> Any:
        if not isinstance(index, int) or not 0 <= index < len(self):
            raise ValueError(
                f"Vocabulary: expected an index from 0 to {len(self) - 1}, got {index!r}"
            )
        return self._idx_to_token[index]
