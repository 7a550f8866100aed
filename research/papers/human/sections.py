"""The sample, Tables 2 and 3 and Figures 1 to 3 of paper 004: means by system, part and size."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from adequa.charts import series_chart
from adequa.stats import spearman
from adequa.tables import Cell, Column, Table
from research.papers.human.data import REFERENCE, HumanStudy
from research.papers.human.groups import best_table, group_agreements, settings_table
from research.papers.human.printed import CRITERIA, HEADINGS, HUMAN, PARTS, SAMPLE
from research.papers.section import Content, Section, counts, mark

SIZES = (1, 2, 3, 4, 5)
FLAT = 0.02
"""A change of the mean per triple up to this counts as none (0.08 from one triple to five).

No record of the data it was chosen on."""


def tables_2_and_3(study: HumanStudy) -> Section:
    """Our ninety means next to the paper's."""
    means = _means(study)
    tables, marks, records = [], [], []
    for criterion in CRITERIA:
        rows: list[list[Cell]] = []
        for system in HUMAN[criterion, None]:
            row: list[Cell] = [system]
            for part in PARTS:
                printed = HUMAN[criterion, part][system].mean
                ours = means.get((criterion, part, system))
                marked = mark(ours, printed)
                marks.append(marked)
                row += [printed, ours, marked]
                records.append(
                    {
                        "criterion": criterion,
                        "part": part or "all",
                        "system": system,
                        "paper": printed,
                        "ours": ours,
                        "mark": marked,
                        "group": HUMAN[criterion, part][system].group,
                    }
                )
            rows.append(row)
        title = f"Tables 2 and 3, {criterion} (the paper's heading: {HEADINGS[criterion]})"
        columns: list[str | Column] = ["system"]
        for part in PARTS:
            name = part or "all"
            columns += [Column(f"{name}, paper", 2), Column(f"{name}, ours", 2), f"{name} is"]
        tables.append(Table(title, columns, rows))
    found = counts(marks)
    values: dict[str, tuple[str, Cell]] = {
        name: (f"means that are {name}", number) for name, number in found.items()
    }
    note = (
        "the paper prints Semantics and Grammar under each other's heading; the released file is "
        "right, since its METEOR and semantics have the correlation of the paper's text, 0.73"
    )
    return Section("tables2_3", tables, values, [note], records)


def _means(study: HumanStudy) -> dict[tuple[str, str | None, str], float]:
    sums: dict[tuple[str, str | None, str], list[float]] = {}
    for rating in study.averages:
        for part in (None, str(rating.meta.get("type", ""))):
            sums.setdefault((rating.criterion, part, rating.system), []).append(rating.value)
    return {key: sum(values) / len(values) for key, values in sums.items()}


def groups(study: HumanStudy) -> Section:
    """The letters of Tables 2 and 3 under several tests, data and corrections."""
    if not study.judgments:
        return Section("groups", notes=["n/a: groups need both files of judgments"])
    found = group_agreements(study.averages, study.judgments)
    records = [
        {
            "criterion": one.part[0],
            "part": one.part[1] or "all",
            "data": one.setting.data,
            "test": one.setting.test,
            "correction": one.setting.correction,
            "equal_pairs": one.equal_pairs,
            "pairs": one.pairs,
            "equal": one.equal,
            "letters": dict(one.letters),
        }
        for one in found
    ]
    note = (
        "as the paper says: averages, rank-sum test, no correction; the closest of many settings "
        "is close by selection"
    )
    return Section("groups", [best_table(found), settings_table(found)], {}, [note], records)


def sizes(study: HumanStudy) -> Section:
    """Figures 1 to 3: mean scores by the number of triples, and the text's statements on them."""
    tables, records = [], []
    pictures: dict[str, Content] = {}
    trends: dict[tuple[str, str], float] = {}
    for number, criterion in enumerate(CRITERIA, 1):
        lines = _lines(study, criterion)
        rows: list[list[Cell]] = []
        for system, points in lines.items():
            slope = _slope(points)
            if slope is not None:
                trends[criterion, system] = slope
            rows.append([system, *(points.get(size) for size in SIZES), slope])
            records += [
                {"criterion": criterion, "system": system, "size": size, "mean": mean}
                for size, mean in points.items()
            ]
        columns: list[str | Column] = ["system"]
        columns += [Column(str(size), 2) for size in SIZES] + [Column("per triple", 3)]
        tables.append(Table(f"Figure {number}: {criterion} by size of data", columns, rows))
        if any(lines.values()):
            pictures[f"figure{number}.svg"] = series_chart(
                {
                    s: [(str(size), points.get(size)) for size in SIZES]
                    for s, points in lines.items()
                },
                title=f"Figure {number}: {criterion} by size of data",
                x_label="triples",
                y_label="mean score",
                low=1.0,
                high=3.0,
            )
    tables.append(_statements(trends))
    slope_note = (
        "per triple: the change of the mean with each further triple (least squares over the "
        f"means); up to {FLAT} in either direction it stays the same"
    )
    notes = [slope_note, _swap_note(trends)]
    return Section("figures1_3", tables, {}, notes, records, pictures)


def _lines(study: HumanStudy, criterion: str) -> dict[str, dict[int, float]]:
    sums: dict[str, dict[int, list[float]]] = {system: {} for system in HUMAN[criterion, None]}
    for rating in study.averages:
        size = str(rating.meta.get("triplesize", "")).removesuffix("s").removesuffix("triple")
        if rating.criterion == criterion and rating.system in sums and size.isdecimal():
            sums[rating.system].setdefault(int(size), []).append(rating.value)
    return {
        system: {size: sum(values) / len(values) for size, values in sorted(by_size.items())}
        for system, by_size in sums.items()
    }


def _slope(points: Mapping[int, float]) -> float | None:
    if len(points) < 2:
        return None
    middle = sum(points) / len(points)
    mean = sum(points.values()) / len(points)
    spread = sum((size - middle) ** 2 for size in points)
    return sum((size - middle) * (value - mean) for size, value in points.items()) / spread


_ON_GRAMMAR = (
    ("Grammar stays the same for references", REFERENCE, "stays"),
    ("Grammar rises a little for Tilburg-SMT", "Tilburg-SMT", "rises"),
    ("Grammar rises a little for Tilburg-Pipeline", "Tilburg-Pipeline", "rises"),
)


def _statements(trends: Mapping[tuple[str, str], float]) -> Table:
    """The paper's statements on sizes, for the criterion it names and the one it may mean."""
    systems = sorted({system for _, system in trends} - {REFERENCE})

    def falling(criterion: str) -> str:
        falls = [one for one in systems if _word(trends.get((criterion, one))) == "falls"]
        return f"falls for {len(falls)} of {len(systems)}"

    rows: list[list[Cell]] = [
        ["Semantics falls with size", falling("semantics"), falling("grammar")],
        ["Fluency falls with size", falling("fluency"), falling("fluency")],
        ["Grammar drops for most systems", falling("grammar"), falling("semantics")],
    ]
    for words, system, _ in _ON_GRAMMAR:
        rows.append(
            [words, *(_word(trends.get((one, system))) for one in ("grammar", "semantics"))]
        )
    columns = ["the text says", "of the column it names", "of the other, headings swapped"]
    return Table("Figures 1 to 3: the text's statements", columns, rows)


def _swap_note(trends: Mapping[tuple[str, str], float]) -> str:
    """Whether the figures' headings are swapped like those of the tables."""
    held = {
        criterion: sum(_word(trends.get((criterion, one))) == word for _, one, word in _ON_GRAMMAR)
        for criterion in ("grammar", "semantics")
    }
    return (
        f"of the text's {len(_ON_GRAMMAR)} statements on single systems' Grammar {held['grammar']} "
        f"hold of the column `grammar` and {held['semantics']} of `semantics`: where the second "
        "has more, the headings of the figures are swapped as in the tables"
    )


def _word(slope: float | None) -> str:
    if slope is None:
        return "n/a"
    return "stays" if abs(slope) <= FLAT else "rises" if slope > 0 else "falls"


A_CELL = 3
"""The sampled entries per category and size in the paper: of low, medium and high METEOR."""


def sample(study: HumanStudy) -> Section:
    """The sampled entries by category and size: 15 categories, 5 sizes, 3 entries per cell."""
    sampled = {
        rating.id.partition("/")[0]: (
            str(rating.meta.get("category", "")),
            str(rating.meta.get("triplesize", "")),
        )
        for rating in study.averages
    }
    cells = Counter(sampled.values())
    categories = sorted({category for category, _ in cells})
    sizes = sorted({size for _, size in cells}, key=lambda size: (len(size), size))
    rows: list[list[Cell]] = [
        [category, *(cells[category, size] for size in sizes)] for category in categories
    ]
    short = [
        f"{category}, {size}: {cells[category, size]}"
        for category in categories
        for size in sizes
        if cells[category, size] != A_CELL
    ]
    full = A_CELL * len(categories) * len(sizes)
    values: dict[str, tuple[str, Cell]] = {
        "entries": (f"entries (paper {SAMPLE})", len(sampled)),
        "full": ("entries if every cell had three (paper 225)", full),
        "short": (
            "cells that do not have three (paper: ComicsCharacter, one size)",
            "; ".join(short) or "none",
        ),
    }
    notes: list[str] = []
    thirds, counted, by_chance = _thirds(study, sampled)
    if counted:
        values["thirds"] = (
            "cells with an entry in each third of the METEOR of their entries",
            f"{thirds} of {counted} (by chance about {by_chance:.0f})",
        )
        near = _agreement(study)
        values["spearman"] = ("Spearman of our METEOR with the file's, entries of the sample", near)
        notes.append(
            "METEOR is ours, averaged over the systems: the files have that of the Java program "
            "only for the sampled texts; the paper does not define low, medium and high"
        )
    tables = [Table("The sample: entries by category and size", ["category", *sizes], rows)]
    return Section("sample", tables, values, notes)


def _mean_meteor(study: HumanStudy) -> dict[str, float]:
    """Our METEOR of each entry of the test, averaged over the systems."""
    sums: dict[str, list[float]] = defaultdict(list)
    for (_, entry), score in study.scores("meteor", everywhere=True).items():
        if score.value is not None:
            sums[entry].append(score.value)
    return {entry: sum(values) / len(values) for entry, values in sums.items()}


def _agreement(study: HumanStudy) -> float | None:
    given: dict[str, list[float]] = defaultdict(list)
    for (system, entry), row in study.values.items():
        if system != REFERENCE:
            given[entry].append(row["meteor"])
    ours = _mean_meteor(study)
    shared = sorted(given.keys() & ours.keys())
    found = spearman(
        [ours[entry] for entry in shared],
        [sum(given[entry]) / len(given[entry]) for entry in shared],
    )
    return found.value if found else None


def _thirds(study: HumanStudy, sampled: Mapping[str, tuple[str, str]]) -> tuple[int, int, float]:
    """Cells with an entry in each third, cells with three entries, and the number by chance."""
    means = _mean_meteor(study)
    pools: dict[tuple[str | None, int], list[str]] = defaultdict(list)
    seen: set[str] = set()
    for item in study.corpus.items:
        if item.id in means and item.id not in seen:
            seen.add(item.id)
            pools[item.category, len(item.triples)].append(item.id)
    thirds, counted, by_chance = 0, 0, 0.0
    for pool in pools.values():
        ranked = sorted(pool, key=lambda entry: (means[entry], entry))
        chosen = [place for place, entry in enumerate(ranked) if entry in sampled]
        if len(chosen) != A_CELL:
            continue
        counted += 1
        count = len(ranked)
        thirds += len({3 * place // count for place in chosen}) == 3
        parts = Counter(3 * place // count for place in range(count))
        ways = count * (count - 1) * (count - 2) / 6
        by_chance += parts[0] * parts[1] * parts[2] / ways
    return thirds, counted, by_chance
