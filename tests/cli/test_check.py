"""`adequa check` end to end, and the options it shares with `adequa score`."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.api import score
from adequa.cli import main
from adequa.cli.check import describe_ok, show
from adequa.data import Fact, Finding, Item, Mention, Result, Triple
from adequa.marks import Mark, cut, marks_of

TRIPLES = "Ana_Bari | birthPlace | Vaudland && Ana_Bari | worksIn | Kestrel_Tower"
GOOD = "Ana Bari, born in Vaudland, works in the Kestrel Tower."
ITEM = {"id": "7", "triples": [["Ana_Bari", "birthPlace", "Vaudland"]], "text": "old"}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def adequa(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["adequa", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


def test_a_good_text(adequa: Run) -> None:
    code, said, complaint = adequa("check", TRIPLES, GOOD)
    assert (code, complaint) == (0, "")
    assert "[Ana Bari]1" in said
    assert "[Vaudland]2" in said
    assert "Found 3 of 3 entities" in said
    assert "Verdict: OK" in said
    assert "Faults" not in said


def test_a_text_that_lacks_and_adds(adequa: Run) -> None:
    code, said, _ = adequa("check", TRIPLES, "Ana Bari was born in Zurich in 1987.")
    assert code == 1
    assert "{Zurich}?" in said
    assert "{1987}?" in said
    faults = said.partition("Faults\n")[2].partition("\n\n")[0].splitlines()
    assert len([line for line in faults if "Vaudland" in line]) == 1
    assert len([line for line in faults if "Kestrel" in line]) == 1
    assert "Verdict: hallucination+omission" in said


def test_json_is_a_line_of_a_run(adequa: Run) -> None:
    from adequa.codec import result_from_object

    code, said, _ = adequa(
        "check", TRIPLES, "Ana Bari 🙂 e\u0301 of Vaudland.", "--json", "--lang", "en"
    )
    assert code == 1
    assert said.count("\n") == 1
    result = result_from_object(json.loads(said))
    assert "omission" in (result.verdict or "")
    assert result.item.lang == "en"
    (vaudland,) = [one for one in result.mentions if one.entity == "Vaudland"]
    assert result.item.text[vaudland.start : vaudland.end] == "Vaudland"


def test_an_empty_text_is_an_omission(adequa: Run) -> None:
    code, said, _ = adequa("check", TRIPLES, "")
    assert code == 1
    assert "(the text is empty)" in said
    assert (
        "Verdict: omission (confidence 1.00)\n"
        "  esa         0.0000\n  nli         0.0000\n  similarity  0.0000\n" in said
    )


def test_colour_is_used_on_terminals_or_on_request(
    adequa: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" not in adequa("check", TRIPLES, GOOD)[1]
    said = adequa("check", TRIPLES, GOOD, "--color")[1]
    assert "\x1b[" in said
    assert "₁" in said or "]1" in said
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b[" in adequa("check", TRIPLES, GOOD)[1]
    assert "\x1b[" not in adequa("check", TRIPLES, GOOD, "--no-color")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in adequa("check", TRIPLES, GOOD)[1]
    assert "\x1b[" in adequa("check", TRIPLES, GOOD, "--color")[1]


def test_files_and_stdin(adequa: Run, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text(TRIPLES.replace(" && ", "\n") + "\n", encoding="utf-8")
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbf" + GOOD.encode() + b"\r\n")
    expected = adequa("check", TRIPLES, GOOD)[1]
    assert adequa("check", "data.txt", "text") == (0, expected, "")
    assert adequa("check", "-", GOOD, stdin=TRIPLES.encode()) == (0, expected, "")
    assert adequa("check", TRIPLES, "-", stdin=f"{GOOD}\n".encode()) == (0, expected, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe(adequa: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(TRIPLES))
    writer.start()
    assert adequa("check", "pipe", GOOD)[0] == 0
    writer.join()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("items.jsonl", json.dumps(ITEM)),
        ("graph.json", json.dumps(ITEM["triples"])),
        ("record.json", json.dumps({"name": "Ana_Bari", "birthPlace": "Vaudland"})),
        ("items.csv", 'id,triples,text\n7,Ana_Bari | birthPlace | Vaudland,"old"\n'),
        ("graph.nt", "<urn:x:Ana_Bari> <urn:x:birthPlace> <urn:x:Vaudland> .\n"),
        ("graph", "[S] Ana_Bari [P] birthPlace [O] Vaudland"),
    ],
)
def test_a_file_with_one_item_in_any_format(
    name: str, content: str, adequa: Run, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    code, said, complaint = adequa("check", name, "Ana Bari was born in Vaudland.", "--json")
    assert (code, complaint) == (0, "")
    assert json.loads(said)["text"] == "Ana Bari was born in Vaudland."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("items.jsonl", json.dumps(ITEM) + "\n" + json.dumps({**ITEM, "id": "8"})),
        ("graphs.txt", "A | b | C <br> A | d | E\nF | g | H\n"),
    ],
)
def test_a_corpus_is_for_score(name: str, content: str, adequa: Run, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    code, said, complaint = adequa("check", name, GOOD)
    assert (code, said) == (2, "")
    assert complaint.startswith(f"adequa: {name}: holds several ")
    assert "adequa score" in complaint


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-", "-"], "only one of DATA and TEXT can be -"),
        (["Ana Bari", GOOD], "DATA: 'Ana Bari' is not a known form of triples"),
        (["absent.xml", GOOD], "absent.xml: does not exist"),
        ([TRIPLES, "absent.txt"], "absent.txt: does not exist"),
        ([".", GOOD], "is a folder"),
        ([TRIPLES, "-"], "stdin is not UTF-8"),
        ([TRIPLES, "caf\udce9"], "an argument is not UTF-8"),
        (["empty", GOOD], "empty: has no triples"),
        ([TRIPLES, GOOD, "-m", "esq"], "unknown metric"),
        ([TRIPLES, GOOD, "-m", "bleu", "--ignore", "worksIn"], "add one that has it: -m esa"),
        ([TRIPLES, GOOD, "-m", "esa:ignore=a", "--ignore", "b"], "both given; keep one"),
        ([TRIPLES, GOOD, "--allowed", "absent"], "absent: cannot be read"),
        ([TRIPLES, GOOD, "--aliases", "absent.tsv"], "absent.tsv"),
        ([TRIPLES], "TEXT"),
    ],
)
def test_wrong_use_is_exit_code_2(
    arguments: list[str], message: str, adequa: Run, tmp_path: Path
) -> None:
    (tmp_path / "empty").touch()
    code, said, complaint = adequa("check", *arguments, stdin=b"caf\xe9")
    assert (code, said) == (2, "")
    assert message in complaint
    assert "Traceback" not in complaint


def test_long_arguments_are_strings(adequa: Run) -> None:
    triples = " && ".join(f"Ana_Bari | note | Kestrel_{number}" for number in range(500))
    assert adequa("check", triples, "Ana Bari. " + "It rains. " * 30)[0] == 1


def test_no_verdict_is_not_ok(adequa: Run) -> None:
    code, said, _ = adequa("check", TRIPLES, GOOD, "-m", "bleu")
    assert code == 1
    assert "Verdict: none\n  bleu  – (no references)\n" in said


def test_predicates_phrases_and_aliases_set_what_counts(adequa: Run, tmp_path: Path) -> None:
    text = "Ana Bari lives in Zurich."
    (tmp_path / "allowed.txt").write_text("Zurich\n", encoding="utf-8")
    (tmp_path / "aliases.tsv").write_text("Kestrel_Tower\tOld Mill\n", encoding="utf-8")
    free = ("--optional", "birthPlace", "--optional", "worksIn")
    assert "{Zurich}?" in adequa("check", TRIPLES, text, *free)[1]
    allowed = adequa("check", TRIPLES, text, *free, "--allowed", "allowed.txt")
    assert "{Zurich}?" not in allowed[1]
    said = adequa("check", TRIPLES, "Ana Bari was born in Vaudland.", "--ignore", "worksIn")
    assert said[0] == 0
    house = ("check", TRIPLES, "Ana Bari of Vaudland works in Old Mill.")
    assert "Kestrel" in adequa(*house)[1].partition("Faults")[2].partition("Found")[0]
    assert adequa(*house, "-m", "esa", "--aliases", "aliases.tsv")[0] == 0


def test_several_metrics_share_the_options(adequa: Run) -> None:
    code, said, _ = adequa(
        "check", TRIPLES, "Ana Bari of Vaudland.", "-m", "esa", "-m", "strict=esa_strict",
        "--ignore", "worksIn", "--json",
    )  # fmt: skip
    assert code == 0
    assert json.loads(said)["scores"] == {"esa": 1.0, "strict": 1.0}


def test_score_takes_the_options_and_signs_them(adequa: Run, tmp_path: Path) -> None:
    raw = {**ITEM, "triples": [triple.split(" | ") for triple in TRIPLES.split(" && ")]}
    (tmp_path / "items.jsonl").write_text(json.dumps({**raw, "text": "Ana Bari of Vaudland."}))
    code, _, _ = adequa(
        "score", "items.jsonl", "-m", "esa", "--ignore", "worksIn", "--optional", "x",
        "--out", "run", "--no-cache",
    )  # fmt: skip
    assert code == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    signature = manifest["metrics"]["esa"]["signature"]
    assert "|ignore:worksIn|optional:x|" in signature
    line = json.loads((tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8"))
    assert line["scores"] == {"esa": 1.0}
    assert adequa("score", "items.jsonl", "-m", "bleu", "--ignore", "x", "--out", "r")[0] == 2


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
    assert "Found 0 of 1 entity" in shown
    assert "  - no mention of 'Vaud'\n      Ana_Bari | home | Vaud\n      Bex | home" in shown
    assert "  - a | b | c: not entailed\n" in shown
    assert "Verdict: omission\n  esa  0.5000\n" in shown


def test_many_wordings_are_counted_not_listed() -> None:
    text = " ".join(f"v{number}" for number in range(9)) + " v0"
    mentions = [Mention("Vaud", 3 * place, 3 * place + 2, "name") for place in range(10)]
    shown = _plain(_result(text, *mentions))
    assert '"v0" (name) ×2; "v1" (name)' in shown
    assert "and 4 more\n" in shown
    again = Finding("esa", "hallucination", "unexplained name", "'Bex'", start=0, end=2)
    twice = (again, replace(again, start=6, end=8))
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


def _ok(confidence: float | None, *facts: Fact, metric: str = "nli") -> Result:
    item = Item("1", tuple(fact.triple for fact in facts), "A text.")
    return Result(item, {metric: 1.0}, facts=facts, verdict="OK", confidence=confidence)


FACT, OTHER = Triple("Acme", "founder", "Lena"), Triple("Acme", "size", "5")
STATED = Fact(FACT, "stated", 0.9)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (_ok(0.85, STATED), "It says all and only what the data says."),
        (
            _ok(0.7, STATED),
            "No fault found, but that is not sure: the confidence is below 0.8.",
        ),
        (
            _ok(0.85, STATED, Fact(OTHER, "unchecked", 0.4)),
            "No fault found; 1 of 2 facts could not be checked with confidence: Acme | size | 5.",
        ),
        (
            _ok(None, Fact(FACT, "unchecked"), metric="esa"),
            "No fault found in names and values; 1 of 1 fact was not checked: add -m nli.",
        ),
        (
            _ok(None, Fact(FACT, "stated"), metric="judge"),  # which gives facts no confidence
            "No fault found; how sure that is has not been calibrated for these settings.",
        ),
        (
            _ok(None, STATED),
            "No fault found; how sure that is has not been calibrated for these settings.",
        ),
    ],
)
def test_an_ok_says_what_it_stands_for(result: Result, said: str) -> None:
    assert describe_ok(result) == said
    shown = "".join(piece.text for piece in show(result))
    assert said in shown
    verdict = next(line for line in shown.splitlines() if line.startswith("Verdict"))
    assert ("(confidence" in verdict) == (result.confidence is not None)


def test_facts_in_doubt_are_listed_apart() -> None:
    result = _ok(0.5, STATED, Fact(OTHER, "unchecked", 0.4, 0, 7))
    shown = "".join(piece.text for piece in show(result))
    assert "Stated 1 of 2 facts\n  + Acme | founder | Lena (0.90)\n" in shown
    assert "Not checked with confidence\n  ? Acme | size | 5 (0.40)\n" in shown


def test_the_confidence_of_a_verdict_is_in_the_json(adequa: Run) -> None:
    _, said, _ = adequa("check", TRIPLES, GOOD, "--json")
    line = json.loads(said)
    assert 0 < line["confidence"] < 1
    assert list(line).index("confidence") == list(line).index("verdict") + 1
    _, plain, _ = adequa("check", TRIPLES, GOOD)
    assert f"Verdict: OK (confidence {line['confidence']:.2f})" in plain


def test_verdict_and_faults_come_before_the_evidence() -> None:
    result = score(
        {"name": "Packlite 28", "weight_g": 780, "colour": "blue"},
        "The blue Packlite 28 weighs 7.8 kg.",
        metrics=["esa"],
    )
    shown = "".join(piece.text for piece in show(result))
    places = [shown.index(one) for one in ("Verdict: hallucination", "Faults", "Found 2")]
    assert places == sorted(places)
    assert "'7.8 kg': the data has weight_g '780'" in shown
