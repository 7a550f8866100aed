"""A text cut at its marks, and what is shown of a judged one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from adequa.cli.check import Mark, cut, marks_of, show
from adequa.data import Finding, Item, Mention, Result, Triple

_TEXTS = st.text(st.characters(), max_size=40)
_MARKS = st.lists(
    st.builds(
        Mark,
        st.integers(-3, 45),
        st.integers(-3, 45),
        st.sampled_from(["mention", "unexplained", "repetition"]),
        st.integers(1, 9),
    ),
    max_size=8,
)


@given(_TEXTS, _MARKS)
def test_segments_are_the_text_and_marks_their_spans(text: str, marks: list[Mark]) -> None:
    segments = cut(text, marks)
    assert "".join(segment.text for segment in segments) == text
    assert all(segment.text for segment in segments)
    for mark in set(marks):
        covered = "".join(segment.text for segment in segments if mark in segment.marks)
        whole = text[max(mark.start, 0) : max(mark.end, 0)]
        assert covered == whole
        for side in ("opened", "closed"):
            count = sum(getattr(segment, side).count(mark) for segment in segments)
            assert count == (1 if whole else 0)


@given(_TEXTS, _MARKS)
def test_control_characters_are_not_printed(text: str, marks: list[Mark]) -> None:
    mentions = tuple(
        Mention(f"e{mark.number}", max(mark.start, 0), mark.end, "name")
        for mark in marks
        if max(mark.start, 0) < mark.end <= len(text)
    )
    result = Result(Item("1", (Triple("e1", "p", "e2"),), text), {"esa": 1.0}, mentions)
    shown = "".join(piece.text for piece in show(result))
    assert all(one.isprintable() or one in "\n\u200c\u200d" for one in shown)


def _result(text: str, *mentions: Mention, findings: tuple[Finding, ...] = ()) -> Result:
    triples = (Triple("Ana_Bari", "home", "Vaud"), Triple("Bex", "home", "Vaud"))
    verdict = "omission" if findings else "OK"
    return Result(
        Item("1", triples, text),
        {"esa": 0.5},
        mentions,
        findings=findings,
        verdict=verdict,
    )


def _plain(result: Result) -> str:
    return "".join(piece.text for piece in show(result))


def test_marks_have_brackets_and_numbers_in_the_order_of_the_text() -> None:
    text = "In Vaud lives Ana Bari 🙂, 16,000 so so so."
    result = _result(
        text,
        Mention("Ana_Bari", 14, 22, "name"),
        Mention("Vaud", 3, 7, "fuzzy", 0.125),
        findings=(
            Finding("esa", "hallucination", "unexplained number", "'16,000': no", start=26, end=32),
            Finding("esa", "hallucination", "repetition", "'so' again", start=33, end=41),
        ),
    )
    assert marks_of(result)[1] == {"Vaud": 1, "Ana_Bari": 2}
    first, *rest = _plain(result).splitlines()
    assert first == "In [Vaud]1 lives [Ana Bari]2 🙂, {16,000}? <so so so>!."
    assert '  1 Vaud: "Vaud" (fuzzy, distance 0.12)' in rest
    assert '  2 Ana_Bari: "Ana Bari" (name)' in rest
    assert "  ? '16,000': no" in rest
    assert "  ! 'so' again" in rest


def test_marks_that_nest_and_cross() -> None:
    marks = [Mark(0, 9, "repetition"), Mark(2, 5, "mention", 1), Mark(4, 7, "unexplained")]
    result = _result("abcdefghi")
    assert [segment.text for segment in cut("abcdefghi", marks)] == ["ab", "cd", "e", "fg", "hi"]
    nested = [Mark(0, 3, "mention", 2), Mark(0, 3, "mention", 1), Mark(0, 2, "unexplained")]
    (first, second, last) = cut("abcd", nested)
    assert [mark.number for mark in first.opened] == [1, 2, 0]
    assert [mark.number for mark in second.closed] == [2, 1]
    assert last.marks == ()
    assert _plain(result).startswith("abcdefghi\n")


def test_missing_entities_are_listed_with_their_facts() -> None:
    missing = Finding("esa", "omission", "missing", "no mention of 'Vaud'", entity="Vaud")
    fact = Finding("nli", "omission", "missing", "not entailed", triple=Triple("a", "b", "c"))
    shown = _plain(_result("", findings=(missing, fact)))
    assert shown.startswith("(the text is empty)\n")
    assert "Found 0 of 1 entities" in shown
    assert "  - Vaud: no mention of 'Vaud'\n      Ana_Bari | home | Vaud\n      Bex | home" in shown
    assert "  - a | b | c: not entailed\n" in shown
    assert "Verdict: omission\n  esa  0.5000\n" in shown


def test_many_wordings_are_counted_not_listed() -> None:
    text = " ".join(f"v{number}" for number in range(9)) + " v0"
    mentions = [Mention("Vaud", 3 * place, 3 * place + 2, "name") for place in range(10)]
    shown = _plain(_result(text, *mentions))
    assert '"v0" (name) ×2; "v1" (name)' in shown
    assert "and 4 more\n" in shown
    again = Finding("esa", "hallucination", "unexplained name", "'Bex'", start=0, end=2)
    twice = (again, replace(again, start=3, end=5))
    assert "  ? 'Bex' ×2\n" in _plain(_result(text, findings=twice))


def test_without_brackets_the_styles_carry_the_marks() -> None:
    result = _result("Vaud is 7.", Mention("Vaud", 0, 4, "name"))
    pieces = list(show(result, brackets=False))
    assert pieces[0].text == "Vaud"
    assert " on #" in pieces[0].style
    assert pieces[1].text == "₁"


def test_a_missing_verdict_is_explained() -> None:
    item = Item("1", (Triple("a", "b", "c"),), "x")
    shown = _plain(Result(item, {"bleu": None, "ter": 3.0}, reasons={"bleu": "no references"}))
    assert "Verdict: none; ter gives no verdict; add -m esa\n" in shown
    assert "  bleu  – (no references)\n  ter   3.0000\n" in shown
