"""The paper on ESA (Faille, Gatt and Gardent 2021), told again on the same data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from adequa.charts import INK, document, line, text
from adequa.errors import DataError
from adequa.metrics import load_metric
from adequa.tables import Cell, Column, Table
from research.papers.esa.correlations import correlations
from research.papers.esa.data import (
    YEARS,
    EsaCorpus,
    Key,
    Output,
    Progress,
    read_corpus,
    score_corpus,
)
from research.papers.esa.printed import CASES, SYSTEMS
from research.papers.esa.systems import Ranks, figure_3, ranks, standings, table_1, table_4
from research.papers.esa.worksheet import worksheets
from research.papers.section import Section, write_texts

# ---
# Single texts of the ESA paper: high BLEU with low ESA (Figure 2), and disagreement with people.
#
# Disagreement is by the thresholds of section 6.2, whose examples are in appendix A.4.
# ---

LOW_ESA, SHOWN = 0.8, 10
"""Figure 2's examples have an ESA below this; how many of ours are shown."""
POOR, RICH = 0.4, 0.9

_ADEQUACY_2020 = ("Correctness", "DataCoverage", "Relevance")
_HIGH, _LOW = "rated high, ESA low", "rated low, ESA high"


def high_bleu_low_esa(corpus: EsaCorpus) -> Section:
    """Figure 2: the texts with the highest BLEU among those that leave entities out."""
    poor = [one for one in corpus.outputs if one.esa < LOW_ESA and one.bleu is not None]
    poor.sort(key=lambda one: (-(one.bleu or 0.0), one.item.key))
    # Systems often say the same: one line a text, which names the first and counts the others.
    alike: dict[Key, list[Output]] = {}
    for one in poor:
        alike.setdefault((one.item.id, one.item.text), []).append(one)
    rows: list[list[Cell]] = []
    for one, *others in list(alike.values())[:SHOWN]:
        place: list[Cell] = [one.item.system, len(others), one.item.id, one.bleu, one.esa]
        rows.append([*place, ", ".join(one.undetected), one.item.text])
    columns: list[str | Column] = [
        *("system", "others", "id", Column("BLEU", 1), Column("ESA_I", 2), "undetected", "text")
    ]
    title = f"Figure 2, {corpus.year}: the highest BLEU among texts with ESA_I below {LOW_ESA}"
    notes = [
        "BLEU is of the text alone; the paper's three examples have 41 to 48",
        "others: further systems with the same text",
    ]
    return Section(
        "figure2",
        [Table(title, columns, rows)],
        {"low_esa_texts": (f"texts with ESA_I below {LOW_ESA}", len(poor))},
        notes,
    )


def disagreements(corpus: EsaCorpus) -> Section:
    """Section 6.2: texts that people rate high and ESA low, or the other way round."""
    rated = sorted(corpus.rated(), key=lambda one: one.item.key)
    if not rated:
        return Section("disagreements", notes=["n/a: no rated texts; see what is missing"])
    found: dict[str, list[Output]] = {_HIGH: [], _LOW: []}
    for output in rated:
        high, low = _judgment(corpus.year, corpus.values[output.item.key])
        if output.esa < POOR and high:
            found[_HIGH].append(output)
        if output.esa > RICH and low:
            found[_LOW].append(output)
    rows: list[list[Cell]] = [
        [kind, one.item.system, one.item.id, one.esa, one.strict, _ratings(corpus, one)]
        for kind, outputs in found.items()
        for one in outputs
    ]
    columns: list[str | Column] = [
        *("case", "system", "id", Column("ESA_I", 2), Column("strict", 2), "ratings")
    ]
    thresholds = (
        "ESA_I < 0.4 and a criterion of adequacy > 80; one < 30 and ESA_I > 0.9"
        if corpus.year == 2020
        else "ESA_I < 0.4 and Semantics ≥ 2; Semantics = 1 and ESA_I > 0.9"
    )
    values: dict[str, tuple[str, Cell]] = {}
    for key, (kind, outputs) in zip(("rated_high", "rated_low"), found.items(), strict=True):
        values[key] = (f"{kind}, ours", len(outputs))
        values[f"paper_{key}"] = (f"{kind}, paper", CASES[corpus.year][kind])
    notes = [f"thresholds: {thresholds}"]
    if corpus.year == 2020:
        notes.append("the paper counts over all 178 rated entries, of which half are public")
    return Section(
        "disagreements",
        [Table(f"Section 6.2, {corpus.year}: ESA and people disagree", columns, rows)],
        values,
        notes,
    )


def _judgment(year: int, values: Mapping[str, float]) -> tuple[bool, bool]:
    """Rated high, rated low."""
    if year == 2020:
        given = [values[name] for name in _ADEQUACY_2020 if name in values]
        return any(value > 80 for value in given), any(value < 30 for value in given)
    semantics = values.get("Semantics")
    return semantics is not None and semantics >= 2, semantics == 1


def _ratings(corpus: EsaCorpus, output: Output) -> str:
    names = _ADEQUACY_2020 if corpus.year == 2020 else ("Semantics",)
    values = corpus.values[output.item.key]
    return ", ".join(f"{name} {values[name]:.4g}" for name in names if name in values)


# ---
# The rank picture (Figure 3 of the ESA paper) as SVG, ours with the paper's places behind it.
# ---

SIZE, MARGIN = 720, 70
_OURS, _THEIRS, _FAINT = "#1f5fa8", "#b0563b", "#c8c8c8"


def rank_picture(ours: Ranks, theirs: Ranks, names: Mapping[str, str], title: str) -> str:
    """A dot a system: further right is more adequate, further up has more BLEU.

    `names` are the labels by system. A ring is the place the paper's table gives the system.
    """
    count = len(ours.esi)
    parts, dots = _axes(count), []
    for system, place in ours.esi.items():
        x, y = _position(place, count), SIZE - _position(ours.bleu[system], count)
        there = _position(theirs.esi[system], count)
        over = SIZE - _position(theirs.bleu[system], count)
        parts.append(
            line(x, y, there, over, _FAINT)
            + f'<circle class="paper" cx="{there:.1f}" cy="{over:.1f}" r="5" fill="none" '
            f'stroke="{_THEIRS}"/>'
        )
        # At the right edge a label goes to the left of its dot.
        right = x > SIZE * 0.75
        dots.append(
            f'<circle class="ours" cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{_OURS}"/>'
            + text(
                x + (-9 if right else 9), y - 7, names[system], anchor="end" if right else "start"
            )
        )
    return document(SIZE, SIZE, title, [*parts, *dots, *_legend()], title_size=17)


def _position(rank: int, count: int) -> float:
    """From left to right, the best rank last."""
    step = (SIZE - 2 * MARGIN) / count
    return MARGIN + (count - rank + 0.5) * step


def _axes(count: int) -> list[str]:
    """They cross between the halves; of an odd number of systems the better half is smaller."""
    half = count // 2
    x = (_position(half, count) + _position(half + 1, count)) / 2
    y = SIZE - x
    low, high = MARGIN, SIZE - MARGIN
    return [
        f'<line x1="{low}" y1="{y:.1f}" x2="{high}" y2="{y:.1f}" stroke="{INK}"/>',
        f'<line x1="{x:.1f}" y1="{low}" x2="{x:.1f}" y2="{high}" stroke="{INK}"/>',
        text(high, y - 8, "more adequate (ESI¹ rank) →", anchor="end"),
        text(x + 8, low - 6, "↑ higher BLEU rank", anchor="start"),
    ]


def _legend() -> list[str]:
    y = SIZE - 26
    return [
        f'<circle cx="{MARGIN}" cy="{y - 4}" r="5" fill="{_OURS}"/>',
        text(MARGIN + 12, y, "adequa", anchor="start"),
        f'<circle cx="{MARGIN + 90}" cy="{y - 4}" r="5" fill="none" stroke="{_THEIRS}"/>',
        text(MARGIN + 102, y, "the paper's Table 1", anchor="start"),
    ]


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
class EsaReproduction:
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
) -> EsaReproduction:
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
    return EsaReproduction(esa.signature, found)


def _silent(done: int, total: int) -> None:
    del done, total


def _year(corpus: EsaCorpus, sample: int, seed: int) -> Year:
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


def write_files(reproduction: EsaReproduction, folder: Path) -> list[Path]:
    """Write pictures and worksheets; a worksheet that somebody filled is not overwritten."""
    files = {name: text for year in reproduction.years for name, text in year.files.items()}
    return write_texts(files, folder, filled="worksheet")
