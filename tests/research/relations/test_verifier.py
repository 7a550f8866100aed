"""Written groups as cases of the verifier: which facts and words of a wrong text are wrong."""

from __future__ import annotations

import random

from adequa.data import Triple
from adequa.perturb import FALSE, TRUE, Knowledge
from research.relations.groups import WrittenGroup, WrongText
from research.relations.verifier import WrittenComposer, changed_words, label_wrong

GROUP = WrittenGroup(
    (Triple("Ada", "founded", "Lumen"), Triple("Lumen", "city", "Oslo")),
    ("Ada founded Lumen. The firm sits in Oslo.",),
    (
        WrongText("Ada never founded Lumen. The firm sits in Oslo.", 0, (0,), "negation"),
        WrongText("Lumen founded Ada. The firm sits in Oslo.", 0, (0,), "roles"),
        WrongText("Ada founded. The firm sits in Oslo.", 0, (0,), "negation"),
    ),
)


def test_the_changed_words_have_no_support_and_their_sentence_is_unclear() -> None:
    labelled = label_wrong(GROUP, 0)
    text = labelled.text
    assert [text[one.start : one.end] for one in labelled.unsupported] == ["never"]
    assert [text[one.start : one.end] for one in labelled.unclear] == ["Ada never founded Lumen."]
    assert labelled.stated == [FALSE, TRUE]
    assert labelled.supported == FALSE


def test_where_words_are_only_gone_nothing_is_known_of_the_others() -> None:
    labelled = label_wrong(GROUP, 2)
    assert labelled.unsupported == []
    assert len(labelled.unclear) == 2


def test_exchanged_names_are_the_changed_words() -> None:
    text = GROUP.wrong[1].text
    changed = " ".join(text[slice(*span)] for span in changed_words(GROUP.faithful[0], text))
    assert {"Ada", "Lumen"} & {*changed.split()}
    assert "Oslo" not in changed


def test_the_composer_draws_written_and_composed_texts() -> None:
    composer = WrittenComposer(Knowledge.of([]))
    composer.__dict__["groups"] = [GROUP]
    drawn = [composer.compose(random.Random(seed)) for seed in range(60)]
    written = [one for one in drawn if one.triples == list(GROUP.triples)]
    assert 15 < len(written) < 45
    assert {tuple(one.stated) for one in written} == {(TRUE, TRUE), (FALSE, TRUE)}
    assert all(one.supported == min(one.stated) for one in written)
