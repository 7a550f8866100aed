"""`adequa metrics`: the metrics with settings, direction, signature and weights."""

from __future__ import annotations

import re
import textwrap
from typing import Annotated, Any

from adequa.cli.options import Json, argument, complete_metric, echo, echo_json, echo_table


def metrics(
    name: Annotated[
        str | None,
        argument("NAME", "A metric to show with its settings.", autocompletion=complete_metric),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the metrics, or show one.

    A single metric is shown with its settings, its signature, and the weights it uses with their
    licence, which differs from the licence of the code.
    """
    from adequa.errors import AdequaError
    from adequa.metrics import names

    entries = []
    for one in [name] if name else names():
        try:
            entries.append(_describe(one))
        except AdequaError as error:
            if name is not None:
                raise
            echo(f"adequa: left out: {error}", err=True)  # the others are still of use
    if as_json:
        echo_json(entries)
        return
    if name is None:
        rows = [
            [one["name"], one["direction"], "yes" if one["references"] else "no", one["doc"]]
            for one in entries
        ]
        echo_table(["metric", "best", "references", "description"], rows, "Metrics")
        shipped = [entry["weights"] for entry in entries if entry["weights"]]
        for version, licence in {one["version"]: one["licence"] for one in shipped}.items():
            echo(f"\nweights {version}:")
            # One line for each model; what stands in brackets is of one of them.
            for part in re.split(r"; (?=\w+: )(?![^(]*\))", licence):
                echo(textwrap.fill(part, 100, initial_indent="  ", subsequent_indent="    "))
        echo("\nSettings of a metric: adequa metrics NAME")
        return
    entry = entries[0]
    echo(f"{entry['name']}: {entry['doc']}\nbest: {entry['direction']}")
    rows = [[one["name"], one["type"], one["default"], one["doc"]] for one in entry["settings"]]
    if rows:
        echo_table(["setting", "type", "default", "meaning"], rows, "Settings", gap=True)
    echo(f"\nsignature: {entry['signature'] or 'depends on settings that have no default'}")
    if entry["weights"]:
        shipped = entry["weights"]
        echo(
            f"weights: {shipped['version']} of {', '.join(shipped['versions'])}, "
            f"{shipped['megabytes']} MB; licence: {shipped['licence']}"
        )


def _weights(settings: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The shipped weights behind a metric, if it has any."""
    from adequa.models import chosen_weights, versions, weights

    # A setting called weights may mean something else, as in bleu_nltk.
    named = [one["default"] for one in settings if one["name"] == "weights"]
    if not named or named[0] not in versions():
        return None
    shipped = weights(chosen_weights())
    size = sum(one["size"] for one in shipped.manifest["files"].values())
    return {
        "version": shipped.version,
        "versions": list(versions()),
        "licence": shipped.licence,
        "megabytes": round(size / 1e6, 1),
    }


def _describe(name: str) -> dict[str, Any]:
    from dataclasses import asdict

    from adequa.errors import AdequaError
    from adequa.metrics import load_metric, metric_class, plugin_errors
    from adequa.settings import settings_of

    target = metric_class(name)
    with plugin_errors(name, target):
        settings = [asdict(setting) for setting in settings_of(target)]
        try:
            signature: str | None = load_metric(name).signature
        except AdequaError:
            signature = None
        return {
            "name": name,
            "doc": target.doc,
            "direction": "higher" if target.best > target.worst else "lower",
            "best": None if abs(target.best) == float("inf") else target.best,
            "worst": None if abs(target.worst) == float("inf") else target.worst,
            "references": target.needs_references,
            "settings": settings,
            "signature": signature,
            "weights": _weights(settings),
        }
