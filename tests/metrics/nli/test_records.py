"""Findings in texts about records: marks of the rules, words that the reader doubts, weighing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adequa.data import Item
from adequa.entities import read_findings
from adequa.entities.credibility import Credibility
from adequa.metrics.nli.records import READER, find_all, find_claims, rate, read_marks
from adequa.models.records import Mark, RecordReader, SentenceReading
from adequa.readers.records import read_record

SHOP = {"shop": "Lamsen", "beds": 96, "sauna": False, "owner": "Ola Berg"}


def item(text: str) -> Item:
    return read_record(SHOP, text, id="1").item


def reading(text: str, doubt: Callable[[str], float], fault: float = 2.0) -> SentenceReading:
    """The reading of a text of one sentence, word by word."""
    places = []
    start = 0
    for word in text.split():
        at = text.index(word, start)
        start = at + len(word)
        places.append((at, start))
    return SentenceReading(fault, places, [doubt(text[a:b]) for a, b in places], ())


def test_the_reader_is_told_what_the_rules_say() -> None:
    text = "Lamsen has 96 beds, 41 lamps and a sauna."
    marks = dict(read_marks(read_findings(item(text))))
    assert marks[text.index("Lamsen")] is Mark.EXPLAINED
    assert marks[text.index("96")] is Mark.EXPLAINED
    assert marks[text.index("41")] is not Mark.EXPLAINED
    assert Mark.DOUBTED in marks.values()  # there is no sauna


def test_words_that_the_reader_doubts_are_a_finding_with_their_clause() -> None:
    text = "Lamsen has 96 beds and was sold cheaply."
    own = item(text)
    rules = read_findings(own)
    doubts = {"sold": 3.0, "cheaply.": 2.5}
    one = reading(text, lambda word: doubts.get(word, -3.0))
    found = find_claims(own, rules, read_marks(rules), [one])
    (finding,) = [each for each in found if READER in each.features]
    assert text[slice(*finding.words)] == "sold cheaply."
    assert finding.start <= finding.words[0]
    assert finding.words[1] <= finding.end
    assert finding.features["fault"] == 2.0
    assert finding.features["worst word"] == 3.0
    assert "'sold cheaply.' does not fit the data" in finding.note


def test_a_value_that_the_rules_explain_is_a_feature() -> None:
    text = "Lamsen has 96 beds."
    own = item(text)
    rules = read_findings(own)
    one = reading(text, lambda word: 3.0 if word == "96" else -3.0)
    (finding,) = find_claims(own, rules, read_marks(rules), [one])
    assert finding.features["explained value"] == 1.0


def test_unlikely_findings_are_dropped_and_of_two_the_likelier_is_kept() -> None:
    text = "Lamsen has a sauna."
    own = item(text)
    rules = read_findings(own)
    found = find_claims(own, rules, read_marks(rules), [reading(text, lambda _: 1.0)])
    assert {name for one in found for name in one.features if name.startswith("rule ")} == {
        READER,
        "rule truth",
    }
    sure = Credibility({READER: 0.0, "rule truth": 2.0}, offset=0.0, limit=0.4)
    ((kept, chance),) = rate(found, sure)
    assert "rule truth" in kept.features
    assert chance == 0.880797
    assert rate(found, Credibility({READER: 0.0, "rule truth": 0.0}, limit=0.6)) == []


def test_without_a_reader_the_rules_are_the_findings() -> None:
    items = [item("Lamsen has a sauna."), item("Lamsen has 96 beds.")]
    first, second = find_all(None, items)
    assert [one.features["rule truth"] for one in first] == [1.0]
    assert second == []


def test_all_items_are_read_in_one_run() -> None:
    runs: list[int] = []

    class Quiet(RecordReader):
        def __init__(self) -> None:
            """No network is needed."""

        def read(self, items: Sequence[Item], marks: object) -> list[list[SentenceReading]]:
            del marks
            runs.append(len(items))
            return [[reading(one.text, lambda _: -3.0)] for one in items]

    found = find_all(Quiet(), [item("Lamsen has 96 beds."), item("Ola Berg owns Lamsen.")])
    assert runs == [2]
    assert [len(one) for one in found] == [1, 1]
