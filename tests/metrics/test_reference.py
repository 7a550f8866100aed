"""BLEU, chrF++ and TER: sacrebleu's public functions, and its command line, are the oracle."""

from __future__ import annotations

import functools
import json
import operator
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

import adequa
from adequa import Item, Metric, Triple
from adequa.errors import DataError, ModelError, SettingError
from adequa.metrics.reference import (
    SACREBLEU_VERSION,
    Bleu,
    Chrf,
    SacrebleuEngine,
    Ter,
)

TRIPLES = (Triple("s", "p", "o"),)
PAIRS: list[tuple[Metric, Any, Any]] = [
    (Bleu(), BLEU(effective_order=True), BLEU()),
    (
        Bleu(lowercase=True, tokenize="intl", smooth_method="add-k", max_order=3),
        BLEU(True, tokenize="intl", smooth_method="add-k", max_ngram_order=3, effective_order=True),
        BLEU(True, tokenize="intl", smooth_method="add-k", max_ngram_order=3),
    ),
    (
        Bleu(smooth_method="floor", smooth_value=0.2, effective_order=False),
        BLEU(smooth_method="floor", smooth_value=0.2),
        BLEU(smooth_method="floor", smooth_value=0.2),
    ),
    (Chrf(), CHRF(word_order=2), CHRF(word_order=2)),
    (
        Chrf(char_order=4, word_order=0, beta=1, lowercase=True, eps_smoothing=True),
        CHRF(4, 0, 1, True, eps_smoothing=True),
        CHRF(4, 0, 1, True, eps_smoothing=True),
    ),
    (Ter(), TER(), TER()),
    (
        Ter(normalized=True, no_punct=True, case_sensitive=True),
        TER(True, True, case_sensitive=True),
        TER(True, True, case_sensitive=True),
    ),
]
NAMED = [pytest.param(*pair, id=pair[0].signature.rsplit("|", 2)[0]) for pair in PAIRS]

VOCABULARY = ["the", "The", "cat", "dog,", "sat", "on", "a", "mat.", "&", "«ja»", "3.5"]
words = st.lists(st.sampled_from(VOCABULARY), max_size=12)
texts = words.map(" ".join)
corpora = st.lists(
    st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=5
)


def items_of(corpus: Sequence[tuple[str, Sequence[str]]]) -> list[Item]:
    return [
        Item(str(number), TRIPLES, text, references=tuple(references))
        for number, (text, references) in enumerate(corpus)
    ]


def sum_of(metric: Metric, items: Sequence[Item]) -> list[float]:
    statistics = [score.statistics for score in metric.score(items)]
    # One after the other, as a summary and sacrebleu add; `sum` compensates from Python 3.12 on.
    return [functools.reduce(operator.add, column) for column in zip(*statistics, strict=True)]


def transposed(corpus: Sequence[tuple[str, Sequence[str]]], absent: Any) -> list[list[Any]]:
    most = max(len(references) for _, references in corpus)
    return [
        [references[n] if n < len(references) else absent for _, references in corpus]
        for n in range(most)
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("metric", "text_level", "corpus_level"), NAMED)
@settings(max_examples=20, deadline=None)
@given(corpus=corpora)
def test_texts_and_corpora_score_as_sacrebleu_scores_them(
    metric: Metric, text_level: Any, corpus_level: Any, corpus: list[tuple[str, list[str]]]
) -> None:
    items = items_of(corpus)
    for item, score in zip(items, metric.score(items), strict=True):
        wanted = text_level.sentence_score(item.text, list(item.references)).score
        assert score.value == wanted
    hypotheses = [text for text, _ in corpus]
    wanted = corpus_level.corpus_score(hypotheses, transposed(corpus, None)).score
    assert metric.corpus(sum_of(metric, items)) == wanted


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
@settings(max_examples=15, deadline=None)
@given(corpus=corpora)
def test_padding_counts_absent_references_as_empty(
    name: str, corpus: list[tuple[str, list[str]]]
) -> None:
    most = max(len(references) for _, references in corpus)
    metric = adequa.load_metric(name, pad_references=str(most))
    theirs = {"bleu": BLEU(), "chrf": CHRF(word_order=2), "ter": TER()}[name]
    wanted = theirs.corpus_score([text for text, _ in corpus], transposed(corpus, "")).score
    assert metric.corpus(sum_of(metric, items_of(corpus))) == wanted


@pytest.mark.parametrize(("size", "moved", "added"), [(60, 27, 0), (50, 20, 9), (40, 35, 3)])
def test_long_texts_take_as_many_edits_as_sacrebleu_says(size: int, moved: int, added: int) -> None:
    # Long enough that the best way leaves the band sacrebleu looks at, and a block has moved.
    reference = [f"w{number}" for number in range(size)]
    text = reference[moved:] + ["w1"] * added + reference[:moved]
    item = Item("1", TRIPLES, " ".join(text), references=(" ".join(reference),))
    wanted = TER().sentence_score(item.text, list(item.references))
    [score] = Ter().score([item])
    assert (score.value, score.statistics[0]) == (wanted.score, wanted.num_edits)


def test_statistics_of_bleu_and_chrf_are_whole_numbers() -> None:
    [item] = items_of([("the cat sat", ["the cat sat down", "a cat"])])
    for metric in (Bleu(), Chrf()):
        assert all(type(part) is int for part in metric.score([item])[0].statistics)


def test_what_cannot_be_scored_says_why() -> None:
    items = [Item("1", TRIPLES, "a text"), Item("2", TRIPLES, "", references=("a text",))]
    for metric in (Bleu(), Chrf(), Ter()):
        without, empty = metric.score(items)
        assert (without.value, without.reason, without.statistics) == (None, "no references", ())
        assert empty.value == (100.0 if metric.name == "ter" else 0.0)
        assert empty.statistics


@pytest.mark.parametrize(
    "references",
    ["one string", (("nested",), ("as sacrebleu",)), (None, "a"), {"a": 1}, None, (b"bytes",)],
)
@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "bleu_nltk"])
def test_references_of_a_wrong_kind_are_refused(name: str, references: Any) -> None:
    item = Item("x1", TRIPLES, "a text", references=references)
    with pytest.raises(DataError, match=r"'references' of the item 'x1'.*string"):
        adequa.load_metric(name).score([item])


def test_a_text_of_a_wrong_kind_is_refused() -> None:
    item = Item("x1", TRIPLES, None, references=("a",))  # type: ignore[arg-type]
    with pytest.raises(DataError, match="'text' of the item 'x1'"):
        Bleu().score([item])


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Bleu, {"tokenize": "spm"}),
        (Bleu, {"smooth_method": "more"}),
        (Bleu, {"max_order": 0}),
        (Bleu, {"smooth_value": -1.0}),
        (Chrf, {"char_order": 0}),
        (Chrf, {"beta": 0}),
        (Ter, {"pad_references": -1}),
    ],
)
def test_settings_that_cannot_be_are_refused(kind: type[Metric], wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong))):
        kind(**wrong)


def test_signatures_name_sacrebleu_and_its_own_can_be_had() -> None:
    assert Bleu().signature.split("|")[-2:] == [
        f"sacrebleu:{SACREBLEU_VERSION}",
        f"version:{adequa.__version__}",
    ]
    own = f"nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:{SACREBLEU_VERSION}"
    assert Bleu().sacrebleu_signature() == own
    assert Chrf().sacrebleu_signature(3).startswith("nrefs:3|case:mixed|eff:yes|nc:6|nw:2")


def test_another_sacrebleu_would_be_noticed() -> None:
    class Changed:
        _preprocess_segment = None

    with pytest.raises(ModelError, match="has no _compute_score_from_stats; sacrebleu is"):
        SacrebleuEngine(Changed())


def command_line(folder: Path, corpus: Sequence[tuple[str, Sequence[str]]], *options: str) -> Any:
    files = []
    for number, lines in enumerate(transposed(corpus, "")):
        files.append(folder / f"references{number}")
        files[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "texts").write_text("\n".join(text for text, _ in corpus) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", *map(str, files), "-i", str(folder / "texts")]
    done = subprocess.run(
        [*command, *options, "-w", "12", "-f", "json"], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    return [one["score"] for one in found] if isinstance(found, list) else found["score"]


@pytest.mark.data
@pytest.mark.parametrize("system", ["Amazon_AI_(Shanghai)", "RALI", "bt5"])
def test_real_outputs_score_as_on_the_command_line(
    system: str, data_dir: Path, tmp_path: Path
) -> None:
    """A part of the texts; `python -m bench sacrebleu_agreement` compares all of three systems."""
    folder = data_dir / "webnlg2020"
    source = folder / "test" / "rdf-to-text-generation-test-data-with-refs-en.xml"
    read = adequa.read(source, texts={system: folder / "systems" / f"{system}.txt"})
    short = [item for item in read if len(" ".join((item.text, *item.references))) < 200]
    items = short[:100]
    assert len(items) == 100
    corpus = [(item.text, item.references) for item in items]
    most = max(len(references) for _, references in corpus)
    assert min(len(references) for _, references in corpus) < most
    options = ("-m", "bleu", "chrf", "ter", "--chrf-word-order", "2")
    theirs = command_line(tmp_path, corpus, *options)
    for kind, wanted in zip((Bleu, Chrf, Ter), theirs, strict=True):
        metric = kind(pad_references=most)
        assert f"{metric.corpus(sum_of(metric, items)):.12f}" == f"{wanted:.12f}"
    # Repeated, a reference changes neither BLEU nor chrF++, and none is absent any more.
    full = [(text, [*own, *[own[0]] * (most - len(own))]) for text, own in corpus]
    theirs = command_line(tmp_path, full, "-m", "bleu", "chrf", "--chrf-word-order", "2")
    for kind, wanted in zip((Bleu, Chrf), theirs, strict=True):
        assert f"{kind().corpus(sum_of(kind(), items)):.12f}" == f"{wanted:.12f}"


@pytest.mark.data
def test_ter_with_one_to_three_references_is_the_command_lines(
    data_dir: Path, tmp_path: Path
) -> None:
    """Each item's references repeated to six in all leave the average, and so TER, as it is."""
    folder = data_dir / "webnlg2020"
    source = folder / "test" / "rdf-to-text-generation-test-data-with-refs-en.xml"
    read = adequa.read(source, texts={"TGen": folder / "systems" / "TGen.txt"})
    chosen = [item for item in read if 1 <= len(item.references) <= 3 and len(item.text) < 50]
    items = chosen[:30]
    assert len({len(item.references) for item in items}) > 1
    corpus = [(item.text, item.references * (6 // len(item.references))) for item in items]
    wanted = command_line(tmp_path, corpus, "-m", "ter")
    assert f"{Ter().corpus(sum_of(Ter(), items)):.12f}" == f"{wanted:.12f}"


@pytest.mark.parametrize(
    ("metric", "columns"),
    [
        *((Bleu(smooth_method=method), 10) for method in ("exp", "floor", "add-k", "none")),
        (Bleu(smooth_method="floor", smooth_value=0.3, max_order=2), 6),
        (Chrf(), 24),
        (Chrf(eps_smoothing=True, beta=3), 24),
        (Chrf(word_order=0), 18),
        (Ter(), 2),
    ],
)
def test_many_corpus_values_at_once_are_those_one_by_one(metric: Metric, columns: int) -> None:
    rows = np.random.default_rng(0).integers(0, 4, (400, columns)).astype(float)
    if isinstance(metric, Bleu):  # no more matches than n-grams
        half = metric.max_order
        rows[:, 2 : 2 + half] = np.minimum(rows[:, 2 : 2 + half], rows[:, 2 + half :])
    expected = [metric.corpus(row) for row in rows.tolist()]
    assert len({*expected}) > 5
    assert metric.corpus_values(rows) == pytest.approx(expected, abs=1e-9)
