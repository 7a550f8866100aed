"""The rooms of the package: imports go downwards only, and no room reaches the lab.

`docs/architecture.md` draws the same order. Late imports count as imports; imports for the type
checker alone do not, because nothing runs by them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src"

LAYERS = [
    ["__about__", "errors", "marks"],
    ["caches", "checkout", "data", "files", "progress", "services"],
    ["fields", "settings", "stats", "tables", "text"],
    ["charts", "codec"],
    ["models", "readers"],
    ["entities"],
    ["metrics"],
    ["perturb", "run"],
    ["api", "human", "retrieval", "training"],
    ["analysis", "testing"],
    ["pytest_plugin", "report"],
    ["web"],
    ["cli"],
    ["__main__", "__init__"],
]
"""From the bottom to the top. A room may import itself and every room of a lower layer."""
HEIGHT = {room: height for height, layer in enumerate(LAYERS) for room in layer}


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(SOURCES.rglob("*.py"))}


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below `node`, without the blocks that only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from runtime_nodes(child)


def imports_of(path: Path) -> Iterator[str]:
    for node in runtime_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else node.module


def test_every_room_has_its_layer() -> None:
    assert {room_of(module) for module in MODULES} <= set(HEIGHT)


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_downwards(module: str) -> None:
    own = room_of(module)
    upwards = [
        target
        for target in imports_of(MODULES[module])
        if target in MODULES
        and room_of(target) != own
        and HEIGHT[room_of(target)] >= HEIGHT[own]
        and target != "adequa"
    ]
    assert not upwards


@pytest.mark.parametrize("module", MODULES)
def test_the_package_does_not_import_the_lab(module: str) -> None:
    outside = {target.split(".")[0] for target in imports_of(MODULES[module])}
    assert not outside & {"research", "bench", "tests"}
