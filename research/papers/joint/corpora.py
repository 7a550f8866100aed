"""The corpora of paper 003 (Table 1), similarity of their pairs (Figure 2), training (Figure 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean, median

from adequa.charts import curves_picture
from adequa.tables import Cell, Column, Table
from research.corpora.derived import inverted
from research.papers.figures import histograms, violins
from research.papers.joint.data import NO_WEIGHTS, JointStudy
from research.papers.joint.models import LOGS, Model, cosines
from research.papers.joint.printed import INVERSIONS, INVERTED_PAIRS, STATISTICS
from research.papers.section import Content, Section

_ABSENT = {
    "TeKGen": "its 6 million pairs are not available",
    "T-REx": "its 6 million pairs are not available",
    "KELM": "its 15 million pairs are not available",
    "WikiChunks": "no passages of Wikipedia; adequa derive chunks makes the set from them",
}
_OURS = {"WebNLG-DB": "WebNLG train"}
"""Our names for corpora of the paper."""
SHOWN_STEPS = 10


def table_1(study: JointStudy) -> Section:
    """Table 1 for every available corpus, the paper's numbers below ours."""
    counted = study.counted
    rows: list[list[Cell]] = []
    notes = []
    names = {_OURS.get(name, name): name for name in STATISTICS}
    for name in dict.fromkeys((*names, *counted)):
        if name in counted:
            found = counted[name].statistics
            rows.append(
                [
                    *(name, "ours", found.pairs, found.texts, found.graphs),
                    *(found.properties, found.entities),
                ]
            )
        if name in names:
            paper = STATISTICS[names[name]]
            counts: list[Cell] = [paper.pairs, None, None, paper.properties, paper.entities]
            rows.append([names[name], "paper", *counts])
            if name not in counted and names[name] in _ABSENT:
                notes.append(f"n/a: {name}: {_ABSENT[name]}; give it with --corpus {name}=PATH")
    columns = ["corpus", "whose", "pairs", "texts", "graphs", "properties", "entities"]
    notes += [
        "WebNLG has one text per graph, like the paper's pairs; entities are subjects and objects",
        "WebNLG-WD is WebNLG train by a mapping of our own; the paper's is not published",
    ]
    return Section("table1", [Table("Table 1: corpora", columns, rows)], notes=notes)


def figure_2(study: JointStudy) -> Section:
    """The similarity of text and graph in each corpus by the first bi-encoder."""
    model = next((one for one in study.models if one.encoder is not None), None)
    if model is None or model.encoder is None:
        return Section("figure2", notes=[f"n/a: Figure 2: {NO_WEIGHTS}"])
    series = {}
    with study.show("Figure 2") as advance:
        for done, (name, corpus) in enumerate(study.counted.items(), 1):
            found = cosines(model.encoder, corpus.sample)
            series[name] = [value for value in found if value is not None]
            advance(done, len(study.counted))
    series = {name: values for name, values in series.items() if values}
    rows: list[list[Cell]] = [
        [
            *(name, len(values), fmean(values), median(values)),
            sum(value < 0.5 for value in values) / len(values),
        ]
        for name, values in series.items()
    ]
    columns: list[str | Column] = ["corpus", "pairs", "mean", "median", "below 0.5"]
    title = f"Figure 2: similarity of text and graph by the bi-encoder {model.name}"
    notes = [
        f"at most {study.sample:,} pairs per corpus, drawn with seed {study.seed}",
        "the paper prints no numbers; it finds KELM much better aligned than T-REx and TeKGen",
    ]
    files: dict[str, Content] = {}
    if series:
        files["figure2.svg"] = partial(histograms, series, title, "cosine of text and graph")
    return Section("figure2", [Table(title, columns, rows)], notes=notes, files=files)


def figure_3(study: JointStudy) -> Section:
    """Loss and held-out figures during training, from the log in the folder of the weights."""
    tables, notes = [], []
    files: dict[str, Content] = {}
    records: list[dict[str, object]] = []
    for model in study.models:
        found = _curves(model)
        if not found:
            notes.append(f"n/a: {model.name}: its folder has no {' or '.join(LOGS)}")
            continue
        title = f"Figure 3: training of {model.name}"
        tables.append(_steps(title, found))
        records += [
            {"weights": model.name, "figure": name, "step": step, "value": value}
            for name, points in found.items()
            for step, value in points
        ]
        files[f"figure3-{model.name}.svg"] = curves_picture(_lines(found), title)
    if not study.models:
        notes.append(f"n/a: Figure 3: {NO_WEIGHTS}")
    notes.append("the paper shows WebNLG-WD accuracy as a picture: it is flat from early on")
    return Section("figure3", tables, notes=notes, records=records, files=files)


def _curves(model: Model) -> dict[str, list[tuple[float, float]]]:
    """The loss and the held-out measures by step."""
    found: dict[str, list[tuple[float, float]]] = {}
    for line in model.log:
        step = line.get("step")
        if not isinstance(step, int | float):
            continue
        for name, value in line.items():
            if (name == "loss" or name.startswith("dev_")) and isinstance(value, int | float):
                found.setdefault(name, []).append((float(step), float(value)))
    return found


def _lines(found: Mapping[str, Sequence[tuple[float, float]]]) -> list[dict[str, float]]:
    """The curves in the form of log lines."""
    return [{"step": step, name: value} for name, points in found.items() for step, value in points]


def _steps(title: str, found: Mapping[str, Sequence[tuple[float, float]]]) -> Table:
    """About ten rows: the steps with a held-out figure, and where these are few, others between.

    The loss is logged at other steps than the looks; a row has the last one up to its step.
    """
    looks = sorted({step for name in found if name != "loss" for step, _ in found[name]})
    losses = sorted(found.get("loss", ()))
    between = [step for step, _ in losses if step not in looks]
    steps = sorted({*_spread(looks), *_spread(between, SHOWN_STEPS - len(looks))})
    by_step = {name: dict(points) for name, points in found.items() if name != "loss"}
    rows: list[list[Cell]] = []
    for step in steps:
        before = [value for at, value in losses if at <= step]
        own = {name: points.get(step) for name, points in by_step.items()}
        own["loss"] = before[-1] if before else None
        rows.append([int(step), *(own[name] for name in found)])
    return Table(title, ["step", *found], rows)


def _spread(steps: Sequence[float], most: int = SHOWN_STEPS) -> Sequence[float]:
    """At most so many, evenly spaced, the last one among them."""
    every = -(-len(steps) // most) if most > 0 else 0
    return steps[::-1][::every] if every else ()


def inversion(study: JointStudy) -> Section:
    """The share of inverted triples that score at least as high as the right one."""
    pairs = list(inverted(study.test_texts))
    rows: list[list[Cell]] = [
        [name, "paper", share, None, None, INVERTED_PAIRS] for name, share in INVERSIONS.items()
    ]
    notes = [
        "paper: scored higher; ours: as high or higher",
        (
            f"ours: the {len(pairs):,} texts of the test set whose only triple changes its meaning "
            f"when inverted; the paper has {INVERTED_PAIRS:,} of all splits, with Wikidata names"
        ),
    ]
    if not pairs:
        notes.append("n/a: ours: there is no test set; see the list of missing data")
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
    title = "Figure 5: similarity of the right triple minus that of the inverted one"
    files: dict[str, Content] = {}
    if series:
        files["figure5.svg"] = partial(violins, series, title, "sim(g, t) - sim(g_inv, t)")
    return Section("inversion", [Table(title, columns, rows)], notes=notes, files=files)
