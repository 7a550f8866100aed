"""Does this text say all and only what its data says? Per text, per fact, with evidence, offline.

>>> import adequa
>>> result = adequa.score("Blue_Spice | eatType | pub", "Blue Spice is a pub.",
...                       references=["The Blue Spice is a pub."], metrics=["chrf"])
>>> 50 < result.scores["chrf"] < 100
True
"""

from adequa.__about__ import __version__
from adequa.api import Evaluation, evaluate, read, score
from adequa.data import Fact, Finding, Item, Mention, Rating, Result, Score, Term, Triple
from adequa.errors import (
    AdequaError,
    DataError,
    MissingExtra,
    ModelError,
    RunError,
    SettingError,
    UnknownName,
)
from adequa.metrics import Metric, load_metric
from adequa.run import Run, open_run

__all__ = [
    "AdequaError",
    "DataError",
    "Evaluation",
    "Fact",
    "Finding",
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
    "SettingError",
    "Term",
    "Triple",
    "UnknownName",
    "__version__",
    "evaluate",
    "load_metric",
    "open_run",
    "read",
    "score",
]
