"""Scripted functions as files: MXNet's pair, with what the function takes and gives."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ... import _core, sym
from ...base import MXNetError
from ...sym.pair import load_parts, pair_files, save_pair
from ..control.trees import leaves, rebuild
from .program import Argument, Output, Program

_ATTRIBUTE = "jupyter_hybrid_script"
_PLAIN = (bool, int, float, str, type(None))


def symbol_of(program: Program) -> tuple[Any, dict[str, Any]]:
    """(the Symbol with arrays of outside as constants, the blocks' parameters by name)."""
    params: dict[str, Any] = {}
    names: dict[int, str] = {}
    values: dict[str, Any] = {}
    for number, (node, array) in enumerate(program.constants()):
        param = program.params.get(id(array))
        name = param.name if param is not None else f"_outside{number}"
        names[node] = name
        if param is not None:
            params[name] = array
        else:
            values[name] = array
    if not program.graph.outputs:
        raise MXNetError("script: it computes no array, so there is no graph")
    symbol = _core.sym_from_graph(program.graph.with_names(names))
    if values:
        symbol = symbol.compose(**{n: sym.Constant(a) for n, a in values.items()})
    return symbol, params


def save(program: Program, name: str, prefix: str) -> None:
    """Writes both files. Raises MXNetError for results that no file can hold."""
    symbol, params, form = _whole(program)
    for argument in program.arguments:
        if argument.name in symbol.list_arguments():
            symbol = symbol.compose(**{argument.name: _variable(argument)})
    signature = {
        "name": name,
        "arguments": [
            [a.path, a.name, a.kind, list(a.shape), a.dtype.name] for a in program.arguments
        ],
        "result": _form(form),
    }
    save_pair(symbol, prefix, params, {_ATTRIBUTE: json.dumps(signature)})


def _variable(argument: Argument) -> Any:
    return sym.var(argument.name, shape=argument.shape, dtype=argument.dtype)


def _whole(program: Program) -> tuple[Any, dict[str, Any], Any]:
    """(the Symbol with every result in order, parameters by name, the result's form).

    Results that are handed through and plain numbers are outputs too, for who runs the file as a
    graph.
    """
    computed: Any = None
    params: dict[str, Any] = {}
    if program.graph.outputs:
        computed, params = symbol_of(program)
    parts: list[Any] = []
    first: dict[int, int] = {}  # one array stays one array

    def leaf(_: str, output: Output) -> Output:
        if output.kind == "argument":
            parts.append(sym.identity(_variable(program.arguments[output.index])))
            return output
        if output.kind == "object":
            if type(output.value) in (bool, int, float) and abs(output.value) < 2**63:
                number = np.asarray(output.value)
                parts.append(sym.Constant(_core.from_numpy(number)))
            return output
        parts.append(computed if len(program.graph.outputs) == 1 else computed[output.index])
        return Output(output.kind, first.setdefault(output.index, len(parts) - 1))

    form = rebuild("result", program.form, leaf)
    if not parts:
        raise MXNetError("script: its result is no array or number, so there is no graph")
    return (sym.Group(parts) if len(parts) > 1 else parts[0]), params, form


def _form(value: Any) -> Any:
    if type(value) is dict:
        return {"dict": [[k, _form(v)] for k, v in value.items()]}
    if type(value) in (tuple, list):
        return {type(value).__name__: [_form(v) for v in value]}
    if value.kind == "object":
        if type(value.value) not in _PLAIN:
            raise MXNetError(
                f"script: its result contains a {type(value.value).__name__} made outside, which "
                "no file can hold"
            )
        return {"value": value.value}
    return {value.kind: value.index}


def _unformed(saved: Any, file: str) -> Any:
    if not isinstance(saved, dict) or len(saved) != 1:
        raise MXNetError(f"load: {file}: the result's form is corrupt")
    kind, content = next(iter(saved.items()))
    if kind == "dict":
        return {k: _unformed(v, file) for k, v in content}
    if kind in ("tuple", "list"):
        made = [_unformed(v, file) for v in content]
        return tuple(made) if kind == "tuple" else made
    if kind == "value" and type(content) in _PLAIN:
        return Output("object", value=content)
    if kind not in ("nd", "np", "scalar", "int", "float", "bool", "argument"):
        raise MXNetError(f"load: {file}: a result of unknown kind {kind!r}")
    return Output(kind, int(content))


class Loaded:
    """A scripted function read from files; called with the arrays it was saved with.

    Attributes:
        symbol: its graph as a Symbol.
        params: the parameters' arrays by name.
        arguments: names of the arrays it takes.
    """

    def __init__(self, symbol: Any, params: dict[str, Any], signature: dict, file: str):
        try:
            self.__name__ = str(signature["name"])
            self._arguments = [
                Argument(str(path), str(kind), tuple(int(n) for n in shape), np.dtype(dtype), None)
                for path, _, kind, shape, dtype in signature["arguments"]
            ]
            form = _unformed(signature["result"], file)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise MXNetError(f"load: {file}: the script's signature is corrupt: {error}") from None
        self.symbol, self.params = symbol, params
        graph = symbol.graph()
        for output in (o for _, o in leaves("", form)):
            limit = len(self._arguments) if output.kind == "argument" else len(graph.outputs)
            if output.kind != "object" and not 0 <= output.index < limit:
                raise MXNetError(f"load: {file}: the result's form does not fit the graph")
        computed = [o for _, o in leaves("", form) if o.kind not in ("argument", "object")]
        used = sorted({o.index for o in computed})
        if used and len(used) < len(graph.outputs):  # what is handed through is not copied
            graph = sym.Group([symbol[i] for i in used]).graph()
            for output in computed:
                output.index = used.index(output.index)
        named = {n.id: n.name for n in graph.nodes}
        by_name = {a.name: a for a in self._arguments}
        sources: list[Any] = []
        for node in graph.inputs:
            name = named[node]
            if name not in by_name and name not in params:
                raise MXNetError(f"load: {file}: there is no value for {name!r}")
            sources.append(by_name[name] if name in by_name else params[name])
        self._program = Program(graph, self._arguments, sources, form, {}, [])

    @property
    def arguments(self) -> list[str]:
        return [a.name for a in self._arguments]

    @property
    def graph(self) -> Any:
        return self._program.graph

    @property
    def code(self) -> str:
        """The graph as program text, with every body."""
        return str(self.graph)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result. Arguments as the function took them; numbers it was traced with are left
        out.

        Raises:
            TypeError: other arguments, shapes or dtypes than it was saved with.
        """
        roots = list(dict.fromkeys(a.path.partition("[")[0] for a in self._arguments))
        if len(args) > len(roots) or set(kwargs) - set(roots[len(args) :]):
            raise TypeError(f"{self.__name__}: expected the arrays {', '.join(roots)}")
        given = dict(zip(roots, args)) | kwargs
        flat = dict(leaf for n, v in given.items() for leaf in leaves(n, v))
        arrays = []
        for wanted in self._arguments:
            if wanted.path not in flat:
                raise TypeError(f"{self.__name__}: there is no {wanted.path}")
            value = flat[wanted.path]
            found = Argument.of(wanted.path, value)
            if found is None or found.key[1:4] != wanted.key[1:4]:
                shown = type(value).__name__ if found is None else _described(found)
                raise TypeError(
                    f"{self.__name__}: {wanted.path} is {shown}, saved with {_described(wanted)}"
                )
            arrays.append(value)
        return self._program.run(arrays)

    def __repr__(self) -> str:
        return f"<scripted {self.__name__} of ({', '.join(self.arguments)})>"


def _described(argument: Argument) -> str:
    face = {"nd": "an NDArray", "np": "an ndarray", "scalar": "a NumPy scalar"}[argument.kind]
    return f"{face} of {argument.dtype.name} {argument.shape}"


def load(fname: str | os.PathLike[str]) -> Any:
    """The scripted function or Symbol that ``save('name')`` wrote: ``load('name')``.

    Raises:
        FileNotFoundError: there is no such graph, or its arrays are missing.
        MXNetError: a file is truncated or corrupt, or an operator does not exist here.
    """
    file = pair_files(os.fspath(fname))[0]
    symbol, params, attributes = load_parts(fname)
    if _ATTRIBUTE not in attributes:
        return symbol
    try:
        signature = json.loads(attributes[_ATTRIBUTE])
    except ValueError:
        raise MXNetError(f"load: {file}: the script's signature is corrupt") from None
    if not isinstance(signature, dict):
        raise MXNetError(f"load: {file}: the script's signature is corrupt")
    return Loaded(symbol, params, signature, file)


__all__ = ["Loaded", "load", "save", "symbol_of"]
