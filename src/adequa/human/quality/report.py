"""The report on raters: what an exclusion changes, one rater in detail, tables and JSON.

docs/human.md describes the JSON object.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from adequa.data import Rating
from adequa.errors import UnknownName
from adequa.fields import grouped
from adequa.files import write_errors
from adequa.human import judgments
from adequa.human.quality.criteria import ContestedText, Criterion, agreement, table
from adequa.human.quality.raters import Quality, QualitySettings, RaterQuality, assess_raters
from adequa.stats import percent_agreement
from adequa.tables import (
    TABLE_FORMS,
    Cell,
    Column,
    Table,
    as_json,
    counted,
    escape_markdown,
    one_line,
    shortened,
)

FORMATS = ("text", "markdown", "latex", "csv", "json")
"""CSV is one row per rater."""
MOST_CONTESTED = 20
SHOWN_RATERS, SHOWN_TEXTS, SHOWN_JUDGMENTS = 30, 5, 40
_LONGEST_TEXT, _LONGEST_PATTERN = 48, 24
"""Limits of the tables, chosen for legibility; JSON lists all raters and judgments."""
_PATTERN = ("common", "share", "others", "spread")
_WIDTH = 110
"""The width of notes; tables are as wide as they need."""


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The remaining raters, the excluded ones, and one rater in detail if requested."""

    quality: Quality
    excluded: tuple[str, ...]
    change: Mapping[str, Any] | None
    details: Details | None

    def to_object(self) -> dict[str, Any]:
        """The report as JSON."""
        return quality_to_object(
            self.quality, excluded=self.excluded, change=self.change, details=self.details
        )

    def render(self, form: str = "text", words: Sequence[str] = ()) -> str:
        """The report in one of the formats; `words` are the command without its exclusions."""
        if form == "json":
            return as_json(self.to_object())
        if form == "csv":
            return _raters_table(self.quality).csv()
        if self.details is not None:
            return _render(*details_tables(self.quality, self.details), form)
        head, tables, remarks = quality_tables(self.quality, self.change, self.excluded)
        return _render(head, tables, remarks, form, last=self._next(words))

    def _next(self, words: Sequence[str]) -> str:
        """The next command: exclude those flagged in all criteria, or look at one flagged rater."""
        flagged = self.quality.flagged
        if not words or not flagged:
            return ""
        candidates = self.quality.in_all
        if not candidates:
            look = judgments.shell_command([*words, "--details", flagged[0].name])
            return f"nobody is flagged in all criteria; to look at one: {look}"
        options: list[str] = []
        for name in (*self.excluded, *candidates):
            # A leading `@` is doubled, because `@` marks a file.
            options += ["--exclude", "@" + name if name.startswith("@") else name]
        return (
            f"without those flagged in all criteria: {judgments.shell_command([*words, *options])}"
        )


def quality_report(
    ratings: Sequence[Rating],
    *,
    settings: QualitySettings | None = None,
    exclude: Iterable[str] = (),
    controls: Iterable[Rating] = (),
    rater: str | None = None,
    texts: Mapping[judgments.Key, str] | None = None,
) -> QualityReport:
    """Assess the remaining raters, and what their exclusion changes; `rater` is shown in detail."""
    settings = settings or QualitySettings()
    excluded = tuple(sorted(set(exclude)))
    left = judgments.without(ratings, excluded)
    quality = assess_raters(left, settings=settings, controls=controls, texts=texts)
    change = None
    if excluded:
        scales = {
            name: judgments.Scale.of((one.value for one in part), bins=settings.bins)
            for name, part in judgments.by_criterion(ratings).items()
        }
        change = changes(figures(ratings, scales), figures(left, scales))
    detail = None if rater is None else details(quality, rater, texts)
    return QualityReport(quality, excluded, change, detail)


def write_quality_report(
    report: QualityReport, folder: Path, words: Sequence[str] = ()
) -> list[Path]:
    """Write report.txt, quality.json, raters.csv, and flagged.txt for `--exclude @FILE`."""
    names = [name for name in report.quality.in_all if name.isprintable()]
    files = {
        "report.txt": report.render("text", words),
        "quality.json": report.render("json"),
        "raters.csv": report.render("csv"),
        "flagged.txt": "\n".join(names),
    }
    with write_errors(folder, remedy="name another folder"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, written in files.items():
            (folder / name).write_text(written + "\n", encoding="utf-8", newline="\n")
    return [folder / name for name in files]


@dataclass(frozen=True, slots=True)
class Figures:
    """The main figures of one criterion."""

    ratings: int
    texts: int
    alone: int
    alpha: Mapping[str, float | None]
    percent: float | None
    means: Mapping[str, float]
    """The mean of each system's texts, each the mean of its answers; the best system first."""


def figures(
    ratings: Sequence[Rating], scales: Mapping[str, judgments.Scale] | None = None
) -> dict[str, Figures]:
    """The main figures by criterion; `scales` are by default those of the ratings themselves."""
    single = judgments.once(ratings).ratings
    means = judgments.averaged(single)
    found = {}
    for name, part in sorted(judgments.by_criterion(single).items()):
        scale = scales[name] if scales else judgments.Scale.of(one.value for one in part)
        each = Counter((one.system, one.id) for one in part)
        coded = table(part, scale)
        found[name] = Figures(
            ratings=len(part),
            texts=len(each),
            alone=sum(count == 1 for count in each.values()),
            alpha={key: one.value for key, one in agreement(coded, table(part, None)).items()},
            percent=percent_agreement(coded),
            means=_system_means(means[name]),
        )
    return found


def changes(
    before: Mapping[str, Figures], after: Mapping[str, Figures]
) -> dict[str, dict[str, Any]]:
    """Both side by side by criterion; None where nothing is left of a criterion or a system."""
    return {name: _change(one, after.get(name)) for name, one in before.items()}


def moved(change: Mapping[str, Any]) -> list[str]:
    """The systems whose rank changed, in their new order.

    >>> moved({"order": {"before": ["a", "b", "c"], "after": ["b", "a", "c"]}})
    ['b 2 → 1', 'a 1 → 2']
    """
    before, after = change["order"]["before"], change["order"]["after"]
    changed = [
        f"{system} {before.index(system) + 1} → {place}"
        for place, system in enumerate(after, start=1)
        if before.index(system) + 1 != place
    ]
    return changed + [f"{system} has no answer left" for system in before if system not in after]


def _change(one: Figures, other: Figures | None) -> dict[str, Any]:
    before, after = asdict(one), asdict(other) if other else {"alpha": {}, "means": {}}
    counts = ("ratings", "texts", "alone", "percent")
    return {
        **{name: [before[name], after.get(name)] for name in counts},
        **{
            part: {name: [value, after[part].get(name)] for name, value in before[part].items()}
            for part in ("alpha", "means")
        },
        "order": {"before": list(before["means"]), "after": list(after["means"])},
    }


def _system_means(texts: Mapping[tuple[str, str], float]) -> dict[str, float]:
    means = {
        system: sum(texts[key] for key in keys) / len(keys)
        for system, keys in grouped(texts, lambda key: key[0]).items()
    }
    return dict(sorted(means.items(), key=lambda pair: (-pair[1], pair[0])))


@dataclass(frozen=True, slots=True)
class JudgmentDetail:
    """One text with the judgments of the rater and of the others."""

    key: judgments.Key
    values: Mapping[str, float]
    others: tuple[Mapping[str, float], ...]
    apart: float | None
    seconds: float | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Details:
    """A rater's judgments, those furthest from the others first."""

    rater: RaterQuality
    judged: tuple[JudgmentDetail, ...]


def details(
    quality: Quality, rater: str, texts: Mapping[judgments.Key, str] | None = None
) -> Details:
    """A rater's judgments beside those of the others; `texts` are the texts, where known."""
    pages = judgments.by_page(quality.ratings)
    if rater not in pages:
        raise UnknownName("rater", rater, pages)
    who = next(one for one in quality.raters if one.name == rater)
    ranges = {one.name: one.scale.high - one.scale.low or 1.0 for one in quality.criteria}
    judged = []
    for key, page in pages[rater].items():
        others = [other[key] for name, other in pages.items() if name != rater and key in other]
        seconds = [one.seconds for one in page.values() if one.seconds is not None]
        stored = [text for one in page.values() if isinstance(text := one.meta.get("text"), str)]
        judged.append(
            JudgmentDetail(
                key=key,
                values=_values(page),
                others=tuple(_values(other) for other in others),
                apart=_apart(page, others, ranges),
                seconds=max(seconds) if seconds else None,
                text=(texts or {}).get(key) or next(filter(None, stored), None),
            )
        )
    judged.sort(key=lambda one: (-1.0 if one.apart is None else one.apart, one.key), reverse=True)
    return Details(who, tuple(judged))


def _values(page: judgments.Page) -> dict[str, float]:
    return {criterion: rating.value for criterion, rating in page.items()}


def _apart(
    page: judgments.Page, others: list[judgments.Page], ranges: Mapping[str, float]
) -> float | None:
    distances = []
    for criterion, rating in page.items():
        values = [other[criterion].value for other in others if criterion in other]
        if values:
            mean = sum(values) / len(values)
            distances.append(abs(rating.value - mean) / ranges[criterion])
    return sum(distances) / len(distances) if distances else None


def _text_object(one: JudgmentDetail | ContestedText) -> dict[str, Any]:
    """A text's system and id, and all other fields."""
    fields = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(one).items()
    }
    system, identifier = fields.pop("key")
    return {"system": system, "id": identifier, **fields}


def quality_to_object(
    quality: Quality,
    *,
    excluded: Iterable[str] = (),
    change: Mapping[str, Any] | None = None,
    details: Details | None = None,
) -> dict[str, Any]:
    """The report as JSON, which docs/human.md describes."""
    return {
        "raters": {one.name: _rater_object(one, quality.criteria) for one in quality.raters},
        "criteria": {
            one.name: _criterion_object(one, quality.settings) for one in quality.criteria
        },
        "flagged": {
            rater.name: {
                "extent": rater.extent,
                "criteria": list(rater.doubted),
                "reasons": list(rater.reasons),
            }
            for rater in quality.flagged
        },
        "excluded": sorted(excluded),
        "notes": list(quality.notes),
        "settings": asdict(quality.settings),
        "change": change,
        "details": details
        and {
            "rater": details.rater.name,
            "reasons": list(details.rater.reasons),
            "judgments": [_text_object(one) for one in details.judged],
        },
    }


def _rater_object(rater: RaterQuality, criteria: Sequence[Criterion]) -> dict[str, Any]:
    seen, pattern = rater.controls, rater.pattern
    return {
        "texts": pattern.texts,
        "flags": [asdict(flag) for flag in rater.flags],
        "pattern": {name: getattr(pattern, name) for name in _PATTERN},
        "speed": {name: getattr(rater.pace, name) for name in ("pages", "median", "campaign")},
        "controls": seen and {**asdict(seen), "accuracy": seen.accuracy},
        "criteria": {
            one.name: {
                "competence": rater.competence.get(one.name),
                **asdict(rater.standings[one.name]),
            }
            for one in criteria
            if one.name in rater.standings
        },
    }


def _criterion_object(one: Criterion, settings: QualitySettings) -> dict[str, Any]:
    return {
        **{name: getattr(one, name) for name in ("texts", "raters", "ratings")},
        "scale": asdict(one.scale),
        "alpha": {name: found.value for name, found in one.alpha.items()},
        "fleiss": one.fleiss.value,
        "cohen": {"mean": one.cohen, "pairs": one.pairs[0], "of": one.pairs[1]},
        "percent": one.percent,
        "competence": {
            "below": one.doubted(settings.below),
            "median": median(one.competence.values()) if one.competence else None,
            "converged": one.converged,
            "reason": one.reason or None,
        },
        "contested": [_text_object(text) for text in one.contested[:MOST_CONTESTED]],
        "spans": one.spans
        and {
            **{name: getattr(one.spans, name) for name in ("marks", "pairs", "f1", "typed_f1")},
            "gamma": one.spans.gamma.value,
            "severity": one.spans.severity,
        },
    }


def _render(
    head: Sequence[str],
    tables: Sequence[Table],
    notes: Sequence[str],
    form: str = "text",
    *,
    last: str = "",
) -> str:
    """Tables with lines above and below them; `last` is a command and stays one line in text."""
    if form not in TABLE_FORMS:
        raise UnknownName("format", form, FORMATS)
    below = _lines([*notes, *([last] if last and form != "text" else [])], form)
    if last and form == "text":
        below = f"{below}\n{one_line(last)}".lstrip()
    parts = [_lines(head, form), *(TABLE_FORMS[form](table) for table in tables), below]
    return "\n\n".join(part for part in parts if part)


def _lines(notes: Sequence[str], form: str) -> str:
    lines = [one_line(note) for note in notes]
    if form == "latex":
        return "\n".join(f"% {line}" for line in lines)
    if form == "markdown":
        return "\n\n".join(escape_markdown(line) for line in lines)
    wrapper = textwrap.TextWrapper(
        _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(map(wrapper.fill, lines))


def quality_tables(
    quality: Quality, change: Mapping[str, Any] | None = None, excluded: Sequence[str] = ()
) -> tuple[list[str], list[Table], list[str]]:
    """The lines above the tables, the tables, and the notes below them."""
    tables = [_criteria_table(quality), *_spans_tables(quality), *_raters_tables(quality)]
    notes: list[str] = []
    contested = _contested_table(quality)
    if contested.rows:
        tables.append(contested)
    if change is not None:
        tables.append(_change_table(change, excluded))
        notes += [
            f"order of systems by {name}: {', '.join(moved(one)) or 'unchanged'}"
            for name, one in change.items()
        ]
        lost = max(one["texts"][0] - (one["texts"][1] or 0) for one in change.values())
        if lost:
            notes.append(
                f"note: {counted(lost, 'text')} {'has' if lost == 1 else 'have'} no answer left; "
                "means and orders are over the others"
            )
    return _summary(quality), tables, notes + [f"note: {note}" for note in quality.notes]


def _raters_table(quality: Quality) -> Table:
    names = [one.name for one in quality.criteria]
    figures = ("answers", "shared", "mean", "competence", "agreement", "bias", "deviation")
    columns = ["rater", "texts", "pattern", "share", "others", "seconds", "controls", "right"]
    columns += [f"{figure} {name}" for name in names for figure in figures]
    rows: list[list[Cell]] = []
    for rater in quality.raters:
        pattern, seen = rater.pattern, rater.controls
        row: list[Cell] = [rater.name, pattern.texts, pattern.common, pattern.share, pattern.others]
        row += [rater.pace.median, *((seen.answers, seen.right) if seen else (None, None))]
        for name in names:
            stands = rater.standings.get(name)
            known = {"competence": rater.competence.get(name), **(asdict(stands) if stands else {})}
            row += [known.get(figure) for figure in figures]
        rows.append([*row, rater.extent, "; ".join(rater.reasons)])
    return Table("", [*columns, "flagged", "why"], rows)


def details_tables(quality: Quality, found: Details) -> tuple[list[str], list[Table], list[str]]:
    """One rater beside the others, with the reasons of the flags."""
    names = [one.name for one in quality.criteria]
    timed = any(one.seconds is not None for one in found.judged)
    has_texts = any(one.text is not None for one in found.judged)
    columns: dict[str | Column, str | Callable[[JudgmentDetail], Cell]] = {
        "system": lambda one: one.key[0],
        "id": lambda one: one.key[1],
        "given": lambda one: _answer(one.values, names),
        "others": lambda one: "  ".join(_answer(each, names) for each in one.others) or "–",
        Column("apart", 2): "apart",
        **({Column("seconds", 1): "seconds"} if timed else {}),
        **({"text": lambda one: shortened(one.text or "", _LONGEST_TEXT)} if has_texts else {}),
    }
    title = f"{'-'.join(names)}, the furthest from the others first"
    left = len(found.judged) - SHOWN_JUDGMENTS
    more = [f"… and {left} more (the JSON has all)"] if left > 0 else []
    reasons = "; ".join(found.rater.reasons) or "not flagged"
    judged = Table.of(title, found.judged[:SHOWN_JUDGMENTS], columns)
    tables = [*_raters_tables(quality, [found.rater]), judged]
    return [f"Rater {found.rater.name}: {reasons}"], tables, more


def _criteria_table(quality: Quality) -> Table:
    below = quality.settings.below
    return Table.of(
        "Agreement: Krippendorff's alpha, kappas, equal pairs; raters with low competence",
        quality.criteria,
        {
            "criterion": "name",
            "texts": "texts",
            "raters": "raters",
            "ratings": "ratings",
            "nominal": lambda one: one.alpha["nominal"].value,
            "ordinal": lambda one: one.alpha["ordinal"].value,
            "interval": lambda one: one.alpha["interval"].value,
            "Fleiss": "fleiss.value",
            "Cohen": "cohen",
            Column("equal %", 1): "percent",
            f"below {below:g}": lambda one: one.doubted(below) if one.competence else None,
        },
    )


def _spans_tables(quality: Quality) -> list[Table]:
    marked = [one for one in quality.criteria if one.spans is not None]
    columns: dict[str | Column, Any] = {
        "criterion": "name",
        "marks": "spans.marks",
        "pairs": "spans.pairs",
        "character F1": "spans.f1",
        "same type": "spans.typed_f1",
        "gamma": "spans.gamma.value",
        "same severity": "spans.severity",
    }
    title = "Marked spans: pairs of raters of one text"
    return [Table.of(title, marked, columns)] if marked else []


def _raters_tables(quality: Quality, only: Sequence[RaterQuality] | None = None) -> list[Table]:
    """The flagged raters, or all if they are few; no table without raters."""
    every = only or quality.raters
    shown = list(every if len(every) <= SHOWN_RATERS else quality.flagged)[:SHOWN_RATERS]
    if not shown:
        return []
    names = [one.name for one in quality.criteria]
    timed = any(rater.pace.median is not None for rater in quality.raters)
    controlled = any(rater.controls is not None for rater in quality.raters)
    cut = partial(shortened, longest=_LONGEST_PATTERN)
    columns: dict[str | Column, str | Callable[[RaterQuality], Cell]] = {
        Column("rater", align="left"): lambda one: cut(one.name),
        Column("texts", align="right"): "pattern.texts",
        Column("most common", align="left"): lambda one: cut(one.pattern.common),
        Column("share", align="right"): lambda one: f"{one.pattern.share:.0%}",
        **({Column("seconds", 1, "right"): "pace.median"} if timed else {}),
        **({Column("controls", align="right"): _controls} if controlled else {}),
        "competence": lambda one: " ".join(_short(one.competence.get(name)) for name in names),
        Column("r", 2, "right"): lambda one: _mean(one, "agreement"),
        Column("bias", 2, "right"): lambda one: _mean(one, "bias"),
        "why": lambda one: "; ".join(one.reasons),
    }
    title = "Raters: competence in the order of the criteria above; r and bias against the others"
    table = Table.of(title, shown, columns)
    left = len(quality.flagged) - len(shown) if len(every) > SHOWN_RATERS else 0
    more: list[Cell] = [f"… and {left} more", *[""] * (len(columns) - 1)]
    return [replace(table, rows=[*table.rows, more]) if left else table]


def _controls(rater: RaterQuality) -> str | None:
    seen = rater.controls
    return f"{seen.right}/{seen.answers}" if seen else None


def _summary(quality: Quality) -> list[str]:
    texts = {(one.system, one.id) for one in quality.ratings}
    flagged, every = quality.flagged, len(quality.raters)
    counts = f"{len(quality.ratings):,} ratings of {len(texts):,} texts by {every:,} raters"
    lines = [f"{counts}; flagged for review: {len(flagged) or 'nobody'}"]
    for kind in ("pattern", "straight-lining", "speed", "controls"):
        count = sum(any(flag.kind == kind for flag in rater.flags) for rater in flagged)
        lines += [f"  {kind}: {count}"] if count else []
    doubted = [len(rater.doubted) for rater in flagged]
    if any(doubted):
        of = flagged[0].of
        parts = [
            f"{doubted.count(number)} in {'all' if number == of > 1 else number} of {of}"
            for number in range(of, 0, -1)
            if doubted.count(number)
        ]
        lines.append(f"  low competence: {', '.join(parts)} criteria")
    return lines


def _contested_table(quality: Quality) -> Table:
    rows: list[list[Cell]] = []
    for one in quality.criteria:
        for text in one.contested[:SHOWN_TEXTS]:
            answers = " ".join(f"{value:g}" for value in text.values)
            rows.append([one.name, *text.key, answers, text.entropy])
        left = len(one.contested) - SHOWN_TEXTS
        if left > 0:
            rows.append([one.name, f"… and {left} more", "", "", None])
    columns: list[str | Column] = ["criterion", "system", Column("id", align="left")]
    columns += [Column("answers", align="left"), Column("entropy", 2)]
    return Table("The most contested texts", columns, rows)


def _change_table(change: Mapping[str, Any], excluded: Sequence[str]) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            *(_both(one[key], "d") for key in ("ratings", "texts", "alone")),
            *(_both(one["alpha"][scale], ".3f") for scale in ("nominal", "ordinal", "interval")),
        ]
        for name, one in change.items()
    ]
    columns = ["criterion", "ratings", "texts", "one answer", "nominal", "ordinal", "interval"]
    return Table(
        f"Without {counted(len(excluded), 'rater')}: before → after",
        [Column(name, align="left" if name == "criterion" else "right") for name in columns],
        rows,
    )


def _both(pair: Sequence[float | None], form: str) -> str:
    return " → ".join("–" if value is None else f"{value:{form}}" for value in pair)


def _answer(values: Mapping[str, float], names: Sequence[str]) -> str:
    return "-".join(f"{values[name]:g}" if name in values else "·" for name in names)


def _short(value: float | None) -> str:
    return "  –" if value is None else f"{value:.2f}".removeprefix("0")


def _mean(rater: RaterQuality, figure: str) -> float | None:
    """The mean of a figure over the criteria that have it."""
    values = [getattr(one, figure) for one in rater.standings.values()]
    known: list[float] = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
