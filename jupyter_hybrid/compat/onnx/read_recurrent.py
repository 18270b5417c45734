"""ONNX's recurrent layers, unrolled: LSTM, GRU and RNN of a known number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .values import NodeReader, Value, known_value, reads

_LONGEST = 4096  # steps; each adds a dozen nodes


class _Direction:
    """One direction's weights and first states; gates are joined along the second axis."""

    def __init__(self, c: NodeReader, d: int, gates: int):
        self.c, self.d, self.gates = c, d, gates
        self.w, self.r = (c.known(i, name)[d] for i, name in ((1, "W"), (2, "R")))
        self.hidden = self.r.shape[-1]
        rows = gates * self.hidden
        if self.w.shape[0] != rows or self.r.shape[0] != rows:
            c.fail(f"W {self.w.shape} and R {self.r.shape}, expected {rows} rows")
        bias = c.known(3, "B")[d] if c.has(3) else np.zeros(2 * rows, self.w.dtype)
        self.w_bias, self.r_bias = bias[:rows], bias[rows:]

    def constant(self, array: np.ndarray, name: str) -> Value:
        return known_value(np.ascontiguousarray(array), f"{self.c.label}_{name}{self.d}")

    def linear(self, x: Value, weight: Value, bias: Value | None) -> Value:
        assert weight.array is not None
        given = [x, weight] if bias is None else [x, weight, bias]
        more = {"num_hidden": len(weight.array), "flatten": False, "no_bias": bias is None}
        return self.c.apply("FullyConnected", *given, **more)

    def inputs(self, bias: np.ndarray) -> list[Value]:
        """What the inputs add to the gates, step by step: one product for all of them."""
        c = self.c
        whole = self.linear(c.value(), self.constant(self.w, "w"), self.constant(bias, "b"))
        steps = c.shape()[0]
        return [
            c.apply("squeeze", c.apply("slice_axis", whole, axis=0, begin=t, end=t + 1), axis=0)
            for t in range(steps)
        ]

    def first(self, i: int, like: Value) -> Value:
        """Input i's state of this direction, or zeros for the batch of ``like``."""
        c = self.c
        if c.has(i):
            one = c.apply("slice_axis", c.value(i), axis=0, begin=self.d, end=self.d + 1)
            return c.apply("squeeze", one, axis=0)
        part = c.apply("slice_axis", like, axis=1, begin=0, end=self.hidden)
        return c.apply("zeros_like", part)

    def split(self, x: Value) -> list[Value]:
        return self.c.apply_all("split", x, num_outputs=self.gates, axis=1)


Run = Callable[["_Direction", bool], tuple[list[Value], list[Value]]]


def _layer(c: NodeReader, gates: int, activations: list[str], run: Run) -> list[Value]:
    """Y, Y_h and, of an LSTM, Y_c."""
    direction = c.attr("direction", "forward")
    count = 2 if direction == "bidirectional" else 1
    given = [a.lower() for a in c.attr("activations", activations * count)]
    if given != [a.lower() for a in activations * count]:
        c.fail(f"activations {given} are not read, {activations} are")
    if c.attr("layout", 0) or c.attr("clip") or c.attr("input_forget", 0) or c.has(4) or c.has(7):
        c.fail("layout 1, clip, input_forget, sequence_lens and peepholes are not read")
    steps = c.shape()[0]
    if not 1 <= steps <= _LONGEST:
        c.fail(f"needs a known number of steps, 1 to {_LONGEST}; data has shape {c.shape()}")
    sequences, lasts = [], []
    for d in range(count):
        outputs, states = run(_Direction(c, d, gates), direction == "reverse" or d == 1)
        sequences.append(c.apply("stack", *outputs, axis=0))
        lasts.append(states)
    found = [c.apply("stack", *sequences, axis=1)]
    return found + [c.apply("stack", *parts, axis=0) for parts in zip(*lasts)]


def _order(steps: int, back: bool) -> list[int]:
    return list(range(steps - 1, -1, -1) if back else range(steps))


@reads("LSTM")
def lstm(c: NodeReader) -> Any:
    def run(d: _Direction, back: bool) -> tuple[list[Value], list[Value]]:
        given = d.inputs(d.w_bias + d.r_bias)
        weight = d.constant(d.r, "r")
        h, cell = d.first(5, given[0]), d.first(6, given[0])
        outputs = list(given)
        for t in _order(len(given), back):
            gates = c.apply("elemwise_add", given[t], d.linear(h, weight, None))
            i, o, f, new = d.split(gates)
            i, o, f = (c.apply("sigmoid", gate) for gate in (i, o, f))
            kept = c.apply("elemwise_mul", f, cell)
            new = c.apply("elemwise_mul", i, c.apply("tanh", new))
            cell = c.apply("elemwise_add", kept, new)
            h = outputs[t] = c.apply("elemwise_mul", o, c.apply("tanh", cell))
        return outputs, [h, cell]

    return _layer(c, 4, ["Sigmoid", "Tanh", "Tanh"], run)


@reads("GRU")
def gru(c: NodeReader) -> Any:
    late = bool(c.attr("linear_before_reset", 0))

    def run(d: _Direction, back: bool) -> tuple[list[Value], list[Value]]:
        n = d.hidden
        given = d.inputs(d.w_bias)
        weight, bias = d.constant(d.r, "r"), d.constant(d.r_bias, "rb")
        early = d.constant(d.r[: 2 * n], "rzr"), d.constant(d.r_bias[: 2 * n], "rbzr")
        new_only = d.constant(d.r[2 * n :], "rh"), d.constant(d.r_bias[2 * n :], "rbh")
        h = d.first(5, given[0])
        outputs = list(given)
        for t in _order(len(given), back):
            z, r, new = d.split(given[t])
            if late:  # the reset gate is applied to the product
                hz, hr, hn = d.split(d.linear(h, weight, bias))
            else:
                hz, hr = c.apply_all("split", d.linear(h, *early), num_outputs=2, axis=1)
            z = c.apply("sigmoid", c.apply("elemwise_add", z, hz))
            r = c.apply("sigmoid", c.apply("elemwise_add", r, hr))
            if late:
                hn = c.apply("elemwise_mul", r, hn)
            else:
                hn = d.linear(c.apply("elemwise_mul", r, h), *new_only)
            new = c.apply("tanh", c.apply("elemwise_add", new, hn))
            kept = c.apply("elemwise_mul", z, c.apply("elemwise_sub", h, new))
            h = outputs[t] = c.apply("elemwise_add", new, kept)
        return outputs, [h]

    return _layer(c, 3, ["Sigmoid", "Tanh"], run)


@reads("RNN")
def rnn(c: NodeReader) -> Any:
    kind = str(c.attr("activations", ["Tanh"])[0])
    if kind.lower() not in ("tanh", "relu"):
        c.fail(f"activation {kind} is not read, Tanh and Relu are")

    def run(d: _Direction, back: bool) -> tuple[list[Value], list[Value]]:
        given = d.inputs(d.w_bias + d.r_bias)
        weight = d.constant(d.r, "r")
        h = d.first(5, given[0])
        outputs = list(given)
        for t in _order(len(given), back):
            both = c.apply("elemwise_add", given[t], d.linear(h, weight, None))
            h = outputs[t] = c.apply(kind.lower(), both)
        return outputs, [h]

    return _layer(c, 1, [kind], run)
