"""Does this text say all and only what its data says? Per text, per fact, with evidence, offline.

>>> import adequa
>>> result = adequa.score("Blue_Spice | eatType | pub", "Blue Spice is a pub.",
...                       references=["The Blue Spice is a pub."], metrics=["chrf"])
>>> 50 < result.scores["chrf"] < 100
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adequa.api import Evaluation, GuardResult, evaluate, guard, read, score
    from adequa.data import (
        Fact,
        Fault,
        Finding,
        Item,
        Mention,
        Rating,
        Result,
        Score,
        Term,
        Triple,
    )
    from adequa.errors import (
        AdequaError,
        DataError,
        MissingExtra,
        ModelError,
        RunError,
        ServiceError,
        SettingError,
        UnknownName,
    )
    from adequa.metrics import Metric, load_metric
    from adequa.run import Run, open_run

__version__ = "0.2.0"
"""The build, the signatures and `adequa --version` read it here."""

__all__ = [
    "AdequaError",
    "DataError",
    "Evaluation",
    "Fact",
    "Fault",
    "Finding",
    "GuardResult",
    "Item",
    "Mention",
    "Metric",
    "MissingExtra",
    "ModelError",
    "Rating",
    "Result",
    "Run",
    "RunError",
    "Score",
    "ServiceError",
    "SettingError",
    "Term",
    "Triple",
    "UnknownName",
    "__version__",
    "evaluate",
    "guard",
    "load_metric",
    "open_run",
    "read",
    "score",
]


# Each name is imported at its first use, so that `adequa --help` starts quickly.
_HOMES = {
    "adequa.api": ("Evaluation", "GuardResult", "evaluate", "guard", "read", "score"),
    "adequa.data": (
        *("Fact", "Fault", "Finding", "Item", "Mention", "Rating", "Result", "Score", "Term"),
        "Triple",
    ),
    "adequa.errors": (
        *("AdequaError", "DataError", "MissingExtra", "ModelError", "RunError", "ServiceError"),
        *("SettingError", "UnknownName"),
    ),
    "adequa.metrics.registry": ("Metric", "load_metric"),
    "adequa.run": ("Run", "open_run"),
}


def __getattr__(name: str) -> Any:
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'adequa' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
