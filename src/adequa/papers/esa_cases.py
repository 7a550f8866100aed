"""Single texts of the ESA paper: high BLEU with low ESA (Figure 2), and disagreement with people.

Disagreement is by the thresholds of section 6.2, whose examples are in appendix A.4.
"""

from __future__ import annotations

from collections.abc import Mapping

from adequa.papers.esa_data import Corpus, Key, Output
from adequa.papers.esa_sections import Section
from adequa.papers.esa_tables import CASES
from adequa.tables import Cell, Column, Table

__all__ = ["disagreements", "high_bleu_low_esa"]

LOW_ESA, SHOWN = 0.8, 10
"""Figure 2's examples have an ESA below this; how many of ours are shown."""
POOR, RICH = 0.4, 0.9

_ADEQUACY_2020 = ("Correctness", "DataCoverage", "Relevance")
_HIGH, _LOW = "rated high, ESA low", "rated low, ESA high"


def high_bleu_low_esa(corpus: Corpus) -> Section:
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


def disagreements(corpus: Corpus) -> Section:
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


def _ratings(corpus: Corpus, output: Output) -> str:
    names = _ADEQUACY_2020 if corpus.year == 2020 else ("Semantics",)
    values = corpus.values[output.item.key]
    return ", ".join(f"{name} {values[name]:.4g}" for name in names if name in values)
