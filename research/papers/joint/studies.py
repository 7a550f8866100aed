"""The trainings that paper 003 compares, on a small schedule that is the same for all of them.

A study is a list of rows. A row is a training, or a model as it is, and its figures; each is saved
in a folder when it is done, so that a study can be stopped, continued and shared out, and its table
is filled from what is saved. The torch side is in `torch_study`.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from adequa.charts import curves_picture
from adequa.data import Item, Triple
from adequa.errors import DataError, UnknownName, require_known
from adequa.files import replacing
from adequa.readers import open_source, write_items
from adequa.retrieval import Encoder, evaluate
from adequa.stats import pearson, spearman
from adequa.tables import Cell, Column, Table
from adequa.training.encoder import MIXTURE
from adequa.training.setup import BASE, commit_of
from research.corpora.derived import inverted
from research.papers.joint.data import JointStudy, spread
from research.papers.joint.models import Values, cosines, load_model
from research.papers.joint.retrieval import RememberingEncoder
from research.papers.section import Content, Section
from research.relations.sources import read_paragraphs

Report = Callable[[str, int, int], None]
"""Called with what is done, how much of it, and the total."""
Figures = dict[str, float]

EQUAL_PART = 780
"""Pairs of each corpus in the mixture: DART has 788 of this size."""
WEBNLG_PART = 4000
"""Pairs of WebNLG train, one per entry: more than a row learns from, and quickly read."""
HELD_OUT = 200
"""Entries of WebNLG dev that are looked at during training."""
MEASURED = 890
"""Graphs of the test set that are searched for, and texts among which."""
MOST_TRIPLES = 3
"""Larger graphs are left out of training and measuring: a row costs half the time."""


@dataclass(frozen=True)
class StudySchedule:
    """What all rows have in common, chosen so that a row takes some minutes on one core."""

    base: str = BASE
    layers: int = 3
    """The base is cut off after these: half of it costs half the time."""
    steps: int = 50
    batch: int = 16
    rate: float = 3e-4
    frozen: int = 1
    longest: int = 64
    seed: int = 0
    look_every: int = 25
    rating_steps: int = 50
    """Of fine-tuning on ratings, which alone depends on it."""

    def words(self) -> str:
        """For a note below a table."""
        return (
            f"every row: the first {self.layers} layers of {Path(self.base).name}, of which "
            f"{self.frozen} frozen, {self.steps * self.batch:,} texts in batches of {self.batch} "
            f"and seed {self.seed} unless it says otherwise, graphs of at most {MOST_TRIPLES} "
            "triples"
        )


_BOTH: Mapping[str, float] = {"replaced": 0.5, "inverted": 0.5}


@dataclass(frozen=True)
class EncoderRow:
    """A training of the bi-encoder."""

    words: str
    corpus: str = "webnlg"
    negatives: Mapping[str, float] = field(default_factory=lambda: _BOTH)
    batch: int | None = None
    """Another size than the schedule's; the number of texts stays the same."""
    seed: int = 0
    """Added to the schedule's: the same row with other batches shows what is chance."""


ROWS: Mapping[str, EncoderRow] = {
    "in-batch": EncoderRow("the other graphs of the batch alone", negatives={}),
    "replaced": EncoderRow("and one part of a triple replaced", negatives={"replaced": 1.0}),
    "inverted": EncoderRow("and a triple inverted", negatives={"inverted": 1.0}),
    "both": EncoderRow("replaced and inverted, half each"),
    "replaced-again": EncoderRow(
        "the same as replaced, another seed", negatives={"replaced": 1.0}, seed=1
    ),
    "both-again": EncoderRow("the same as both, another seed", seed=1),
    "four": EncoderRow("replaced, inverted, dropped and added, as shipped", negatives=MIXTURE),
    "batch-4": EncoderRow("a batch of 4", batch=4),
    "batch-64": EncoderRow("a batch of 64", batch=64),
    "dart": EncoderRow("DART's tables", corpus="dart"),
    "redocred": EncoderRow("sentences of Wikipedia (Re-DocRED)", corpus="redocred"),
    "mixture": EncoderRow(f"{EQUAL_PART} pairs of each of the three", corpus="mixture"),
    "best-half": EncoderRow(
        "the half of it that the model of the mixture finds most similar", corpus="best-half"
    ),
    "random-half": EncoderRow("a random half of it", corpus="random-half"),
}
"""The trainings by name; several studies may have the same one."""


@dataclass(frozen=True)
class Study:
    """A comparison of the paper."""

    title: str
    rows: tuple[str, ...]
    paper: str


STUDIES: Mapping[str, Study] = {
    "baselines": Study(
        "Section 4.2: models that were not trained on graphs",
        (),
        "all-mpnet-base-v2 has an R@1 of about 0.4 on WebNLG, and all trained models more",
    ),
    "negatives": Study(
        "Figure 1 and section 6.2: negative graphs",
        ("in-batch", "replaced", "replaced-again", "inverted", "both", "both-again", "four"),
        "replaced triples help on clean data; inverted ones leave retrieval as it is and bring "
        "inverted triples that score higher from 38 to 14 %",
    ),
    "batches": Study(
        "Figure 7: batch size",
        ("batch-4", "both", "batch-64"),
        "192 against 2,560 texts: no consistent gain",
    ),
    "mixtures": Study(
        "Section 5.3: training data",
        ("both", "dart", "redocred", "mixture"),
        "the better aligned the data, the better; an equal mixture does well everywhere",
    ),
    "best-half": Study(
        "Section 5.3: training again on the most similar half",
        ("mixture", "best-half", "random-half"),
        "no gain, sometimes a loss",
    ),
    "loss": Study(
        "Figure 3: loss and held-out accuracy during training",
        ("both", "dart", "redocred", "mixture"),
        "accuracy is flat from early on",
    ),
    "ratings": Study(
        "Section 6.1: fine-tuning on the ratings of 2017, measured on those of 2020",
        ("untuned", "bi", "cross", "shipped"),
        "the mean of bi- and cross-encoder has about .546 Pearson and .39 Spearman",
    ),
}
_TUNED = ("bi", "cross")
"""The rows that are fine-tuned on ratings."""
_BASELINE = "baseline-"
"""Before the name of a model that is measured as it is."""
RATING_ROWS = {
    "untuned": "the bi-encoder `both`, without ratings",
    "bi": "the bi-encoder `both`, fine-tuned on the ratings",
    "cross": "the same as a cross-encoder, fine-tuned on the ratings",
    "mean": "the mean of the two fine-tuned ones",
    "shipped": "`similarity` as shipped: a linear rating head on a frozen verifier, and more",
}


@dataclass
class StudyRun:
    """The data, the schedule and the folder of saved rows."""

    joint: JointStudy
    folder: Path
    schedule: StudySchedule = field(default_factory=StudySchedule)
    baselines: Mapping[str, str] = field(default_factory=dict)
    """Models that are measured as they are, by name: what `--weights` takes."""
    report: Report | None = None
    threads: int | None = None

    # Saved rows

    def saved(self, row: str) -> dict[str, Any] | None:
        """A saved row."""
        path = self.path(row)
        if not path.is_file():
            return None
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            StudySchedule(**found["schedule"])
        except (ValueError, KeyError, TypeError):
            raise DataError("is not a saved row", path=path, remedy="remove it") from None
        return found

    def path(self, row: str) -> Path:
        """The file of a row."""
        return self.folder / f"{row}.json"

    def run(self, row: str) -> dict[str, Any]:
        """A row, measured now unless it is saved; one of another schedule is an error."""
        found = self.saved(row)
        if found is not None:
            wanted, own = asdict(self.schedule), dict(found["schedule"])
            if row not in _TUNED:
                own["rating_steps"] = wanted["rating_steps"]
            if own != wanted:
                remedy = "give the options that it was made with or another folder, or remove it"
                raise DataError(
                    "was made with another schedule", path=self.path(row), remedy=remedy
                )
            return found
        started = time.process_time()
        found = {
            "row": row,
            "schedule": asdict(self.schedule),
            **self._measure(row),
            "cpu_seconds": round(time.process_time() - started),
            "commit": commit_of(),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(self.path(row)) as stream:
            stream.write(json.dumps(found, indent=1).encode() + b"\n")
        shutil.rmtree(self.folder / "trainings" / row / "checkpoints", ignore_errors=True)
        return found

    def _measure(self, row: str) -> dict[str, Any]:
        if row.startswith(_BASELINE):
            where = self.baselines[row.removeprefix(_BASELINE)]
            model = load_model(row, where)
            if model.encoder is None:
                raise DataError(f"{where} has no encoder", remedy="give another model")
            return {"figures": self.figures(model.encoder), "model": model.signature}
        if row == "shipped":
            return self._shipped()
        from research.papers.joint import torch_study

        if row in ROWS:
            encoder, log = torch_study.train_row(self, row)
            return {"figures": self.figures(encoder), "log": log}
        if row == "untuned":
            scores = torch_study.bi_scores(self, self.checkpoint("both"))
        elif row in _TUNED:
            scores = torch_study.tune(self, row, self.checkpoint("both"))
        else:
            raise UnknownName("row", row, [*ROWS, *RATING_ROWS])
        return self.rated_figures(scores)

    def checkpoint(self, row: str) -> Path:
        """The folder of a row's training, which is finished first."""
        self.run(row)
        return self.folder / "trainings" / row

    # Data

    def corpus(self, name: str) -> Path:
        """A corpus by name, written once."""
        path = self.folder / "corpora" / f"{name}.jsonl"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_items(self._made(name), path)
        return path

    def _made(self, name: str) -> list[Item]:
        most = {"dev": HELD_OUT, "test": MEASURED, "webnlg": WEBNLG_PART}
        if name in most:
            split = "train" if name == "webnlg" else name
            if not self.joint.entries.get(split):
                path = self.joint.data / "webnlg2020" / split
                raise DataError("has no entries", path=path, remedy="give --data")
            return spread(_small(self.joint.entries[split]), most[name])
        if name == "dart":
            return _small(open_source(self.joint.data / "dart" / "tables.jsonl"))
        if name == "redocred":
            return _small(sentence_items(self.joint.data / "relations"))
        if name == "mixture":
            # Ids are unique in a corpus, but not in the mixture.
            return [
                replace(item, id=f"{corpus}/{place}", system="reference", references=())
                for corpus in ("webnlg", "dart", "redocred")
                for place, item in enumerate(
                    spread(list(open_source(self.corpus(corpus))), EQUAL_PART)
                )
            ]
        mixture = list(open_source(self.corpus("mixture")))
        half = len(mixture) // 2
        if name == "random-half":
            return random.Random(self.schedule.seed).sample(mixture, half)  # noqa: S311
        from research.papers.joint import torch_study

        encoder = torch_study.load_network(self, self.checkpoint("mixture"))
        near = cosines(encoder, mixture)
        order = sorted(range(len(mixture)), key=lambda place: -(near[place] or 0.0))
        return [mixture[place] for place in sorted(order[:half])]

    # Figures

    @cached_property
    def inversions(self) -> list[Item]:
        """The right and the wrong item of every inversion of the test set, in turns."""
        return [item for pair in inverted(self.joint.test_texts) for item in pair]

    def figures(self, encoder: Encoder) -> Figures:
        """Retrieval among the texts of the test set, and inverted triples.

        With a `pool`, only so many graphs, texts and inversions.
        """
        most = self.joint.pool
        queries = spread(list(open_source(self.corpus("test"))), most)
        pairs = list(zip(self.inversions[::2], self.inversions[1::2], strict=True))
        inversions = [item for pair in spread(pairs, most) for item in pair]
        encoder = RememberingEncoder(encoder)  # a text is asked about several times
        with self.joint.show("retrieval") as advance:
            found = evaluate(queries, (), encoder, progress=advance)["graph_to_text"]
        return {
            "r@1": found.at(1),
            "r@10": found.at(10),
            "mrr": found.mean_reciprocal_rank,
            "pool": found.pool,
            **inversion_figures(cosines(encoder, inversions)),
        }

    def rated_figures(self, scores: Mapping[str, Values]) -> dict[str, Any]:
        """Correlations with the ratings of 2020, from scores of rated texts and inversions."""
        rated = self.joint.rated(2020)
        if rated is None:
            path = self.joint.data / "webnlg2020" / "human"
            raise DataError("has no ratings of 2020", path=path, remedy="give --data")
        figures: Figures = {"texts": len(rated.items)}
        for name, correlate in (("pearson", pearson), ("spearman", spearman)):
            values = [
                correlate(*_complete(scores["rated"], ratings))
                for ratings in rated.criteria.values()
            ]
            if all(value is not None for value in values):
                figures[name] = sum(one.value for one in values if one) / len(values)
        figures |= inversion_figures(scores["inversions"])
        return {"figures": figures, "scores": {name: list(all_) for name, all_ in scores.items()}}

    def rated_items(self) -> Sequence[Item]:
        """The rated texts of 2020."""
        rated = self.joint.rated(2020)
        return [] if rated is None else rated.items

    def _shipped(self) -> dict[str, Any]:
        from adequa.models import DEFAULT

        model = load_model("shipped", DEFAULT)
        both = {"rated": self.rated_items(), "inversions": self.inversions}
        scores = {
            name: self.joint.score(model, items, f"similarity, {name}")["similarity"]
            for name, items in both.items()
        }
        return self.rated_figures(scores)


def inversion_figures(values: Values) -> Figures:
    """The share of inverted triples at least as near as the right one; right and wrong in turns."""
    pairs = [
        (right, wrong)
        for right, wrong in zip(values[::2], values[1::2], strict=True)
        if right is not None and wrong is not None
    ]
    if not pairs:
        return {}
    return {"inverted": sum(w >= r for r, w in pairs) / len(pairs), "pairs": len(pairs)}


def _complete(first: Values, second: Values) -> tuple[list[float], list[float]]:
    both = [
        (one, other)
        for one, other in zip(first, second, strict=True)
        if one is not None and other is not None
    ]
    return [one for one, _ in both], [other for _, other in both]


def sentence_items(folder: Path) -> Iterator[Item]:
    """Sentences of Re-DocRED with the facts that they alone state."""
    for number, paragraph in enumerate(read_paragraphs(folder)):
        stated: dict[int, list[Triple]] = {}
        for fact in paragraph.facts:
            if len(fact.evidence) == 1:
                head, tail = (paragraph.entities[end].name for end in (fact.head, fact.tail))
                triple = Triple(head, fact.relation, tail)
                own = stated.setdefault(fact.evidence[0], [])
                if triple not in own:
                    own.append(triple)
        for place, triples in sorted(stated.items()):
            text = paragraph.sentences[place]
            yield Item(f"{number}/{place}", tuple(triples), text, category="redocred")


def _small(items: Iterable[Item]) -> list[Item]:
    return [item for item in items if len(item.triples) <= MOST_TRIPLES]


# Tables


def reproduce_studies(
    run: StudyRun, names: Sequence[str] = (), *, only: Sequence[str] = ()
) -> list[Section]:
    """The sections of the named studies, whose rows are measured unless they are saved.

    `only` names the rows to measure. Without names, whatever is saved is shown.
    """
    require_known("study", names, STUDIES)
    rows = [row for name in names for row in rows_of(run, name)]
    require_known("row", only, rows)
    for row in rows:
        if not only or row in only:
            run.run(row)
    return [
        study_section(run, name)
        for name in names or STUDIES
        if names or any(run.path(row).is_file() for row in rows_of(run, name))
    ]


def rows_of(run: StudyRun, study: str) -> list[str]:
    """The names of the rows of a study: of baselines, those that are given or saved."""
    if study != "baselines":
        return list(STUDIES[study].rows)
    given = [f"{_BASELINE}{name}" for name in run.baselines]
    saved = sorted(path.stem for path in run.folder.glob(f"{_BASELINE}*.json"))
    return list(dict.fromkeys([*given, *saved]))


def study_section(run: StudyRun, name: str) -> Section:
    """The table of a study, from saved rows."""
    study = STUDIES[name]
    found = {row: run.saved(row) for row in rows_of(run, name)}
    notes = [f"the paper: {study.paper}"]
    if name == "ratings":
        table, more = _ratings_table(study, {**found, "mean": _mean_row(run, found)})
    elif name == "loss":
        table, more = _loss_table(study, found)
    else:
        table, more = _encoder_table(study, found)
    absent = [row for row, one in found.items() if one is None]
    if absent:
        notes.append(f"n/a: not run yet: {', '.join(absent)}")
    if name != "baselines":
        schedules = {
            StudySchedule(**one["schedule"]) for one in found.values() if one is not None
        } or {run.schedule}
        notes += sorted(schedule.words() for schedule in schedules)
    files: dict[str, Content] = {}
    if name == "loss":
        lines = _curve_lines(found)
        if lines:
            files["figure3-study.svg"] = curves_picture(lines, study.title)
    return Section(
        f"study-{name}",
        [table],
        notes=[*notes, *more],
        files=files,
        options=f"--study {name} --rows ROWS",
    )


def _encoder_table(
    study: Study, found: Mapping[str, dict[str, Any] | None]
) -> tuple[Table, list[str]]:
    rows: list[list[Cell]] = []
    pools, pairs = set(), set()
    for row, one in found.items():
        words = ROWS[row].words if row in ROWS else "none"
        figures: Mapping[str, float] = {} if one is None else one["figures"]
        cells: list[Cell] = [figures.get(name) for name in ("r@1", "r@10", "mrr", "inverted")]
        minutes = None if one is None else one["cpu_seconds"] / 60
        rows.append([row.removeprefix(_BASELINE), words, *cells, minutes])
        pools |= {figures["pool"]} if "pool" in figures else set()
        pairs |= {figures["pairs"]} if "pairs" in figures else set()
    columns: list[str | Column] = [
        *("row", "training", "R@1", "R@10", "MRR", "inverted as high", Column("CPU minutes", 1)),
    ]
    notes = [
        f"R@1: {int(pool):,} graphs of the test set among as many texts; inverted as high: the "
        f"share of {int(pair):,} inverted triples of the test set that are as near as the right one"
        for pool, pair in zip(sorted(pools), sorted(pairs), strict=False)
    ]
    return Table(study.title, columns, rows), notes


def _mean_row(run: StudyRun, found: Mapping[str, dict[str, Any] | None]) -> dict[str, Any] | None:
    """The mean of the two fine-tuned models, as in the paper, once both are there."""
    both = [one["scores"] for row in _TUNED if (one := found[row]) is not None]
    if len(both) < 2:
        return None
    scores = {
        name: [(one + other) / 2 for one, other in zip(*(each[name] for each in both), strict=True)]
        for name in both[0]
    }
    return run.rated_figures(scores)


def _ratings_table(
    study: Study, found: Mapping[str, dict[str, Any] | None]
) -> tuple[Table, list[str]]:
    rows: list[list[Cell]] = []
    for row, words in RATING_ROWS.items():
        one = found[row]
        figures: Mapping[str, float] = {} if one is None else one["figures"]
        names = ("pearson", "spearman", "inverted")
        cells: list[Cell] = [figures.get(name) for name in names]
        minutes = one["cpu_seconds"] / 60 if one and "cpu_seconds" in one else None
        rows.append([row, words, *cells, minutes])
    columns: list[str | Column] = [
        *("row", "what", "Pearson", "Spearman", "inverted as high", Column("CPU minutes", 1)),
    ]
    notes = ["the mean of Correctness, DataCoverage and Relevance; 2020 was not trained on"]
    tuned = [StudySchedule(**one["schedule"]) for row in _TUNED if (one := found[row]) is not None]
    notes += [
        f"fine-tuned on {steps * batch:,} rated texts in batches of {batch}, some more than once"
        for steps, batch in sorted({(one.rating_steps, one.batch) for one in tuned})
    ]
    return Table(study.title, columns, rows), notes


def _loss_table(
    study: Study, found: Mapping[str, dict[str, Any] | None]
) -> tuple[Table, list[str]]:
    names = [row for row, one in found.items() if one is not None]
    by_step: dict[int, dict[str, float]] = {}
    for line in _curve_lines(found):
        values = by_step.setdefault(int(line["step"]), {})
        values |= {name: value for name, value in line.items() if name != "step"}
    rows: list[list[Cell]] = []
    last: dict[str, float] = {}
    for step, values in sorted(by_step.items()):
        last |= values  # losses are logged at other steps than looks
        if any("R@1" in name for name in values):
            losses = [last.get(f"loss, {name}") for name in names]
            rows.append([step, *losses, *(values.get(f"dev_R@1, {name}") for name in names)])
    columns = ["step", *(f"loss, {name}" for name in names), *(f"R@1, {name}" for name in names)]
    note = (
        f"R@1: among the {HELD_OUT} held-out texts of WebNLG dev; loss: the last one before that "
        "step, a mean of ten"
    )
    return Table(study.title, columns, rows), [note]


def _curve_lines(found: Mapping[str, dict[str, Any] | None]) -> list[dict[str, float]]:
    """The logs of several rows as one log, each measure with the name of its row."""
    lines = []
    for row, one in found.items():
        for line in () if one is None else one["log"]:
            own = {"step": float(line["step"])}
            if "loss" in line:
                own[f"loss, {row}"] = float(line["loss"])
            if "dev_r@1" in line:
                own[f"dev_R@1, {row}"] = float(line["dev_r@1"])
            if len(own) > 1:
                lines.append(own)
    return lines
