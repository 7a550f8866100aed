"""`nli` on tiny models, end to end, and what the shipped verifier must see."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import adequa
from adequa.data import Item, Score, Term, Triple
from adequa.errors import AdequaError, DataError, ModelError, SettingError, UnknownName
from adequa.metrics import load_metric
from adequa.metrics.esa import Esa
from adequa.metrics.nli.metric import Nli
from adequa.metrics.similarity import Similarity
from adequa.models.encoder import load_encoder
from adequa.models.shipped import weights
from adequa.models.verifier import load_verifier

from ...hostile import HOSTILE
from ...tiny_pairs import write_onnx_classifier
from ...tiny_weights import calibration, seal, write_weights

FACTS = (
    Triple("Old_Mill", "city", "Bex"),
    Triple("Old_Mill", "eatType", "pub"),
    Triple("Old_Mill", "familyFriendly", "no"),
)
TEXTS = [
    "The Old Mill is a pub in Bex; it is no place for families.",
    "The Old Mill is a pub.",
    *HOSTILE,
]
ITEMS = [Item(str(number), FACTS, text) for number, text in enumerate(TEXTS)]
SHORT = Item("1", FACTS[:1], "The Old Mill is in Bex.")
BLANK = {2, 6, 7}
ENDLESS = Triple("Old_Mill", "motto", " ".join("abcdef" * 100))


def alike(found: Sequence[Score], others: Sequence[Score]) -> None:
    """The contract: numbers the same to 1e-4, and all else exactly."""
    for one, other in zip(found, others, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-4)
        assert (one.verdict, one.reason) == (other.verdict, other.reason)
        assert one.statistics == other.statistics
        for mine, theirs in ((one.facts, other.facts), (one.findings, other.findings)):
            assert [replace(part, confidence=None) for part in mine] == [
                replace(part, confidence=None) for part in theirs
            ]
            assert [part.confidence for part in mine] == pytest.approx(
                [part.confidence for part in theirs], abs=1e-4
            )


@pytest.mark.parametrize(
    "own", [{}, {"entities": False}, {"templates": "e2e"}, {"threads": 2}], ids=str
)
def test_the_contract(tiny_weights: str, own: dict[str, Any]) -> None:
    metric = Nli(weights=tiny_weights, **own)
    scores = metric.score(ITEMS)
    for number, (item, score) in enumerate(zip(ITEMS, scores, strict=True)):
        assert type(score.value) is float
        assert 0 <= score.value <= 1
        assert (score.value == 0.0) == (number in BLANK)
        assert [fact.triple for fact in score.facts] == list(FACTS)
        assert score.verdict is not None
        for one in score.findings:
            assert one.metric == "nli"
            assert one.start is None or 0 <= one.start < (one.end or 0) <= len(item.text)
    alike([metric.score([item])[0] for item in ITEMS], scores)
    order = random.Random(3).sample(range(len(ITEMS)), len(ITEMS))
    alike(metric.score([ITEMS[number] for number in order]), [scores[number] for number in order])
    assert metric.score([]) == []
    sent = pickle.loads(pickle.dumps(metric))
    assert sent == metric
    assert sent.score(ITEMS) == scores


@pytest.mark.parametrize("text", ["", " \n", "\u200b"])
def test_an_empty_text_says_nothing(tiny_weights: str, text: str) -> None:
    (score,) = Nli(weights=tiny_weights).score([Item("1", FACTS, text)])
    assert (score.value, score.verdict) == (0.0, "omission")
    assert [fact.status for fact in score.facts] == ["missing"] * 3
    assert [one.triple for one in score.findings] == list(FACTS)
    assert {one.kind for one in score.findings} == {"omission"}


@pytest.mark.parametrize("text", ["The Old Mill.", ""])
def test_no_triples_no_value(tiny_weights: str, text: str) -> None:
    (score,) = Nli(weights=tiny_weights).score([Item("1", (), text)])
    assert score == Score(None, reason="no triples to compare the text with")


def test_labels_are_read_in_place_of_names(tiny_weights: str) -> None:
    metric = Nli(weights=tiny_weights)
    item = Item("1", (Triple("Q1", "P2", "Q3"),), "The pub is in Bex.")
    terms = {"Q1": Term("pub"), "P2": Term("located in"), "Q3": Term("Bex")}
    bare, labelled, spelt = metric.score(
        [
            item,
            replace(item, terms=terms),
            replace(item, triples=(Triple("pub", "located_in", "Bex"),)),
        ]
    )
    assert labelled.value == pytest.approx(spelt.value, abs=1e-5)
    assert bare.value != pytest.approx(labelled.value, abs=1e-4)


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ({"threshold": 0.0}, r"nli:threshold is between 0 and 1, not 0\.0"),
        ({"threshold": 1.5}, "nli:threshold"),
        ({"threshold": math.nan}, "nli:threshold"),
        ({"doubt": 1.0}, "nli:doubt"),
        ({"doubt": -0.1}, "nli:doubt"),
        ({"threads": 0}, "nli:threads is at least 1"),
        ({"revision": "main"}, "nli:revision goes with model"),
        ({"model": "some/model", "calibration": "c.json"}, "nli:calibration is for the verifier"),
    ],
)
def test_wrong_settings(own: dict[str, Any], problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        Nli(**own)


def test_what_is_not_there_shows_before_the_first_text(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="v0"):
        Nli(weights="v0")
    with pytest.raises(UnknownName, match="e2e"):
        Nli(templates="e3e")
    with pytest.raises(DataError, match=r"none\.json"):
        Nli(templates=str(tmp_path / "none.json"))
    with pytest.raises(DataError, match=r"none\.json"):
        adequa.load_metric("nli", calibration=tmp_path / "none.json")


@pytest.mark.parametrize(
    "content",
    [
        None,
        "{",
        "[]",
        "{}",
        '{"stated": null}',
        '{"stated": {"method": "platt", "slope": "steep", "offset": 0}}',
        '{"stated": {"method": "guess", "slope": 1, "offset": 0}}',
        '{"supported": {"method": "platt", "slope": 1, "offset": 0}}',
        b"\xff\xfe",
    ],
)
def test_a_wrong_calibration_names_file_and_remedy(
    tmp_path: Path, content: str | bytes | None
) -> None:
    path = tmp_path / "mine.json"
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as raised:
        Nli(calibration=path)
    assert str(path) in str(raised.value)
    assert "adequa train calibrate" in str(raised.value)


def test_limits_decide(tiny_weights: str) -> None:
    def judged(threshold: float, doubt: float) -> tuple[set[str], int]:
        metric = Nli(weights=tiny_weights, threshold=threshold, doubt=doubt, entities=False)
        (score,) = metric.score(ITEMS[:1])
        # Garbled words are wrong at any limit.
        wrong = [one for one in score.findings if one.detail in ("unsupported", "contradicted")]
        wrong = [one for one in wrong if one.kind == "hallucination"]
        marked = sum((one.end or 0) - (one.start or 0) for one in wrong)
        return {fact.status for fact in score.facts}, marked

    low, high = 1e-9, 1 - 1e-9
    letters = len(TEXTS[0].replace(";", "").replace(".", ""))
    assert judged(low, high) == ({"stated"}, 0)
    status, marked = judged(high, low)
    assert "stated" not in status
    assert marked >= letters - 2  # all but the signs


def test_a_calibration_decides_and_is_read_again_when_it_changes(
    tiny_weights: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.json"

    def judged(offset: float, groups: dict[str, Any], moment: int) -> list[str]:
        said = {"method": "platt", "slope": 1e-9, "offset": offset, "groups": groups}
        path.write_text(json.dumps({"stated": said}), encoding="utf-8")
        os.utime(path, (moment, moment))
        metric = Nli(weights=tiny_weights, calibration=path)
        signatures.append(metric.signature)
        (score,) = metric.score(ITEMS[:1])
        return [fact.status for fact in score.facts]

    signatures: list[str] = []
    assert judged(9.0, {}, 100) == ["stated"] * 3
    assert set(judged(-9.0, {}, 200)) <= {"missing", "contradicted"}
    mixed = judged(9.0, {"city": {"slope": 1.0, "offset": -20.0}}, 300)
    assert mixed[0] != "stated"
    assert mixed[1:] == ["stated", "stated"]
    assert len(set(signatures)) == 3


def test_a_broken_weighing_is_an_error_and_no_score(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "weights")
    said = {"similarity": calibration(), "nli": {"stated": {}}}
    (folder / "calibration.json").write_text(json.dumps(said), encoding="utf-8")
    seal(folder)
    with pytest.raises(ModelError, match=r"calibration\.json.*adequa train weigh"):
        Nli(weights=str(folder)).score(ITEMS[:1])


def test_the_signature_names_weights_and_templates(tiny_weights: str, tmp_path: Path) -> None:
    plain = Nli(weights=tiny_weights)
    pairs = dict(pair.split(":") for pair in plain.signature.split("|")[1:])
    assert pairs["weights_hash"] == weights(tiny_weights).digest
    assert pairs["templates_hash"] == "backoff"
    assert (pairs["threshold"], pairs["doubt"]) == (str(plain.threshold), str(plain.doubt))
    assert pairs["version"] == adequa.__version__
    path = tmp_path / "mine.json"
    seen = {plain.signature}
    for words in ("<subject> is in <object>.", "<subject> lies in <object>."):
        path.write_text(json.dumps({"city": words}), encoding="utf-8")
        seen.add(Nli(weights=tiny_weights, templates=str(path)).signature)
    assert len(seen) == 3
    assert Nli(weights=tiny_weights, threshold=0.123).signature not in seen


def test_templates_change_what_is_read(tiny_weights: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"city": "<subject> serves the city <object>."}), encoding="utf-8")
    plain, other = (
        Nli(weights=tiny_weights, templates=templates).score(ITEMS[:1])[0]
        for templates in (None, str(path))
    )
    assert plain.value != pytest.approx(other.value, abs=1e-4)


def test_corpus_values_are_shares_of_what_was_found(tiny_weights: str) -> None:
    metric = Nli(weights=tiny_weights)
    scores = metric.score(ITEMS)
    totals = [sum(column) for column in zip(*(one.statistics for one in scores), strict=True)]
    found = metric.corpus(totals)
    verdicts = [score.verdict for score in scores]
    for name in ("OK", "omission", "hallucination", "hallucination+omission"):
        assert found[name] == verdicts.count(name) / len(scores)
    assert found["not_OK"] == pytest.approx(1 - found["OK"])
    facts = [fact.status for score in scores for fact in score.facts]
    assert found["facts omitted"] == facts.count("missing") / len(facts)
    assert found["facts contradicted"] == facts.count("contradicted") / len(facts)
    wrong = sum(
        (one.end or 0) - (one.start or 0)
        for score in scores
        for one in score.findings
        if one.kind == "hallucination"
    )
    assert found["text unsupported"] == pytest.approx(wrong / sum(map(len, TEXTS)))
    empty = metric.corpus(metric.score([Item("1", FACTS, "")])[0].statistics)
    assert (empty["omission"], empty["facts omitted"], empty["OK"]) == (1.0, 1.0, 0.0)
    assert "text unsupported" not in empty


def test_two_metrics_of_a_run_ask_the_verifier_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = str(write_weights(tmp_path / "weights"))
    verifier = load_verifier(name, threads=1)
    run, asked = verifier.run, []

    def counting(sequences: Any, types: Any) -> Any:
        asked.append(len(sequences))
        return run(sequences, types)

    monkeypatch.setattr(verifier, "run", counting)
    items = [ITEMS[0], ITEMS[1], replace(ITEMS[1], id="again")]
    first = Nli(weights=name)
    adequa.evaluate(items, metrics={"nli": first})
    before = sum(asked)
    assert asked[0] == 2  # the same text and graph are read once
    adequa.evaluate(items, metrics={"nli": first, "similarity": Similarity(weights=name)})
    assert sum(asked) == before


def test_metrics_and_systems_of_a_run_encode_each_text_and_each_graph_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = str(write_weights(tmp_path / "weights"))
    encoder = load_encoder(name, threads=1)
    run, asked = encoder.run, []

    def counting(sequences: Any) -> Any:
        asked.extend(map(tuple, sequences))
        return run(sequences)

    monkeypatch.setattr(encoder, "run", counting)
    metrics = {"nli": Nli(weights=name), "similarity": Similarity(weights=name)}
    items = [replace(item, system=system) for system in ("a", "b", "c") for item in ITEMS]
    adequa.evaluate(items, metrics=metrics)
    assert len(asked) > 1
    assert len(asked) == len(set(asked))
    before = len(asked)
    adequa.evaluate([replace(items[0], text="Another text.")], metrics=metrics)
    assert len(asked) == before + 1  # the text; the graph is known


def test_a_long_text_and_a_large_graph(tiny_weights: str) -> None:
    facts = tuple(Triple("Old_Pub", "serve", str(number)) for number in range(300))
    text = " ".join(f"The old pub: serve the city {fact.object}." for fact in facts)
    assert len(text.split()) > 2000
    (score,) = Nli(weights=tiny_weights).score([Item("1", facts, text)])
    assert score.value is not None
    assert [fact.triple for fact in score.facts] == list(facts)
    places = {text[fact.start : fact.end] for fact in score.facts if fact.status == "stated"}
    assert places <= {f"The old pub: serve the city {number}." for number in range(300)}


@pytest.mark.parametrize("entities", [True, False])
def test_a_triple_no_model_can_read_is_unchecked(tiny_weights: str, entities: bool) -> None:
    item = Item("1", (*FACTS, ENDLESS), TEXTS[0])
    (score,) = Nli(weights=tiny_weights, entities=entities).score([item])
    assert score.value is None
    assert score.reason == "part of it is longer than the model can read"
    fact = score.facts[-1]
    assert (fact.triple, fact.status, fact.confidence) == (ENDLESS, "unchecked", None)
    unread = [one for one in score.findings if one.detail == "unchecked"]
    assert {(one.kind, one.triple) for one in unread} == {
        ("omission", ENDLESS),
        ("hallucination", None),
    }
    assert all(one.confidence is None and "longer than the model" in one.why for one in unread)


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x01\x02 pub \x7f\x9b[31m",
        "\ud800\udfff pub \udc00",
        "pub\u202e bup \u2066\u2069",
        "e" + "\u0301" * 5000,
        "a" * 100_000,
        "pub." * 500,
        "\U0001f600" * 500,
        "pub\r\n\v\f\u2028pub",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_hostile_texts_are_texts(tiny_weights: str, text: str) -> None:
    hostile = Item("1", (Triple(text[:50], "city", text[:50]), *FACTS), text)
    (score,) = Nli(weights=tiny_weights).score([hostile])
    assert score.value is not None
    assert len(score.facts) == 4
    for one in score.findings:
        assert one.start is None or 0 <= one.start < (one.end or 0) <= len(text)


def test_what_the_shipped_verifier_must_see() -> None:
    facts = (
        Triple("Aarhus_Airport", "cityServed", "Aarhus"),
        Triple("Aarhus_Airport", "runwayLength", "2702"),
    )
    said = "Aarhus Airport serves the city of Aarhus. Its runway is 2702 metres long."
    added = "Its chef, Paula Verhoeven, has won three awards for her pancakes."
    texts = (said, said.split(". ")[0] + ".", f"{said} {added}")
    right, short, long = Nli().score([Item("1", facts, text) for text in texts])
    assert right.value is not None
    assert short.value is not None
    assert long.value is not None
    assert right.value > max(short.value, long.value)
    assert [fact.status for fact in right.facts] == ["stated", "stated"]
    assert [fact.status for fact in short.facts] == ["stated", "missing"]
    assert short.verdict == "omission"
    assert "hallucination" in (long.verdict or "")
    marked = " ".join(
        texts[2][one.start : one.end] for one in long.findings if one.kind == "hallucination"
    )
    assert "Verhoeven" in marked
    assert "Aarhus" not in marked


LABELS = ("entailment", "neutral", "contradiction")


def test_another_model_takes_the_verifiers_place(tmp_path: Path) -> None:
    folder = write_onnx_classifier(tmp_path / "model", *LABELS)
    metric = Nli(model=str(folder))
    short = [item for item in ITEMS if len(item.text) < 100]
    scores = metric.score(short)
    assert all(score.verdict or score.value is None for score in scores)
    alike([metric.score([item])[0] for item in short], scores)
    assert "model_hash" in metric.signature
    assert "weights_hash" not in metric.signature
    blank = next(score for item, score in zip(short, scores, strict=True) if not item.text)
    assert (blank.value, blank.verdict) == (0.0, "omission")


@pytest.mark.parametrize("order", list(permutations(LABELS)))
@pytest.mark.parametrize(
    ("entailment", "neutral", "contradiction", "verdict"),
    [
        (0.4, 0.35, 0.25, "OK"),  # the most likely, though below one half
        (0.3, 0.1, 0.6, "hallucination+omission"),  # above the verifier's limit for stated facts
        (0.45, 0.46, 0.09, "hallucination+omission"),
    ],
)
def test_a_check_of_a_model_passes_where_entailment_is_the_most_likely_label(
    tmp_path: Path,
    order: tuple[str, ...],
    entailment: float,
    neutral: float,
    contradiction: float,
    verdict: str,
) -> None:
    always = dict(zip(LABELS, (entailment, neutral, contradiction), strict=True))
    named = [name.upper() for name in order]
    folder = write_onnx_classifier(tmp_path / "model", *named, always=always)
    (score,) = Nli(model=str(folder)).score([SHORT])
    assert score.verdict == verdict
    statuses = {fact.status for fact in score.facts}
    assert statuses <= ({"stated"} if verdict == "OK" else {"missing", "contradicted"})
    rival = max(neutral, contradiction)
    assert score.value == pytest.approx((entailment / (entailment + rival)) ** 2, abs=1e-4)


def test_the_order_of_the_labels_changes_nothing(tmp_path: Path) -> None:
    short = [item for item in ITEMS if len(item.text) < 100]
    first, *others = [
        Nli(model=str(write_onnx_classifier(tmp_path / "-".join(order), *order))).score(short)
        for order in permutations(LABELS)
    ]
    assert len({score.verdict for score in first}) > 1
    for scores in others:
        alike(scores, first)


@pytest.mark.parametrize("name", ["threshold", "doubt"])
def test_the_limits_of_the_verifier_are_not_for_a_model(tmp_path: Path, name: str) -> None:
    folder = str(write_onnx_classifier(tmp_path / "model", *LABELS))
    with pytest.raises(SettingError, match=f"nli:{name} is for the verifier.*most likely label"):
        load_metric("nli", model=folder, **{name: 0.5})
    assert getattr(Nli(model=folder), name) is None
    assert f"{name}:none" in Nli(model=folder).signature
    assert f"{name}:{ {'threshold': 0.2, 'doubt': 0.85}[name] }" in Nli().signature


@pytest.mark.parametrize("problem", ["missing", "empty", "labels"])
def test_a_model_that_is_none(tmp_path: Path, problem: str) -> None:
    folder = tmp_path / "model"
    if problem == "empty":
        folder.mkdir()
    elif problem == "labels":
        write_onnx_classifier(folder, "good", "bad")
    with pytest.raises(AdequaError, match="model"):
        Nli(model=str(folder)).score(ITEMS[:1])


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return command


def test_a_small_run(command: Run, tiny_weights: str, tmp_path: Path) -> None:
    lines = [
        {"id": str(number), "triples": facts, "text": text}
        for number, (facts, text) in enumerate(
            [(FACTS, TEXTS[0]), (FACTS, ""), ((*FACTS, ENDLESS), TEXTS[1])]
        )
    ]
    (tmp_path / "items.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    setting = f"nli:weights={tiny_weights}"
    code, _, told = command("score", "items.jsonl", "-m", setting, "-o", "run", "--quiet")
    assert code == 0, told
    written = (tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in written.splitlines()]
    assert [row["scores"]["nli"] is None for row in rows] == [False, False, True]
    assert rows[1]["scores"]["nli"] == 0
    assert (rows[1]["verdict"], rows[1]["verdicts"]) == ("omission", {"nli": "omission"})
    assert [fact["status"] for fact in rows[1]["facts"]] == ["missing"] * 3
    assert rows[2]["facts"][-1]["status"] == "unchecked"
    assert any(one["confidence"] is None for one in rows[2]["findings"])
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    column = summary["systems"][""]["metrics"]["nli"]
    assert (column["scored"], column["not_scorable"]) == (2, 1)
    assert column["reasons"] == {"part of it is longer than the model can read": 1}
    assert 0 <= column["corpus"]["not_OK"] <= 1
    again = command("score", "items.jsonl", "-m", setting, "-o", "again", "--batch-size", "1")
    assert again[0] == 0, again
    assert (tmp_path / "again" / "scores.jsonl").read_text(encoding="utf-8") == written


def test_a_cached_score_of_a_record_sees_its_pointers() -> None:
    assert "paths" in Nli.reads
    assert "paths" in Esa.reads


def test_a_text_in_another_language_is_not_scored(tiny_weights: str) -> None:
    german = Item("1", FACTS, "Die Mühle liegt in der Nähe der Stadt und ist nicht groß.")
    english = replace(german, lang="en")
    one, other = Nli(weights=tiny_weights).score([german, english])
    assert one == Score(None, reason="the text is in German; nli knows English only")
    assert other.value is not None
