"""The module ``mxnet.optimizer.optimizer``: every optimizer."""

from __future__ import annotations

from ..nd import abs as NDabs
from .adam import FTML, LAMB, Adam, Adamax, Nadam
from .base import Optimizer, create, register
from .large_batch import LARS, LBSGD
from .scaled import AdaDelta, AdaGrad, Ftrl, RMSProp
from .sgd import DCASGD, NAG, SGD, SGLD, Signum, Test, ccSGD
from .updater import Updater, get_updater

__all__ = [
    "DCASGD",
    "FTML",
    "LAMB",
    "LARS",
    "LBSGD",
    "NAG",
    "SGD",
    "SGLD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "Adamax",
    "Ftrl",
    "NDabs",
    "Nadam",
    "Optimizer",
    "RMSProp",
    "Signum",
    "Test",
    "Updater",
    "ccSGD",
    "create",
    "get_updater",
    "register",
]
