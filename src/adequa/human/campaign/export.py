"""A campaign's judgments as files, at any time: in the long form, or for factgenie.

The records for factgenie have the fields that its `save_record` writes and its readers need
(repository ufal/factgenie, `factgenie/workflows.py`, versions 1.x), one record per annotated
output. Omitted facts have no place in a text, so they are in `text_fields`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from adequa.codec import rating_to_object
from adequa.data import Rating
from adequa.errors import DataError, UnknownName
from adequa.files import dump_line, replacing, write_errors
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import is_own_file
from adequa.human.campaign.store import CampaignStore
from adequa.tables import csv_cell

_COLUMNS = ("id", "system", "rater", "criterion", "value", "seconds", "round", "spans", "meta")
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def export_lines(store: CampaignStore, format: str, *, every: bool = False) -> Iterator[str]:  # noqa: A002
    """The lines of an export, streamed; `every` includes the answers of excluded raters."""
    if format not in FORMATS:
        raise UnknownName("format of an export", format, FORMATS)
    return FORMATS[format](store, store.ratings(every=every))


def format_of(path: Path) -> str:
    """The format of a file by its name; a name that contains `factgenie` means factgenie."""
    if "factgenie" in path.name:
        return "factgenie"
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ("csv", "jsonl"):
        raise UnknownName("ending of an export", path.suffix, (".csv", ".jsonl"))
    return ending


def export_answers(
    store: CampaignStore,
    path: Path | str,
    format: str | None = None,  # noqa: A002
    *,
    every: bool = False,
) -> int:
    """Write the judgments to a file, whole or not at all; the number of lines.

    A file that the campaign itself needs is never replaced.
    """
    path = Path(path)
    if is_own_file(path, store.folder):
        remedy = "name another file, such as ratings.jsonl"
        raise DataError("is a file of the campaign itself", path=path, remedy=remedy)
    written = 0
    lines = export_lines(store, format or format_of(path), every=every)
    with write_errors(path), replacing(path) as stream:
        for line in lines:
            stream.write(line.encode())
            written += 1
    return written


def _jsonl(_store: CampaignStore, ratings: Iterable[Rating]) -> Iterator[str]:
    for rating in ratings:
        yield dump_line(rating_to_object(rating))


def _csv(_store: CampaignStore, ratings: Iterable[Rating]) -> Iterator[str]:
    yield ",".join(_COLUMNS) + "\n"
    for rating in ratings:
        raw = rating_to_object(rating)
        for name in raw.keys() & {"spans", "meta"}:
            raw[name] = json.dumps(raw[name], ensure_ascii=False)
        yield ",".join(csv_cell(raw.get(name)) for name in _COLUMNS) + "\n"


def _factgenie(store: CampaignStore, ratings: Iterable[Rating]) -> Iterator[str]:
    texts = {text.item.key: text for text in store.texts}
    ids: dict[str, int] = {}
    for text in store.texts:
        ids.setdefault(text.item.id, len(ids))
    judged = (rating for rating in ratings if rating.rater)
    for (system, name, rater), group in groupby(
        judged, key=lambda rating: (rating.system, rating.id, rating.rater)
    ):
        text = texts[system, name]
        record = _record(store.campaign, text, rater, ids[name], list(group))
        yield dump_line(record)


def _record(
    campaign: Campaign, text: SampledText, rater: str, index: int, ratings: list[Rating]
) -> dict[str, Any]:
    labels = [label for question in campaign.questions for label in question.labels]
    questions = {question.name: question for question in campaign.questions}
    record: dict[str, Any] = {
        "dataset": campaign.name,
        "split": "sample",
        "setup_id": text.item.system or "unnamed",
        "example_idx": index,
        "metadata": {
            "campaign_id": campaign.name,
            "annotator_id": rater,
            "annotator_group": 0,
            "annotation_span_categories": [
                {"name": label, "color": _COLOURS[number % len(_COLOURS)], "description": ""}
                for number, label in enumerate(labels)
            ],
            "id": text.item.id,
            "round": ratings[0].round,
            "seconds": ratings[0].seconds,
        },
        "output": text.item.text,
        "annotations": [],
        "flags": [],
        "options": [],
        "sliders": [],
        "text_fields": [],
    }
    first = 0
    for rating in ratings:
        question = questions[rating.criterion]
        if question.kind == "choice":
            index = [choice.value for choice in question.choices].index(rating.value)
            chosen = {"index": index, "value": question.choices[index].label}
            record["options"].append({"label": question.name, **chosen})
        elif question.kind == "slider":
            record["sliders"].append({"label": question.name, "value": rating.value})
        else:
            record["annotations"] += [
                {
                    "start": span["start"],
                    "text": span["text"],
                    "type": first + question.labels.index(span["label"]),
                }
                for span in rating.spans
                if "start" in span
            ]
            record["text_fields"] += [
                {"label": f"{question.name}: left out", "value": " | ".join(span["triple"])}
                for span in rating.spans
                if "triple" in span
            ]
        first += len(question.labels)
    return record


FORMATS: Mapping[str, Callable[[CampaignStore, Iterable[Rating]], Iterator[str]]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "factgenie": _factgenie,
}
"""By name: the long form as JSON lines or a table, and factgenie's records."""
