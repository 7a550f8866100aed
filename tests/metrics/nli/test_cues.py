"""Words without which a fact is not stated."""

from __future__ import annotations

import pytest

from adequa.data import Triple
from adequa.metrics.nli.evidence import VerifierEvidence
from adequa.metrics.nli.metric import Nli
from adequa.metrics.nli.templates import Cues, shipped, shipped_cues

from .fakes import Verifier
from .test_evidence import COUNTRY, RIGHT

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
