"""A net with every layer and cell of gluon.rnn and gluon.contrib.rnn that can be exported."""

from __future__ import annotations

from typing import Any

from .nets import ALMOST_NEVER


def _layers(mx: Any) -> Any:
    """Of (T, N, C)."""
    rnn = mx.gluon.rnn
    net = mx.gluon.nn.HybridSequential()
    net.add(rnn.RNN(3, activation="tanh"), rnn.GRU(3, bidirectional=True))
    net.add(rnn.LSTM(3, num_layers=2))
    return net


def _cells(mx: Any) -> Any:
    """Of (N, T, C)."""
    rnn, contrib = mx.gluon.rnn, mx.gluon.contrib.rnn
    stack = rnn.HybridSequentialRNNCell()
    for cell in (
        rnn.LSTMCell(4),
        rnn.DropoutCell(ALMOST_NEVER),
        rnn.ResidualCell(rnn.GRUCell(4)),
        rnn.ZoneoutCell(rnn.RNNCell(4, activation="relu"), ALMOST_NEVER, ALMOST_NEVER),
        contrib.LSTMPCell(4, 3),
        contrib.VariationalDropoutCell(rnn.GRUCell(4), *[ALMOST_NEVER] * 3),
        rnn.BidirectionalCell(rnn.LSTMCell(2), rnn.GRUCell(3)),
    ):
        stack.add(cell)
    return stack


def _convolving(mx: Any, axes: int, shape: tuple[int, ...]) -> Any:
    """Of (N, T, *shape)."""
    contrib = mx.gluon.contrib.rnn
    stack = mx.gluon.rnn.HybridSequentialRNNCell()
    for kind in ("RNN", "LSTM", "GRU"):
        make = getattr(contrib, f"Conv{axes}D{kind}Cell")
        stack.add(make(shape, hidden_channels=2, i2h_kernel=3, h2h_kernel=3, i2h_pad=1))
        shape = (2, *shape[1:])
    return stack


def every_cell(mx: Any) -> Any:
    nn = mx.gluon.nn

    class EveryCell(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__(prefix="net_")
            with self.name_scope():
                self.layers, self.cells = _layers(mx), _cells(mx)
                self.one = _convolving(mx, 1, (2, 5))
                self.two = _convolving(mx, 2, (2, 4, 4))
                self.three = _convolving(mx, 3, (1, 3, 3, 3))
                self.last = nn.Dense(3)

        def hybrid_forward(self, F: Any, x: Any, line: Any, image: Any, volume: Any) -> Any:
            along = F.swapaxes(self.layers(F.swapaxes(x, 0, 1)), 0, 1)
            parts = [along, self.cells.unroll(3, x, merge_outputs=True)[0]]
            for cell, given, steps in (
                (self.one, line, 3), (self.two, image, 2), (self.three, volume, 2)
            ):  # fmt: skip
                parts.append(cell.unroll(steps, given, merge_outputs=True)[0])
            return self.last(F.concat(*map(F.Flatten, parts), dim=1))

    return EveryCell()
