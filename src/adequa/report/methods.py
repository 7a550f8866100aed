"""What a number is worth: signatures, versions, what was not scorable, agreement with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from adequa.errors import DataError
from adequa.report.tallies import RunTallies
from adequa.run import Run
from adequa.strict_json import load_object

_FIELDS = ("metric", "data", "criterion", "command")
_NUMBERS = ("pearson", "spearman")


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """How a metric's scores go with people's ratings of the same texts."""

    metric: str
    data: str
    criterion: str
    texts: int | None
    pearson: float | None
    spearman: float | None
    command: str


@dataclass(frozen=True, slots=True)
class MetricNote:
    """What a reader must know of a metric of the runs."""

    label: str
    name: str
    signatures: tuple[str, ...]
    higher_is_better: bool
    not_scorable: tuple[tuple[str, int], ...]
    agreement: tuple[PeopleAgreement, ...]


@dataclass(frozen=True, slots=True)
class RunNote:
    """Where the texts came from."""

    name: str
    is_baseline: bool
    version: str
    created: str
    files: tuple[str, ...]


def read_people(path: Path | None = None) -> tuple[PeopleAgreement, ...]:
    """How metrics correlate with people: what is shipped, or a file of the same form."""
    if path is None:
        shipped = files("adequa.report") / "assets" / "people.json"
        return _agreements(load_object(shipped.read_text(encoding="utf-8")))
    try:
        return _agreements(load_object(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", path=path, remedy="name another file"
        ) from None
    except UnicodeDecodeError:
        raise DataError("is not UTF-8", path=path, remedy="save it as UTF-8") from None
    except DataError as error:
        raise error.at(path) from None


def _agreements(raw: Any) -> tuple[PeopleAgreement, ...]:
    remedy = (
        'write {"agreement": [{"metric": "esa", "data": "my ratings", "criterion": "Correctness", '
        '"texts": 200, "pearson": 0.52, "spearman": 0.41, "command": "adequa correlate …"}]}'
    )
    rows = raw.get("agreement") if type(raw) is dict else None
    if type(rows) is not list:
        raise DataError("has no list 'agreement'", remedy=remedy)
    found = []
    for number, row in enumerate(rows, 1):
        if type(row) is not dict:
            raise DataError(f"agreement {number} is not an object", remedy=remedy)
        for name in _FIELDS:
            if type(row.get(name)) is not str:
                raise DataError(f"agreement {number} has no {name!r} or a wrong one", remedy=remedy)
        if row.get("texts") is not None and type(row["texts"]) is not int:
            raise DataError(f"agreement {number}: 'texts' is no count", remedy=remedy)
        for name in _NUMBERS:
            value = row.get(name)
            if value is not None and (type(value) not in (int, float) or not -1 <= value <= 1):
                raise DataError(f"agreement {number}: {name!r} is no correlation", remedy=remedy)
        names = (*_FIELDS, *_NUMBERS, "texts")
        values: dict[str, Any] = {name: row.get(name) for name in names}
        found.append(PeopleAgreement(**values))
    return tuple(found)


def metric_notes(
    runs: Sequence[Run], collected: RunTallies, people: Sequence[PeopleAgreement]
) -> list[MetricNote]:
    """A note a metric, in the order of the runs."""
    notes = []
    for label in collected.labels:
        entries = [run.manifest["metrics"].get(label) for run in runs]
        known = [entry for entry in entries if entry]
        reasons: Counter[str] = Counter()
        for _, system in collected.shown():
            reasons.update(system.reasons.get(label, {}))
        name = str(known[0].get("name", label))
        notes.append(
            MetricNote(
                label,
                name,
                tuple(dict.fromkeys(str(entry["signature"]) for entry in known)),
                bool(known[0]["higher_is_better"]),
                tuple(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
                tuple(one for one in people if one.metric == name),
            )
        )
    return notes


def run_notes(runs: Sequence[Run], baseline: Run | None) -> list[RunNote]:
    """A note a run; of the inputs' paths only the names: a report is sent to others."""
    return [
        RunNote(
            run.name,
            run is baseline,
            str(run.manifest.get("version", "")),
            str(run.manifest.get("created", "")),
            tuple(_file_names(run.manifest)),
        )
        for run in [*runs, *([baseline] if baseline else [])]
    ]


def _file_names(manifest: Mapping[str, Any]) -> list[str]:
    entries = manifest.get("inputs", {}).get("files", [])
    return [
        Path(str(entry["path"])).name + f" (sha256 {entry['sha256'][:12]})" for entry in entries
    ]
