"""Counting words."""

from __future__ import annotations

import re
from collections import Counter


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: Counter | None = None,
) -> Counter:
    """How often each word stands in a text.

    Args:
        source_str: the text.
        token_delim, seq_delim: regular expressions of what stands between words and sentences.
        to_lower: upper and lower case are alike.
        counter_to_update: a counter that gets the counts, too.

    Returns:
        The counter that was given, or a new one.
    """
    words = [word for word in re.split(f"{token_delim}|{seq_delim}", source_str) if word]
    counter = Counter() if counter_to_update is None else counter_to_update
    counter.update(word.lower() if to_lower else word for word in words)
    return counter
