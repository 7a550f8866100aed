"""Findings in texts about records: rules, facts that the reader finds contradicted, weighing."""

from __future__ import annotations

from collections.abc import Sequence

from adequa.data import Item
from adequa.entities import read_findings
from adequa.entities.credibility import Credibility
from adequa.metrics.nli.records import READER, find_all, find_claims, rate
from adequa.models.records import RecordReader, SentenceReading
from adequa.readers.records import read_record

INN = {"inn": "Lamsen", "beds": 96, "sauna": False, "owner": "Ola Berg"}


def item(text: str) -> Item:
    return read_record(INN, text, id="1").item


def reading(own: Item, predicate: str, logit: float) -> SentenceReading:
    """A reading of a text of one sentence: how likely it contradicts a fact, and no other."""
    logits = tuple(logit if one.predicate == predicate else -3.0 for one in own.triples)
    return SentenceReading(0, len(own.text), tuple(range(len(logits))), logits)


def test_a_contradicted_fact_is_a_finding_at_the_clause_that_speaks_of_it() -> None:
    own = item("Lamsen has 96 beds, and the owner is a stranger.")
    found = find_claims(own, read_findings(own), [reading(own, "owner", 2.0)])
    (finding,) = [one for one in found if READER in one.features]
    assert own.text[finding.start : finding.end] == "and the owner is a stranger."
    assert finding.fact is not None
    assert own.triples[finding.fact].predicate == "owner"
    assert finding.note.endswith("the data has owner 'Ola Berg' for Lamsen")
    assert finding.features["contradicts"] == 2.0
    assert finding.features["contradicts others"] == -3.0


def test_without_a_clause_of_its_own_the_sentence_is_the_finding() -> None:
    own = item("Lamsen has 96 beds, and a stranger bought it.")
    found = find_claims(own, read_findings(own), [reading(own, "owner", 2.0)])
    (finding,) = [one for one in found if READER in one.features]
    assert (finding.start, finding.end) == (0, len(own.text))


def test_unlikely_findings_are_dropped_and_of_two_the_likelier_is_kept() -> None:
    text = "Lamsen has a sauna."
    own = item(text)
    rules = read_findings(own)
    found = find_claims(own, rules, [reading(own, "sauna", 1.0)])
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

        def read(self, items: Sequence[Item]) -> list[list[SentenceReading]]:
            runs.append(len(items))
            return [[reading(one, "beds", -2.0)] for one in items]

    found = find_all(Quiet(), [item("Lamsen has 96 beds."), item("Ola Berg owns Lamsen.")])
    assert runs == [2]
    assert [len(one) for one in found] == [1, 1]
