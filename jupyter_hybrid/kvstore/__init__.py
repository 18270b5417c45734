"""Key-value stores: arrays by key, added over the devices of this process."""

from __future__ import annotations

from . import base, kvstore
from .base import KVStoreBase, TestStore
from .kvstore import KVStore, create

__all__ = ["KVStore", "KVStoreBase", "TestStore", "base", "create", "kvstore"]
