"""Words of texts: counts, vocabularies, and vectors of words."""

from __future__ import annotations

from . import embedding, utils, vocab

__all__ = ["embedding", "utils", "vocab"]
