"""Paper 003 (joint representations of text and graphs), reproduced with our models and data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from research.papers.joint.corpora import figure_2, figure_3, inversion, table_1
from research.papers.joint.data import JointStudy
from research.papers.joint.models import Model
from research.papers.joint.people import bi_and_cross, correlations, figure_8
from research.papers.joint.retrieval import retrieval
from research.papers.joint.studies import StudyRun, reproduce_studies
from research.papers.section import (
    Chapter,
    Reproduction,
    Section,
    Shown,
    require_folder,
    require_sections,
)

SECTIONS: Mapping[str, Callable[[JointStudy], Section]] = {
    "table1": table_1,
    "retrieval": retrieval,
    "figure2": figure_2,
    "figure3": figure_3,
    "inversion": inversion,
    "section6.2": bi_and_cross,
    "figure6": partial(correlations, year=2020),
    "ratings2017": partial(correlations, year=2017),
    "figure8": figure_8,
}
"""The sections in the paper's order, except that the retrieval figures are together."""


def reproduce_joint(
    data: Path,
    models: Sequence[Model] = (),
    *,
    only: Sequence[str] = (),
    corpora: Mapping[str, Path] | None = None,
    mapping: Path | None = None,
    pool: int | None = None,
    sample: int = 1000,
    seed: int = 0,
    rows: Path | None = None,
    absent: Sequence[str] = (),
    progress: Shown | None = None,
) -> Reproduction:
    """Reproduce the paper's tables and figures from the corpora in `data`.

    `only` names sections; `corpora` are further corpora by name; `mapping` has the Wikidata names
    of DBpedia properties; `pool` limits the candidates of retrieval, and `sample` the pairs per
    corpus in Figure 2; `rows` is the folder of the saved studies; `absent` lists what the caller
    could not get.
    """
    require_sections(only, SECTIONS)
    require_folder(data, "webnlg2020")
    study = JointStudy(
        data=data,
        models=models,
        corpora=corpora or {},
        mapping=mapping,
        pool=pool,
        sample=sample,
        seed=seed,
        shown=progress,
        absent=[*absent],
    )
    sections = [build(study) for name, build in SECTIONS.items() if not only or name in only]
    if rows is not None and not only:
        sections += reproduce_studies(StudyRun(study, rows))
    chapter = Chapter(
        sections=sections,
        absent=list(dict.fromkeys(study.absent)),
        signatures={model.name: model.signature for model in models},
        signatures_key="weights",
    )
    return Reproduction([chapter])
