"""Paper 004 (Shimorina et al., 2018), reproduced from the released judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from research.papers.human.data import HumanStudy, read_human_study
from research.papers.human.figures import figures
from research.papers.human.ranking import table_1, table_1_all
from research.papers.human.sections import groups, sizes, tables_2_and_3
from research.papers.human.sections import sample as sampled
from research.papers.section import Chapter, Reproduction, Section, Shown, require_sections

SECTIONS: Mapping[str, Callable[[HumanStudy, int], Section]] = {
    "sample": lambda study, _: sampled(study),
    "table1": table_1,
    "table1_all": table_1_all,
    "tables2_3": lambda study, _: tables_2_and_3(study),
    "groups": lambda study, _: groups(study),
    "figures1_3": lambda study, _: sizes(study),
    "figures4_7": lambda study, _: figures(study),
}
"""The sections in the paper's order."""


def reproduce_human(
    data: Path,
    *,
    only: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
    progress: Shown | None = None,
) -> Reproduction:
    """Reproduce the paper's tables, figures and statements, or the sections named in `only`.

    `sample` is the number of entries of Table 1 on all texts, without it all; `seed` is for the
    resamples of Table 1.
    """
    require_sections(only, SECTIONS)
    study = read_human_study(data, progress, sample)
    sections = [build(study, seed) for name, build in SECTIONS.items() if not only or name in only]
    chapter = Chapter(
        sections=sections, absent=list(study.absent), signatures={}, signatures_key="weights"
    )
    return Reproduction([chapter])
