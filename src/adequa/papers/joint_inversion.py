"""Do the scores notice that subject and object are swapped? Figure 5 of paper 003."""

from __future__ import annotations

from statistics import fmean, median

from adequa.papers.esa_sections import Section
from adequa.papers.joint_corpora import Part
from adequa.papers.joint_data import Study
from adequa.papers.joint_pictures import violins
from adequa.papers.joint_tables import INVERSIONS, INVERTED_PAIRS
from adequa.tables import Cell, Column, Table
from adequa.training.derived import inverted

__all__ = ["inversion"]


def inversion(study: Study) -> Part:
    """The share of inverted triples that score as high as the right one or higher."""
    pairs = list(inverted(study.test_texts))
    rows: list[list[Cell]] = [
        [name, "paper", share, None, None, INVERTED_PAIRS] for name, share in INVERSIONS.items()
    ]
    notes = [
        "paper: scored higher; ours: as high or higher",
        (
            f"ours: the {len(pairs):,} texts of the test set whose one triple says something else "
            f"when inverted; the paper has {INVERTED_PAIRS:,} of all splits, in Wikidata's words"
        ),
    ]
    if not pairs:
        notes.append("n/a: ours: there is no test set; see what is missing")
    series = {}
    for model in study.models if pairs else ():
        items = [item for pair in pairs for item in pair]
        parts = study.score(model, items, f"{model.name}, inverted triples")
        for part, values in parts.items():
            differences = [
                right - wrong
                for right, wrong in zip(values[::2], values[1::2], strict=True)
                if right is not None and wrong is not None
            ]
            if not differences:
                continue
            name = study.label(part, model)
            series[name] = differences
            share = sum(difference <= 0 for difference in differences) / len(differences)
            middle: list[Cell] = [fmean(differences), median(differences)]
            rows.append([name, "ours", share, *middle, len(differences)])
    if pairs:
        notes += study.without_scores(series)
    columns: list[str | Column] = [
        *("model", "whose", "inverted as high", "mean difference", "median difference", "pairs"),
    ]
    title = "Figure 5: similarity of the right less that of the inverted triple"
    files = {"figure5.svg": violins(series, title, "sim(g, t) - sim(g_inv, t)")} if series else {}
    return Section("inversion", [Table(title, columns, rows)], notes=notes), files
