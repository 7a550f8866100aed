"""Access to `research`, the folder of a checkout that is not part of the installed package.

It holds the reproductions of the papers, readers of corpora that only they need, and the recipe of
the shipped weights. Without it, commands that need it say where to find it.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from adequa.errors import SettingError


def has_research() -> bool:
    """Whether `research` can be imported, because it is beside this package's sources."""
    if "research" in sys.modules:
        return True
    root = Path(__file__).resolve().parents[2]
    if not (root / "research" / "__init__.py").is_file():
        return False
    if str(root) not in sys.path:
        sys.path.append(str(root))
    return True


def from_research(target: str, what: str) -> Any:
    """The object behind `module:name` of `research`, for a command or format called `what`."""
    module, _, name = target.partition(":")
    if not has_research():
        raise SettingError(
            f"{what} is not part of the installed package: it is in the folder research/ of the "
            "source repository; clone the repository and install it with pip install -e ."
        )
    return getattr(importlib.import_module(module), name)
