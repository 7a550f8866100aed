"""The report: runs as one self-contained HTML file, with numbers and the texts behind them."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from adequa import __version__
from adequa.analysis.comparison import Comparison, compare
from adequa.errors import SettingError
from adequa.files import as_list, replacing, write_errors
from adequa.report import summary
from adequa.report.changes import changes_view, paired_tests
from adequa.report.tallies import RunTallies, collect
from adequa.run import Run, open_run
from adequa.tables import interval_words, percent, signed, written

SCRIPTS = ("components", "data", "choosing", "tables", "report")
STYLES = ("components", "report")


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report on disk."""

    path: Path
    bytes: int
    systems: int
    texts: int
    faulty_texts: int | None
    """The number of texts with a fault; None if no text has a verdict."""
    shown_texts: int
    """The number of texts that can be read in the file, including the baseline's."""


def write_report(
    runs: Run | Path | str | Iterable[Run | Path | str],
    out: Path | str,
    *,
    title: str | None = None,
    baseline: Run | Path | str | None = None,
    max_items: int | None = None,
    people: Path | str | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> ReportFile:
    """Write the runs' systems side by side into one self-contained HTML file.

    `baseline` is an earlier run of the same systems. `max_items` is about how many texts the file
    shows (whole inputs, chosen by hash; numbers are over all texts). `people` is a file on the
    agreement of metrics with people, in place of the shipped one.
    """
    out = Path(out)
    opened = [open_run(run) for run in as_list(runs)]
    if not opened:
        raise SettingError("there is no run to report; name at least one")
    if max_items is not None and max_items < 0:
        raise SettingError(f"max_items must be 0 or more, not {max_items}")
    if out.exists() and not force:
        raise SettingError(
            f"{out} already exists; name another file, or replace it with force=True"
        )
    old = None if baseline is None else open_run(baseline)
    agreement = summary.read_people(None if people is None else Path(people))
    comparison = compare(opened)
    collected = collect(opened, baseline=old, max_items=max_items, progress=progress)
    partners = {number: one.before for number, one in collected.changed.items()}
    tests = None if old is None else paired_tests(opened, old, partners)
    names = _names(collected, comparison)
    table = summary.system_table(collected, comparison, opened)
    every = [*opened, *([old] if old else [])]
    values = {
        "title": title or "Adequacy of " + ", ".join(run.name for run in opened),
        "version": __version__,
        "runs": summary.run_notes(opened, old),
        "names": names,
        "texts": collected.text_count,
        "packed": collected.packed,
        "table": table,
        "comparison": comparison,
        "headlines": summary.headlines(collected, table),
        "readings": summary.reading_notes(
            {label: metric for run in reversed(opened) for label, metric in run.metrics().items()}
        ),
        "slices": summary.slice_tables(collected),
        "lists": summary.lists(collected),
        "unsure": summary.unsure_words(collected),
        "changes": tests and changes_view(collected.changed, tests, names),
        "metrics": summary.metric_notes(every, collected, agreement),
        "summary": script_json(summary.script_summary(collected, names, table, partners)),
    }
    with write_errors(out, remedy="name another file"), replacing(out) as stream:
        # A name from the command line may have characters that UTF-8 cannot encode.
        size = sum(stream.write(part.encode("utf-8", "replace")) for part in page(values))
    return ReportFile(
        path=out,
        bytes=size,
        systems=len(comparison.systems),
        texts=collected.text_count,
        faulty_texts=collected.faulty_count,
        shown_texts=collected.packed.text_count,
    )


def _names(collected: RunTallies, comparison: Comparison) -> dict[int, str]:
    """The names of the systems as in the comparison, with those of the baseline marked."""
    shown = (number for number, _ in collected.shown())
    names = dict(zip(shown, comparison.systems, strict=True))
    for number, system in enumerate(collected.systems):
        if system.is_baseline:
            name = f"{system.name} (baseline)".strip()
            while name in names.values():
                name += "′"
            names[number] = name
    return names


def asset(name: str) -> str:
    """The text of a file in the package's `assets`."""
    return (files("adequa.report") / "assets" / name).read_text(encoding="utf-8")


def page(values: Mapping[str, Any]) -> Iterator[str]:
    """The page in parts, to be written one after another: data blocks can be large."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {
        "number": written,
        "signed": signed,
        "counted": "{:,}".format,
        "item_link": lambda item, system: f"#/item/{quote(system, safe='')}/{quote(item, safe='')}",
    }
    environment.globals |= {"percent": percent, "interval_words": interval_words}
    script = "".join(asset(f"{name}.js") for name in SCRIPTS)
    style = "".join(asset(f"{name}.css") for name in STYLES)
    # Only this script and style are allowed, and nothing is fetched.
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    template = environment.from_string(asset("report.html"))
    stream = template.stream(**values, script=script, style=style, policy=policy)
    stream.enable_buffering(64)
    yield from stream


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def script_json(value: Any) -> str:
    """JSON for a script element: nothing in it can end the element.

    >>> script_json("</script>")
    '"\\\\u003c/script>"'
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
