"""METEOR: NLTK's `meteor_score` is the oracle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nltk.translate.meteor_score import meteor_score

import adequa
from adequa import Item, Triple
from adequa.errors import DataError, SettingError
from adequa.metrics.reference import Meteor
from adequa.metrics.tokens import treebank

TRIPLES = (Triple("s", "p", "o"),)
VOCABULARY = (
    *("the", "The", "dog", "dogs", "city", "cities", "metropolis", "car", "auto", "automobile"),
    *("buy", "bought", "purchase", "building", "builds", "construct", "big", "large", "good"),
    *("well", "fine", "fast", "quickly", "running", "runs", "operate", ".", "Paris"),
)
word_lists = st.lists(st.sampled_from(VOCABULARY), max_size=10)
references = st.lists(word_lists.filter(bool), min_size=1, max_size=3)


class Nothing:
    """A WordNet without words."""

    def synsets(self, word: str) -> list[Any]:
        return []


def one(metric: Meteor, text: str, *own: str) -> float | None:
    return metric.score([Item("1", TRIPLES, text, references=own)])[0].value


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=word_lists, own=references)
def test_texts_score_as_in_nltk(
    text: list[str],
    own: list[list[str]],
    shared_wordnet: Path,
    nltk_wordnet: Callable[[Path], Any],
) -> None:
    oracle = nltk_wordnet(shared_wordnet)
    written = " ".join(text), *map(" ".join, own)
    metric = Meteor(wordnet=shared_wordnet, tokenize="whitespace")
    assert one(metric, *written) == pytest.approx(meteor_score(own, text, wordnet=oracle))
    other = Meteor(wordnet=shared_wordnet, tokenize="whitespace", alpha=0.5, beta=2.0, gamma=0.3)
    wanted = meteor_score(own, text, wordnet=oracle, alpha=0.5, beta=2.0, gamma=0.3)
    assert one(other, *written) == pytest.approx(wanted)
    without = Meteor(synonyms=False, tokenize="whitespace")
    assert one(without, *written) == pytest.approx(meteor_score(own, text, wordnet=Nothing()))


def test_real_words_score_as_in_nltk(
    system_wordnet: Path, nltk_wordnet: Callable[[Path], Any]
) -> None:
    oracle = nltk_wordnet(system_wordnet)
    texts = [item.text for item in adequa.read(Path(adequa.__file__).parent / "sample")][:60]
    metric = Meteor(wordnet=system_wordnet)
    for text, *own in zip(texts, texts[3:], texts[1:], strict=False):
        wanted = meteor_score([treebank(other) for other in own], treebank(text), wordnet=oracle)
        assert one(metric, text, *own) == pytest.approx(wanted)


def test_each_stage_finds_what_the_one_before_did_not(shared_wordnet: Path) -> None:
    exact, stemmed = "the dog runs", "the dogs run"
    full = Meteor(wordnet=shared_wordnet, tokenize="whitespace")
    without = Meteor(synonyms=False, tokenize="whitespace")
    assert one(without, exact, exact) == one(without, exact, stemmed)
    assert one(without, "a car", "a saloon") == one(full, "a car", "a saloon")
    assert one(full, "a good car", "a fine auto") == one(full, "a good car", "a good car")
    assert one(full, "a good car", "a fine pub") < one(full, "a good car", "a fine auto")  # type: ignore[operator]


def test_words_are_found_where_stems_are_not(shared_wordnet: Path) -> None:
    stems = Meteor(wordnet=shared_wordnet)  # the stem of "city", "citi", is no word
    words = Meteor(wordnet=shared_wordnet, look_up="words")
    assert one(stems, "a city", "a metropolis") < one(words, "a city", "a metropolis")  # type: ignore[operator]


def test_what_cannot_be_scored_says_why() -> None:
    metric = Meteor(synonyms=False)
    items = [
        Item("1", TRIPLES, "a"),
        Item("2", TRIPLES, "a", references=(" ",)),
        Item("3", TRIPLES, "", references=("a",)),
        Item("4", TRIPLES, "A", references=("", "a")),
    ]
    scores = metric.score(items)
    assert [score.value for score in scores] == [None, None, 0.0, 0.5]
    assert {score.reason for score in scores[:2]} == {"no references"}
    with pytest.raises(DataError, match="'references' of the item"):
        metric.score([Item("1", TRIPLES, "a", references="a")])  # type: ignore[arg-type]


def test_without_wordnet_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.metrics.tokens._PLACES", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)
    with pytest.raises(SettingError, match=r"wordnet-base.*wordnet=FOLDER.*synonyms=false"):
        adequa.load_metric("meteor")
    assert adequa.load_metric("meteor", synonyms="false").score([]) == []


def test_the_signature_names_what_wordnet_holds_not_where(
    tmp_path: Path, tiny_wordnet: Path
) -> None:
    here = Meteor(wordnet=tiny_wordnet).signature
    moved = tiny_wordnet.rename(tmp_path / "elsewhere")
    assert Meteor(wordnet=moved).signature == here
    assert "|stages:exact+stem+synonym|" in here
    (moved / "adv.exc").write_text("")
    assert Meteor(wordnet=moved).signature != here
    assert "|wordnet:none|" in Meteor(synonyms=False).signature


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": 1.1}, {"alpha": -0.1}, {"gamma": 2.0}, {"beta": -1.0}, {"look_up": "senses"}],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong))):
        Meteor(synonyms=False, **wrong)


@pytest.mark.data
def test_the_published_scores_of_2020_are_met(data_dir: Path, system_wordnet: Path) -> None:
    """Source: the column `meteor` of peers.jsonl, by NLTK 3.8 and its trained sentence splitter."""
    folder = data_dir / "webnlg2020"
    source = folder / "test" / "rdf-to-text-generation-test-data-with-refs-en.xml"
    systems = {name: folder / "systems" / f"{name}.txt" for name in ("bt5", "RALI", "NILC")}
    published = adequa.load_metric(
        "precomputed", file=folder / "human" / "peers.jsonl", key="meteor"
    )
    items = list(adequa.read(source, texts=systems))
    wanted = [score.value for score in published.score(items)]
    rated = [(item, value) for item, value in zip(items, wanted, strict=True) if value is not None]
    found = Meteor(wordnet=system_wordnet).score([item for item, _ in rated])
    same = [
        score.value == pytest.approx(value, abs=1e-9)
        for score, (_, value) in zip(found, rated, strict=True)
    ]
    assert len(same) == 3 * 90
    assert sum(same) / len(same) > 0.93
