"""The metrics there are, by name, and how to get one.

`TABLE` maps a name to `module:class`, so that nothing is imported before it is used. Other packages
add theirs under the entry point group `adequa.metrics`, in the same form.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from adequa.errors import SettingError, UnknownName
from adequa.metrics.base import Metric, plugin_error, plugin_errors
from adequa.settings import Spec, build

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "adequa.metrics"

TABLE: Mapping[str, str] = {
    "bleu": "adequa.metrics.reference:Bleu",
    "bleu_nltk": "adequa.metrics.reference:SentenceBleu",
    "chrf": "adequa.metrics.reference:Chrf",
    "esa": "adequa.metrics.esa:Esa",
    "esa_strict": "adequa.metrics.esa:EsaStrict",
    "evaluate": "adequa.metrics.adapters:Evaluate",
    "fluency": "adequa.metrics.similarity:Fluency",
    "judge": "adequa.metrics.judge:Judge",
    "meteor": "adequa.metrics.reference:Meteor",
    "nli": "adequa.metrics.nli.metric:Nli",
    "precomputed": "adequa.metrics.precomputed:Precomputed",
    "similarity": "adequa.metrics.similarity:Similarity",
    "ter": "adequa.metrics.reference:Ter",
}

DEFAULT: tuple[str, ...] = ("esa", "nli", "similarity")
"""The metrics of `adequa score` when none is named: shipped, and without references."""


@cache
def _entry_points() -> Mapping[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and few calls need it

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def names() -> list[str]:
    """Every metric that can be named, shipped or plugged in."""
    return sorted({*TABLE, *_entry_points()})


def metric_class(name: str) -> type[Metric]:
    """The class behind a name; a shipped metric cannot be replaced by a plug-in."""
    target: Any
    if name in TABLE:
        module, _, attribute = TABLE[name].partition(":")
        target = getattr(importlib.import_module(module), attribute)
    elif name in _entry_points():
        target = _load_plugin(name, _entry_points()[name])
    else:
        raise UnknownName("metric", name, names())
    if not (isinstance(target, type) and issubclass(target, Metric)):
        raise SettingError(f"the plug-in {name!r} is not a subclass of adequa.Metric")
    return target


def _load_plugin(name: str, point: EntryPoint) -> Any:
    package = point.dist.name if point.dist is not None else point.value.partition(":")[0]
    try:
        return point.load()
    except Exception as error:  # whatever the code of another package does
        raise plugin_error(name, package, error) from error


def load_metric(name: str, /, **settings: Any) -> Metric:
    """A metric by name with its settings: `load_metric("chrf", word_order=2)`."""
    target = metric_class(name)
    with plugin_errors(name, target):
        return build(name, target, _default_weights(target) | settings)


def _default_weights(target: type[Metric]) -> dict[str, str]:
    """The weights that `$ADEQUA_WEIGHTS` names, for a metric whose default are the shipped ones."""
    from adequa.models import DEFAULT, chosen_weights

    return {"weights": chosen_weights()} if getattr(target, "weights", None) == DEFAULT else {}


def resolve(
    metrics: str | Metric | Iterable[str | Metric] | Mapping[str, Metric] | None,
) -> dict[str, Metric]:
    """Metrics by the key their scores get; strings are `[ALIAS=]NAME[:key=value,…]`."""
    if isinstance(metrics, Mapping):
        return dict(metrics)
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    chosen: dict[str, Metric] = {}
    wanted: Iterable[Any] = DEFAULT if metrics is None else metrics
    for metric in wanted:
        if isinstance(metric, Metric):
            label, loaded = metric.name, metric
        elif not isinstance(metric, str):
            kind = type(metric).__name__
            raise SettingError(f"a metric is a name or an adequa.Metric, not of the type {kind}")
        else:
            spec = Spec.parse(metric)
            label, loaded = spec.label, load_metric(spec.name, **spec.settings)
        if label in chosen:
            raise SettingError(
                f"two metrics are called {label!r}; give one an alias: NAME={label}:…"
            )
        chosen[label] = loaded
    if not chosen:
        raise SettingError(f"no metric was named; there are: {', '.join(names())}")
    return chosen
