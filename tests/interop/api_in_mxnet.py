"""Prints the public interface of genuine MXNet 1.9.1: tests/data/mxnet/api.json.

    MXNET_MKLDNN_ENABLED=0 python tests/interop/api_in_mxnet.py > tests/data/mxnet/api.json

By module or class the names and their parameters: ``data:array, axis=-1, *args, **kwargs`` as
Python shows them; those of operators as their documentation tells. "-": no function (a property, a
constant).
"""

from __future__ import annotations

import inspect
import json
import re
import types
import warnings

import mxnet
from signatures import OPERATOR, of_python

MODULES = [
    "nd",
    "nd.contrib",
    "nd.linalg",
    "nd.random",
    "nd.image",
    "sym",
    "sym.contrib",
    "sym.linalg",
    "sym.random",
    "sym.image",
    "gluon",
    "gluon.nn",
    "gluon.rnn",
    "gluon.loss",
    "gluon.data",
    "gluon.data.vision",
    "gluon.data.vision.transforms",
    "gluon.model_zoo.vision",
    "gluon.contrib.nn",
    "gluon.contrib.rnn",
    "gluon.contrib.cnn",
    "gluon.contrib.data",
    "gluon.contrib.estimator",
    "gluon.utils",
    "autograd",
    "optimizer",
    "metric",
    "lr_scheduler",
    "init",
    "image",
    "random",
    "context",
]
CLASSES = [
    "nd.NDArray",
    "sym.Symbol",
    "gluon.Block",
    "gluon.HybridBlock",
    "gluon.Parameter",
    "gluon.ParameterDict",
    "gluon.Trainer",
    "optimizer.Optimizer",
    "optimizer.Updater",
    "metric.EvalMetric",
    "context.Context",
]
# Where a module's own names may come from, other than itself.
HOMES = {
    "nd": ("mxnet.ndarray",), "sym": ("mxnet.symbol",), "init": ("mxnet.initializer",),
    "random": ("mxnet.random", "mxnet.ndarray.random"),
}  # fmt: skip
# One line of an operator's documentation: "axis : int, optional, default='-1'".
_LINE = re.compile(r"^(\w+) : (.*)$")
_TAKEN = ("name", "out", "attr")


def found(path: str) -> object:
    value: object = mxnet
    for part in path.split("."):
        value = getattr(value, part)
    return value


def is_own(module: str, name: str, value: object) -> bool:
    if name.startswith("_") or isinstance(value, types.ModuleType):
        return False
    face = module.split(".")[0]
    if is_operator(value):
        return face in ("nd", "sym")
    listed = getattr(found(module), "__all__", None)
    if listed is not None and module != face:
        return name in listed
    homes = HOMES.get(face) or (found(module).__name__,)
    return (getattr(value, "__module__", None) or "").startswith(homes)


def documented(value: object) -> dict[str, str]:
    """What an operator's documentation says of each parameter."""
    told = {}
    section = (
        (value.__doc__ or "").partition("Parameters\n----------\n")[2].partition("\nReturns")[0]
    )
    for line in section.splitlines():
        match = _LINE.match(line)
        if match:
            told.setdefault(match[1], match[2])
    return told


def of_operator(value: object) -> str:
    told, parts = documented(value), []
    for name in inspect.signature(value).parameters:
        if name in ("kwargs", *_TAKEN):
            continue
        kind = told.pop(name, "")
        default = re.search(r"default='?(.*?)'?$", kind)
        if re.match(r"(NDArray|Symbol)(-or-Symbol)?(\[\])?($|,)", kind) or not kind:
            parts.append(name + ":array")
        else:
            parts.append(f"{name}={default[1]}" if default else name)
    if parts and "*" in str(inspect.signature(value)).split(",")[0]:  # any number of arrays
        parts = [f"*{parts[0]}"]
        for name, kind in told.items():
            default = re.search(r"default='?(.*?)'?$", kind)
            if name not in (*_TAKEN, parts[0][1:-6]):
                parts.append(f"{name}={default[1]}" if default else name)
    return OPERATOR + ", ".join(parts)


def is_operator(value: object) -> bool:
    code = getattr(value, "__code__", None)
    return code is not None and code.co_filename.startswith("<")


def signature(value: object) -> str:
    if is_operator(value):
        return of_operator(value)
    if not callable(value):
        return "-"
    try:
        return of_python(value)
    except (ValueError, TypeError):
        return "-"


def methods(path: str) -> dict[str, str]:
    kind, held = found(path), {}
    for name, value in sorted(vars(kind).items()):
        if name.startswith("_") or (
            isinstance(value, types.FunctionType) and value.__name__[0] == "_"
        ):
            continue
        value = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        held[name] = signature(value) if callable(value) else "-"
    return held


def main() -> None:
    held: dict[str, dict[str, str]] = {}
    for module in MODULES:
        names = {n: v for n, v in sorted(vars(found(module)).items()) if is_own(module, n, v)}
        held[module] = {n: signature(v) for n, v in names.items()}
    for path in CLASSES:
        held[path] = methods(path)
    for module, names in held.items():
        for name, text in names.items():
            if (
                module.startswith("sym")
                and held["nd" + module[3:].replace("Symbol", "NDArray")].get(name) == text
            ):
                names[name] = "="
    print(written(held))


def written(held: dict[str, dict[str, str]]) -> str:
    """A line a name."""
    rows = []
    for module, names in held.items():
        lines = ",\n".join(f"  {json.dumps(n)}: {json.dumps(s)}" for n, s in names.items())
        rows.append(f"{json.dumps(module)}: {{\n{lines}\n}}")
    return "{\n" + ",\n".join(rows) + "\n}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
