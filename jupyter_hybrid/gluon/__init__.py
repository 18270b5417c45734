"""Gluon: parameters, blocks, losses and the trainer, as MXNet 1.x has them."""

from __future__ import annotations

from . import contrib, data, loss, model_zoo, nn, rnn, utils
from .block import Block
from .hybrid_block import HybridBlock
from .parameter import Constant, DeferredInitializationError, Parameter, tensor_types
from .parameter_dict import ParameterDict
from .symbol_block import SymbolBlock
from .trainer import Trainer

__all__ = [
    "Block",
    "Constant",
    "DeferredInitializationError",
    "HybridBlock",
    "Parameter",
    "ParameterDict",
    "SymbolBlock",
    "Trainer",
    "contrib",
    "data",
    "loss",
    "model_zoo",
    "nn",
    "rnn",
    "tensor_types",
    "utils",
]
