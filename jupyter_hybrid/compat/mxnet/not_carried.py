"""Names of MXNet's that aren't carried: they can be imported, and say why when they are used."""

from __future__ import annotations

from typing import Any, NoReturn

from ... import _core

_SPARSE = "arrays are dense here; row_sparse and csr storage are not carried"
_LATER = "it is not carried yet"
_CLASSIC = "the classic half of the interface (Module, visualization) is not carried yet"

#: A module of the tree, or the beginning of its name -> why what is in it isn't carried.
_BY_MODULE = {
    "ndarray.sparse": _SPARSE,
    "symbol.sparse": _SPARSE,
    "numpy": "mx.np and mx.npx are not carried yet; mx.nd and NumPy itself are",
    "numpy_extension": "mx.np and mx.npx are not carried yet; mx.nd and NumPy itself are",
    "ndarray.numpy": "mx.np and mx.npx are not carried yet; mx.nd and NumPy itself are",
    "symbol.numpy": "mx.np and mx.npx are not carried yet; mx.sym is",
    "io": "image.ImageIter and image.ImageDetIter read images in RecordIO; this is not carried",
    "module": _CLASSIC,
    "model": _CLASSIC,
    "visualization": _CLASSIC,
    "executor_manager": _CLASSIC,
    "rnn": "the classic mx.rnn is not carried; gluon.rnn has its cells and layers",
    "contrib.quantization": "quantization is not carried",
    "contrib.svrg_optimization": _CLASSIC,
    "contrib.tensorboard": "its writer (mxboard) is a package of its own",
    "rtc": "CUDA source compiled at run time is not carried",
    "library": "libraries of operators for MXNet's C interface can't be loaded",
    "kvstore.kvstore_server": "there are no parameter servers: one process, several devices",
    "torch": "the bridge to Lua Torch is not carried",
    "tvmop": "operators compiled by TVM are not carried",
    "notebook": "the live panel and the pictures of jupyter_hybrid are in its place",
    "profiler": "there are no parameter servers, and MXNet's C library is not there",
}

#: Part of a name -> why it isn't carried, whatever its module.
_BY_WORD = {
    "sparse": _SPARSE,
    "CSR": _SPARSE,
    "csr": _SPARSE,
    "quantize": "quantization is not carried",
    "calibrate": "quantization is not carried",
    "LibSVM": _SPARSE,
    "dgl_": "graphs in csr storage are not carried",
    "_np_": "mx.np is not carried yet",
    "c_array": "MXNet's C library is not there",
    "check_call": "MXNet's C library is not there",
}

#: Names that mean something else in the modules above: a storage type is their first argument.
OTHERS = {("ndarray.sparse", name) for name in ("array", "empty", "zeros")}


class NotCarriedError(_core.MXNetError, NotImplementedError):
    """A name of MXNet's was used that isn't carried here; the message says why."""


def reason(module: str, name: str) -> str:
    """Why a name of a module isn't carried."""
    for word, why in _BY_WORD.items():
        if word in name:
            return why
    found = [m for m in _BY_MODULE if module == m or module.startswith(m + ".")]
    return _BY_MODULE[max(found, key=len)] if found else _LATER


class NotCarried:
    """Stands for a name that isn't carried: whatever it is used for raises NotCarriedError, but for
    deriving a class, whose objects can't be made then.

    Nothing is an instance of it, so ``isinstance(x, mx.nd.sparse.CSRNDArray)`` is False.
    """

    __slots__ = ("_module", "_name")

    def __init__(self, module: str, name: str):
        self._module, self._name = module, name

    def __repr__(self) -> str:
        return f"<{self._full()}: {reason(self._module, self._name)}>"

    def _full(self) -> str:
        module = "" if self._module == "." else self._module + "."
        return f"mxnet.{module}{self._name}"

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotCarriedError(f"{self._full()}: {reason(self._module, self._name)}")

    __call__ = __getitem__ = __iter__ = __enter__ = __exit__ = _refuse

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type]:
        """A class may be derived from it, in a module that is only imported; it has no objects."""

        def refuse(kind: type, *args: Any, **kwargs: Any) -> NoReturn:
            self._refuse()

        return (type(self._name, (), {"__new__": refuse}),)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # asked by Python, pickles and notebooks: has it got one?
            raise AttributeError(name)
        self._refuse()

    def __instancecheck__(self, value: object) -> bool:
        return False

    def __subclasscheck__(self, kind: type) -> bool:
        return False
