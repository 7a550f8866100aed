"""A campaign as a folder of plain files, which every step reads and the first one writes.

    campaign.json    what is asked, and the rules of handing out
    items.jsonl      the texts with their data, in the Item contract
    sample.jsonl     a line a text, in the order of the items: system, id, task, cell, control
    ratings.jsonl    the judgments in the long form, once exported

What a server keeps while people answer (`campaign.db`, `secret.key`) is not part of the interface.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adequa.codec import dump_line, load_object
from adequa.codec.values import kind_of
from adequa.data import Item
from adequa.errors import DataError
from adequa.human.campaign.model import Campaign, SampledText
from adequa.human.campaign.settings import campaign_from_object, campaign_to_object
from adequa.readers import open_source
from adequa.readers.base import lines
from adequa.readers.writing import write_items

__all__ = ["is_campaign", "read_campaign", "read_settings", "read_texts", "write_campaign"]

SETTINGS, ITEMS, SAMPLE = "campaign.json", "items.jsonl", "sample.jsonl"
_FIELDS = {"system", "id", "task", "cell", "control"}


def is_campaign(path: Path | str) -> bool:
    """Whether a path is the folder of a campaign."""
    return (Path(path) / SETTINGS).is_file()


def read_campaign(folder: Path | str) -> tuple[Campaign, list[SampledText]]:
    """A campaign's settings and texts, checked against each other."""
    campaign, texts = read_settings(folder), read_texts(folder)
    questions = {question.name for question in campaign.questions}
    for line, text in enumerate(texts, start=1):
        for name in sorted(text.control.keys() - questions):
            raise DataError(
                f"has a control for {name!r}, which is not asked",
                path=Path(folder) / SAMPLE,
                line=line,
                remedy=f"asked are {', '.join(sorted(questions))}",
            )
    return campaign, texts


def read_settings(folder: Path | str) -> Campaign:
    """What is asked and under which rules."""
    path = Path(folder) / SETTINGS
    if not path.is_file():
        raise DataError(
            "is not there", path=path, remedy="make a campaign with `adequa human sample`"
        )
    text = "\n".join(line for _, line in lines(path))
    try:
        return campaign_from_object(load_object(text))
    except DataError as error:
        raise error.at(path) from None


def read_texts(folder: Path | str) -> list[SampledText]:
    """The texts of a campaign, in their order."""
    items = list(open_source(Path(folder) / ITEMS, format="jsonl"))
    path = Path(folder) / SAMPLE
    rows = list(_rows(path))
    if len(rows) != len(items):
        raise DataError(
            f"has {len(rows)} lines for the {len(items)} texts of {ITEMS}",
            path=path,
            remedy="line i of one belongs to text i of the other",
        )
    return [_sampled(item, row, path, line) for item, (line, row) in zip(items, rows, strict=True)]


def write_campaign(folder: Path | str, campaign: Campaign, texts: Iterable[SampledText]) -> None:
    """Write a campaign into a new folder; one that holds a campaign already is left as it is."""
    folder, sampled = Path(folder), list(texts)
    if is_campaign(folder):
        raise DataError("holds a campaign already", path=folder, remedy="name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_items((text.item for text in sampled), folder / ITEMS)
        written = "".join(dump_line(_row(text)) for text in sampled)
        (folder / SAMPLE).write_text(written, encoding="utf-8", newline="\n")
        # Last: a folder is a campaign once its settings are there.
        settings = json.dumps(campaign_to_object(campaign), ensure_ascii=False, indent=2)
        (folder / SETTINGS).write_text(settings + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=folder, remedy="name another folder"
        ) from None


def _row(text: SampledText) -> dict[str, Any]:
    row: dict[str, Any] = {"system": text.item.system, "id": text.item.id, "task": text.task}
    row["cell"] = dict(text.cell)
    return row | ({"control": dict(text.control)} if text.control else {})


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in lines(path):
        try:
            yield number, _fields(load_object(line))
        except DataError as error:
            raise error.at(path, number) from None


def _fields(row: Any) -> Mapping[str, Any]:
    if type(row) is not dict:
        raise DataError(f"is {kind_of(row)}, not an object", remedy="write {…}")
    for name in sorted(row.keys() - _FIELDS):
        raise DataError(f"has a field {name!r}", remedy=f"known are {', '.join(sorted(_FIELDS))}")
    return row


def _sampled(item: Item, row: Mapping[str, Any], path: Path, line: int) -> SampledText:
    problem: str | None = None
    task, cell, control = row.get("task"), row.get("cell", {}), row.get("control", {})
    if (row.get("system", ""), row.get("id")) != item.key:
        problem = f"speaks of {row.get('system')!r} {row.get('id')!r}, {ITEMS} of {item.key}"
    elif type(task) is not str or not task:
        problem = "has no task"
    elif type(cell) is not dict or not _all(cell.values(), (str,)):
        problem = "'cell' is not an object of strings"
    elif type(control) is not dict or not _all(control.values(), (int, float)):
        problem = "'control' is not an object of numbers"
    if problem is not None:
        raise DataError(problem, path=path, line=line, remedy="write it as the sample was drawn")
    return SampledText(item, str(task), cell, control)


def _all(values: Iterable[object], types: Sequence[type]) -> bool:
    return all(type(value) in types for value in values)
