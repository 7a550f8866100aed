"""The systems in the ESA paper: Table 1, Table 4 and the ranks of Figure 3."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adequa.metrics import resolve
from adequa.stats import spearman
from adequa.tables import Cell, Column, Table
from research.papers.esa.data import EsaCorpus, Output, bleu_of
from research.papers.esa.printed import HALLUCINATIONS, SYSTEMS, TEXTS
from research.papers.section import Section

MOST = 5
"""Texts with this many undetected entities or more are counted together."""


@dataclass(frozen=True)
class SystemStanding:
    """Our row of Table 1 for a system."""

    system: str
    texts: int
    counts: tuple[int, ...]
    bleu: float | None
    esa: tuple[float | None, float | None, float | None]

    @property
    def at_least_one(self) -> int:
        """Texts with an undetected entity."""
        return sum(self.counts)

    @property
    def esi(self) -> float:
        """ESI_C^1, the share of texts with an undetected entity."""
        return self.at_least_one / self.texts


def standings(corpus: EsaCorpus) -> list[SystemStanding]:
    """Each system of a year, in the paper's order."""
    return [_standing(corpus, system) for system in corpus.systems]


def _standing(corpus: EsaCorpus, system: str) -> SystemStanding:
    outputs = corpus.outputs_of(system)
    undetected = [len(output.undetected) for output in outputs]
    counts = [sum(one == number for one in undetected) for number in range(1, MOST)]
    counts.append(sum(one >= MOST for one in undetected))
    means = [_mean([one.esa for one in outputs if len(one.undetected) >= n]) for n in range(3)]
    statistics = [output.bleu_statistics for output in outputs if output.bleu is not None]
    bleu = None
    if statistics:
        metric = next(iter(resolve([bleu_of(corpus.year)]).values()))
        value = metric.corpus(np.sum(statistics, axis=0).tolist())
        bleu = value if isinstance(value, float) else None
    return SystemStanding(system, len(outputs), tuple(counts), bleu, (means[0], means[1], means[2]))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


@dataclass(frozen=True)
class Ranks:
    """The ranks of systems by BLEU and by ESI_C^1; 1 is the best."""

    bleu: Mapping[str, int]
    esi: Mapping[str, int]

    def high(self, system: str) -> tuple[bool, bool]:
        """Whether a system is in the better half by BLEU, and by ESI_C^1."""
        half = len(self.esi) // 2
        return self.bleu[system] <= half, self.esi[system] <= half


def ranks(found: Sequence[SystemStanding], year: int) -> tuple[Ranks, Ranks]:
    """Our ranks and the paper's, over the given systems; ties keep the paper's order."""
    printed = SYSTEMS[year]
    names = [one.system for one in found]
    ours = Ranks(
        _places({one.system: -(one.bleu or 0.0) for one in found}),
        _places({one.system: one.esi for one in found}),
    )
    theirs = Ranks(
        _places({name: printed[name].bleu_rank for name in names}),
        _places({name: printed[name].at_least_one for name in names}),
    )
    return ours, theirs


def _places(values: Mapping[str, float]) -> dict[str, int]:
    ordered = sorted(values, key=lambda name: values[name])
    return {name: place for place, name in enumerate(ordered, 1)}


def table_1(found: Sequence[SystemStanding], year: int) -> Section:
    """Table 1 with two lines per system: ours, and the paper's below it."""
    printed = SYSTEMS[year]
    ours, theirs = ranks(found, year)
    rows: list[list[Cell]] = []
    for one in found:
        paper = printed[one.system]
        rank = None if one.bleu is None else ours.bleu[one.system]
        own: list[Cell] = [one.system, "ours", *one.counts, one.at_least_one, 100 * one.esi]
        rows.append([*own, paper.type, one.bleu, rank, *one.esa])
        percent = 100 * paper.at_least_one / TEXTS[year]
        own = [one.system, "paper", *paper.counts, paper.at_least_one, percent]
        measures = (paper.esa, paper.esa_1, paper.esa_2)
        rows.append([*own, paper.type, None, paper.bleu_rank, *measures])
    columns: list[str | Column] = [
        *("system", "whose", "1", "2", "3", "4", "5+", "≥1"),
        *(Column("ESI^1 %", 1), "type", Column("BLEU", 1), "BLEU rank"),
        *(Column(name, 2) for name in ("ESA_C", "ESA_C\\1", "ESA_C\\2")),
    ]
    agreement = spearman(
        [one.esi for one in found], [printed[one.system].at_least_one for one in found]
    )
    scored = [one for one in found if one.bleu is not None]
    bleu = spearman(
        [-(one.bleu or 0.0) for one in scored], [theirs.bleu[one.system] for one in scored]
    )
    notes = [f"BLEU is sacrebleu's at corpus level ({bleu_of(year)}); the paper prints only ranks"]
    if year == 2017:
        notes.append("UIT-VNU-HCM is the paper's UIT-DANGNT")
    return Section(
        "table1",
        [Table(f"Table 1, {year}: texts by undetected entities, ESA and BLEU", columns, rows)],
        {
            "spearman_esi": (
                f"Spearman of ESI^1 with the paper's over {len(found)} systems",
                agreement.value if agreement else None,
            ),
            "spearman_bleu_rank": (
                "Spearman of the BLEU ranks with the paper's",
                bleu.value if bleu else None,
            ),
        },
        notes,
    )


def figure_3(found: Sequence[SystemStanding], year: int) -> Section:
    """Figure 3 as a table: systems by quadrant, with both ranks."""
    ours, theirs = ranks(found, year)
    rows: list[list[Cell]] = [
        [
            *(_quadrant(ours, name), name, ours.bleu[name], theirs.bleu[name]),
            *(ours.esi[name], theirs.esi[name], _quadrant(theirs, name)),
        ]
        for name in sorted(
            ours.bleu, key=lambda name: (*(not one for one in ours.high(name)), ours.bleu[name])
        )
    ]
    columns: list[str | Column] = [
        *("ours", "system", "BLEU rank", "paper's BLEU rank"),
        *("ESI^1 rank", "paper's ESI^1 rank", "paper"),
    ]
    both = [name for name in ours.bleu if ours.high(name) == (True, True)]
    theirs_both = [name for name in theirs.bleu if theirs.high(name) == (True, True)]
    notes = [f"the better half has {len(found) // 2} systems; 1 is the best rank"]
    if year == 2020:
        notes.append(
            "by Table 1 the paper has 3 systems high in both (cuni-ufal, FBConvAI, Amazon_AI), as "
            "its text says; the caption of Figure 3 says two (FB and OSU)"
        )
    else:
        notes.append("Figure 3 shows only 2020; the paper's ranks of 2017 are those of Table 1")
    return Section(
        "figure3",
        [Table(f"Figure 3, {year}: ranks by BLEU and by ESI^1", columns, rows)],
        {
            "high_in_both": ("systems high in both, ours", len(both)),
            "paper_high_in_both": ("systems high in both, paper", len(theirs_both)),
        },
        notes,
    )


def _quadrant(places: Ranks, system: str) -> str:
    bleu, esi = places.high(system)
    return f"{'high' if bleu else 'low'} BLEU, {'high' if esi else 'low'} adequacy"


def table_4(corpus: EsaCorpus) -> Section:
    """Table 4: texts with a span that the data does not explain."""
    rows: list[list[Cell]] = []
    for system, paper in HALLUCINATIONS[corpus.year].items():
        outputs = corpus.outputs_of(system)
        if not outputs:
            continue
        texts = _texts_with(outputs, "name")
        rows.append(
            [
                *(system, texts, paper.texts, paper.checked, _distinct(outputs), paper.distinct),
                *(100 * texts / len(outputs), 100 * paper.texts / TEXTS[corpus.year]),
                *(_texts_with(outputs, kind) for kind in ("number", "date", "")),
            ]
        )
    columns: list[str | Column] = [
        *("system", "texts", "paper's texts", "paper's after check", "dist", "paper's dist"),
        *(Column("%", 1), Column("paper's %", 1), "numbers", "dates", "any"),
    ]
    notes = [
        "texts: with an unexplained name; the paper's: with a linked entity not in the input",
        "dist: distinct unexplained names, ignoring case and accents",
        "numbers, dates, any: texts with an unexplained number, date, or any of the three",
    ]
    if corpus.year == 2017:
        notes += [
            "the authors checked 144 of Baseline's 754 texts and confirmed all of them",
            "most outputs of 2017 are lower-cased, so names cannot be told from other words",
        ]
    agreement = spearman([_number(row[1]) for row in rows], [_number(row[2]) for row in rows])
    return Section(
        "table4",
        [Table(f"Table 4, {corpus.year}: texts with unexplained spans", columns, rows)],
        {
            "spearman_texts": (
                f"Spearman of the texts with the paper's over {len(rows)} systems",
                agreement.value if agreement else None,
            )
        },
        notes,
    )


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else float("nan")


def _texts_with(outputs: Sequence[Output], kind: str) -> int:
    return sum(any(kind in finding.detail for finding in output.unexplained) for output in outputs)


def _distinct(outputs: Sequence[Output]) -> int:
    return len(
        {
            _folded(output.item.text[finding.start : finding.end])
            for output in outputs
            for finding in output.unexplained
            if "name" in finding.detail
        }
    )


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in plain if one.isalnum())
