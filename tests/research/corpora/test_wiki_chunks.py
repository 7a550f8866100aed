"""Passages and the triples found in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Item, Triple
from adequa.entities.aliases.lookup import open_aliases
from adequa.errors import DataError
from research.corpora.derived import CorpusTally
from research.corpora.passages import Passage
from research.corpora.wiki_chunks import Facts, mentions_name, read_triples, wiki_chunks

RIVER = Triple("Ilm_(river)", "mouth", "Great Saale")
SPORT = Triple("Ilm (river)", "used for", "water sport")
STATE = Triple("Ilm (river)", "state", "Thuria_(land)")
OTHER = Triple("Saale", "mouth", "Elbe")
TRIPLES = [RIVER, SPORT, STATE, OTHER, RIVER]


def passage(number: int, text: str, title: str = "Ilm (river)") -> Passage:
    return Passage(str(number), title, text, number, {"page": 5})


def test_a_passage_gets_the_triples_whose_object_it_mentions() -> None:
    tally = CorpusTally()
    passages = [
        passage(1, "Water sport is loved in Thuria, and on the Elbe."),
        passage(2, "The Ilm flows into the\nGreat  Saale."),
        passage(3, "Nothing of this."),
        passage(4, "The Great Saale.", "Unstrut"),
    ]
    first, second = wiki_chunks(passages, TRIPLES, tally=tally)
    assert first == Item(
        "1", (SPORT, STATE), passages[0].text, meta={"title": "Ilm (river)", "page": 5}
    )
    assert (second.id, second.triples) == ("2", (RIVER,))
    assert (tally.kept, tally.left_out) == (
        2,
        {"no object mentioned": 1, "no triple about it": 1},
    )


def test_an_alias_counts_as_its_object(tmp_path: Path) -> None:
    path = tmp_path / "aliases.tsv"
    path.write_text("Great Saale\tSaale\tG\n", encoding="utf-8")
    passages = [passage(1, "It ends in the Saale."), passage(2, "Plan G is off.")]
    assert list(wiki_chunks(passages, TRIPLES)) == []
    (item,) = wiki_chunks(passages, TRIPLES, open_aliases(path))
    assert (item.id, item.triples) == ("1", (RIVER,))


def test_facts_can_be_used_again() -> None:
    facts = Facts(TRIPLES)
    for _ in range(2):
        (item,) = wiki_chunks([passage(1, "The Great Saale.")], facts)
        assert item.triples == (RIVER,)
    assert facts.of("Ilm river") == []
    facts.close()


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("Rome is old.", "Rome", True),
        ("Romeo is young.", "Rome", False),
        ("In old-Rome.", "Rome", True),
        ("rome", "Rome", False),
        ("Painter", "painter", True),
        ("He has 12 of 125.", "12", True),
        ("He has 125.", "12", False),
        ("Romeo in Rome", "Rome", True),
        ("Cafe\u0301 Ilm", "Café Ilm", True),
        ("C++ is a language", "C++", True),
        ("anything", "", False),
    ],
)
def test_a_name_is_found_as_words(text: str, name: str, wanted: bool) -> None:
    assert mentions_name(text, name) is wanted


@given(st.text("aB ", max_size=12), st.text("aB", min_size=1, max_size=3))
def test_the_search_agrees_with_a_pattern(text: str, name: str) -> None:
    flags = 0 if name != name.lower() else re.IGNORECASE
    wanted = re.search(rf"\b{re.escape(name)}\b", text, flags) is not None
    assert mentions_name(text, name) is wanted


def test_triples_with_tabs_and_in_any_format(tmp_path: Path) -> None:
    table = tmp_path / "facts.tsv"
    table.write_text("\n".join("\t".join(triple) for triple in TRIPLES) + "\n\n", encoding="utf-8")
    assert list(read_triples(table)) == TRIPLES
    graphs = tmp_path / "facts.txt"
    graphs.write_text("Saale | mouth | Elbe\n", encoding="utf-8")
    assert list(read_triples(graphs)) == [OTHER]
    lines = tmp_path / "facts.jsonl"
    lines.write_text('{"id": "1", "triples": [["Saale", "mouth", "Elbe"]]}', encoding="utf-8")
    assert list(read_triples(lines)) == [OTHER]


def test_a_row_that_is_no_triple(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    path.write_text("a\tb\tc\na\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match="is not subject, predicate, object") as caught:
        list(read_triples(path))
    assert (caught.value.path, caught.value.line) == (path, 2)
