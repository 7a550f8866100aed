"""What only a checkout of the project has: the folder `research` beside the package.

It holds the reproductions of the papers, readers of corpora that only they need, and the recipe of
the shipped weights. An installed package does without; what needs it says where it is.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from adequa.errors import SettingError


def has_research() -> bool:
    """Whether the folder `research` can be imported, or stands beside this package's sources."""
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
            f"{what} is not in the installed package: it needs a checkout of adequa "
            "(the folder research/ beside src/)"
        )
    return getattr(importlib.import_module(module), name)
