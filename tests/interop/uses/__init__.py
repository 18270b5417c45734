"""Short programs on what isn't an operator: genuine MXNet runs them, too (record_uses.py).

A function is a program: of the module, ``mxnet`` or ``jupyter_hybrid``, it makes arrays and plain
values by name, which have to be the same.
"""
