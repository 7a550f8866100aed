"""What the paper on entailment evaluates: accuracy, the four results, parts and systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean

from adequa.data import Verdict
from adequa.entailment.judging import CLASSES
from adequa.papers.esa_sections import Section
from adequa.papers.nli_data import Judged, Rule
from adequa.papers.nli_measures import (
    Evaluated,
    agreement,
    area,
    four_way,
    interval,
    ranks,
    share,
)
from adequa.papers.nli_tables import ACCURACY, CLOSE, EQUAL, EXAMINED, REEXAMINED, against
from adequa.stats.correlations import complete_pairs, spearman
from adequa.tables import Cell, Column, Table

__all__ = ["SECTIONS"]

_FINER = [
    f"{measure} of {what}" for what in ("not_OK", "OK") for measure in ("recall", "precision", "F1")
]


def accuracy(whole: Evaluated) -> Section:
    """How often metric and gold agree, beside the paper's figure; recall, precision and F1."""
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


def _always(whole: Evaluated, rule: Rule) -> list[Cell]:
    """What the more frequent answer would come to."""
    texts = len(whole.corpus.judged)
    fine = sum(map(rule, whole.corpus.judged))
    name = f"always {'OK' if 2 * fine >= texts else 'not_OK'}"
    return [name, rule.words, texts, 0, max(fine, texts - fine) / texts, *[None] * 6]


def _merged(tables: list[Table]) -> list[dict[str, object]]:
    """One record a setup and rule, of what all tables say of it."""
    first, *others = tables
    records: list[dict[str, object]] = [dict(row) for row in first.json_rows()]
    for table in others:
        for row in table.json_rows():
            for record in records:
                if all(record[key] == row[key] for key in ("setup", "OK is") if key in row):
                    record.update(row)
    return records


def _notes(whole: Evaluated) -> list[str]:
    notes = [
        *whole.corpus.notes,
        "low, high: the 95% interval of the accuracy, graphs resampled",
        f"against the paper: equal within {EQUAL}, close within {CLOSE}",
        "the paper prints accuracy alone; in the authors' own evaluation not_OK is looked for",
        (
            f"in {REEXAMINED[whole.corpus.name]} of {EXAMINED} errors that the authors read again "
            "the metric was right; for ours see --worksheet"
        ),
    ]
    if not _has_ratings(whole):
        notes.append(
            "4-way: missing is omission, added hallucination, a wrong value both, repeated neither"
        )
    return notes


def _has_ratings(whole: Evaluated) -> bool:
    return whole.corpus.judged[0].rating is not None


def _correlations(whole: Evaluated) -> Table:
    """Spearman of the score with the rating, on all texts and on those of systems."""
    subsets: dict[str, Callable[[Judged], bool]] = {
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


def confusion(whole: Evaluated) -> Section:
    """Texts by the metric's four results, and by the gold."""
    corpus = whole.corpus
    golds: dict[str, Callable[[Judged], bool]] = {}
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


def _is_result(name: Verdict) -> Callable[[Judged], bool]:
    return lambda one: one.result == name


def _opposite(rule: Rule) -> Callable[[Judged], bool]:
    return lambda one: not rule(one)


def parts(whole: Evaluated) -> Section:
    """Accuracy by the number of triples, and of what else the data tells apart."""
    chosen: dict[str, Callable[[Judged], bool]] = {
        f"{size} triple{'s' if size > 1 else ''}": _has_size(size)
        for size in sorted({len(one.item.triples) for one in whole.corpus.judged})
    }
    tables, records = _groups(whole, "part", chosen | dict(whole.corpus.parts))
    return Section("parts", tables, records=records)


def _has_size(size: int) -> Callable[[Judged], bool]:
    return lambda one: len(one.item.triples) == size


def systems(whole: Evaluated) -> Section:
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


def _is_of(system: str) -> Callable[[Judged], bool]:
    return lambda one: one.item.system == system


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


def _groups(
    whole: Evaluated, kind: str, chosen: Mapping[str, Callable[[Judged], bool]]
) -> tuple[list[Table], list[dict[str, object]]]:
    """A table a rule: of each group the shares of not_OK, and how often the metric is right."""
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


SECTIONS: Mapping[str, Callable[[Evaluated], Section]] = {
    "accuracy": accuracy,
    "confusion": confusion,
    "parts": parts,
    "systems": systems,
}
"""The parts of the paper's evaluation, and by system as well."""
