"""The interface of a metric, a frozen dataclass with one method `score`, and its validation."""

from __future__ import annotations

import math
import traceback
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from adequa import __version__
from adequa.data import Item, Score
from adequa.errors import AdequaError, DataError, ModelError, SettingError
from adequa.settings import signature
from adequa.text import language_code, language_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Scorer(Protocol):
    """The part of a metric that scoring needs; a cache in front of a metric is a scorer too."""

    def score(self, items: Sequence[Item]) -> list[Score]:
        """One score per item, in the order of the items."""


@dataclass(frozen=True)
class Metric(ABC):
    """A sequence of items in, an aligned list of scores out.

    The fields of a subclass are its settings: the command line, the signature and the docs read
    them off; `adequa.settings.setting` gives a field its default and its help. An item scores the
    same alone and in any batch.
    """

    name: ClassVar[str]
    doc: ClassVar[str]
    best: ClassVar[float]
    worst: ClassVar[float]
    limits: ClassVar[str] = ""
    """What a good score, or an OK, does not cover, as a sentence for pages."""
    needs_references: ClassVar[bool] = False
    expensive: ClassVar[bool] = False
    """Worth caching on disk (a model runs)."""
    languages: ClassVar[frozenset[str] | None] = None
    """The codes of the languages whose texts it can judge; None if any language will do."""
    reads: ClassVar[tuple[str, ...]] = ("triples", "text", "references", "terms", "lang")
    """The fields of an Item the score depends on; a cached metric is shown no others."""

    @abstractmethod
    def score(self, items: Sequence[Item]) -> list[Score]:
        """One score per item, in the order of the items."""

    def corpus(
        self,
        totals: Sequence[float],  # noqa: ARG002
    ) -> float | Mapping[str, float] | None:
        """The corpus value from the sum of the items' statistics; None where it is just a mean."""
        return None

    def corpus_values(
        self,
        totals: npt.NDArray[np.float64],  # noqa: ARG002
    ) -> npt.NDArray[np.float64] | None:
        """`corpus` of each row of totals, for resampling; None if it must be called for each."""
        return None

    @property
    def at_once(self) -> int:
        """How many items it scores at the same time; a batch has at least as many."""
        return 1

    @property
    def one_process(self) -> bool:
        """Whether all items must be scored in one process."""
        return False

    @property
    def sends_to(self) -> str:
        """The host that gets the data and the texts; "" if they stay in the process."""
        return ""

    def preview(self, items: Sequence[Item]) -> str:  # noqa: ARG002
        """What it would send to a service for these items, and the price; "" if it sends none."""
        return ""

    def expenses(self) -> str:
        """What it has asked a service for until now, and the costs; "" if nothing."""
        return ""

    @property
    def higher_is_better(self) -> bool:
        """The direction, read off best and worst."""
        return self.best > self.worst

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return min(self.best, self.worst), max(self.best, self.worst)

    def provenance(self) -> Mapping[str, object]:
        """Whatever decides the score besides the settings: library versions, weights, templates."""
        return {}

    @property
    def signature(self) -> str:
        """Everything needed to get the same number again."""
        pairs = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.init and field.metadata.get("changes_score", True)
        }
        hints = typing.get_type_hints(type(self))
        return signature(self.name, {**pairs, **self.provenance()}, __version__, hints)


@contextmanager
def plugin_errors(label: str, owner: object) -> Iterator[None]:
    """Turn an exception in the code of a plug-in into a ModelError that names the plug-in.

    `owner` is the metric or its class. The exceptions of adequa's own metrics pass as they are: a
    programming error of ours keeps its traceback.
    """
    try:
        yield
    except (AdequaError, MemoryError):
        raise
    except Exception as error:
        kind = owner if isinstance(owner, type) else type(owner)
        package = kind.__module__.partition(".")[0]
        if package == "adequa":
            raise
        raise plugin_error(label, package, error) from error


def plugin_error(label: str, package: str, error: Exception) -> ModelError:
    """What a user is told about an exception in a plug-in."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return ModelError(
        f"the metric {label!r} of the package {package!r} failed "
        f"({type(error).__name__}: {error}{place}); report it to the authors of {package!r}"
    )


ENGLISH = frozenset(["en"])
"""The languages of a metric that knows English only."""


def unknown_language(metric: Metric, item: Item, code: str | None = None) -> str | None:
    """Why a metric cannot judge a text in its language; None if it can.

    `code` is that of the language where it is known.
    """
    if metric.languages is None:
        return None
    code = code or language_code(item)
    if code in metric.languages:
        return None
    names = sorted(map(language_name, metric.languages))
    known = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"{names[0]} only"
    return f"the text is in {language_name(code)}; {metric.name} knows {known}"


EMPTY_TEXT = "the text is empty: it states none of the facts"
"""Why a text that may select its facts, and selects none, has a fault."""
NO_REFERENCES = "no references"
"""Why an item is not scored by a metric that compares with references."""


REFERENCE_LIMITS = (
    "It compares words with references, not with the data: a wrong number costs little, and right "
    "facts in other words cost much."
)
"""The limits of every metric that compares with references."""


def references_of(item: Item) -> tuple[str, ...]:
    """The references of an item, verified to be several strings.

    Items built in Python can hold anything, and the usual mistakes (one string, which is a sequence
    of characters; one list per reference set, as sacrebleu has them) would give plausible numbers.
    """
    references, own = item.references, f"of the item {item.id!r}"
    if not isinstance(references, tuple | list):
        raise DataError(
            f"'references' {own} is of the type {type(references).__name__}",
            remedy='give a tuple of strings, even for one: ("a text",)',
        )
    for reference in references:
        if not isinstance(reference, str):
            raise DataError(
                f"'references' {own} holds a {type(reference).__name__}",
                remedy="each item has its own references as plain strings (sacrebleu's nesting, "
                "one list per reference set, is the other way round)",
            )
    if not isinstance(item.text, str):
        raise DataError(
            f"'text' {own} is of the type {type(item.text).__name__}",
            remedy='give a string; an empty text is ""',
        )
    return tuple(references)


def require_valid(metric: Metric) -> None:
    """Raise if a setting is beyond its choices or limits, which Python callers can write."""
    hints = typing.get_type_hints(type(metric))
    for field in fields(metric):
        name, value = f"{metric.name}:{field.name}", getattr(metric, field.name)
        choices = typing.get_args(hints[field.name])
        if typing.get_origin(hints[field.name]) is typing.Literal and value not in choices:
            raise SettingError(f"{name} is one of {', '.join(map(str, choices))}, not {value!r}")
        least, most = field.metadata.get("at_least"), field.metadata.get("at_most")
        if least is not None and value is not None and not least <= value <= (most or math.inf):
            limits = f"at least {least}" if most is None else f"from {least} to {most}"
            raise SettingError(f"{name} is {limits}, not {value}")


def require_predicates(metric: Metric, *settings: str) -> None:
    """Raise if one of these settings is one string instead of a tuple of predicates."""
    if any(isinstance(getattr(metric, name), str) for name in settings):
        raise SettingError(f"{metric.name}:{' and '.join(settings)} are tuples of predicates")


def make_paths(metric: Metric, *settings: str) -> None:
    """Turn these settings of an instance into paths where they are strings."""
    for name in settings:
        if getattr(metric, name) is not None:
            object.__setattr__(metric, name, Path(getattr(metric, name)))


def reverse_direction(metric: Metric) -> None:
    """Make the lowest value of an instance its best, for error rates."""
    object.__setattr__(metric, "best", -math.inf)
    object.__setattr__(metric, "worst", math.inf)
