"""Paper 001 on ESA (Faille, Gatt and Gardent, 2021), reproduced on the same data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from adequa.entities import JudgmentSettings
from adequa.errors import DataError
from adequa.metrics import load_metric
from adequa.progress import silent
from adequa.tables import Cell, Column, Table
from research.papers.esa.correlations import Given, correlations, require_columns
from research.papers.esa.data import (
    YEARS,
    Detection,
    EsaCorpus,
    Key,
    Output,
    read_corpus,
    require_effect,
    score_corpus,
)
from research.papers.esa.entities import distinct_undetected, figure_4, undetected_by_type
from research.papers.esa.printed import CASES, SYSTEMS
from research.papers.esa.systems import figure_3, ranks, standings, table_1, table_4
from research.papers.esa.worksheet import worksheets
from research.papers.figures import rank_plot
from research.papers.section import Chapter, Reproduction, Section, Shown, require_folder

LOW_ESA = 0.8
"""The examples of Figure 2 in the paper have an ESA below this."""
SHOWN = 10
POOR, RICH = 0.4, 0.9
"""The thresholds of section 6.2 of the paper for a low and a high ESA."""

_ADEQUACY_2020 = ("Correctness", "DataCoverage", "Relevance")
_HIGH, _LOW = "rated high, ESA low", "rated low, ESA high"


def high_bleu_low_esa(corpus: EsaCorpus) -> Section:
    """Figure 2: the texts with the highest BLEU among those that leave entities out."""
    poor = [one for one in corpus.outputs if one.esa < LOW_ESA and one.bleu is not None]
    poor.sort(key=lambda one: (-(one.bleu or 0.0), one.item.key))
    # Systems often produce the same text: each text has one line with the first system.
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
        "BLEU is that of the single text; the paper's three examples have 41 to 48",
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
        return Section("disagreements", notes=["n/a: no rated texts; see the list of missing data"])
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
        notes.append("the paper counts all 178 rated entries, half of which are public")
    return Section(
        "disagreements",
        [Table(f"Section 6.2, {corpus.year}: ESA and people disagree", columns, rows)],
        values,
        notes,
    )


def _judgment(year: int, values: Mapping[str, float]) -> tuple[bool, bool]:
    """Whether a text is rated high, and whether it is rated low, by the paper's thresholds."""
    if year == 2020:
        given = [values[name] for name in _ADEQUACY_2020 if name in values]
        return any(value > 80 for value in given), any(value < 30 for value in given)
    semantics = values.get("Semantics")
    return semantics is not None and semantics >= 2, semantics == 1


def _ratings(corpus: EsaCorpus, output: Output) -> str:
    names = _ADEQUACY_2020 if corpus.year == 2020 else ("Semantics",)
    values = corpus.values[output.item.key]
    return ", ".join(f"{name} {values[name]:.4g}" for name in names if name in values)


CHECKED_YEAR = 2020
"""The year of the systems in the manual check of section 5.2."""


def reproduce_esa(
    data: Path,
    years: Sequence[int] = YEARS,
    *,
    detection: Detection | None = None,
    given: Given | None = None,
    sample: int = 20,
    seed: int = 0,
    progress: Shown | None = None,
) -> Reproduction:
    """Reproduce the paper's tables, figures and cases for each year with data in `data`.

    `detection` are settings of `esa`, such as `{"detector": "paper"}`; `given` are metrics for rows
    of the correlation tables; `sample` is the number of texts per system in the worksheets.
    """
    require_columns(years, given or {})
    chosen = detection or {}
    esa = load_metric("esa", **chosen)
    require_folder(data, "webnlg2020 and webnlg2017")
    corpora = [read_corpus(data, year) for year in years]
    if not any(corpus.items for corpus in corpora):
        raise DataError(
            "has nothing to score: " + "; ".join(corpus.absent[0] for corpus in corpora),
            path=data,
            remedy="it should hold webnlg2020 and webnlg2017, each with test, systems and human",
        )
    require_effect(corpora, chosen)
    found = []
    for corpus in corpora:
        if corpus.items:
            shown = progress(f"scoring {corpus.year}") if progress else nullcontext(silent)
            with shown as advance:
                score_corpus(corpus, chosen, advance)
        found.append(_chapter(corpus, JudgmentSettings(**chosen), given, sample=sample, seed=seed))
    return Reproduction(found, esa.signature, "years")


def _chapter(
    corpus: EsaCorpus, settings: JudgmentSettings, given: Given | None, *, sample: int, seed: int
) -> Chapter:
    name, heading = str(corpus.year), f"WebNLG {corpus.year}"
    absent = list(corpus.absent)
    if not corpus.outputs:
        if len(absent) > 1:  # one line instead of one per system
            absent = [f"everything of {corpus.year}: {corpus.folder / 'systems'} has no outputs"]
        return Chapter(name, heading, absent=absent)
    systems = standings(corpus)
    ours, theirs = ranks(systems, corpus.year)
    names = {name: row.name for name, row in SYSTEMS[corpus.year].items()}
    title = f"BLEU and entity-based adequacy, WebNLG {corpus.year}"
    places, printed = (
        {one: (by.esi[one], by.bleu[one]) for one in by.esi} for by in (ours, theirs)
    )
    plot = partial(rank_plot, places, printed, names, title)
    sheets = worksheets(corpus, sample, seed) if corpus.year == CHECKED_YEAR else {}
    sections = (
        table_1(systems, corpus.year),
        distinct_undetected(corpus),
        undetected_by_type(corpus),
        replace(figure_3(systems, corpus.year), files={f"figure3-{name}.svg": plot}),
        high_bleu_low_esa(corpus),
        correlations(corpus, given),
        table_4(corpus),
        figure_4(corpus, settings),
        disagreements(corpus),
    )
    return Chapter(name, heading, sections, absent, extra_files=sheets)
