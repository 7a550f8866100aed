"""Other people's metrics behind our interface: sacrebleu's objects, Hugging Face `evaluate`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from typing import Any, ClassVar, Literal

from adequa.data import Item, Score
from adequa.errors import MissingExtra, ModelError, SettingError, load_extra
from adequa.metrics.base import (
    NO_REFERENCES,
    Metric,
    references_of,
    require_valid,
    reverse_direction,
)
from adequa.metrics.reference import SACREBLEU_VERSION, SacrebleuEngine
from adequa.settings import setting


@dataclass(frozen=True)
class Sacrebleu(Metric):
    """Any metric object of sacrebleu: `Sacrebleu(BLEU(tokenize="spm"))`.

    It scores texts as the object itself would: BLEU wants `effective_order=True` for that.
    """

    name: ClassVar[str] = "sacrebleu"
    doc: ClassVar[str] = "a metric object of sacrebleu, from Python"
    best: ClassVar[float] = math.inf
    worst: ClassVar[float] = -math.inf
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    metric: Any = field(metadata={"doc": "the object"})
    lower_is_better: bool = setting(False, "for error rates, like TER")

    def __post_init__(self) -> None:
        _engine_of(self)  # anything but a metric of sacrebleu is refused here
        if self.lower_is_better:
            reverse_direction(self)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The object's own score of each text."""
        return [_engine_of(self).score(item.text, references_of(item)) for item in items]

    def corpus(self, totals: Sequence[float]) -> float:
        """The object's own score of the corpus."""
        return _engine_of(self).value(totals)

    def provenance(self) -> Mapping[str, object]:
        """The object's class and what its own signature says of its settings."""
        pairs = (pair.partition(":") for pair in _engine_of(self).signature(None).split("|"))
        settings = {key: value for key, _, value in pairs if key not in ("nrefs", "version")}
        return {"metric": type(self.metric).__name__, **settings, "sacrebleu": SACREBLEU_VERSION}


@lru_cache(maxsize=64)
def _engine_of(metric: Sacrebleu) -> SacrebleuEngine:
    # Outside of the metric, so that it can be sent to a worker.
    return SacrebleuEngine(metric.metric)


@dataclass(frozen=True)
class Evaluate(Metric):
    """Any metric of Hugging Face `evaluate`, loaded when it is first used.

    A module that gives a list, one value per text, gets all texts at once; one that gives a single
    number gets each text alone.
    """

    name: ClassVar[str] = "evaluate"
    doc: ClassVar[str] = "a metric of Hugging Face evaluate (extra hf)"
    best: ClassVar[float] = math.inf
    worst: ClassVar[float] = -math.inf
    needs_references: ClassVar[bool] = True
    reads: ClassVar[tuple[str, ...]] = ("text", "references")

    module: str = field(metadata={"doc": "its name on the hub, or the path of its script"})
    key: str = field(metadata={"doc": "which of the numbers that it computes"})
    config: str | None = setting(None, "its configuration, if it has some")
    references: Literal["all", "first", "best"] = setting(
        "all", "give it all references of a text, the first, or each and take the best"
    )
    arguments: str = setting("{}", "what else it is given to compute, as a JSON object")
    lower_is_better: bool = setting(False, "for error rates, like WER")
    loaded: Any = setting(None, "the module itself, from Python, instead of loading one")

    def __post_init__(self) -> None:
        require_valid(self)
        self._arguments()
        if self.lower_is_better:
            reverse_direction(self)

    def score(self, items: Sequence[Item]) -> list[Score]:
        """The values the module computes; an item without references has none."""
        references = [references_of(item) for item in items]
        wanted = [
            (place, item.text, choice)
            for place, (item, own) in enumerate(zip(items, references, strict=True))
            for choice in self._choices(own)
        ]
        scores = [
            Score(None, reason=f"{self.module} gave no number" if own else NO_REFERENCES)
            for own in references
        ]
        values = self._values([text for _, text, _ in wanted], [choice for *_, choice in wanted])
        for (place, _, _), value in zip(wanted, values, strict=True):
            before = scores[place].value
            if math.isfinite(value) and (
                before is None or (value > before) != self.lower_is_better
            ):
                scores[place] = Score(value)
        return scores

    def _choices(self, references: tuple[str, ...]) -> list[Any]:
        """The references for each call of the module."""
        if self.references == "all":
            return [list(references)] if references else []
        return list(references if self.references == "best" else references[:1])

    def _values(self, texts: list[str], references: list[Any]) -> list[float]:
        if not texts:
            return []
        # The first text shows whether the module gives one value per text.
        first = self._compute(texts[:1], references[:1])
        aligned = isinstance(first, list)
        rest = list(zip(texts[1:], references[1:], strict=True))
        if aligned:
            asked = [(texts[1:], references[1:])] if rest else []
        else:
            asked = [([text], [reference]) for text, reference in rest]
        found = [first, *(self._compute(*one) for one in asked)]
        values = [value for one in found for value in (one if isinstance(one, list) else [one])]
        if len(values) != len(texts) or any(isinstance(one, list) != aligned for one in found):
            raise ModelError(
                f"{self.module} gives for {self.key!r} neither one number nor one value per text; "
                "choose another key"
            )
        return values

    def _compute(self, texts: list[str], references: list[Any]) -> float | list[float]:
        module = _load(self.module, self.config) if self.loaded is None else self.loaded
        try:
            found = module.compute(predictions=texts, references=references, **self._arguments())
        except Exception as error:  # a module is a stranger's code, and may raise anything
            raise ModelError(
                f"{self.module} cannot score {texts[0]!r} ({type(error).__name__}: {error}); "
                "does it want one reference, evaluate:references=first, or more arguments?"
            ) from error
        if not isinstance(found, Mapping) or self.key not in found:
            there = ", ".join(map(str, found)) if isinstance(found, Mapping) else "no names"
            raise SettingError(f"{self.module} gives no {self.key!r}; it gives: {there}")
        return self._numbers(found[self.key])

    def _numbers(self, found: Any) -> float | list[float]:
        value = found.tolist() if hasattr(found, "tolist") else found
        several = isinstance(value, list | tuple)
        parts = value if several else [value]
        if any(isinstance(part, str | bool) or not hasattr(part, "__float__") for part in parts):
            raise SettingError(f"{self.key!r} of {self.module} is not a number: {found!r}")
        return [float(part) for part in parts] if several else float(value)

    def _arguments(self) -> dict[str, Any]:
        try:
            arguments = json.loads(self.arguments)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            raise SettingError(
                f'evaluate:arguments is a JSON object, {{"lang": "en"}}, not {self.arguments!r}'
            )
        return arguments

    def provenance(self) -> Mapping[str, object]:
        """The version of evaluate, and the class of a module that was given as an object."""
        if self.loaded is not None:
            return {"loaded": type(self.loaded).__qualname__}
        try:
            return {"evaluate": metadata.version("evaluate")}
        except metadata.PackageNotFoundError:
            raise MissingExtra("hf", "evaluate") from None


@lru_cache(maxsize=8)
def _load(module: str, config: str | None) -> Any:
    evaluate = load_extra("hf", "evaluate")
    try:
        return evaluate.load(module, config)
    except Exception as error:  # the module's own imports, the network, the disk
        raise ModelError(
            f"the evaluate module {module!r} cannot be loaded ({type(error).__name__}: {error})"
        ) from error
