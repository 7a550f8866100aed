"""The paper on entailment (Dušek and Kasner 2020), told again on the same data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from adequa.data import Verdict
from adequa.errors import DataError, UnknownName
from adequa.papers.esa_sections import Section
from adequa.papers.joint_pictures import Bar, bars, scatter
from adequa.papers.nli_data import DATASETS, Corpus, read_dataset
from adequa.papers.nli_measures import Evaluated, agreement, interval
from adequa.papers.nli_sections import SECTIONS
from adequa.papers.nli_setups import Scoring, Setup, setups, write_extracted
from adequa.papers.nli_tables import ACCURACY, Dataset
from adequa.papers.nli_worksheet import Sheet, worksheet
from adequa.papers.writing import write_texts

__all__ = ["Reproduction", "Told", "reproduce_nli", "write_files", "write_worksheet"]

_PANELS = 4


@dataclass(frozen=True)
class Told:
    """What the paper says of a data set beside what we find."""

    corpus: Corpus
    signatures: Mapping[str, str]
    sections: Sequence[Section]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """For a terminal."""
        head = [f"{name}: {signature}" for name, signature in self.signatures.items()]
        head += [f"n/a: {one}" for one in self.corpus.absent]
        head += [f"note: {one}" for one in self.notes]
        parts = ["\n".join([self.corpus.title, *head])]
        return "\n\n".join([*parts, *(section.text() for section in self.sections)])

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "signatures": dict(self.signatures),
            **{section.key: section.as_object() for section in self.sections},
            "notes": list(self.notes),
            "absent": list(self.corpus.absent),
        }


@dataclass(frozen=True)
class Reproduction:
    """The whole paper, data set by data set; `files` are pictures and templates to be written."""

    told: Sequence[Told]
    files: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """For a terminal."""
        return "\n\n\n".join(one.text() for one in self.told)

    def as_object(self) -> dict[str, object]:
        """For `--json`."""
        return {one.corpus.name: one.as_object() for one in self.told}


def reproduce_nli(
    data: Path,
    datasets: Sequence[Dataset] = tuple(DATASETS),
    scoring: Scoring | None = None,
    *,
    only: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> Reproduction:
    """The paper's evaluation of what is in `data`, or the sections named in `only`.

    `sample` texts a data set are scored, or all; `seed` is of the sample and of the intervals.
    """
    for name in only:
        if name not in SECTIONS:
            raise UnknownName("section", name, SECTIONS)
    scoring = scoring or Scoring()
    corpora = [one.sampled(sample, seed) for one in _read(data, datasets)]
    told: list[Told] = []
    evaluated: list[Evaluated] = []
    files: dict[str, str] = {}
    for corpus in corpora:
        if not corpus.judged:
            told.append(Told(corpus, {}, ()))
            continue
        with _setups(data, corpus, scoring) as (chosen, notes, templates):
            signatures = {setup.name: setup.signature for setup in chosen}
            scored = [scoring.score(corpus, setup) for setup in chosen]
        files |= templates
        evaluated.append(Evaluated(corpus, scored, seed))
        sections = [
            build(evaluated[-1]) for name, build in SECTIONS.items() if not only or name in only
        ]
        told.append(Told(corpus, signatures, sections, notes))
    return Reproduction(told, files | _pictures(evaluated))


def _read(data: Path, datasets: Sequence[Dataset]) -> list[Corpus]:
    if not data.is_dir():
        raise DataError(
            "is no folder", path=data, remedy="name the one that holds webnlg2017 and e2e"
        )
    corpora = [read_dataset(data, name) for name in datasets]
    if not any(corpus.judged for corpus in corpora):
        raise DataError(
            "has nothing to score: " + "; ".join(corpus.absent[0] for corpus in corpora),
            path=data,
            remedy="it should hold webnlg2017/human and e2e/systems",
        )
    return corpora


@contextmanager
def _setups(
    data: Path, corpus: Corpus, scoring: Scoring
) -> Iterator[tuple[list[Setup], list[str], dict[str, str]]]:
    """The setups of a corpus while their templates are on disk, notes, and those templates."""
    with TemporaryDirectory() as temporary:
        # The signature, and so the cache, knows the templates by their path too.
        folder = scoring.cache or Path(temporary)
        path: Path | None = None
        notes: list[str] = []
        if corpus.name == "webnlg":
            path, notes = write_extracted(data, folder, scoring)
        kept = {} if path is None else {path.name: path.read_text(encoding="utf-8")}
        yield setups(corpus, scoring, path), notes, kept


def _pictures(evaluated: Sequence[Evaluated]) -> dict[str, str]:
    """Accuracy beside the paper's, and systems by the share of their texts that are not_OK."""
    files: dict[str, str] = {}
    panels: dict[str, list[Bar]] = {}
    for whole in evaluated:
        corpus, rule = whole.corpus, whole.corpus.rules[0]
        rows = panels.setdefault(f"{corpus.title}: OK is {rule.words}", [])
        points: dict[str, list[tuple[float, float]]] = {}
        for scored in whole.scored:
            name, verdicts = scored.setup.name, [one.verdict for one in scored.answers]
            found = agreement(corpus.judged, verdicts, rule)
            if found.accuracy is None:
                continue
            rows.append(Bar(name, found.accuracy, interval(whole, scored, rule)))
            points[name] = _shares(corpus, verdicts)
        rows += [
            Bar(f"paper, {wording}", value)
            for (dataset, wording), value in ACCURACY.items()
            if dataset == corpus.name
        ]
        # With more panels than these none could be read.
        first = dict(list(points.items())[:_PANELS])
        title = f"{corpus.title}, a dot a system: its texts that are not_OK"
        files[f"systems-{corpus.name}.svg"] = scatter(first, title, "by the gold")
    if panels:
        files["accuracy.svg"] = bars(panels, "How often OK or not_OK is what the gold says")
    return files


def _shares(corpus: Corpus, verdicts: Sequence[Verdict | None]) -> list[tuple[float, float]]:
    """Each system's share of not_OK by the gold and by the metric, of the texts it could read."""
    rule = corpus.rules[0]
    by_system: dict[str, list[tuple[bool, bool]]] = {}
    for one, verdict in zip(corpus.judged, verdicts, strict=True):
        if verdict is not None:
            pair = not rule(one), verdict != "OK"
            by_system.setdefault(one.item.system, []).append(pair)
    return [
        (fmean(gold for gold, _ in pairs), fmean(said for _, said in pairs))
        for pairs in by_system.values()
    ]


def write_worksheet(
    path: Path, data: Path, dataset: Dataset, scoring: Scoring, sheet: Sheet
) -> int:
    """Write a sheet of errors that a setup makes on a data set; how many there are.

    A file that is there stays as it is, for somebody may have filled it.
    """
    if path.exists():
        raise DataError(
            "is there already and may have been filled",
            path=path,
            remedy="leave --data out to summarise it, give --show to read it, or move it away",
        )
    corpus = _read(data, [dataset])[0].sampled(sheet.sample, sheet.seed)
    with _setups(data, corpus, scoring) as (chosen, _, _):
        by_name = {one.name: one for one in chosen}
        if sheet.setup not in by_name:
            raise UnknownName("setup", sheet.setup, by_name)
        text = worksheet(corpus, scoring.score(corpus, by_name[sheet.setup]), sheet)
    write_texts({path.name: text}, path.parent)
    return text.count("\n") - 1


def write_files(reproduction: Reproduction, folder: Path) -> list[Path]:
    """Write pictures and the extracted templates, replacing those of an earlier run."""
    return write_texts(reproduction.files, folder)
