"""The paper on ESA (Faille, Gatt and Gardent 2021), told again on the same data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from adequa.errors import DataError
from adequa.metrics import load_metric
from adequa.papers.esa_cases import disagreements, high_bleu_low_esa
from adequa.papers.esa_correlations import correlations
from adequa.papers.esa_data import YEARS, Corpus, Progress, read_corpus, score_corpus
from adequa.papers.esa_pictures import rank_picture
from adequa.papers.esa_sections import Section
from adequa.papers.esa_systems import figure_3, ranks, standings, table_1, table_4
from adequa.papers.esa_tables import SYSTEMS
from adequa.papers.esa_worksheet import worksheets
from adequa.papers.writing import write_texts

__all__ = ["Reproduction", "Year", "reproduce_esa", "write_files"]

CHECKED_YEAR = 2020
"""The manual check of section 5.2 is of systems of this year."""


@dataclass(frozen=True)
class Year:
    """What the paper says of one challenge beside what we find; `files` are to be written."""

    year: int
    sections: Sequence[Section]
    absent: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """For a terminal."""
        missing = [f"n/a: {one}" for one in self.absent]
        parts = [f"WebNLG {self.year}", *(["\n".join(missing)] if missing else [])]
        return "\n\n".join([*parts, *(section.text() for section in self.sections)])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        parts = {section.key: section.as_object() for section in self.sections}
        return {**parts, "absent": list(self.absent)}


@dataclass(frozen=True)
class Reproduction:
    """The whole paper, year by year, and the signature of the metric behind it."""

    signature: str
    years: Sequence[Year]

    def text(self) -> str:
        """For a terminal."""
        return "\n\n\n".join([self.signature, *(year.text() for year in self.years)])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        years = {str(year.year): year.as_object() for year in self.years}
        return {"signature": self.signature, "years": years}


def reproduce_esa(
    data: Path,
    years: Sequence[int] = YEARS,
    *,
    detector: str = "adequa",
    sample: int = 20,
    seed: int = 0,
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None,
) -> Reproduction:
    """The paper's tables, pictures and cases, for each year of which there is data in `data`.

    `sample` texts a system go into the worksheets; `progress` opens a bar by its title.
    """
    esa = load_metric("esa", detector=detector)
    if not data.is_dir():
        raise DataError("is no folder", path=data, remedy="name the one that holds webnlg2020")
    corpora = [read_corpus(data, year) for year in years]
    if not any(corpus.items for corpus in corpora):
        raise DataError(
            "has nothing to score: " + "; ".join(corpus.absent[0] for corpus in corpora),
            path=data,
            remedy="it should hold webnlg2020 and webnlg2017, each with test, systems and human",
        )
    found = []
    for corpus in corpora:
        if corpus.items:
            shown = progress(f"scoring {corpus.year}") if progress else nullcontext(_silent)
            with shown as advance:
                score_corpus(corpus, detector, advance)
        found.append(_year(corpus, sample, seed))
    return Reproduction(esa.signature, found)


def _silent(done: int, total: int) -> None:
    del done, total


def _year(corpus: Corpus, sample: int, seed: int) -> Year:
    absent = list(corpus.absent)
    if not corpus.outputs:
        if len(absent) > 1:  # one line says as much as one a system
            absent = [f"everything of {corpus.year}: {corpus.folder / 'systems'} has no outputs"]
        return Year(corpus.year, (), absent)
    systems = standings(corpus)
    ours, theirs = ranks(systems, corpus.year)
    names = {name: row.name for name, row in SYSTEMS[corpus.year].items()}
    title = f"BLEU and entity-based adequacy, WebNLG {corpus.year}"
    files = {f"figure3-{corpus.year}.svg": rank_picture(ours, theirs, names, title)}
    if corpus.year == CHECKED_YEAR:
        files |= worksheets(corpus, sample, seed)
    sections = (
        table_1(systems, corpus.year),
        figure_3(systems, corpus.year),
        high_bleu_low_esa(corpus),
        correlations(corpus),
        table_4(corpus),
        disagreements(corpus),
    )
    return Year(corpus.year, sections, absent, files)


def write_files(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write pictures and worksheets; a worksheet that somebody filled is not overwritten."""
    files = {name: text for year in reproduction.years for name, text in year.files.items()}
    return write_texts(files, folder, filled="worksheet")
