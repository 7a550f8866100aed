"""Runs as one HTML file to send to a colleague: numbers, and the texts behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adequa import __version__
from adequa.analysis.comparison import Comparison, compare
from adequa.errors import DataError, SettingError
from adequa.progress import Progress, silent
from adequa.report.changes import ChangeTests, changes_view, paired_tests
from adequa.report.methods import PeopleAgreement, metric_notes, read_people, run_notes
from adequa.report.page import page, script_json
from adequa.report.summary import headlines, lists, script_summary, slice_tables, system_table
from adequa.report.tallies import RunTallies, collect
from adequa.run import Run, open_run


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report on disk."""

    path: Path
    bytes: int
    systems: int
    texts: int
    """That the numbers are of."""
    shown_texts: int
    """That can be read in the file, the baseline's included."""


def write_report(
    runs: Iterable[Run | Path | str],
    out: Path | str,
    *,
    title: str | None = None,
    baseline: Run | Path | str | None = None,
    max_items: int | None = None,
    people: Path | str | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> ReportFile:
    """Write the runs' systems side by side into one self-contained HTML file.

    `baseline` is an earlier run of the same systems, `max_items` about how many texts the file
    shows (whole inputs, evenly chosen; numbers are of all), `people` a file that says
    how metrics agree with people, for the shipped one.
    """
    out = Path(out)
    opened = [run if isinstance(run, Run) else open_run(run) for run in runs]
    if not opened:
        raise SettingError("there is no run to report; name at least one")
    if max_items is not None and max_items < 0:
        raise SettingError(f"--max-items counts texts; {max_items} is no count")
    if out.exists() and not force:
        raise SettingError(f"{out} exists; name another file, or --force to replace it")
    old = baseline if baseline is None or isinstance(baseline, Run) else open_run(baseline)
    agreement = read_people(None if people is None else Path(people))
    comparison = compare(opened)
    collected = collect(opened, baseline=old, max_items=max_items, progress=progress)
    partners = {number: one.before for number, one in collected.changed.items()}
    tests = None if old is None else paired_tests(opened, old, partners)
    values = _values(opened, old, title, comparison, collected, tests, agreement)
    size = _write(out, page(values))
    return ReportFile(
        out,
        size,
        len(comparison.systems),
        collected.text_count,
        collected.packed.text_count,
    )


def _values(
    runs: Sequence[Run],
    baseline: Run | None,
    title: str | None,
    comparison: Comparison,
    collected: RunTallies,
    tests: ChangeTests | None,
    agreement: Sequence[PeopleAgreement],
) -> dict[str, Any]:
    """All that the template takes."""
    names = _names(collected, comparison)
    table = system_table(collected, comparison, runs)
    partners = {number: one.before for number, one in collected.changed.items()}
    every = [*runs, *([baseline] if baseline else [])]
    return {
        "title": title or "Adequacy of " + ", ".join(run.name for run in runs),
        "version": __version__,
        "runs": run_notes(runs, baseline),
        "names": names,
        "texts": collected.text_count,
        "packed": collected.packed,
        "table": table,
        "comparison": comparison,
        "headlines": headlines(collected, table),
        "slices": slice_tables(collected),
        "lists": lists(collected),
        "changes": tests and changes_view(collected.changed, tests, names),
        "metrics": metric_notes(every, collected, agreement),
        "summary": script_json(script_summary(collected, names, table, partners)),
    }


def _names(collected: RunTallies, comparison: Comparison) -> dict[int, str]:
    """Systems as the comparison names them, and the baseline's marked as such."""
    shown = (number for number, _ in collected.shown())
    names = dict(zip(shown, comparison.systems, strict=True))
    for number, system in enumerate(collected.systems):
        if system.is_baseline:
            name = f"{system.name} (baseline)".strip()
            while name in names.values():
                name += "′"
            names[number] = name
    return names


def _write(out: Path, parts: Iterable[str]) -> int:
    """Write a whole file or none of it; how many bytes it has."""
    temporary = out.with_name(out.name + ".new")
    size = 0
    try:
        with temporary.open("wb") as stream:
            for part in parts:
                # A name from the command line may hold what no file can.
                size += stream.write(part.encode("utf-8", "replace"))
        temporary.replace(out)
    except OSError as error:
        raise DataError(
            f"cannot be written ({error.strerror})", path=out, remedy="name another file"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
    return size
