"""The modules of the package stand in an order: none imports itself through others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import jupyter_hybrid

NAME = "jupyter_hybrid"


def modules(root: Path) -> dict[str, Path]:
    """Every module of a package by its full name; the core's is that of its stub."""
    found = {}
    for path in [*root.rglob("*.py"), root / "_core.pyi"]:
        parts = [NAME, *path.relative_to(root).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[tuple[str, str]]:
    """(module, what is taken of it) that importing a module runs; not those for types alone."""
    inside = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    skipped: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if node in skipped:
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            skipped.update(inner for part in node.body for inner in ast.walk(part))
        elif isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) + 1 - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                yield (inner, "") if inner in known else (origin, alias.name)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def circle(root: Path) -> list[str]:
    """A circle of modules, the first one again at its end; empty when there is none."""
    known = modules(root)
    edges = {
        name: sorted({to for to, _ in imports(name, path, known) if to in known and to != name})
        for name, path in known.items()
    }
    done: set[str] = set()

    def follow(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for other in edges[name]:
            found = follow(other, [*way, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for name in known if (found := follow(name, []))), [])


ROOT = Path(jupyter_hybrid.__file__).parent


def test_no_module_imports_itself_through_others():
    assert circle(ROOT) == []


def test_private_names_stay_in_their_module():
    known = modules(ROOT)
    wrong = []
    for name, path in known.items():
        if path.suffix == ".pyi":
            continue
        taken = list(imports(name, path, known))
        wrong += [
            f"{name}: {origin}.{what}"
            for origin, what in taken
            if origin.startswith(NAME) and what.startswith("_") and not what.startswith("__")
        ]
        others = {to.rpartition(".")[2] for to, what in taken if not what and to in known}
        wrong += [
            f"{name}: {node.value.id}.{node.attr}"
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in others
            and node.attr.startswith("_")
            and not node.attr.startswith("__")
        ]
    assert not wrong


@pytest.mark.parametrize("types_only", [False, True])
def test_a_circle_is_found(tmp_path, types_only):
    (tmp_path / "_core.pyi").write_text("")
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "low.py").write_text("from . import middle\n")
    (tmp_path / "middle.py").write_text("from .high import x\n")
    if types_only:
        (tmp_path / "high.py").write_text("if TYPE_CHECKING:\n    from .low import y\n")
        assert circle(tmp_path) == []
    else:
        (tmp_path / "high.py").write_text("def f():\n    from .low import y\n")
        found = circle(tmp_path)
        assert set(found) == {f"{NAME}.{n}" for n in ("low", "middle", "high")}
        assert found[0] == found[-1]
