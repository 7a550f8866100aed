"""One item, judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Mention, Triple
from adequa.entities import judgment as module
from adequa.entities.judgment import EntityJudgment, JudgmentSettings, find_repetitions, judge
from adequa.errors import DataError, SettingError
from adequa.text import Span
from adequa.text.words import PreparedText

from ..rel_server import RelServer, rel_server

FACTS = (
    Triple("Ann_Bell", "birthPlace", "Leeds"),
    Triple("Ann_Bell", "birthDate", "1957-05-03"),
    Triple("Leeds", "population", "16800"),
)


def judged(text: str, *facts: Triple, settings: JudgmentSettings | None = None) -> EntityJudgment:
    return judge(Item("1", facts or FACTS, text), settings or JudgmentSettings())


def test_what_is_missing_in_the_order_of_the_data() -> None:
    judgment = judged("Ann Bell is old.")
    assert judgment.entities == ("Ann_Bell", "Leeds", "1957-05-03", "16800")
    assert judgment.missing == ("Leeds", "1957-05-03", "16800")
    assert [mention.entity for mention in judgment.mentions] == ["Ann_Bell"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Ann Bell was born in Leeds on 3 May 1957; it has 16,800 people.", None),
        ("Ann Bell.", "short"),
        ("", "short"),
        ("Ann Bell was born in Oslo on 3 May 1957; it has 16,800 people.", "hallucinated"),
        ("Ann Bell of the of the of the of the of the of the of the Leeds.", "degenerate"),
        ("Ann Bell was born in a place that is as lovely and as big as it is well known.", "other"),
    ],
)
def test_the_cause(text: str, cause: str | None) -> None:
    assert judged(text).cause == cause


def test_reasons_name_the_fact_and_what_stands_there_instead() -> None:
    judgment = judged("Ann Bell was born in Leeds on 3 May 1957. Leeds has 16,000 people.")
    assert judgment.reasons() == {
        "16800": "no mention of '16800' (Leeds | population | 16800); the text has '16,000' instead"
    }
    ((span, why),) = judgment.surplus()
    assert why == "'16,000': the data has '16,800'"
    assert (span.kind, span.nearest) == ("number", "16800")
    two = judged("Ann Bell.").reasons()["Leeds"]
    assert two.startswith("no mention of 'Leeds' (Ann_Bell | birthPlace | Leeds and 1 more)")
    assert "short" in two


def test_names_from_nothing() -> None:
    ((_, why),) = judged("Ann Bell met Zora Quist.").surplus()
    assert why == "'Zora Quist' comes from nothing in the data"


def test_repetitions() -> None:
    judgment = judged("Ann Bell was born in Leeds. Ann Bell was born in Leeds.")
    ((start, end, why),) = judgment.repetitions
    assert judgment.text[start:end] == "Ann Bell was born in Leeds"
    assert why


def test_ignored_predicates_are_not_there() -> None:
    settings = JudgmentSettings(
        ignore=(
            "population",
            "birthDate",
        )
    )
    judgment = judged("Ann Bell is from Leeds.", settings=settings)
    assert judgment.entities == ("Ann_Bell", "Leeds")
    assert judgment.missing == ()
    everything = JudgmentSettings(
        ignore=(
            "population",
            "birthDate",
            "birthPlace",
        )
    )
    assert judged("Ann Bell.", settings=everything).entities == ()


def test_an_optional_entity_counts_if_it_is_mentioned() -> None:
    settings = JudgmentSettings(
        optional=(
            "population",
            "birthDate",
        )
    )
    silent = judged("Ann Bell is from Leeds.", settings=settings)
    assert (silent.entities, silent.missing) == (("Ann_Bell", "Leeds"), ())
    spoken = judged("Ann Bell is from Leeds with 16,800 people.", settings=settings)
    assert (spoken.entities, spoken.missing) == (("Ann_Bell", "Leeds", "16800"), ())
    assert spoken.unexplained == ()


def test_placeholders_of_tables_are_not_wanted() -> None:
    judgment = judged("It is in Leeds.", Triple("[TABLECONTEXT]", "city", "Leeds"))
    assert (judgment.entities, judgment.missing) == (("Leeds",), ())
    two = (Triple("[TABLECONTEXT]", "[TITLE]", "Hull"), Triple("Hull", "in", "[a]"))
    assert judged("Hull.", *two).missing == ("[a]",)


def test_aliases_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "names.tsv"
    file.write_text("Leeds\tthe Knightly City\n", encoding="utf-8")
    text = "Ann Bell was born on 3 May 1957 in the Knightly City of 16,800 people."
    assert judged(text).missing == ("Leeds",)
    judgment = judged(text, settings=JudgmentSettings(aliases=file))
    assert judgment.missing == ()
    assert judgment.unexplained == ()
    assert "alias" in {mention.method for mention in judgment.mentions}


def test_allowed_phrases_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "allowed.txt"
    file.write_text("# what may be said\n\n Zora Quist \n", encoding="utf-8")
    text = "Ann Bell met Zora Quist in Oslo."
    spans = judged(text, settings=JudgmentSettings(allowed=file)).unexplained
    assert [text[span.start : span.end] for span in spans] == ["Oslo"]


def test_wrong_files_and_addresses_show_at_once(tmp_path: Path) -> None:
    wrong = tmp_path / "broken.txt"
    wrong.write_bytes(b"\xff\xfe\x00")
    for settings in (
        JudgmentSettings(allowed=tmp_path / "none.txt"),
        JudgmentSettings(allowed=wrong),
        JudgmentSettings(aliases=tmp_path / "none.tsv"),
    ):
        with pytest.raises(DataError) as caught:
            settings.require_resources()
        assert str(tmp_path) in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(SettingError):
        JudgmentSettings(linker="not a url").require_resources()
    JudgmentSettings().require_resources()


def test_the_papers_detector() -> None:
    fact = Triple("Ann_Bell", "nationality", "United_States")
    text = "Ann Bell is an American."
    assert judged(text, fact).missing == ()
    theirs = judged(text, fact, settings=JudgmentSettings(detector="paper"))
    assert theirs.missing == ("United_States",)  # it compares letters, and knows no demonyms
    assert theirs.entities == ("Ann_Bell", "United_States")
    assert theirs.unexplained == ()  # what explains a word is the same for both


def test_other_fields_of_an_item_change_nothing() -> None:
    item = Item("1", FACTS, "Ann Bell of Leeds.")
    other = replace(item, id="2", system="B", references=("Ann Bell of Hull.",), category="City")
    first, second = judge(item, JudgmentSettings()), judge(other, JudgmentSettings())
    assert first == second


def said_again(string: str) -> list[str]:
    text = PreparedText(string)
    return [string[found.start : found.end] for found in find_repetitions(text)]


@pytest.mark.parametrize(
    ("string", "found"),
    [
        ("the dish of the dish of the dish of rice", ["the dish of the dish of the dish of"]),
        ("It is very very very old.", ["very very very"]),
        ("It is very very old.", []),
        ("Ann came. Bell saw the old house. Bell saw the old house.", ["Bell saw the old house"]),
        ("Bell saw the old house. bell saw, the old house!", ["bell saw, the old house"]),
        ("Yes it is. No. Yes it is.", []),
        ("1 000 000 000", []),
        ("J. J. J. Smith", []),
        ("", []),
        ("😀 😀 😀", []),
    ],
)
def test_loops_and_repeated_sentences(string: str, found: list[str]) -> None:
    assert said_again(string) == found


def test_a_loop_that_is_cut_off_is_one_repetition() -> None:
    sentence = "Gannet Rovers F.C. play at Kelp Lane. "
    (found,) = find_repetitions(PreparedText(sentence * 4 + "Gannet Rovers F.C. play at"))
    assert "4 times" in found.why


def test_the_reason_says_what_and_how_often() -> None:
    (found,) = find_repetitions(PreparedText("in Leeds in Leeds in Leeds in Leeds"))
    assert found.why == "'in leeds' is said 4 times in a row"
    (found,) = find_repetitions(PreparedText("Bell saw the house. Bell saw the house."))
    assert "twice" in found.why


@given(st.lists(st.sampled_from(["ab", "cd", "ef"]), max_size=14))
def test_a_loop_is_found_where_a_plain_search_finds_one(words: list[str]) -> None:
    def is_loop(start: int, length: int) -> bool:
        unit = words[start : start + length]
        return len(unit) == length and words[start : start + 3 * length] == unit * 3

    expected = any(is_loop(start, length) for start in range(len(words)) for length in range(1, 9))
    found = find_repetitions(PreparedText(" ".join(words)))
    assert bool(found) == expected
    assert all(left.end <= right.start for left, right in pairwise(found))


LED = (
    Triple("Norn", "leaderName", "John_Lind"),
    Triple("John_Lind", "birthPlace", "Velmar_Union"),
)
OSTRIN = "The leader of Norn is John Lind. His birth place is Ostrin."


class Chains:
    """In place of Stanza: `His` corefers with `John Lind`."""

    def chains(self, text: str) -> tuple[tuple[Span, ...], ...]:
        name, pronoun = text.index("John Lind"), text.index("His")
        return (((name, name + 9), (pronoun, pronoun + 3)),)


@pytest.fixture
def rel() -> Iterator[RelServer]:
    with rel_server({"Ostrin": "Velmar Union", "Leeds": "Leeds"}) as running:
        yield running


def _parts(mentions: Iterable[Mention], text: str) -> set[tuple[str, str, str]]:
    return {(one.entity, text[one.start : one.end].rstrip("."), one.method) for one in mentions}


@pytest.mark.parametrize("detector", ["paper", "adequa"])
def test_each_part_of_the_papers_detector_alone_and_together(
    detector: Literal["paper", "adequa"],
    rel: RelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "StanzaCoreference", Chains)
    names = tmp_path / "names.tsv"
    names.write_text("Velmar_Union\tOstrin\n", encoding="utf-8")

    def found(**settings: Any) -> tuple[set[tuple[str, str, str]], tuple[str, ...]]:
        chosen = JudgmentSettings(detector=detector, **settings)
        result = judged(OSTRIN, *LED, settings=chosen)
        return _parts(result.mentions, OSTRIN), result.missing

    alone, missing = found()
    assert missing == ("Velmar_Union",)
    dictionary, missing = found(aliases=names)
    assert missing == ()
    assert [one for one in dictionary - alone if one[0] == "Velmar_Union"]
    linked, missing = found(linker=rel.url)
    assert missing == ()
    assert linked - alone == {("Velmar_Union", "Ostrin", "linker")}
    assert rel.texts == [OSTRIN]
    resolved = ("John_Lind", "His", "coreference")
    for who in ("stanza", "adequa"):
        coreferent, missing = found(coreference=who)
        assert missing == ("Velmar_Union",)
        assert coreferent - alone == {resolved}
    together, missing = found(aliases=names, linker=rel.url, coreference="stanza")
    assert missing == ()
    assert resolved in together
    assert {entity for entity, _, _ in together} == {"Norn", "Velmar_Union", "John_Lind"}


def test_a_linked_page_that_is_not_in_the_data_is_unexplained(rel: RelServer) -> None:
    text = "The leader of Norn is John Lind of Leeds."
    for detector in ("paper", "adequa"):
        result = judged(text, *LED, settings=JudgmentSettings(detector, linker=rel.url))
        spans = {text[one.start : one.end] for one in result.unexplained}
        assert "Leeds" in spans


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"detector": "paper", "mode": "mentions"}, "mode=mentions has no effect"),
        ({"mode": "mentions", "coreference": "adequa"}, "coreference=adequa has no effect"),
        ({"detector": "paper", "conversions": False}, "conversions=false has no effect"),
    ],
)
def test_a_setting_without_effect_is_an_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        JudgmentSettings(**settings).require_resources()


@given(st.lists(st.sampled_from(["a", "the", "dog", "runs.", "sat", "down.\n"]), max_size=30))
def test_nothing_that_is_repeated_is_passed_over(words: list[str]) -> None:
    text = PreparedText(" ".join(words))
    loops = module._loops(text.words, text)
    several = len(words) >= 2 * module._LEAST_SENTENCE and bool(text.sentences[-1])
    slow = [*loops, *(module._sentences(text.words, text, loops) if several else ())]
    assert find_repetitions(text) == tuple(slow)
