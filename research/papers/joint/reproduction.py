"""Paper 003 (joint representations of text and graphs), told again with our models and data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from adequa.errors import DataError, UnknownName
from research.papers.joint.corpora import Part, figure_2, figure_3, inversion, table_1
from research.papers.joint.data import JointStudy, Shown
from research.papers.joint.models import Model
from research.papers.joint.people import bi_and_cross, correlations, figure_8
from research.papers.joint.retrieval import retrieval, setups
from research.papers.section import Section, write_texts

SECTIONS: Mapping[str, Callable[[JointStudy], Part]] = {
    "table1": table_1,
    "retrieval": retrieval,
    "setups": setups,
    "figure2": figure_2,
    "figure3": figure_3,
    "inversion": inversion,
    "section6.2": bi_and_cross,
    "figure6": partial(correlations, year=2020),
    "ratings2017": partial(correlations, year=2017),
    "figure8": figure_8,
}
"""The parts of the paper, in its order but for the retrieval figures, which stand together."""


@dataclass(frozen=True)
class JointReproduction:
    """What the paper says beside what we find; `files` are pictures to be written."""

    signatures: Mapping[str, str]
    sections: Sequence[Section]
    absent: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """For a terminal."""
        head = [f"{name}: {signature}" for name, signature in self.signatures.items()]
        head += [f"n/a: {one}" for one in self.absent]
        parts = ["\n".join(head)] if head else []
        return "\n\n".join([*parts, *(section.text() for section in self.sections)])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        parts = {section.key: section.as_object() for section in self.sections}
        return {"weights": dict(self.signatures), **parts, "absent": list(self.absent)}


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
    absent: Sequence[str] = (),
    progress: Shown | None = None,
) -> JointReproduction:
    """The paper's tables and pictures from what is in `data`, or the sections named in `only`.

    `corpora` are further corpora by name; `mapping` has Wikidata's names of DBpedia's properties;
    `pool` candidates are searched, or all; `sample` pairs of a corpus stand for it in Figure 2;
    `absent` is what the caller could not get. `progress` opens a bar by its title.
    """
    for name in only:
        if name not in SECTIONS:
            raise UnknownName("section", name, SECTIONS)
    if not data.is_dir():
        raise DataError("is no folder", path=data, remedy="name the one that holds webnlg2020")
    study = JointStudy(
        data, models, corpora or {}, mapping, pool, sample, seed, progress, [*absent]
    )
    sections: list[Section] = []
    files: dict[str, str] = {}
    for name, build in SECTIONS.items():
        if not only or name in only:
            section, pictures = build(study)
            sections.append(section)
            files.update(pictures)
    signatures = {model.name: model.signature for model in models}
    return JointReproduction(signatures, sections, list(dict.fromkeys(study.absent)), files)


def write_pictures(reproduction: JointReproduction, folder: Path) -> list[Path]:
    """Write the pictures, replacing those of an earlier run."""
    return write_texts(reproduction.files, folder)
