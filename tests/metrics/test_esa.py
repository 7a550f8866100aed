"""ESA: values by hand, the paper's corpus measures, findings, settings, and what must hold."""

from __future__ import annotations

import json
import pickle
import socket
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adequa
from adequa import services as outside
from adequa.data import Item, Score, Term, Triple
from adequa.errors import SettingError
from adequa.metrics.base import Metric
from adequa.services import ServiceWarning

FACTS = (
    Triple("Ann_Bell", "birthPlace", "Leeds"),
    Triple("Ann_Bell", "birthDate", "1957-05-03"),
    Triple("Leeds", "population", "16800"),
)
WHOLE = "Ann Bell was born in Leeds on 3 May 1957. Leeds has 16,800 people."


def item(text: str, *triples: Triple, name: str = "1") -> Item:
    return Item(name, triples or FACTS, text)


def score(text: str, *triples: Triple, metric: str = "esa", **settings_: Any) -> Score:
    (one,) = adequa.load_metric(metric, **settings_).score([item(text, *triples)])
    return one


@pytest.mark.parametrize(
    ("text", "value", "verdict"),
    [
        (WHOLE, 4 / 4, "OK"),
        ("Ann Bell was born in Leeds on 3 May 1957.", 3 / 4, "omission"),
        ("Ann Bell was born in Leeds.", 2 / 4, "omission"),
        ("Leeds.", 1 / 4, "omission"),
        ("Nothing of it.", 0 / 4, "omission"),
        ("", 0 / 4, "omission"),
        (" \n", 0 / 4, "omission"),
        (f"{WHOLE} She met Zora Quist.", 4 / 4, "hallucination"),
        ("Ann Bell was born in Oslo on 3 May 1957.", 2 / 4, "hallucination+omission"),
        (f"{WHOLE} {WHOLE}", 4 / 4, "OK"),  # said again, but nothing else
    ],
)
def test_the_share_of_entities_found(text: str, value: float, verdict: str) -> None:
    one = score(text)
    assert (one.value, one.verdict, one.reason) == (value, verdict, None)
    missing = [finding for finding in one.findings if finding.kind == "omission"]
    assert len(missing) == round(4 * (1 - value))
    assert {finding.entity for finding in missing}.isdisjoint(
        mention.entity for mention in one.mentions
    )


def test_an_entity_in_many_triples_counts_once() -> None:
    assert score("Ann Bell.", Triple("Ann_Bell", "x", "Ann_Bell")).value == 1.0
    assert score("Hull", *[Triple("Hull", name, "Leeds") for name in "abc"]).value == 0.5


def test_no_triples_no_value() -> None:
    for metric in ("esa", "esa_strict"):
        (one,) = adequa.load_metric(metric).score([Item("1", (), "Ann Bell.")])
        assert one == Score(None, reason=one.reason)
        assert one.reason
    assert score(WHOLE, ignore=("birthPlace", "birthDate", "population")).value is None


def test_strict_is_lowered_by_what_comes_from_nowhere() -> None:
    text = f"{WHOLE} She met Zora Quist in Oslo."
    assert score(text).value == 1.0
    assert score(text, metric="esa_strict").value == pytest.approx(4 / (4 + 0.5 * 2))
    assert score(text, metric="esa_strict", weight=2.0).value == pytest.approx(4 / (4 + 2 * 2))
    assert score(text, metric="esa_strict", weight=0.0).value == 1.0
    assert score(WHOLE, metric="esa_strict").value == 1.0
    text = "Ann Bell was born in Oslo."
    assert score(text, metric="esa_strict").value == pytest.approx(1 / (4 + 0.5))


def test_findings_say_what_where_and_why() -> None:
    text = "Ann Bell was born in Leeds on 5 March 1957. Leeds has 16,000 people."
    one = score(text)
    assert {(finding.detail, finding.entity) for finding in one.findings[:2]} == {
        ("missing", "1957-05-03"),
        ("missing", "16800"),
    }
    surplus = [finding for finding in one.findings if finding.kind == "hallucination"]
    assert [(text[f.start : f.end], f.detail, f.why) for f in surplus] == [
        ("5 March 1957", "unexplained date", "'5 March 1957': the data has '1957-05-03'"),
        ("16,000", "unexplained number", "'16,000': the data has '16,800'"),
    ]
    assert {finding.metric for finding in one.findings} == {"esa"}
    assert {f.metric for f in score(text, metric="esa_strict").findings} == {"esa_strict"}
    assert [fact.status for fact in one.facts] == ["unchecked", "missing", "missing"]


def test_repetition_is_a_finding() -> None:
    text = "Ann Bell was born in Leeds in Leeds in Leeds."
    (found,) = [one for one in score(text).findings if one.detail == "repetition"]
    assert text[found.start : found.end] == "in Leeds in Leeds in Leeds"
    assert found.kind == "hallucination"
    assert "3 times" in found.why


def totals(metric: Metric, texts: list[str]) -> list[float]:
    scores = metric.score([item(text) for text in texts])
    return [sum(column) for column in zip(*(one.statistics for one in scores), strict=True)]


def test_the_measures_of_the_paper_by_hand() -> None:
    texts = [
        WHOLE,
        WHOLE,
        "Ann Bell was born in Leeds on 3 May 1957, and that is all.",  # one undetected: 0.75
        "Ann Bell of Leeds.",  # two: 0.5, short
        "",  # four: 0, short
    ]
    values = adequa.load_metric("esa").corpus(totals(adequa.load_metric("esa"), texts))
    assert isinstance(values, dict)
    assert values["ESA_C"] == pytest.approx((1 + 1 + 0.75 + 0.5 + 0) / 5)
    assert values["ESA_C\\1"] == pytest.approx((0.75 + 0.5 + 0) / 3)
    assert values["ESA_C\\2"] == pytest.approx((0.5 + 0) / 2)
    assert [values[f"ESI_C^{least}"] for least in (1, 2, 3, 4, 5)] == [
        3 / 5,
        2 / 5,
        1 / 5,
        1 / 5,
        0,
    ]
    assert values["undetected entities"] == pytest.approx(7 / 20)
    assert values["texts with unexplained"] == 0
    assert values["low because short"] == 2 / 5


def test_causes_and_unexplained_over_a_corpus() -> None:
    texts = [
        WHOLE,
        f"{WHOLE} She met Zora Quist.",
        "Ann Bell was born in Oslo on 3 May 1957.",
        "Ann Bell of the of the of the of the of the of the of the Leeds.",
        "Ann Bell was born in a place that is as lovely and as big as it is well known.",
    ]
    metric = adequa.load_metric("esa")
    values = metric.corpus(totals(metric, texts))
    assert isinstance(values, dict)
    assert values["texts with unexplained"] == 2 / 5
    for cause in ("hallucinated", "degenerate", "other"):
        assert values[f"low because {cause}"] == 1 / 5
    assert values["low because short"] == 0


def test_a_mean_over_no_texts_is_left_out() -> None:
    metric = adequa.load_metric("esa")
    values = metric.corpus(totals(metric, [WHOLE]))
    assert isinstance(values, dict)
    assert values["ESA_C"] == 1
    assert "ESA_C\\1" not in values
    assert values["ESI_C^1"] == 0


def test_ignored_and_optional_predicates() -> None:
    text = "Ann Bell was born in Leeds on 3 May 1957."
    assert score(text).value == 3 / 4
    assert score(text, ignore=("population",)).value == 1.0
    assert score(text, optional=("population",)).value == 1.0
    assert score(text, optional="population+birthPlace").value == 1.0
    wrong = "Ann Bell was born in Leeds on 3 May 1957. It has 16,000 people."
    assert score(wrong, optional=("population",)).verdict == "hallucination"
    # What is optional and said is found; what is ignored is not there, and so not explained.
    assert len(score(WHOLE, optional=("population",)).mentions) == 5
    ignored = score(WHOLE, ignore=("population",))
    assert [finding.detail for finding in ignored.findings] == ["unexplained number"]


def test_files_of_aliases_and_of_allowed_phrases(tmp_path: Path) -> None:
    aliases, allowed = tmp_path / "names.json", tmp_path / "allowed.txt"
    aliases.write_text(json.dumps({"Leeds": ["the Knightly City"]}), encoding="utf-8")
    allowed.write_text("Zora Quist\n", encoding="utf-8")
    text = "Ann Bell was born on 3 May 1957 in the Knightly City of 16,800 people."
    assert (score(text).value, score(text, aliases=aliases).value) == (0.75, 1.0)
    text = f"{WHOLE} She met Zora Quist."
    assert score(text, allowed=allowed).verdict == "OK"


def test_labels_of_terms() -> None:
    address = "http://www.wikidata.org/entity/Q64"
    one = Item("1", (Triple("Ann_Bell", "city", address),), "Ann Bell lives in Berlin.")
    metric = adequa.load_metric("esa")
    labelled = replace(one, terms={address: Term(label="Berlin")})
    assert [found.value for found in metric.score([one, labelled])] == [0.5, 1.0]


def test_conversions_the_mode_and_the_detector() -> None:
    fact = Triple("Ilm_Tower", "height_(in_metres)", "1000")
    assert score("Ilm Tower is 1 km high.", fact).value == 1.0
    assert score("Ilm Tower is 1 km high.", fact, conversions=False).value == 0.5
    facts = (Triple("Quist_Tower", "city", "Leeds"), Triple("Quist_Tower", "floors", "45"))
    text = "Quist Tower is in Leeds. It has 45 floors."
    for mode, pronouns in (("adequacy", 0), ("mentions", 1)):
        methods = [mention.method for mention in score(text, *facts, mode=mode).mentions]
        assert methods.count("pronoun") == pronouns
    assert score("It has 45 floors.", *facts).value == pytest.approx(1 / 3)
    american = Triple("Ann_Bell", "nationality", "United_States")
    assert score("Ann Bell is an American.", american).value == 1.0
    assert score("Ann Bell is an American.", american, detector="paper").value == 0.5
    assert score("Ann Bell is a Norwegian.", american, detector="paper").mentions[0].method


def test_wrong_settings() -> None:
    for wrong in ({"threshold": 1.5}, {"threshold": -0.1}, {"detector": "ours"}, {"mode": "x"}):
        with pytest.raises(SettingError):
            adequa.load_metric("esa", **wrong)
    with pytest.raises(SettingError):
        adequa.load_metric("esa_strict", weight=-1.0)
    with pytest.raises(SettingError):
        adequa.load_metric("esa", linker="ftp://nowhere")


def test_the_signature_has_the_settings_and_the_content_of_files(tmp_path: Path) -> None:
    plain = adequa.load_metric("esa").signature
    for part in ("esa|", "detector:adequa", "mode:adequacy", "conversions:true", "version:"):
        assert part in plain
    assert "weight:0.5" in adequa.load_metric("esa_strict").signature
    assert "ignore:a+b" in adequa.load_metric("esa", ignore=("a", "b")).signature
    signatures = set()
    for content in ("Leeds\tx\n", "Leeds\ty\n"):
        for number in (1, 2):
            file = tmp_path / str(number) / "names.tsv"
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
            signatures.add(adequa.load_metric("esa", aliases=file).signature)
    assert len(signatures) == 2  # what is in the file counts, and not where it lies
    assert plain not in signatures
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("x\n", encoding="utf-8")
    assert adequa.load_metric("esa", allowed=allowed).signature != plain


class Linker(BaseHTTPRequestHandler):
    """A linker that knows one town by another name, and a country."""

    def do_POST(self) -> None:
        text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
        known = {"Loidis": "Leeds", "Cambria": "Wales"}
        rows = [
            [text.index(name), len(name), name, title, 0.9, 0.9, "LOC"]
            for name, title in known.items()
            if name in text
        ]
        body = json.dumps(rows).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def linker() -> Iterator[str]:
    outside._HEALTH.clear()
    with HTTPServer(("127.0.0.1", 0), Linker) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()
    outside._HEALTH.clear()


def test_a_linker_adds_a_mention(linker: str) -> None:
    text = "Ann Bell was born in Loidis on 3 May 1957. It has 16,800 people."
    assert score(text).value == 0.75
    one = score(text, linker=linker)
    assert one.value == 1.0
    (added,) = [mention for mention in one.mentions if mention.entity == "Leeds"]
    assert text[added.start : added.end] == "Loidis"
    assert score("", linker=linker).value == 0.0  # an empty text is not sent
    foreign = score(f"{WHOLE} It is in Cambria.", linker=linker)
    assert foreign.verdict == "hallucination"


def test_a_linker_that_is_down_gives_no_score() -> None:
    outside._HEALTH.clear()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        metric = adequa.load_metric("esa", linker=url)
        with pytest.warns(ServiceWarning, match="not scored"):
            first, second = metric.score([item(WHOLE), item("Ann Bell.")])
        for one in (first, second):
            assert (one.value, one.mentions, one.findings, one.verdict) == (None, (), (), None)
            assert one.reason
            assert url in one.reason
    outside._HEALTH.clear()


# What must hold for any text: the list.

SENTENCES = {
    "Ann_Bell": ["Ann Bell was a painter.", "The painter is Ann Bell.", "Bell painted."],
    "Leeds": ["She lived in Leeds.", "Leeds is big.", "He saw Leeds's river."],
    "1957-05-03": ["It began on 3 May 1957.", "In May 1957 it began.", "It began in 1957."],
    "16800": ["There were 16,800 people.", "About 16.8 thousand came.", "They were 16800."],
    "FC_Terek_Grozny": ["They cheer for FC Terek Grozny.", "Terek Grozny won."],
    "Grozny": ["Grozny lies there.", "They flew to Groznyy."],
    '"celery, salt and cream"': ["One needs cream, salt and celery.", "Celery, salt and cream."],
    "Spain": ["It is Spanish.", "They liked Spain."],
}
PREDICATES = ("birthPlace", "birthDate", "population", "ground", "ingredients", "country", "about")
UNRELATED = (
    "Rain fell all night.",
    "Nobody knew why.",
    "so it goes",
    "Much remains unclear today 😀.",
    "Yes!",
)


@st.composite
def items(draw: Any) -> Item:
    """Some data, and a text of whole sentences that say a part of it."""
    entities = sorted(SENTENCES)
    ends = st.sampled_from(entities)
    triples = draw(
        st.lists(st.builds(Triple, ends, st.sampled_from(PREDICATES), ends), min_size=1, max_size=5)
    )
    said = draw(st.lists(ends, max_size=5))
    text = " ".join(draw(st.sampled_from(SENTENCES[entity])) for entity in said)
    return Item("1", tuple(triples), text)


METRICS = {
    "adequacy": adequa.load_metric("esa"),
    "mentions": adequa.load_metric("esa", mode="mentions"),
    "strict": adequa.load_metric("esa_strict"),
    "paper": adequa.load_metric("esa", detector="paper"),
}


def value(metric: str, one: Item) -> float:
    (found,) = METRICS[metric].score([one])
    assert found.value is not None
    return found.value


@given(items(), st.integers(0, 100))
def test_removing_a_mention_never_raises_it(one: Item, number: int) -> None:
    # In adequacy mode: in mentions mode a pronoun may find another entity when a name is gone.
    (before,) = METRICS["adequacy"].score([one])
    if before.mentions:
        cut = before.mentions[number % len(before.mentions)]
        shorter = replace(one, text=one.text[: cut.start] + one.text[cut.end :])
        assert before.value is not None
        assert value("adequacy", shorter) <= before.value


@given(items(), st.sampled_from(UNRELATED), st.booleans())
def test_an_unrelated_sentence_never_lowers_it(one: Item, sentence: str, first: bool) -> None:
    parts = [sentence, one.text] if first else [one.text, sentence]
    longer = replace(one, text=" ".join(parts))
    assert value("adequacy", longer) >= value("adequacy", one)


@given(items(), st.randoms(use_true_random=False))
def test_the_order_of_triples_changes_nothing(one: Item, random: Any) -> None:
    shuffled = list(one.triples)
    random.shuffle(shuffled)
    other = replace(one, triples=tuple(shuffled))
    for name in ("adequacy", "mentions", "strict"):  # the paper's has a root: the first of equals
        metric = METRICS[name]
        (left,), (right,) = metric.score([one]), metric.score([other])
        assert left.value == right.value
        assert left.verdict == right.verdict
        missing = [{f.entity for f in found.findings if f.entity} for found in (left, right)]
        assert missing[0] == missing[1]


TEXTS = st.text() | st.lists(
    st.sampled_from(["Ann Bell", "3 May 1957", "Oslo", "99", "😀", "שלום", "\u0301", "\ud800", "."])
).map(" ".join)


@given(TEXTS)
def test_any_text_is_scored_with_offsets_that_slice_it(text: str) -> None:
    for metric in METRICS.values():
        (one,) = metric.score([item(text)])
        if one.value is None:
            assert one.reason is not None
            assert one.reason.startswith("the text is in ")
            continue
        assert 0 <= one.value <= 1
        for found in (*one.mentions, *one.findings):
            if found.start is not None or found.end is not None:
                assert found.start is not None
                assert found.end is not None
                assert 0 <= found.start < found.end <= len(text)


@given(st.lists(items(), max_size=4))
@settings(max_examples=30)
def test_alone_and_in_a_batch_again_and_as_a_copy(batch: list[Item]) -> None:
    for metric in METRICS.values():
        together = metric.score(batch)
        assert [metric.score([one])[0] for one in batch] == together
        copy = pickle.loads(pickle.dumps(metric))
        assert copy.score(batch) == together


def test_every_order_of_three_triples() -> None:
    text = "Ann Bell was born in Leeds on 5 March 1957."
    for metric in METRICS.values():
        scores = [metric.score([item(text, *order)])[0] for order in permutations(FACTS)]
        assert len({one.value for one in scores}) == 1


MEGABYTE = 1_000_000
LONG = {
    "letter": "a" * MEGABYTE,
    "spaces": " " * MEGABYTE,
    "lines": "\n" * MEGABYTE,
    "digits": "1" * MEGABYTE,
    "name": "Leeds " * (MEGABYTE // 6),
    "punctuation": ".,;!?()" * (MEGABYTE // 7),
    "marks": "\u0301" * MEGABYTE,
    "mixed": "Ann Bell, שלום 😀 x9 é (in 1957) " * (MEGABYTE // 33),
}


@pytest.mark.parametrize("kind", sorted(LONG))
def test_a_megabyte_of_text(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (one,) = METRICS["adequacy"].score([item(LONG[kind])])
    found = {"name": {"Leeds"}, "mixed": {"Ann_Bell", "1957-05-03"}}.get(kind, set())
    assert {mention.entity for mention in one.mentions} == found
    assert one.value == len(found) / 4


def test_what_a_text_may_leave_out_is_no_fault() -> None:
    (metric, *_) = METRICS.values()
    whole = item("Ann Bell was born in Leeds.")
    (all_,), (selected,) = (
        metric.score([replace(whole, coverage=coverage)]) for coverage in ("all", "selected")
    )
    assert all_.value == selected.value
    assert "omission" in str(all_.verdict)
    assert "omission" not in str(selected.verdict)
    assert not any(one.kind == "omission" for one in selected.findings)
    (empty,) = metric.score([replace(whole, text="", coverage="selected")])
    assert empty.verdict == "omission"
    assert len(empty.findings) == 1


def in_german(text: str, **settings: Any) -> Score:
    triples = (
        Triple("Vienna", "country", "Austria"),
        Triple("Vienna", "areaKm2", "414.87"),
        Triple("Vienna", "rainExpected", "no"),
    )
    terms = {"Vienna": Term(labels={"de": "Wien"}), "Austria": Term(labels={"de": "Österreich"})}
    (score,) = adequa.load_metric("esa").score([Item("1", triples, text, terms=terms, **settings)])
    return score


def test_another_language_is_recognised_and_read() -> None:
    right = in_german(
        "Wien liegt im Osten Österreichs auf 414,87 km²; Regen ist nicht zu erwarten."
    )
    assert (right.value, right.verdict, right.findings) == (1.0, "OK", ())
    wrong = in_german("Wien liegt im Osten Ungarns auf 441,87 km²; Regen ist zu erwarten.")
    assert {one.entity for one in wrong.findings} >= {"Austria", "414.87", "no"}
    assert wrong.verdict == "hallucination+omission"


def test_a_quality_without_words_is_left_out() -> None:
    triples = (Triple("Bex", "zorbing", "yes"), Triple("Bex", "height", "400"))
    item = Item("1", triples, "Das Dorf Bex liegt auf der Höhe von 400 m.")
    (score,) = adequa.load_metric("esa").score([item])
    assert (score.value, score.verdict) == (1.0, "OK")


def test_a_text_in_an_unknown_language_is_not_scored() -> None:
    score = in_german("Most znajduje się w pobliżu portu i nie jest oświetlony.")
    assert score.value is None
    assert score.reason is not None
    assert score.reason.startswith("the text is in Polish; esa knows Czech, Dutch, English")
    assert in_german("The bridge.", lang="br").value is None
