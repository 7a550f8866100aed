"""Paper 004 (human evaluation of WebNLG 2017), told again from the released judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from adequa.errors import UnknownName
from research.papers.esa.data import Progress
from research.papers.human.data import HumanStudy, read_human_study
from research.papers.human.figures import figures
from research.papers.human.ranking import table_1, table_1_all
from research.papers.human.sections import Part, groups, sample, sizes, tables_2_and_3
from research.papers.joint.reproduction import JointReproduction
from research.papers.section import Section

SECTIONS: Mapping[str, Callable[[HumanStudy, int], Part]] = {
    "sample": lambda study, _: (sample(study), {}),
    "table1": lambda study, seed: (table_1(study, seed), {}),
    "table1_all": lambda study, seed: (table_1_all(study, seed), {}),
    "tables2_3": lambda study, _: (tables_2_and_3(study), {}),
    "groups": lambda study, _: (groups(study), {}),
    "figures1_3": lambda study, _: sizes(study),
    "figures4_7": lambda study, _: figures(study),
}
"""The parts of the paper, in its order."""


def reproduce_human(
    data: Path,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    progress: Callable[[str], AbstractContextManager[Progress]] | None = None,
) -> JointReproduction:
    """The paper's tables, pictures and statements, or the sections named in `only`.

    `seed` is of Table 1's resamples; `progress` opens a bar by its title.
    """
    for name in only:
        if name not in SECTIONS:
            raise UnknownName("section", name, SECTIONS)
    study = read_human_study(data, progress)
    sections: list[Section] = []
    files: dict[str, str] = {}
    for name, build in SECTIONS.items():
        if not only or name in only:
            section, pictures = build(study, seed)
            sections.append(section)
            files.update(pictures)
    return JointReproduction({}, sections, list(study.absent), files)
