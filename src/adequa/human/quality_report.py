"""The whole report on raters, as the command prints it: with what an exclusion changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.changes import changes, figures
from adequa.human.details import Details, details
from adequa.human.judgments import Key, by_criterion, without
from adequa.human.quality import Quality, Settings, assess
from adequa.human.quality_object import to_object
from adequa.human.quality_tables import details_tables, raters_csv, render, report_tables
from adequa.human.scales import Scale
from adequa.human.sources import command

__all__ = ["Report", "make_report", "write_report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The raters that are left, who was excluded, and one rater in detail if asked for."""

    quality: Quality
    excluded: tuple[str, ...]
    change: Mapping[str, Any] | None
    details: Details | None

    def to_object(self) -> dict[str, Any]:
        """As `adequa.human.quality` says."""
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
    settings: Settings | None = None,
    exclude: Iterable[str] = (),
    controls: Iterable[Rating] = (),
    rater: str | None = None,
    texts: Mapping[Key, str] | None = None,
) -> Report:
    """Assess the raters that are left, and say what changed; `rater` is shown in detail."""
    settings = settings or Settings()
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
    return Report(quality, excluded, change, looked)


def write_report(report: Report, folder: Path, words: Sequence[str] = ()) -> list[Path]:
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
