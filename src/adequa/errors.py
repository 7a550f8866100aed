"""Every error a user of adequa can cause.

    AdequaError
    ├── DataError       wrong input, with its file, line and remedy
    ├── UnknownName     a metric, reader or setting that does not exist, with those that do
    ├── SettingError    a known setting with an invalid value
    ├── RunError        a run folder that cannot be written, resumed or read
    ├── MissingExtra    an optional dependency that is not installed, with its extra
    ├── ModelError      a model or its weights cannot be loaded
    └── ServiceError    an external service that failed

The library raises these and nothing else for wrong use; only the command line turns them into exit
codes. Programming errors keep their traceback. `require_known` raises UnknownName,
`require_packages` and `load_extra` raise MissingExtra.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = [
    "AdequaError",
    "DataError",
    "MissingExtra",
    "ModelError",
    "RunError",
    "ServiceError",
    "SettingError",
    "UnknownName",
]


class AdequaError(Exception):
    """The base class of all errors that adequa raises on purpose."""

    def __str__(self) -> str:
        # A message is one line, whatever an offending value contained.
        return " ".join(super().__str__().split())


class DataError(AdequaError):
    """Wrong input, with its place and the remedy."""

    def __init__(
        self,
        problem: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem, self.line, self.remedy = problem, line, remedy
        self.path = None if path is None else Path(path)
        super().__init__(problem, path, line, remedy)

    def __str__(self) -> str:
        place = "" if self.path is None else f"{self.path}:"
        if self.line is not None:
            place += f"{self.line}:" if place else f"line {self.line}:"
        parts = [place, self.problem + (";" if self.remedy else ""), self.remedy or ""]
        return " ".join(" ".join(part for part in parts if part).split())

    def __reduce__(self) -> tuple[object, ...]:
        rebuild = partial(DataError, path=self.path, line=self.line, remedy=self.remedy)
        return rebuild, (self.problem,)

    @classmethod
    def of_file(
        cls, error: OSError, path: Path | str, verb: str = "read", remedy: str | None = None
    ) -> DataError:
        """The error of a file that cannot be read or written, with the system's reason."""
        return cls(f"cannot be {verb} ({error.strerror})", path=path, remedy=remedy)

    def at(self, path: Path | str, line: int | None = None) -> DataError:
        """The same error with a place, unless it has one."""
        line = line if self.line is None else self.line
        return DataError(self.problem, path=self.path or path, line=line, remedy=self.remedy)


class UnknownName(AdequaError):
    """A name that is not in a table, with the most similar one that is."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.kind, self.name, self.choices = kind, name, tuple(sorted(choices))
        super().__init__(kind, name, self.choices)

    def __str__(self) -> str:
        close = difflib.get_close_matches(self.name, self.choices, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        known = ", ".join(self.choices) or "none"
        return f"unknown {self.kind} {self.name!r}: {hint}there are: {known}"


def require_known(kind: str, names: Iterable[str], choices: Iterable[str]) -> None:
    """Raise an UnknownName for the first name that is not among the choices."""
    known = set(choices)
    for name in names:
        if name not in known:
            raise UnknownName(kind, name, known)


class SettingError(AdequaError):
    """A known setting with an invalid value."""


class RunError(AdequaError):
    """A run folder that cannot be written, resumed or read as asked."""


class MissingExtra(AdequaError):
    """An optional dependency is absent; the message carries the command that installs it."""

    def __init__(self, extra: str, package: str) -> None:
        self.extra, self.package = extra, package
        super().__init__(extra, package)

    def __str__(self) -> str:
        return (
            f"this needs the package {self.package!r}, which is not installed: "
            f"pip install 'adequa[{self.extra}]'"
        )


def load_extra(extra: str, module: str, package: str | None = None) -> Any:
    """A module of an extra; raises a MissingExtra if its package is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra(extra, package or module.partition(".")[0]) from None


def load_package(package: str, what: str = "this") -> Any:
    """A package that is part of no extra; raises a SettingError if it is not installed."""
    try:
        return import_module(package)
    except ImportError:
        problem = f"{what} needs the package {package!r}, which is not installed"
        raise SettingError(f"{problem}: pip install {package}") from None


def require_packages(extra: str, *packages: str) -> None:
    """Raise a MissingExtra unless all packages of an extra are installed."""
    for package in packages:
        if find_spec(package) is None:
            raise MissingExtra(extra, package)


class ModelError(AdequaError):
    """A model or its weights cannot be loaded or do not fit their use."""


class ServiceError(AdequaError):
    """An external service failed, with the remedy and the HTTP status of its answer, if any."""

    def __init__(
        self, service: str, problem: str, remedy: str | None = None, status: int | None = None
    ) -> None:
        self.service, self.problem, self.remedy, self.status = service, problem, remedy, status
        super().__init__(service, problem, remedy, status)

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return " ".join(f"{self.service}: {self.problem}{remedy}".split())
