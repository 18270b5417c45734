"""Optimizers: what Trainer does to weights with their gradients.

An optimizer says its step once, as a formula of array operators:

    @mx.optimizer.register
    class Plain(mx.optimizer.StepOptimizer):
        constants = ("clip_gradient",)

        def numbers(self, index, lr, wd):
            return lr, wd, self.rescale_grad

        def formula(self, F, weight, grad, state, numbers, variant):
            lr, wd, rescale = numbers
            grad = clipped(F, times(F, grad, rescale), self.clip_gradient) + times(F, weight, wd)
            return weight - times(F, grad, lr), state

``formula`` gets symbols and gives the new weight and the new state, which has the structure that
``create_state`` gave. What may change from step to step is a *number*: an input of the program, of
shape (1,), so that no schedule compiles anything. *Constants* are names of attributes that the
formula is made with, a *variant* is what else it is made with for one parameter; other values make
another program; ``number_names()`` is what pictures call the numbers. All parameters that are
updated together are one program, which writes in place; in a hybridized cell its operators become
part of the cell's.
Subclasses of Optimizer that write ``update`` themselves run it parameter by parameter.
"""

from __future__ import annotations

from . import contrib, optimizer
from .optimizer import *  # noqa: F403
from .step import StepOptimizer

__all__ = [*optimizer.__all__, "StepOptimizer", "contrib"]
