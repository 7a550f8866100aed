"""Templates by predicate and value."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adequa.data import Item, Term, Triple
from adequa.errors import DataError, SettingError, UnknownName
from adequa.metrics.nli.evidence import VerifierEvidence
from adequa.metrics.nli.metric import Nli
from adequa.metrics.nli.templates import (
    BACKOFF,
    Cues,
    Template,
    Templates,
    read_templates,
    shipped,
    shipped_cues,
    write_templates,
)
from adequa.text.values import word_triple

from .fakes import Verifier
from .test_evidence import COUNTRY, RIGHT

PLACE = "<subject> was born in <object>."
KNOWN = Templates.of(
    {
        "birthPlace": PLACE,
        "familyFriendly": {
            "yes": "<subject> is for families.",
            "no": "<subject> is not for families.",
            "*": "<subject> is for <object>.",
        },
        "stars": {"3": "<subject> has three stars."},
    }
)


@pytest.mark.parametrize(
    "predicate", ["birthPlace", "birth_place", "Birth Place", "dbo:birthPlace", "BIRTHPLACE"]
)
def test_the_spelling_of_a_predicate_does_not_matter(predicate: str) -> None:
    assert KNOWN.sentence(Triple("Ada_L.", predicate, "Bex")) == "Ada L. was born in Bex."


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("yes", "The Inn is for families."),
        ('"Yes"', "The Inn is for families."),
        ("true", "The Inn is for families."),
        ("False", "The Inn is not for families."),
        ("Adults", "The Inn is for Adults."),
    ],
)
def test_templates_by_value(value: str, sentence: str) -> None:
    assert KNOWN.sentence(Triple("The_Inn", "family_friendly", value)) == sentence


def test_a_value_without_template_has_none() -> None:
    assert KNOWN.for_triple(Triple("The_Inn", "stars", "4")) is None
    assert KNOWN.sentence(Triple("The_Inn", "stars", "4")) == "The stars of The Inn is 4."
    assert KNOWN.sentence(Triple("The_Inn", "stars", "3")) == "The Inn has three stars."


def test_labels_are_looked_up_where_the_name_is_not_known() -> None:
    terms = {"P19": Term(label="birth place"), "Q1": Term(label="Bex")}
    assert KNOWN.sentence(Triple("Ada", "P19", "Q1"), terms) == "Ada was born in Bex."
    assert KNOWN.wording(Triple("Ada", "P19", "Q1"), terms) == ("Ada", "was born in", "Bex")


def test_what_the_verifier_reads() -> None:
    assert KNOWN.wording(Triple("Ada", "birthPlace", "Bex")) == ("Ada", "was born in", "Bex")
    unknown = Triple("Ada", "birthDate", "1815-12-10")
    assert (
        KNOWN.wording(unknown) == word_triple(unknown) == ("Ada", "birth date", "10 December 1815")
    )


def test_a_template_that_begins_with_the_object_is_for_sentences_only() -> None:
    """The verifier takes the first name for the subject, and would read the inverted fact."""
    known = Templates.of({"capital": "<object> is the capital of <subject>."})
    triple = Triple("Norn", "capital", "Vexla")
    assert known.sentence(triple) == "Vexla is the capital of Norn."
    assert known.wording(triple) == word_triple(triple) == ("Norn", "capital", "Vexla")


def test_the_backoff_and_what_replaces_it() -> None:
    triple = Triple("Ada", "birthDate", "1815-12-10")
    assert Templates().sentence(triple) == "The birth date of Ada is 10 December 1815."
    own = Templates.of({"*": "<subject> has the <predicate> <object>."})
    assert own.sentence(triple) == "Ada has the birth date 10 December 1815."
    assert own.for_triple(triple) is None
    assert own.wording(triple) == word_triple(triple)
    closed = Triple("The_Inn", "isOpen", "no")
    assert own.sentence(closed) == Templates().sentence(closed) == "The Inn is not open."


def test_missing_counts_the_facts_without_template() -> None:
    facts = [("birthPlace", "Bex"), ("stars", "4"), ("age", "3"), ("Age", "4"), ("stars", "3")]
    items = [Item(str(n), (Triple("Ada", *fact),), "") for n, fact in enumerate(facts)]
    assert KNOWN.missing(items) == {"age": 2, "stars": 1}
    assert KNOWN.missing([]) == {}


@pytest.mark.parametrize(
    ("templates", "said"),
    [
        ({"p": "<subject> is."}, "has no <object>, so it is the same for every value"),
        ({"p": {"*": "<subject> is."}}, "has no <object>"),
        ({"p": "<object> is."}, "needs <subject> once"),
        ({"p": "<subject> has the <predicate> <object>."}, "has a <predicate>"),
        ({"*": PLACE}, "has no <predicate>"),
        ({"*": {"yes": "<subject> <predicate>."}}, "any predicate and has the value 'yes'"),
        ({"a_b": PLACE, "aB": PLACE}, "has a second template of 'aB'"),
        ({"p": {"yes": PLACE, "TRUE": PLACE}}, "a second template of 'p' and the value 'TRUE'"),
        ({" ": PLACE}, "has an empty predicate"),
        ({"p": {"": PLACE}}, "has an empty value"),
        ({"p": PLACE + "x" * 1000}, "is longer than 1,000 characters"),
        ({"p": "<subject> is <obj>."}, "a place <obj>"),
    ],
)
def test_wrong_templates(templates: dict[str, str], said: str) -> None:
    with pytest.raises(DataError) as caught:
        Templates.of(templates)
    assert said in str(caught.value)
    assert caught.value.remedy


def test_the_digest_is_of_the_content() -> None:
    ordered = Templates.of(
        {"a": PLACE, "b": {"x": PLACE, "y": PLACE}, "*": "<subject>, <predicate>, <object>."}
    )
    turned = Templates.of(
        {"*": "<subject>, <predicate>, <object>.", "B": {"Y": PLACE, "x": PLACE}, "a": PLACE}
    )
    assert ordered.digest == turned.digest
    others = [Templates(), KNOWN, Templates.of({"a": PLACE}), Templates.of({"a": {"x": PLACE}})]
    assert len({one.digest for one in [ordered, *others]}) == 5
    assert len(ordered.digest) == 12


@given(st.text(min_size=1), st.text(), st.text())
def test_every_fact_has_a_sentence(predicate: str, subject: str, value: str) -> None:
    triple = Triple(subject, predicate, value)
    for templates in (KNOWN, Templates(), read_templates("e2e")):
        assert templates.sentence(triple)
        assert len(templates.wording(triple)) == 3


def test_e2e_says_every_attribute() -> None:
    known = read_templates("e2e")
    facts = {
        ("eatType", "pub"): "Blue Spice is a pub.",
        ("food", "Italian"): "Blue Spice serves Italian food.",
        ("food", "Fast food"): "Blue Spice serves Fast food.",
        ("priceRange", "less than £20"): "Blue Spice is cheap, with low prices of less than £20.",
        ("priceRange", "£20-25"): "Blue Spice is moderately priced, with prices of £20-25.",
        ("priceRange", "high"): "Blue Spice is expensive, with high prices.",
        ("customer rating", "average"): "Blue Spice has an average customer rating.",
        ("customerRating", "1 out of 5"): "Blue Spice has a low customer rating of 1 out of 5.",
        ("area", "riverside"): "Blue Spice is located in the riverside area.",
        ("familyFriendly", "yes"): "Blue Spice is family friendly and welcomes children.",
        ("familyFriendly", "no"): "Blue Spice is not family friendly and not for children.",
        ("near", "The Inn"): "Blue Spice is near The Inn.",
        ("name", "Blue Spice"): "Blue Spice is called Blue Spice.",
    }
    for fact, sentence in facts.items():
        assert known.sentence(Triple("Blue Spice", *fact)) == sentence
    assert len(known.entries) == 8


# One sentence with its places


@pytest.mark.parametrize(
    ("template", "subject", "value", "sentence"),
    [
        ("<subject> is a <object>.", "Bex", "town", "Bex is a town."),
        ("<subject> is a <object>.", "Bex", "old town", "Bex is an old town."),
        ("<subject> is an <object>.", "Bex", "unit", "Bex is a unit."),
        ("<subject> is an <object>.", "Bex", "MP", "Bex is an MP."),
        ("<subject> is an <object>.", "Bex", "US town", "Bex is a US town."),
        ("A <subject> has <object>.", "apple", "a core", "An apple has a core."),
        ("<subject> is near the <object>.", "Bex", "The Inn", "Bex is near The Inn."),
        ("The <subject> is in <object>.", "The Inn", "Bex", "The Inn is in Bex."),
        ("<subject> is part of <object>.", "Bex", "Lumen Inc.", "Bex is part of Lumen Inc."),
        (
            "<subject> is in the <object> region.",
            "Bex",
            "Vaud Region",
            "Bex is in the Vaud Region.",
        ),
        ("<subject> is <object>.", "<object>", "<subject>", "<object> is <subject>."),
    ],
)
def test_fill(template: str, subject: str, value: str, sentence: str) -> None:
    assert Template(template).fill(subject, value) == sentence


def test_the_backoff_has_a_place_for_the_predicate() -> None:
    sentence = Template(BACKOFF).fill("Bex", "Vaud", "home <object>")
    assert sentence == "The home <object> of Bex is Vaud."


@pytest.mark.parametrize(
    "string",
    [
        "",
        "nothing",
        "<object> alone.",
        "<subject> and <subject>.",
        "<subject> is <object> <object>.",
        "<subject> is <obj>.",
        "<Subject> is <object>.",
        "<subject> has <b>weight</b> <object>.",
    ],
)
def test_wrong_places(string: str) -> None:
    with pytest.raises(SettingError, match="template"):
        Template(string)


@given(st.text(), st.text())
def test_a_name_stays_as_it_is(subject: str, value: str) -> None:
    pieces = Template("The <subject> is a <object> indeed.").pieces(subject, value)
    assert (pieces[1], pieces[3]) == (subject, value)
    first, words, last = Template("<object> has a <subject> too.").parts(subject, value)
    assert (first, last) == (value, subject)
    assert words.startswith("has")


# Files of templates


IN = "<subject> is in <object>."


def written(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_json_says_the_same_as_tsv(tmp_path: Path) -> None:
    value = {"area": IN, "open": {"yes": "<subject> is open.", "*": "<subject> is open: <object>."}}
    rows = (
        f"predicate\tvalue\ttemplate\narea\t\t{IN}\n\nopen\tyes\t<subject> is open.\r\n"
        "open\t*\t<subject> is open: <object>.\n"
    )
    table = read_templates(written(tmp_path, "a.tsv", rows))
    assert table == read_templates(str(written(tmp_path, "a.json", json.dumps(value))))
    assert table.digest == Templates.of(value).digest  # type: ignore[arg-type]
    assert len(table) == 3


def test_shipped_names_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "e2e" in shipped()
    assert len(read_templates("e2e")) > 8
    with pytest.raises(UnknownName, match="did you mean 'e2e'"):
        read_templates("e2f")
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "e2e", "")
    with pytest.raises(DataError, match="is not a format of templates"):
        read_templates("./e2e")
    with pytest.raises(DataError, match="cannot be opened"):
        read_templates("absent.json")


@pytest.mark.parametrize(
    ("name", "text", "place", "said"),
    [
        ("a.json", f'{{"area": "{IN}",\n"near" "{IN}"}}', ":2:", "is not JSON"),
        ("a.json", f'{{"area": "{IN}",\n"area": "{IN}"}}', ":2:", "names 'area' twice"),
        ("a.json", f'{{"aB": "{IN}",\n"a_b": "{IN}"}}', ":2:", "a second template of 'a_b'"),
        ("a.json", f'{{"area": "{IN}",\n"near": 3}}', ":2:", "the value of 'near' is a number"),
        ("a.json", '{"near":\n{"yes": null}}', ":2:", "of 'near' for 'yes' is null"),
        ("a.json", '{"near":\n{}}', ":1:", "the value of 'near' is empty"),
        ("a.json", '{"near":\n{"yes": "<subject>", "no": "x"}}', ":2:", "needs <subject> once"),
        ("a.json", '{"near": NaN}', "", "NaN is not a JSON number"),
        ("a.json", "[]", ":1:", "is a list, not an object"),
        ("a.json", "{}", "", "holds no templates"),
        ("a.json", "", ":1:", "is not JSON"),
        ("a.json", "[" * 100_000, "", "is nested too deeply"),
        ("a.json", '{"near": "\\ud800 <subject> <object>"}', "", "surrogate"),
        ("a.json", b'{"near": "\xe4"}', ":1:", "is not UTF-8"),
        ("a.json", b'\xff\xfe{"near"', ":1:", "is UTF-16"),
        ("a.json", b"PK\x03\x04", "", "is compressed"),
        ("a.tsv", "area\tx\n", ":1:", "has no column 'predicate'"),
        ("a.tsv", "predicate\tsentence\n", ":1:", "has no column 'template'"),
        ("a.tsv", "predicate\ttemplate\tvalues\n", ":1:", "has a column 'values'"),
        ("a.tsv", "predicate\ttemplate\n", "", "holds no templates"),
        ("a.tsv", f"predicate\ttemplate\narea\t{IN}\nnear\n", ":3:", "has 1 cell for 2 columns"),
        ("a.tsv", f"predicate\ttemplate\n\t{IN}\n", ":2:", "has an empty predicate"),
        ("a.tsv", f"predicate\ttemplate\na\t{IN}\nA\t{IN}\n", ":3:", "a second template of 'A'"),
        ("a.tsv", "predicate\ttemplate\na\t<subject>, <subject>\n", ":2:", "<subject> once"),
        ("a.csv", "", "", "has an ending (.csv) that is not a format of templates"),
    ],
)
def test_wrong_files(tmp_path: Path, name: str, text: str | bytes, place: str, said: str) -> None:
    path = written(tmp_path, name, text)
    with pytest.raises(DataError) as caught:
        read_templates(path)
    message = str(caught.value)
    assert message.startswith(f"{path}{place}")
    assert said in message
    assert caught.value.remedy


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adequa.metrics.nli.templates.MAX_LINE_BYTES", 100)
    lines = "\n".join(f'"p{number}": "{IN}",' for number in range(9))
    path = written(tmp_path, "a.json", f'{{{lines}\n"q": "{IN}"}}')
    with pytest.raises(DataError, match=r"a\.json:\d: is larger than"):
        read_templates(path)


def test_a_written_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_templates(Templates.of({"area": IN}), path)
    with pytest.raises(DataError, match="is there already"):
        write_templates(Templates.of({"near": IN}), path)
    write_templates(Templates.of({"near": IN}), path, force=True)
    assert list(read_templates(path).names.values()) == ["near"]
    with pytest.raises(UnknownName, match="file ending"):
        write_templates(Templates(), tmp_path / "a.docx")
    with pytest.raises(DataError, match="cannot be written"):
        write_templates(Templates(), tmp_path / "absent" / "a.json")
    with pytest.raises(DataError, match="surrogate"):
        write_templates(Templates.of({"near": IN + "\ud800"}), tmp_path / "b.tsv")
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]


words = st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs")), min_size=1, max_size=9)
values = st.dictionaries(words.filter(str.strip), st.just(IN) | words.map("<subject> {}".format))
general = st.builds("<subject> {} <object>.".format, words)


@settings(max_examples=30)  # files are written
@given(
    st.dictionaries(words.filter(str.strip), st.builds(lambda v, g: {**v, "*": g}, values, general))
)
def test_templates_survive_both_forms(templates: dict[str, dict[str, str]]) -> None:
    try:
        known = Templates.of(templates)
    except DataError:  # two spellings of one name
        return
    if not known.entries:
        return
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("json", "tsv"):
            path = Path(folder) / f"a.{ending}"
            write_templates(known, path)
            again = read_templates(path)
            assert again == known
            assert again.digest == known.digest


# Words without which a fact is not stated


CUES = Cues({"familyFriendly": ("famil", "kid"), "price range": ("£", "cheap", "low-cost")})


@pytest.mark.parametrize(
    ("predicate", "text", "absent"),
    [
        ("familyFriendly", "A pub.", True),
        ("familyFriendly", "A pub for Families.", False),
        ("familyFriendly", "No kids!", False),
        ("familyFriendly", "A skid.", True),  # within another word
        ("priceRange", "It costs £20.", False),
        ("priceRange", "It costs twenty.", True),
        ("priceRange", "A low-cost pub.", False),
        ("colour", "A pub.", False),  # nothing is known of its words
        # As with templates, spelling does not tell predicates apart.
        ("family_friendly", "A pub.", True),
        ("Family Friendly", "A pub.", True),
        ("family friendly", "A family pub.", False),
    ],
)
def test_what_is_ruled_out(predicate: str, text: str, absent: bool) -> None:
    assert CUES.absent(Triple("Inn", predicate, "yes"), text) == absent
    assert not Cues().absent(Triple("Inn", predicate, "yes"), text)


def test_the_digest_changes_with_the_words_and_not_with_their_order() -> None:
    turned = Cues(dict(reversed(CUES.words.items())))
    assert turned.digest == CUES.digest
    assert Cues({**CUES.words, "area": ("river",)}).digest != CUES.digest
    assert Cues({**CUES.words, "price range": ("£",)}).digest != CUES.digest


def test_what_is_shipped() -> None:
    cues = shipped_cues("e2e")
    assert cues is not None
    assert all(cues.words.values())
    assert "e2e" in shipped()  # they come with templates of this name
    for name in (None, "nothing", "mine.json", "../resources/e2e", ""):
        assert shipped_cues(name) is None


def test_a_fact_without_its_words_is_not_stated_whatever_the_verifier_says() -> None:
    def stated(cues: Cues | None) -> list[float]:
        (found,) = VerifierEvidence(Verifier(), entities=False, cues=cues)([RIGHT])
        return [one or 0.0 for one in found.stated]

    plain = stated(None)
    assert stated(Cues({"country": ("country",)})) == plain
    ruled = stated(Cues({"country": ("kingdom",)}))
    place = RIGHT.triples.index(COUNTRY)
    assert ruled[place] < 0.2 < plain[place]
    assert [one for at, one in enumerate(ruled) if at != place] == plain[:place] + plain[
        place + 1 :
    ]


def test_they_are_in_the_signature_where_they_are_used() -> None:
    assert "cues_hash" in Nli(templates="e2e").signature
    assert "cues_hash" not in Nli().signature
