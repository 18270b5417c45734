"""The ten kinds of program of a textbook of deep learning, on data made here.

Each is written once, for a module ``mx``: genuine MXNet 1.9.1, or what ``compat.mxnet`` gives under
that name. Initial weights and batches don't depend on the system, and nothing is drawn in training.
"""

from __future__ import annotations

from . import (
    convolutional,
    detection,
    language,
    normalized,
    optimizers,
    regression,
    style,
    translation,
    vectors,
)
from .training import Program

PROGRAMS: dict[str, Program] = {
    "linear regression by hand": Program("regression", regression.linear_scratch, blocks=False),
    "linear regression": Program("regression", regression.linear),
    "softmax regression by hand": Program("regression", regression.softmax_scratch, blocks=False),
    "softmax regression": Program("regression", regression.softmax),
    "perceptron by hand": Program("perceptron", regression.perceptron_scratch, blocks=False),
    "perceptron": Program("perceptron", regression.perceptron),
    "LeNet by hand": Program("convolutions", convolutional.lenet_scratch, blocks=False),
    "LeNet": Program("convolutions", convolutional.trained(convolutional.lenet, 0.1, 28, 3.0)),
    "AlexNet": Program("convolutions", convolutional.trained(convolutional.alexnet, 0.01)),
    "VGG": Program("convolutions", convolutional.trained(convolutional.vgg, 0.02)),
    "NiN": Program("convolutions", convolutional.trained(convolutional.nin, 0.025), 120),
    "GoogLeNet": Program("convolutions", convolutional.trained(convolutional.googlenet, 0.03), 60),
    "ResNet": Program("convolutions", convolutional.trained(convolutional.resnet, 0.003), 60),
    "DenseNet": Program("convolutions", convolutional.trained(convolutional.densenet, 0.01), 60),
    "batch normalization by hand": Program("batch normalization", normalized.by_hand),
    "RNN by hand": Program("language model", language.rnn_scratch, blocks=False),
    "GRU by hand": Program("language model", language.gru_scratch, blocks=False),
    "LSTM by hand": Program("language model", language.lstm_scratch, 40, blocks=False),
    "RNN": Program("language model", language.layer("RNN", 1.0)),
    "GRU": Program("language model", language.layer("GRU", 3.0)),
    "LSTM": Program("language model", language.layer("LSTM", 3.0), 40),
    "translation with attention": Program("translation", translation.attention),
    "single-shot detection": Program("detection", detection.single_shot),
    "style transfer": Program("style transfer", style.transfer),
    "skip-gram": Program("word vectors", vectors.skip_gram),
    **{
        f"{name} by hand": Program("optimizers", optimizers.scratch(step), blocks=False)
        for name, step in optimizers.SCRATCH.items()
    },
    **{
        name: Program("optimizers", optimizers.gluon(*chosen))
        for name, chosen in optimizers.GLUON.items()
    },
}
KINDS = tuple(dict.fromkeys(program.kind for program in PROGRAMS.values()))
RECURRENT = frozenset({"RNN", "GRU", "LSTM", "translation with attention"})  # use gluon.rnn
