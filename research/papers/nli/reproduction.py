"""Paper 002 on semantic accuracy (Dušek and Kasner, 2020), reproduced on the same data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from adequa.data import Verdict
from adequa.errors import DataError, UnknownName
from adequa.metrics.nli import CLASSES
from adequa.stats import complete_pairs, spearman
from adequa.tables import Cell, Column, Table
from research.papers.figures import Bar, bars, scatter
from research.papers.nli.data import DATASETS, JudgedText, NliCorpus, Rule, read_dataset
from research.papers.nli.measures import (
    NliEvaluation,
    agreement,
    area,
    four_way,
    interval,
    ranks,
    share,
)
from research.papers.nli.printed import (
    ACCURACY,
    CLOSE,
    EQUAL,
    EXAMINED,
    REEXAMINED,
    Dataset,
    against,
)
from research.papers.nli.setups import Setup, SetupScoring, setups, write_extracted
from research.papers.nli.worksheet import Sheet, worksheet
from research.papers.section import (
    Chapter,
    Content,
    Reproduction,
    Section,
    require_folder,
    require_new,
    require_sections,
    write_texts,
)

_FINER = [
    f"{measure} of {what}" for what in ("not_OK", "OK") for measure in ("recall", "precision", "F1")
]


def accuracy(whole: NliEvaluation) -> Section:
    """Accuracy next to the paper's figure; recall, precision and F1."""
    corpus = whole.corpus
    rows: list[list[Cell]] = []
    finer: list[list[Cell]] = []
    for rule in corpus.rules:
        rows.append(_always(whole, rule))
        for scored in whole.scored:
            name, wording = scored.setup.name, scored.setup.wording
            found = agreement(corpus.judged, [one.verdict for one in scored.answers], rule)
            # The paper's threshold is the first.
            paper = ACCURACY[corpus.name, wording] if rule is corpus.rules[0] else None
            rows.append(
                [
                    *(name, rule.words, found.texts, len(corpus.judged) - found.texts),
                    *(found.accuracy, *(interval(whole, scored, rule) or (None, None))),
                    *(paper, against(found.accuracy, paper)),
                    *(four_way(corpus, scored), area(corpus, scored, rule)),
                ]
            )
            finer.append([name, rule.words, *found.of(ok=False), *found.of(ok=True)])
    columns: list[str | Column] = [
        *("setup", "OK is", "texts", "unread", "accuracy", "low", "high", "paper"),
        *("against the paper", "4-way accuracy", "AUC"),
    ]
    tables = [
        Table(f"{corpus.title}: OK or not_OK, as the gold has it", columns, rows),
        Table(f"{corpus.title}: recall, precision, F1", ["setup", "OK is", *_FINER], finer),
    ]
    if _has_ratings(whole):
        tables.append(_correlations(whole))
    return Section("accuracy", tables, notes=_notes(whole), records=_merged(tables))


def _always(whole: NliEvaluation, rule: Rule) -> list[Cell]:
    """The accuracy of always giving the more frequent answer."""
    texts = len(whole.corpus.judged)
    fine = sum(map(rule, whole.corpus.judged))
    name = f"always {'OK' if 2 * fine >= texts else 'not_OK'}"
    return [name, rule.words, texts, 0, max(fine, texts - fine) / texts, *[None] * 6]


def _merged(tables: list[Table]) -> list[dict[str, object]]:
    """One record per setup and rule, merged from all tables."""
    first, *others = tables
    records: list[dict[str, object]] = [dict(row) for row in first.json_rows()]
    for table in others:
        for row in table.json_rows():
            for record in records:
                if all(record[key] == row[key] for key in ("setup", "OK is") if key in row):
                    record.update(row)
    return records


def _notes(whole: NliEvaluation) -> list[str]:
    notes = [
        *whole.corpus.notes,
        "low, high: the 95% interval of the accuracy, graphs resampled",
        f"against the paper: equal within {EQUAL}, close within {CLOSE}",
        "the paper prints only accuracy; the authors' own evaluation treats not_OK as positive",
        (
            f"in {REEXAMINED[whole.corpus.name]} of {EXAMINED} errors that the authors re-examined "
            "the metric was right; for ours see --worksheet"
        ),
    ]
    if not _has_ratings(whole):
        notes.append(
            "4-way: missing is omission, added hallucination, a wrong value both, repeated neither"
        )
    return notes


def _has_ratings(whole: NliEvaluation) -> bool:
    return whole.corpus.judged[0].rating is not None


def _correlations(whole: NliEvaluation) -> Table:
    """Spearman of the score with the rating, on all texts and on those of systems."""
    subsets: dict[str, Callable[[JudgedText], bool]] = {
        "all": lambda _: True,
        "systems": whole.corpus.parts["systems"],
    }
    rows: list[list[Cell]] = []
    for scored in whole.scored:
        row: list[Cell] = [scored.setup.name]
        for belongs in subsets.values():
            found, texts = ranks(whole.corpus, scored, belongs)
            row += [found.value if found else None, texts]
        rows.append(row)
    heads = [f"{what}, {subset}" for subset in subsets for what in ("Spearman", "texts")]
    title = f"{whole.corpus.title}: the score with people's ratings of semantics"
    return Table(title, ["setup", *heads], rows)


def confusion(whole: NliEvaluation) -> Section:
    """Texts by the metric's four results, and by the gold."""
    corpus = whole.corpus
    golds: dict[str, Callable[[JudgedText], bool]] = {}
    if _has_ratings(whole):
        for rule in corpus.rules:
            golds[f"{rule.words}: OK"] = rule
            golds[f"{rule.words}: not_OK"] = _opposite(rule)
    else:
        golds = {f"gold {name}": _is_result(name) for name in CLASSES}
    rows: list[list[Cell]] = []
    for scored in whole.scored:
        for verdict in (*CLASSES, None):
            texts = [
                one
                for one, answer in zip(corpus.judged, scored.answers, strict=True)
                if answer.verdict == verdict
            ]
            ratings = [one.rating for one in texts if one.rating is not None]
            counts = [sum(map(belongs, texts)) for belongs in golds.values()]
            means = [fmean(ratings) if ratings else None] if _has_ratings(whole) else []
            if verdict is not None or texts:
                rows.append([scored.setup.name, verdict or "unread", len(texts), *counts, *means])
    last = ["mean rating"] if _has_ratings(whole) else []
    columns: list[str | Column] = ["setup", "metric says", "texts", *golds, *last]
    return Section("confusion", [Table(f"{corpus.title}: the four results", columns, rows)])


def _is_result(name: Verdict) -> Callable[[JudgedText], bool]:
    return lambda one: one.result == name


def _opposite(rule: Rule) -> Callable[[JudgedText], bool]:
    return lambda one: not rule(one)


def parts(whole: NliEvaluation) -> Section:
    """Accuracy by the number of triples and by the other parts of the data."""
    chosen: dict[str, Callable[[JudgedText], bool]] = {
        f"{size} triple{'s' if size > 1 else ''}": _has_size(size)
        for size in sorted({len(one.item.triples) for one in whole.corpus.judged})
    }
    tables, records = _groups(whole, "part", chosen | dict(whole.corpus.parts))
    return Section("parts", tables, records=records)


def _has_size(size: int) -> Callable[[JudgedText], bool]:
    return lambda one: len(one.item.triples) == size


def systems(whole: NliEvaluation) -> Section:
    """Each system: how many of its texts are not_OK by the gold and by the metric."""
    names = sorted({one.item.system for one in whole.corpus.judged}, key=str.casefold)
    tables, records = _groups(whole, "system", {name: _is_of(name) for name in names})
    values: dict[str, tuple[str, Cell]] = {}
    rows = tables[0].json_rows()
    for number, scored in enumerate(whole.scored, 1):
        name = scored.setup.name
        said, gold = ([_number(row[key]) for row in rows] for key in (f"{name}: not_OK", _GOLD))
        found = spearman(*complete_pairs(said, gold))
        words = f"Spearman over systems of not_OK by {name} with the gold's"
        values[f"spearman_systems_{number}"] = (words, found.value if found else None)
    return Section("systems", tables, values, records=records)


_GOLD = "gold not_OK"


def _is_of(system: str) -> Callable[[JudgedText], bool]:
    return lambda one: one.item.system == system


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


def _groups(
    whole: NliEvaluation, kind: str, chosen: Mapping[str, Callable[[JudgedText], bool]]
) -> tuple[list[Table], list[dict[str, object]]]:
    """One table per rule: the shares of not_OK and the accuracy in each group."""
    heads = [f"{one.setup.name}: {what}" for one in whole.scored for what in ("not_OK", "accuracy")]
    tables: list[Table] = []
    records: list[dict[str, object]] = []
    for rule in whole.corpus.rules:
        rows: list[list[Cell]] = []
        for name, belongs in chosen.items():
            places = [place for place, one in enumerate(whole.corpus.judged) if belongs(one)]
            texts = [whole.corpus.judged[place] for place in places]
            wrong = sum(not rule(one) for one in texts)
            row: list[Cell] = [name, len(texts), share(wrong, len(texts))]
            for scored in whole.scored:
                found = agreement(texts, [scored.answers[place].verdict for place in places], rule)
                row += [found.not_ok, found.accuracy]
            rows.append(row)
        title = f"{whole.corpus.title} by {kind}, OK is {rule.words}"
        tables.append(Table(title, [kind, "texts", _GOLD, *heads], rows))
        records += [{"OK is": rule.words, **row} for row in tables[-1].json_rows()]
    return tables, records


SECTIONS: Mapping[str, Callable[[NliEvaluation], Section]] = {
    "accuracy": accuracy,
    "confusion": confusion,
    "parts": parts,
    "systems": systems,
}
"""The parts of the paper's evaluation, and results by system."""

_PANELS = 4


def reproduce_nli(
    data: Path,
    datasets: Sequence[Dataset] = tuple(DATASETS),
    scoring: SetupScoring | None = None,
    *,
    only: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> Reproduction:
    """The paper's evaluation on the data sets in `data`, or the sections named in `only`.

    `sample` limits the texts per data set; `seed` is for the sample and the intervals.
    """
    require_sections(only, SECTIONS)
    scoring = scoring or SetupScoring()
    corpora = [one.sampled(sample, seed) for one in _read(data, datasets)]
    chapters: list[Chapter] = []
    evaluated: list[NliEvaluation] = []
    for corpus in corpora:
        if not corpus.judged:
            chapters.append(
                Chapter(corpus.name, corpus.title, absent=corpus.absent, signatures={}, notes=())
            )
            continue
        with _setups(data, corpus, scoring) as (chosen, notes, templates):
            signatures = {setup.name: setup.signature for setup in chosen}
            scored = [scoring.score(corpus, setup) for setup in chosen]
        evaluated.append(NliEvaluation(corpus, scored, seed))
        sections = [
            replace(build(evaluated[-1]), options=f"--dataset {corpus.name} --only {name}")
            for name, build in SECTIONS.items()
            if not only or name in only
        ]
        chapters.append(
            Chapter(
                corpus.name,
                corpus.title,
                sections,
                corpus.absent,
                signatures=signatures,
                notes=notes,
                extra_files=dict(templates),
            )
        )
    figures = _figures(evaluated)
    if figures:
        last = chapters[-1]
        chapters[-1] = replace(last, extra_files={**last.extra_files, **figures})
    return Reproduction(chapters)


def _read(data: Path, datasets: Sequence[Dataset]) -> list[NliCorpus]:
    require_folder(data, "webnlg2017 and e2e")
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
    data: Path, corpus: NliCorpus, scoring: SetupScoring
) -> Iterator[tuple[list[Setup], list[str], dict[str, str]]]:
    """The setups of a corpus, notes, and templates, which are on disk meanwhile."""
    with TemporaryDirectory() as temporary:
        # The signature, and so the cache, includes the path of the templates.
        folder = scoring.cache or Path(temporary)
        path: Path | None = None
        notes: list[str] = []
        if corpus.name == "webnlg":
            path, notes = write_extracted(data, folder, scoring)
        kept = {} if path is None else {path.name: path.read_text(encoding="utf-8")}
        yield setups(corpus, scoring, path), notes, kept


def _figures(evaluated: Sequence[NliEvaluation]) -> dict[str, Content]:
    """Accuracy next to the paper's, and the share of not_OK texts by system."""
    files: dict[str, Content] = {}
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
        # More panels would be too small to read.
        first = dict(list(points.items())[:_PANELS])
        title = f"{corpus.title}, one dot per system: share of its texts that are not_OK"
        files[f"systems-{corpus.name}.svg"] = partial(scatter, first, title, "by the gold")
    if panels:
        files["accuracy.svg"] = partial(bars, panels, "How often OK or not_OK agrees with the gold")
    return files


def _shares(corpus: NliCorpus, verdicts: Sequence[Verdict | None]) -> list[tuple[float, float]]:
    """The share of not_OK by gold and by metric for each system, over the texts read."""
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
    path: Path, data: Path, dataset: Dataset, scoring: SetupScoring, sheet: Sheet
) -> int:
    """Write a worksheet of the errors of a setup on a data set, and return their number.

    An existing file is kept, since it may have been filled in.
    """
    require_new(path)
    corpus = _read(data, [dataset])[0].sampled(sheet.sample, sheet.seed)
    with _setups(data, corpus, scoring) as (chosen, _, _):
        by_name = {one.name: one for one in chosen}
        if sheet.setup not in by_name:
            raise UnknownName("setup", sheet.setup, by_name)
        text = worksheet(corpus, scoring.score(corpus, by_name[sheet.setup]), sheet)
    write_texts({path.name: text}, path.parent)
    return text.count("\n") - 1
