"""Coreference by Stanza, with documents of the shape that Stanza 1.15 makes."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Mention, Triple
from adequa.entities import coreference
from adequa.entities.coreference import (
    History,
    Span,
    StanzaCoreference,
    find_anaphors,
    option_features,
    pronoun_spans,
    resolve_pronouns,
)
from adequa.entities.graph import compile_graph
from adequa.errors import MissingExtra, ModelError, ServiceError
from adequa.text.words import PreparedText


@dataclass
class Token:
    start_char: int | None
    end_char: int | None


@dataclass
class Word:
    start_char: int | None
    end_char: int | None
    parent: Token


@dataclass
class Sentence:
    words: list[Word]


@dataclass
class CorefMention:
    sentence: int
    start_word: Any
    end_word: Any


@dataclass
class CorefChain:
    mentions: list[CorefMention]


@dataclass
class Document:
    sentences: list[Sentence]
    coref: list[CorefChain] | None = field(default_factory=list)


TEXT = "Nurhan Atasoy is Turkish. She lives in Istanbul."


def document(text: str, *chains: Sequence[tuple[Any, Any, Any]]) -> Document:
    """Split sentences at full stops and words at spaces, and give the chains as Stanza would."""
    sentences = []
    for sentence in re.finditer(r"[^.]+\.?", text):
        words = [
            Word(
                sentence.start() + found.start(), sentence.start() + found.end(), Token(None, None)
            )
            for found in re.finditer(r"\w+|[^\w\s]", sentence[0])
        ]
        sentences.append(Sentence(words))
    return Document(
        sentences, [CorefChain([CorefMention(*mention) for mention in chain]) for chain in chains]
    )


def chains_of(text: str, made: Document) -> tuple[tuple[Span, ...], ...]:
    return StanzaCoreference(pipeline=lambda _: made).chains(text)


def test_chains_are_spans_of_the_text() -> None:
    made = document(TEXT, [(1, 0, 1), (0, 0, 2)], [(1, 3, 4)])
    found = chains_of(TEXT, made)
    assert [[TEXT[start:end] for start, end in chain] for chain in found] == [
        ["Nurhan Atasoy", "She"],
        ["Istanbul"],
    ]


def test_a_word_without_offsets_takes_those_of_its_token() -> None:
    made = document(TEXT, [(1, 0, 1)])
    token = Token(26, 29)
    made.sentences[1].words[0] = Word(None, None, token)
    assert chains_of(TEXT, made) == (((26, 29),),)


def test_dropped_pronouns_have_no_place() -> None:
    made = document(TEXT, [(0, 0, 2), (1, (1, 1), (1, 1))], [(1, (2, 1), (2, 1))])
    assert chains_of(TEXT, made) == (((0, 13),),)


def test_a_text_without_words_is_not_asked_about() -> None:
    def pipeline(text: str) -> Document:
        raise AssertionError(text)

    assert StanzaCoreference(pipeline=pipeline).chains(" \n") == ()


def test_no_chains() -> None:
    made = document(TEXT)
    assert chains_of(TEXT, made) == ()
    made.coref = None
    assert chains_of(TEXT, made) == ()


@pytest.mark.parametrize(
    "mention",
    [(7, 0, 1), (0, 2, 2), (0, 90, 91), (0, "a", "b"), (None, 0, 1)],
    ids=["sentence", "empty", "word", "kind", "none"],
)
def test_a_chain_that_points_nowhere_is_an_error(mention: tuple[Any, Any, Any]) -> None:
    with pytest.raises(ServiceError, match=r"stanza coreference \(en\): failed on a text"):
        chains_of(TEXT, document(TEXT, [mention]))


def test_offsets_outside_the_text_are_an_error() -> None:
    made = document(TEXT, [(0, 0, 2)])
    with pytest.raises(ServiceError, match="outside the text"):
        chains_of("Short", made)


def test_a_pipeline_that_fails_says_so() -> None:
    def pipeline(text: str) -> Document:
        raise ValueError("a span that crossed two sentences")

    with pytest.raises(ServiceError, match="ValueError: a span that crossed two sentences"):
        StanzaCoreference(pipeline=pipeline).chains(TEXT)


@pytest.fixture
def no_pipelines() -> Iterator[None]:
    coreference._PIPELINES.clear()
    yield
    coreference._PIPELINES.clear()


@dataclass
class FakePipeline:
    processors: tuple[str, ...]

    def __call__(self, text: str) -> Document:
        return document(text, [(0, 0, 1)])


class FakeStanza(types.ModuleType):
    """Stands for the package, which is several GB with its torch."""

    def __init__(self, failure: BaseException | None = None, *, has_model: bool = True) -> None:
        super().__init__("stanza")
        self.failure = failure
        self.has_model = has_model
        self.asked: list[Any] = []

    def Pipeline(self, lang: str, **settings: Any) -> FakePipeline:  # noqa: N802
        self.asked.append((lang, settings))
        if self.failure is not None:
            raise self.failure

        return FakePipeline(("tokenize", "coref") if self.has_model else ("tokenize",))


def test_the_pipeline_is_loaded_once_and_never_downloads(
    no_pipelines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    stanza = FakeStanza()
    monkeypatch.setitem(sys.modules, "stanza", stanza)
    for _ in range(2):
        assert StanzaCoreference(model_dir="models").chains("Word.") == (((0, 4),),)
    ((lang, settings),) = stanza.asked
    assert (lang, settings["model_dir"], settings["processors"]) == (
        "en",
        "models",
        "tokenize,coref",
    )
    assert settings["download_method"] is None
    assert settings["use_gpu"] is False


def test_without_stanza_the_extra_is_named(
    no_pipelines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(MissingExtra, match=r"'stanza'.*adequa\[coref\]"):
        StanzaCoreference().chains(TEXT)


def test_without_what_stanza_needs_the_extra_is_named(
    no_pipelines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stanza", FakeStanza(ImportError("no", name="peft")))
    with pytest.raises(MissingExtra, match=r"'peft'.*adequa\[coref\]"):
        StanzaCoreference().chains(TEXT)


@pytest.mark.parametrize(
    "stanza",
    [
        FakeStanza(FileNotFoundError("Resources file not found at: resources.json")),
        FakeStanza(ValueError("No processors to load for language xx.")),
        FakeStanza(has_model=False),
    ],
    ids=["resources", "language", "processor"],
)
def test_a_missing_model_says_how_to_fetch_it(
    no_pipelines: None, monkeypatch: pytest.MonkeyPatch, stanza: FakeStanza
) -> None:
    monkeypatch.setitem(sys.modules, "stanza", stanza)
    with pytest.raises(
        ModelError, match=r"stanza\.download\('xx', processors='tokenize,coref', model_dir='m'\)"
    ):
        StanzaCoreference("xx", "m").chains(TEXT)


def at(text: str, part: str, entity: str, distance: float = 0.0, nth: int = 0) -> Mention:
    start = [found.start() for found in re.finditer(re.escape(part), text)][nth]
    return Mention(entity, start, start + len(part), "name", distance)


def span(text: str, part: str) -> Span:
    return text.index(part), text.index(part) + len(part)


def test_a_pronoun_gets_the_entity_of_its_chain() -> None:
    chains = [[(0, 13), (26, 29)], [(39, 47)]]
    mentions = [at(TEXT, "Nurhan Atasoy", "Nurhan_Atasoy"), at(TEXT, "Istanbul", "Istanbul")]
    assert resolve_pronouns(chains, mentions, [(26, 29)]) == {(26, 29): "Nurhan_Atasoy"}


def test_only_pronouns_are_kept_and_only_those_asked_about() -> None:
    mentions = [at(TEXT, "Nurhan Atasoy", "Nurhan_Atasoy")]
    assert resolve_pronouns([[(0, 13), (26, 29)]], mentions, []) == {}
    assert resolve_pronouns([[(0, 13), (39, 47)]], mentions, [(26, 29)]) == {}


def test_the_nearest_mention_before_counts_then_the_nearest_after() -> None:
    text = "A won. B lost. it it C it"
    mentions = [at(text, "A", "a"), at(text, "B", "b"), at(text, "C", "c")]
    chain = [(0, 1), (7, 8), (15, 17), (18, 20), (21, 22), (23, 25)]
    pronouns = [(15, 17), (18, 20), (23, 25)]
    assert resolve_pronouns([chain], mentions, pronouns) == {
        (15, 17): "b",
        (18, 20): "b",
        (23, 25): "c",
    }
    assert resolve_pronouns([chain], mentions[2:], pronouns[:1]) == {(15, 17): "c"}


def test_a_pronoun_that_was_detected_before_is_not_evidence() -> None:
    mentions = [Mention("root", 26, 29, "pronoun")]
    assert resolve_pronouns([[(0, 13), (26, 29)]], mentions, [(26, 29)]) == {}


@pytest.mark.parametrize(
    ("phrase", "mention", "resolved"),
    [
        ("The Acharya Institute", "Acharya Institute", True),
        ("Acharya Institute", "The Acharya Institute", True),
        ("The Acharya Institute", "The Acharya Institute's", True),
        ("The Acharya Institute's director", "The Acharya Institute's", False),
        ("The Acharya Institute's director", "The Acharya Institute", False),
    ],
)
def test_boundaries_may_differ_but_not_the_head(phrase: str, mention: str, resolved: bool) -> None:
    text = "The Acharya Institute's director resigned. It is old."
    pronoun = span(text, "It ")[0], span(text, "It ")[0] + 2
    found = resolve_pronouns(
        [[span(text, phrase), pronoun]], [at(text, mention, "school")], [pronoun], text
    )
    assert found == ({pronoun: "school"} if resolved else {})


def test_with_the_text_a_long_phrase_is_known_by_its_head() -> None:
    text = "Aarhus, a city in Denmark, is old. It is big."
    phrase, pronoun = span(text, "Aarhus, a city in Denmark"), (35, 37)
    mentions = [at(text, "Aarhus", "Aarhus"), at(text, "Denmark", "Denmark")]
    assert resolve_pronouns([[phrase, pronoun]], mentions, [pronoun], text) == {pronoun: "Aarhus"}
    assert resolve_pronouns([[phrase, pronoun]], mentions, [pronoun]) == {}


def test_of_two_entities_at_one_place_the_nearer_name_wins() -> None:
    mentions = [Mention("far", 0, 13, "name", 0.3), Mention("near", 0, 13, "name", 0.1)]
    assert resolve_pronouns([[(0, 13), (26, 29)]], mentions, [(26, 29)]) == {(26, 29): "near"}


SPANS = st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda pair: (pair[0], sum(pair)))


@given(
    st.lists(st.lists(SPANS, max_size=5), max_size=4),
    st.lists(st.tuples(SPANS, st.sampled_from("ab")), max_size=5),
    st.lists(SPANS, max_size=4),
)
def test_order_changes_nothing_and_nothing_comes_from_nowhere(
    chains: list[list[Span]], named: list[tuple[Span, str]], pronouns: list[Span]
) -> None:
    mentions = [Mention(entity, *place, "name") for place, entity in named]
    found = resolve_pronouns(chains, mentions, pronouns)
    assert found == resolve_pronouns(
        [chain[::-1] for chain in reversed(chains)], mentions[::-1], pronouns[::-1]
    )
    assert set(found) <= {place for chain in chains for place in chain} & set(pronouns)
    assert set(found.values()) <= {entity for _, entity in named}


GRAPH = compile_graph(
    [
        Triple("Aarhus_Airport", "cityServed", "Aarhus"),
        Triple("Aarhus_Airport", "leader", "Ann_Bell"),
        Triple("Ann_Bell", "birthPlace", "Leeds"),
    ],
    {},
    {},
)


def found(string: str) -> list[tuple[str, str, str]]:
    text = PreparedText(string)
    free = bytearray(len(string) + 1)
    return [
        (string[one.start : one.end], one.form, one.noun)
        for one in find_anaphors(GRAPH, text, free)
    ]


@pytest.mark.parametrize(
    ("string", "expected"),
    [
        ("It is old.", [("It", "it", "")]),
        ("She told him.", [("She", "she", ""), ("him", "he", "")]),
        ("It's old, and its age", [("It's", "it's", ""), ("its", "it", "")]),
        ("Theirs are Italy's items.", [("Theirs", "they", "")]),
        ("The airport's age", [("The airport's", "the", "airport")]),
        ("this old airport", [("this old airport", "this", "airport")]),
        ("the old. Airport", []),
        ("the river", []),
        ("an airport", []),
    ],
)
def test_anaphors(string: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(string) == expected


def test_taken_words_are_not_anaphors() -> None:
    text = PreparedText("It is the airport.")
    assert find_anaphors(GRAPH, text, bytearray(b"\1" * 30)) == []


def test_pronouns_of_a_text() -> None:
    string = "He, HERSELF: it; item, hers"
    assert [string[start:end] for start, end in pronoun_spans(string)] == [
        "He",
        "HERSELF",
        "it",
        "hers",
    ]


def test_what_speaks_for_an_entity() -> None:
    text = PreparedText("Ann Bell came. She was born in Leeds.")
    numbers = {entity.string: number for number, entity in enumerate(GRAPH.entities)}
    (she,) = find_anaphors(GRAPH, text, bytearray(60))
    history = History([0, 6], [numbers["Ann_Bell"], numbers["Leeds"]])
    person = set(option_features(she, numbers["Ann_Bell"], GRAPH, text, history))
    place = set(option_features(she, numbers["Leeds"], GRAPH, text, history))
    assert {"she|person=True", "she|rank=0", "she|first before=True"} <= person
    assert {"she|person=False", "she|rank=none"} <= place
    assert "gender clash=False" in person


@given(st.lists(st.sampled_from(["it", "the", "airport", "'s", ".", "her", "It"]), max_size=12))
def test_anaphors_stand_in_the_text_in_order(words: list[str]) -> None:
    string = " ".join(words)
    text = PreparedText(string)
    seen = find_anaphors(GRAPH, text, bytearray(len(string) + 1))
    assert all(0 <= one.start < one.end <= len(string) for one in seen)
    assert [one.start for one in seen] == sorted(one.start for one in seen)
