"""A campaign as a folder of plain files, read strictly and written once.

    campaign.json    the questions and the rules of assignment
    items.jsonl      the texts with their data, in the Item contract
    sample.jsonl     one line per text, in the order of the items: system, id, task, cell, control
    ratings.jsonl    the judgments in the long form, once exported

The files that a server keeps while people answer (`campaign.db`, `secret.key`) are not part of the
interface. `PRESETS` are ready-made sets of questions.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from adequa.data import Item
from adequa.errors import DataError
from adequa.files import dump_line, errors_at, kind_of, read_json, read_objects, write_errors
from adequa.human.campaign.model import (
    AnswerChoice,
    Campaign,
    Eligibility,
    Question,
    QuestionKind,
    SampledText,
)
from adequa.readers import open_source, write_items

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_KINDS = get_args(QuestionKind)
_COUNTS = {
    "raters_per_text": (1, 1000),
    "texts_per_rater": (1, 100_000),
    "return_after": (10, 10**7),
    "seed": (0, 2**32 - 1),
}
"""The range of each number; a value outside is taken for a mistake."""
_CAMPAIGN = {"version", "name", "title", "instructions", "questions", "eligibility", *_COUNTS}
_HEAD = ("name", "text", "kind")
_QUESTION = {
    "choice": {"choices"},
    "slider": {"low", "high", "low_label", "high_label"},
    "spans": {"labels", "severities", "omissions"},
}


def campaign_from_object(raw: Any) -> Campaign:
    """A campaign from the content of `campaign.json`; a DataError names the wrong field."""
    fields = _object(raw, "the campaign", _CAMPAIGN)
    if fields.get("version") != VERSION:
        raise DataError(
            f"is a campaign of version {fields.get('version')!r}", remedy=f"write {VERSION}"
        )
    numbers = {name: fields[name] for name in _COUNTS if name in fields}
    for name, number in numbers.items():
        low, high = _COUNTS[name]
        if type(number) is not int or not low <= number <= high:
            remedy = f"write a whole number from {low:,} to {high:,}"
            raise DataError(f"{name!r} is {number!r}", remedy=remedy)
    return Campaign(
        name=_name(fields.get("name"), "the campaign"),
        title=_text(fields, "title", "the campaign"),
        questions=questions_from_object(fields.get("questions")),
        instructions=_text(fields, "instructions", "the campaign", default=""),
        eligibility=_eligibility(fields.get("eligibility", [])),
        **numbers,
    )


def questions_from_object(raw: Any) -> tuple[Question, ...]:
    """The questions of `campaign.json` or of a file of questions."""
    questions = tuple(_question(one) for one in _list(raw, "'questions'"))
    if not questions:
        raise DataError("asks nothing", remedy="give at least one question")
    _no_twice([question.name for question in questions], "question")
    return questions


def campaign_to_object(campaign: Campaign) -> dict[str, Any]:
    """The content of `campaign.json`."""
    written = json.loads(json.dumps(asdict(campaign)))  # tuples become lists
    for number, question in enumerate(campaign.questions):
        known = (*_HEAD, *_QUESTION[question.kind])
        asked = written["questions"][number]
        written["questions"][number] = {name: asked[name] for name in asked if name in known}
    head = {name: written[name] for name in ("name", "title", "instructions")}
    return {"version": VERSION, **head, **written}


def _question(raw: Any) -> Question:
    kind = str(raw.get("kind")) if isinstance(raw, dict) else kind_of(raw)
    if kind not in _KINDS:
        raise DataError(
            f"a question is of kind {kind!r}", remedy=f"write one of {', '.join(_KINDS)}"
        )
    fields = _object(raw, "a question", {*_HEAD, *_QUESTION[kind]})
    name = _name(fields.get("name"), "a question")
    where = f"the question {name!r}"
    text = _text(fields, "text", where)
    if kind == "choice":
        return Question(name, text, "choice", choices=_choices(fields.get("choices"), where))
    if kind == "slider":
        low = _number(fields.get("low", 0), "low", where)
        high = _number(fields.get("high", 100), "high", where)
        if low >= high:
            raise DataError(
                f"{where} goes from {low:g} to {high:g}", remedy="let low be below high"
            )
        ends = [_text(fields, end, where, default="") for end in ("low_label", "high_label")]
        return Question(
            name, text, "slider", low=low, high=high, low_label=ends[0], high_label=ends[1]
        )
    marks, severities = (
        tuple(_filled(one, f"a {noun}", where) for one in _list(fields.get(key, []), f"'{key}'"))
        for noun, key in (("label", "labels"), ("severity", "severities"))
    )
    _no_twice(marks, "label")
    _no_twice(severities, "severity")
    if severities and not marks:
        remedy = "give 'labels' or leave out 'severities'"
        raise DataError(f"{where} has severities, but nothing to mark", remedy=remedy)
    omissions = fields.get("omissions", False)
    if type(omissions) is not bool:
        raise DataError(
            f"'omissions' of {where} is {kind_of(omissions)}", remedy="write true or false"
        )
    if not marks and not omissions:
        raise DataError(f"{where} has nothing to mark", remedy="give 'labels' or 'omissions'")
    return Question(name, text, "spans", labels=marks, severities=severities, omissions=omissions)


def _choices(raw: Any, where: str) -> tuple[AnswerChoice, ...]:
    choices = []
    for one in _list(raw, f"'choices' of {where}"):
        fields = _object(one, f"a choice of {where}", {"value", "label"})
        label = _text(fields, "label", f"a choice of {where}")
        choices.append(AnswerChoice(_number(fields.get("value"), "value", where), label))
    if len(choices) < 2:
        raise DataError(f"{where} leaves no choice", remedy="give at least two choices")
    _no_twice([choice.value for choice in choices], f"choice of {where}")
    return tuple(choices)


def _eligibility(raw: Any) -> tuple[Eligibility, ...]:
    found = []
    for one in _list(raw, "'eligibility'"):
        fields = _object(one, "a question of eligibility", {"name", "text", "options", "accepted"})
        name = _name(fields.get("name"), "a question of eligibility")
        where = f"the question of eligibility {name!r}"
        options, accepted = (
            tuple(_filled(one, key, where) for one in _list(fields.get(key), f"'{key}' of {where}"))
            for key in ("options", "accepted")
        )
        if not accepted or not set(accepted) <= set(options):
            raise DataError(f"{where} accepts {accepted}", remedy=f"choose from {list(options)}")
        found.append(Eligibility(name, _text(fields, "text", where), options, accepted))
    _no_twice([one.name for one in found], "question of eligibility")
    return tuple(found)


def _object(raw: Any, what: str, known: set[str]) -> Mapping[str, Any]:
    if type(raw) is not dict:
        raise DataError(f"{what} is {kind_of(raw)}, not an object", remedy="write {…}")
    for name in sorted(raw.keys() - known):
        raise DataError(
            f"{what} has a field {name!r}", remedy=f"known are {', '.join(sorted(known))}"
        )
    return raw


def _list(raw: Any, what: str) -> Sequence[Any]:
    if type(raw) is not list:
        raise DataError(f"{what} is {kind_of(raw)}, not a list", remedy="write […]")
    return raw


def _filled(raw: Any, what: str, where: str) -> str:
    if type(raw) is not str or not raw.strip():
        raise DataError(f"{what} of {where} is not a text", remedy="write some words")
    return raw


def _text(fields: Mapping[str, Any], name: str, where: str, default: str | None = None) -> str:
    if default is not None:
        value = fields.get(name, default)
        if type(value) is not str:
            raise DataError(f"{name!r} of {where} is {kind_of(value)}", remedy="write a string")
        return value
    return _filled(fields.get(name), repr(name), where)


def _name(raw: Any, what: str) -> str:
    if type(raw) is not str or not _NAME.fullmatch(raw):
        raise DataError(
            f"{what} has the name {raw!r}",
            remedy="write letters, digits, '_', '-' and '.', at most 64",
        )
    return raw


def _number(raw: Any, name: str, where: str) -> float:
    if type(raw) not in (int, float) or not math.isfinite(raw):
        raise DataError(f"{name!r} of {where} is {kind_of(raw)}", remedy="write a finite number")
    return float(raw)


def _no_twice(values: Sequence[object], what: str) -> None:
    for value in values:
        if values.count(value) > 1:
            raise DataError(f"the {what} {value!r} occurs twice", remedy="keep one")


def _choice(name: str, text: str, low: str, high: str) -> Question:
    labels = enumerate((low, "Medium", high), start=1)
    return Question(name, text, "choice", tuple(AnswerChoice(*one) for one in labels))


def _slider(name: str, text: str) -> Question:
    return Question(name, text, "slider", low_label="not at all", high_label="completely")


_WEBNLG_2017 = (
    _choice(
        "semantics",
        "How well does the text give the meaning of the data?",
        "Incorrectly",
        "Correctly",
    ),
    _choice("grammar", "How are its grammar and spelling?", "Ungrammatical", "Grammatical"),
    _choice("fluency", "How fluent and natural does it sound?", "Not fluent", "Fluent"),
)
_WEBNLG_2020 = (
    _slider("DataCoverage", "Does the text say something about every fact in the data?"),
    _slider("Relevance", "Does the text say only what is in the data, and nothing else?"),
    _slider("Correctness", "Where the text takes up a fact, does it say it as the data does?"),
    _slider("TextStructure", "Is the text well formed: grammatical and well put together?"),
    _slider("Fluency", "Does the text read naturally, with its sentences following on well?"),
)

SPANS = Question(
    "errors",
    "Mark each part of the text that the data does not support, and tick each fact it leaves out.",
    "spans",
    labels=("not in the data", "contradicts the data"),
    omissions=True,
)
"""May be added to any set of questions."""

_ERROR_TYPES = Question(
    "errors",
    "Mark each error in the text: first what kind of error it is, then how bad it is.",
    "spans",
    labels=("contradicts", "not checkable", "misleading", "incoherent", "repetitive", "other"),
    severities=("minor", "major", "critical"),
    omissions=True,
)

_PREFERENCE = Question(
    "preference",
    "Which text is closer to the data: says more of it, and adds less?",
    "choice",
    (
        AnswerChoice(1, "Text 1"),
        AnswerChoice(0, "No difference"),
        AnswerChoice(-1, "Text 2"),
    ),
)

PRESETS: Mapping[str, tuple[Question, ...]] = {
    "webnlg2017": _WEBNLG_2017,
    "webnlg2020": _WEBNLG_2020,
    "spans": (SPANS,),
    "error-types": (_ERROR_TYPES,),
    "preference": (_PREFERENCE,),
}
"""By name, in our words: three questions with answers 1 to 3 (WebNLG 2017, paper 004), five sliders
from 0 to 100 (WebNLG 2020), marks, marks with the types of D2T-Eval (Kasner et al. 2025) and the
severities of MQM (Lommel et al. 2014), and a preference between two texts."""

SETTINGS, ITEMS, SAMPLE = "campaign.json", "items.jsonl", "sample.jsonl"
DATABASE = "campaign.db"
OWN_FILES = (
    *(SETTINGS, ITEMS, SAMPLE, "secret.key", "links.tsv"),
    *(DATABASE + ending for ending in ("", "-wal", "-shm", "-journal")),
)
"""Every file that a campaign needs, including those of its server; no export replaces one."""
_FIELDS = {"system", "id", "task", "cell", "control"}


def is_campaign(path: Path | str) -> bool:
    """Whether a path is the folder of a campaign."""
    return (Path(path) / SETTINGS).is_file()


def is_own_file(path: Path | str, folder: Path | str) -> bool:
    """Whether a path leads to a file that the campaign in a folder needs, by whatever name."""
    path = Path(path)
    own = [Path(folder) / name for name in OWN_FILES]
    if path.resolve() in [one.resolve() for one in own]:
        return True
    return path.exists() and any(one.exists() and path.samefile(one) for one in own)


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
                remedy=f"the questions are {', '.join(sorted(questions))}",
            )
    return campaign, texts


def read_settings(folder: Path | str) -> Campaign:
    """The questions and rules of a campaign."""
    path = Path(folder) / SETTINGS
    if not path.is_file():
        raise DataError(
            "does not exist", path=path, remedy="make a campaign with `adequa human sample`"
        )
    with errors_at(path):
        return campaign_from_object(read_json(path))


def read_texts(folder: Path | str) -> list[SampledText]:
    """The texts of a campaign, in their order."""
    items = list(open_source(Path(folder) / ITEMS, format="jsonl"))
    path = Path(folder) / SAMPLE
    rows = list(read_objects(path))
    if len(rows) != len(items):
        raise DataError(
            f"has {len(rows)} lines for the {len(items)} texts of {ITEMS}",
            path=path,
            remedy="line i of one belongs to text i of the other",
        )
    return [_sampled(item, row, path, line) for item, (line, row) in zip(items, rows, strict=True)]


def write_campaign(folder: Path | str, campaign: Campaign, texts: Iterable[SampledText]) -> None:
    """Write a campaign into a new folder; refuse a folder that already has one."""
    folder, sampled = Path(folder), list(texts)
    if is_campaign(folder):
        raise DataError("is already a campaign", path=folder, remedy="name another folder")
    with write_errors(folder, remedy="name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        write_items((text.item for text in sampled), folder / ITEMS)
        written = "".join(dump_line(_row(text)) for text in sampled)
        (folder / SAMPLE).write_text(written, encoding="utf-8", newline="\n")
        # Last: a folder is a campaign once its settings are there.
        settings = json.dumps(campaign_to_object(campaign), ensure_ascii=False, indent=2)
        (folder / SETTINGS).write_text(settings + "\n", encoding="utf-8", newline="\n")


def _row(text: SampledText) -> dict[str, Any]:
    row: dict[str, Any] = {"system": text.item.system, "id": text.item.id, "task": text.task}
    row["cell"] = dict(text.cell)
    return row | ({"control": dict(text.control)} if text.control else {})


def _sampled(item: Item, row: Mapping[str, Any], path: Path, line: int) -> SampledText:
    problem: str | None = None
    task, cell, control = row.get("task"), row.get("cell", {}), row.get("control", {})
    unknown = sorted(row.keys() - _FIELDS)
    if unknown:
        problem = f"has a field {unknown[0]!r}"
    elif (row.get("system", ""), row.get("id")) != item.key:
        problem = f"is about {row.get('system')!r} {row.get('id')!r}, {ITEMS} about {item.key}"
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
