"""The whole report on raters, as the command prints it: with what an exclusion changes."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from adequa.data import Rating
from adequa.errors import DataError, UnknownName
from adequa.human.judgments import Key, Scale, by_criterion, command, without
from adequa.human.quality.criteria import Criterion
from adequa.human.quality.exclusion import Details, JudgmentDetail, changes, details, figures, moved
from adequa.human.quality.raters import Quality, QualitySettings, RaterQuality, assess
from adequa.tables import Cell, Column, Table, escape_markdown, one_line

# ---
# The report on raters as plain objects for JSON; `adequa.human.quality` says what is in it.
# ---

MOST_CONTESTED = 20


def to_object(
    quality: Quality,
    *,
    excluded: Iterable[str] = (),
    change: Mapping[str, Any] | None = None,
    details: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The report; what was excluded and what that changed only the caller knows."""
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
        "details": details,
    }


def _rater_object(rater: RaterQuality, criteria: Sequence[Criterion]) -> dict[str, Any]:
    seen = rater.checked
    return {
        "texts": rater.pattern.texts,
        "flags": [asdict(flag) for flag in rater.flags],
        "pattern": {
            name: getattr(rater.pattern, name) for name in ("common", "share", "others", "spread")
        },
        "speed": {name: getattr(rater.pace, name) for name in ("pages", "median", "campaign")},
        "controls": None
        if seen is None
        else {"answers": seen.answers, "right": seen.right, "accuracy": seen.accuracy},
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
        "texts": one.texts,
        "raters": one.raters,
        "ratings": one.ratings,
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
        "contested": [
            {
                "system": text.key[0],
                "id": text.key[1],
                "entropy": text.entropy,
                "values": list(text.values),
            }
            for text in one.contested[:MOST_CONTESTED]
        ],
    }


# ---
# The report on raters as tables for people: what is long is cut, and says by how much.
# ---

FORMATS = ("text", "markdown", "latex", "csv", "json")
"""CSV is of the raters alone, a column a figure; JSON is written by `quality_object`."""

SHOWN_RATERS, SHOWN_TEXTS, SHOWN_JUDGMENTS = 30, 5, 40
_LONGEST_TEXT, _LONGEST_PATTERN = 48, 24
_WIDTH = 110
"""Of remarks; tables are as wide as they need."""


def render(
    head: Sequence[str],
    tables: Sequence[Table],
    remarks: Sequence[str],
    form: str = "text",
    *,
    last: str = "",
) -> str:
    """Tables for people, and what is to be said above and below them; `last` stays one line."""
    writers: Mapping[str, Callable[[Table], str]] = {
        "text": Table.text,
        "markdown": Table.markdown,
        "latex": Table.latex,
    }
    if form not in writers:
        raise UnknownName("format", form, FORMATS)
    below = _said([*remarks, *([last] if last and form != "text" else [])], form)
    if last and form == "text":
        below = f"{below}\n{one_line(last)}".lstrip()
    parts = [_said(head, form), *(writers[form](table) for table in tables), below]
    return "\n\n".join(part for part in parts if part)


def _said(remarks: Sequence[str], form: str) -> str:
    lines = [one_line(remark) for remark in remarks]
    if form == "latex":
        return "\n".join(f"% {line}" for line in lines)
    if form == "markdown":
        return "\n\n".join(escape_markdown(line) for line in lines)
    return "\n".join(
        textwrap.fill(
            line,
            _WIDTH,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines
    )


def report_tables(
    quality: Quality, change: Mapping[str, Any] | None = None, excluded: Sequence[str] = ()
) -> tuple[list[str], list[Table], list[str]]:
    """What the report says first, its tables, and the remarks below them."""
    tables = [_criteria_table(quality), *_raters_tables(quality)]
    remarks: list[str] = []
    contested = _contested_table(quality)
    if contested.rows:
        tables.append(contested)
    if change is not None:
        tables.append(_change_table(change, excluded))
        remarks += [
            f"order of systems by {name}: {', '.join(moved(one)) or 'as before'}"
            for name, one in change.items()
        ]
        lost = max(one["texts"][0] - (one["texts"][1] or 0) for one in change.values())
        if lost:
            remarks.append(
                f"note: {lost} texts have no answer left; means and orders are of others"
            )
    return _summary(quality), tables, remarks + [f"note: {note}" for note in quality.notes]


def raters_csv(quality: Quality) -> Table:
    """Every rater, a column a figure, for machines and spreadsheets."""
    names = [one.name for one in quality.criteria]
    figures = ("answers", "shared", "mean", "competence", "agreement", "bias", "deviation")
    columns = ["rater", "texts", "pattern", "share", "others", "seconds", "controls", "right"]
    columns += [f"{figure} {name}" for name in names for figure in figures]
    rows: list[list[Cell]] = []
    for rater in quality.raters:
        seen = rater.checked
        row: list[Cell] = [
            rater.name,
            rater.pattern.texts,
            rater.pattern.common,
            rater.pattern.share,
            rater.pattern.others,
            rater.pace.median,
            seen.answers if seen else None,
            seen.right if seen else None,
        ]
        for name in names:
            stands = rater.standings.get(name)
            for figure in figures:
                if figure == "competence":
                    row.append(rater.competence.get(name))
                else:
                    row.append(getattr(stands, figure) if stands else None)
        rows.append([*row, rater.extent, "; ".join(rater.reasons)])
    return Table("", [*columns, "flagged", "why"], rows)


def details_tables(quality: Quality, found: Details) -> tuple[list[str], list[Table], list[str]]:
    """One rater beside the others, and why a person should look."""
    names = [one.name for one in quality.criteria]
    timed = any(one.seconds is not None for one in found.judged)
    told = any(one.text is not None for one in found.judged)
    rows: list[list[Cell]] = []
    for one in found.judged[:SHOWN_JUDGMENTS]:
        row: list[Cell] = [*one.key, _answer(one.values, names), _others(one, names), one.apart]
        row += [one.seconds] if timed else []
        row += [_cut(one.text or "", _LONGEST_TEXT)] if told else []
        rows.append(row)
    columns: list[str | Column] = ["system", "id", "given", "others", Column("apart", 2)]
    columns += [Column("seconds", 1)] if timed else []
    columns += ["text"] if told else []
    title = f"{'-'.join(names)}, the furthest from the others first"
    left = len(found.judged) - len(rows)
    more = [f"… and {left} more (--json has all)"] if left else []
    reasons = "; ".join(found.rater.reasons) or "nothing odd"
    tables = [*_raters_tables(quality, [found.rater]), Table(title, columns, rows)]
    return [f"Rater {found.rater.name}: {reasons}"], tables, more


def _criteria_table(quality: Quality) -> Table:
    columns: list[str | Column] = ["criterion", "texts", "raters", "ratings"]
    columns += ["nominal", "ordinal", "interval", "Fleiss", "Cohen", Column("equal %", 1)]
    columns += [f"below {quality.settings.below:g}"]
    rows: list[list[Cell]] = [
        [
            one.name,
            one.texts,
            one.raters,
            one.ratings,
            *(one.alpha[scale].value for scale in ("nominal", "ordinal", "interval")),
            one.fleiss.value,
            one.cohen,
            one.percent,
            one.doubted(quality.settings.below) if one.competence else None,
        ]
        for one in quality.criteria
    ]
    title = "Agreement: Krippendorff's alpha, kappas, equal pairs; raters of low competence"
    return Table(title, columns, rows)


def _raters_tables(quality: Quality, only: Sequence[RaterQuality] | None = None) -> list[Table]:
    """The flagged, or all where they are few; none where there is nobody to show."""
    every = only or quality.raters
    shown = list(every if len(every) <= SHOWN_RATERS else quality.flagged)[:SHOWN_RATERS]
    if not shown:
        return []
    names = [one.name for one in quality.criteria]
    timed = any(rater.pace.median is not None for rater in quality.raters)
    controlled = any(rater.checked is not None for rater in quality.raters)
    columns: list[str | Column] = [Column("rater", align="left"), Column("texts", align="right")]
    columns += [Column("most common", align="left"), Column("share", align="right")]
    columns += [Column("seconds", 1, "right")] if timed else []
    columns += [Column("controls", align="right")] if controlled else []
    columns += ["competence", *(Column(name, 2, "right") for name in ("r", "bias")), "why"]
    rows = [_rater_row(rater, names, timed, controlled) for rater in shown]
    title = "Raters: competence in the order of the criteria above; r and bias against the others"
    left = len(quality.flagged) - len(shown) if len(every) > SHOWN_RATERS else 0
    if left:
        rows.append([f"… and {left} more", *[""] * (len(columns) - 1)])
    return [Table(title, columns, rows)]


def _rater_row(
    rater: RaterQuality, names: Sequence[str], timed: bool, controlled: bool
) -> list[Cell]:
    stands = [rater.standings[name] for name in names if name in rater.standings]
    row: list[Cell] = [
        _cut(rater.name, _LONGEST_PATTERN),
        rater.pattern.texts,
        _cut(rater.pattern.common, _LONGEST_PATTERN),
        f"{rater.pattern.share:.0%}",
    ]
    row += [rater.pace.median] if timed else []
    if controlled:
        seen = rater.checked
        row.append(f"{seen.right}/{seen.answers}" if seen else None)
    return [
        *row,
        " ".join(_short(rater.competence.get(name)) for name in names),
        _mean([one.agreement for one in stands]),
        _mean([one.bias for one in stands]),
        "; ".join(rater.reasons),
    ]


def _summary(quality: Quality) -> list[str]:
    """How much there is, and how many raters are flagged for what."""
    texts = {(one.system, one.id) for one in quality.ratings}
    flagged, every = quality.flagged, len(quality.raters)
    counts = f"{len(quality.ratings):,} ratings of {len(texts):,} texts by {every:,} raters"
    said = [f"{counts}; flagged for a person to look at: {len(flagged) or 'nobody'}"]
    for kind in ("pattern", "straight-lining", "speed", "controls"):
        count = sum(any(flag.kind == kind for flag in rater.flags) for rater in flagged)
        said += [f"  {kind}: {count}"] if count else []
    doubted = [len(rater.doubted) for rater in flagged]
    if any(doubted):
        of = flagged[0].of
        parts = [
            f"{doubted.count(number)} in {'all' if number == of > 1 else number} of {of}"
            for number in range(of, 0, -1)
            if doubted.count(number)
        ]
        said.append(f"  low competence: {', '.join(parts)} criteria")
    return said


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
    noun = "rater" if len(excluded) == 1 else "raters"
    return Table(
        f"Without {len(excluded)} {noun}: before → after",
        [Column(name, align="left" if name == "criterion" else "right") for name in columns],
        rows,
    )


def _both(pair: Sequence[float | None], form: str) -> str:
    return " → ".join("–" if value is None else f"{value:{form}}" for value in pair)


def _others(one: JudgmentDetail, names: Sequence[str]) -> str:
    return "  ".join(_answer(values, names) for values in one.others) or "–"


def _answer(values: Mapping[str, float], names: Sequence[str]) -> str:
    return "-".join(f"{values[name]:g}" if name in values else "·" for name in names)


def _short(value: float | None) -> str:
    return "  –" if value is None else f"{value:.2f}".removeprefix("0")


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _cut(text: str, longest: int) -> str:
    text = one_line(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The raters that are left, who was excluded, and one rater in detail if asked for."""

    quality: Quality
    excluded: tuple[str, ...]
    change: Mapping[str, Any] | None
    details: Details | None

    def to_object(self) -> dict[str, Any]:
        """As `adequa.human.quality.raters` says."""
        return to_object(
            self.quality,
            excluded=self.excluded,
            change=self.change,
            details=None if self.details is None else self.details.to_object(),
        )

    def written(self, form: str = "text", words: Sequence[str] = ()) -> str:
        """Written down; `words` are the command without its exclusions, shown again with them."""
        if form == "json":
            return json.dumps(self.to_object(), ensure_ascii=False, allow_nan=False, indent=2)
        if form == "csv":
            return raters_csv(self.quality).csv()
        if self.details is not None:
            return render(*details_tables(self.quality, self.details), form)
        head, tables, remarks = report_tables(self.quality, self.change, self.excluded)
        return render(head, tables, remarks, form, last=self._next(words))

    def _next(self, words: Sequence[str]) -> str:
        """The command that leaves out those flagged in all criteria, or looks at one flagged."""
        flagged = self.quality.flagged
        if not words or not flagged:
            return ""
        candidates = self.quality.in_all
        if not candidates:
            look = command([*words, "--details", flagged[0].name])
            return f"nobody is flagged in all criteria; to look at one: {look}"
        options = [
            word for name in (*self.excluded, *candidates) for word in ("--exclude", _safe(name))
        ]
        return f"without those flagged in all criteria: {command([*words, *options])}"


def make_report(
    ratings: Sequence[Rating],
    *,
    settings: QualitySettings | None = None,
    exclude: Iterable[str] = (),
    controls: Iterable[Rating] = (),
    rater: str | None = None,
    texts: Mapping[Key, str] | None = None,
) -> QualityReport:
    """Assess the raters that are left, and say what changed; `rater` is shown in detail."""
    settings = settings or QualitySettings()
    excluded = tuple(sorted(set(exclude)))
    left = without(ratings, excluded)
    quality = assess(left, settings=settings, controls=controls)
    change = None
    if excluded:
        scales = {
            name: Scale.of((one.value for one in part), bins=settings.bins)
            for name, part in by_criterion(ratings).items()
        }
        change = changes(figures(ratings, scales), figures(left, scales))
    looked = None if rater is None else details(quality, rater, texts)
    return QualityReport(quality, excluded, change, looked)


def write_report(report: QualityReport, folder: Path, words: Sequence[str] = ()) -> list[Path]:
    """Write report.txt, quality.json, raters.csv and flagged.txt, which --exclude @FILE reads."""
    names = [name for name in report.quality.in_all if name.isprintable()]
    files = {
        "report.txt": report.written("text", words),
        "quality.json": report.written("json"),
        "raters.csv": report.written("csv"),
        "flagged.txt": "\n".join(names),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, written in files.items():
            (folder / name).write_text(written + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=folder, remedy="name another folder"
        ) from None
    return [folder / name for name in files]


def _safe(name: str) -> str:
    """A rater named like a file of raters is not one: `@` is doubled."""
    return "@" + name if name.startswith("@") else name
