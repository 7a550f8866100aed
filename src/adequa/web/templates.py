"""Templates of pages, rendered one way, and a version that changes with their files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def page_environment(package: str) -> Environment:
    """The templates of a package: all is escaped, and a name that nobody gave is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def version_of(names: Iterable[str], read: Callable[[str], bytes]) -> str:
    """Changes with the files, so that browsers may keep them for good."""
    return hashlib.sha256(b"".join(read(name) for name in names)).hexdigest()[:10]
