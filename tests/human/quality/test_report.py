"""The report: the effect of an exclusion, one rater in detail, tables and JSON."""

from __future__ import annotations

import csv
import io
import json

import pytest

from adequa.data import Rating
from adequa.errors import DataError, UnknownName
from adequa.human.quality.raters import QualitySettings, assess_raters
from adequa.human.quality.report import (
    SHOWN_RATERS,
    changes,
    details,
    figures,
    moved,
    quality_report,
    quality_to_object,
    write_quality_report,
)


def rows(rater: str, *values: float, criterion: str = "fluency") -> list[Rating]:
    """Texts in turn of systems A and B."""
    return [Rating(f"Id{n}", "AB"[n % 2], rater, criterion, v) for n, v in enumerate(values)]


def test_figures_and_orders_side_by_side():
    left = [*rows("ann", 1, 3, 1, 3), *rows("bob", 1, 3, 2, 3)]
    full = [*left, *rows("spam", 3, 1, 3, 1), *rows("spam2", 3, 1, 3, 1, 2)]
    found = changes(figures(full), figures(left))["fluency"]
    assert found["ratings"] == [17, 8]
    assert found["texts"] == [5, 4]
    assert found["alone"] == [1, 0]
    assert found["percent"] == [100 * 7 / 24, 75.0]
    assert found["alpha"]["nominal"][1] > 0 > found["alpha"]["nominal"][0]
    assert found["order"] == {"before": ["A", "B"], "after": ["B", "A"]}
    assert found["means"]["B"] == [2.0, 3.0]
    assert moved(found) == ["B 2 → 1", "A 1 → 2"]


def test_a_criterion_and_a_system_without_an_answer_left():
    left = [Rating("Id0", "A", "ann", "fluency", 1)]
    full = [*left, *rows("bob", 2, 2), *rows("bob", 3, 3, criterion="grammar")]
    found = changes(figures(full), figures(left))
    assert found["grammar"]["texts"] == [2, None]
    assert found["grammar"]["alpha"]["nominal"] == [None, None]
    assert moved(found["fluency"]) == ["A 2 → 1", "B has no answer left"]
    assert moved(found["grammar"]) == ["A has no answer left", "B has no answer left"]


def test_the_mean_of_a_system_is_of_its_texts():
    """One text with three answers counts as much as one with a single answer."""
    given = [Rating("x", "A", who, "fluency", 3) for who in "abc"]
    given.append(Rating("y", "A", "a", "fluency", 1))
    assert figures(given)["fluency"].means == {"A": 2.0}


def rating(text: str, rater: str, value: float, **more: object) -> Rating:
    return Rating(text, "A", rater, "fluency", value, **more)


@pytest.fixture
def quality():
    return assess_raters(
        [
            rating("near", "ann", 2, seconds=4, meta={"text": "told beside it"}),
            rating("near", "bob", 2),
            rating("far", "ann", 1),
            rating("far", "bob", 3),
            rating("far", "cy", 3),
            rating("own", "ann", 3),
        ],
        settings=QualitySettings(restarts=1),
    )


def test_the_furthest_from_the_others_comes_first(quality):
    found = details(quality, "ann", {("A", "own"): "given"})
    assert [(one.key[1], one.apart, one.text) for one in found.judged] == [
        ("far", 1.0, None),
        ("near", 0.0, "told beside it"),
        ("own", None, "given"),
    ]
    assert found.judged[0].others == ({"fluency": 3.0}, {"fluency": 3.0})
    assert quality_to_object(quality, details=found)["details"]["judgments"][1] == {
        "system": "A",
        "id": "near",
        "values": {"fluency": 2},
        "others": [{"fluency": 2}],
        "apart": 0.0,
        "seconds": 4,
        "text": "told beside it",
    }


def test_an_unknown_rater_is_an_error(quality):
    with pytest.raises(UnknownName, match="did you mean 'ann'"):
        details(quality, "anna")


QUICK = QualitySettings(restarts=1)
WORDS = ("adequa", "human", "quality", "my ratings.jsonl")


def ratings(odd: str = "odd", people: int = 4) -> list[Rating]:
    """Some who agree, and one who always gives a 3."""
    given = []
    for text in range(24):
        given += [
            Rating(f"Id{text}", "AB"[text % 2], f"p{who}", "fluency", text % 3 + 1)
            for who in range(people)
        ]
        given.append(Rating(f"Id{text}", "AB"[text % 2], odd, "fluency", 3))
    return given


def test_the_text_is_for_people():
    written = quality_report(ratings(), settings=QUICK).render("text", WORDS)
    lines = written.splitlines()
    assert lines[0].startswith("120 ratings of 24 texts by 5 raters; flagged")
    assert lines[1] == "  pattern: 1"
    assert "always 3 (24 texts; others: 33%)" in written
    assert lines[-1] == (
        "without those flagged in all criteria: adequa human quality 'my ratings.jsonl'"
        " --exclude odd"
    )
    assert max(map(len, lines[:-1])) <= 120


def test_without_a_flag_there_is_nothing_to_exclude():
    found = [one for one in ratings() if one.rater != "odd"]
    written = quality_report(found, settings=QUICK).render("text", WORDS)
    assert "for review: nobody" in written
    assert "--exclude" not in written


def test_an_exclusion_reports_its_changes():
    report = quality_report(ratings(), settings=QUICK, exclude=["odd"])
    assert report.change is not None
    before, after = report.change["fluency"]["alpha"]["nominal"]
    assert before < after == 1
    written = report.render("text", WORDS)
    assert "Without 1 rater: before → after" in written
    assert "order of systems by fluency: " in written
    assert report.to_object()["excluded"] == ["odd"]
    with pytest.raises(UnknownName, match="rater"):
        quality_report(ratings(), settings=QUICK, exclude=["nobody"])
    with pytest.raises(DataError, match="no rating is left"):
        quality_report(ratings(people=0), settings=QUICK, exclude=["odd"])


def test_texts_without_an_answer_are_noted():
    rows = [*ratings(), Rating("only", "A", "gone", "fluency", 2)]
    report = quality_report(rows, settings=QUICK, exclude=["gone"])
    assert "note: 1 text has no answer left" in report.render("text")


def test_every_form_is_whole():
    report = quality_report(ratings(), settings=QUICK)
    whole = json.loads(report.render("json"))
    assert set(whole) == {
        "raters",
        "criteria",
        "flagged",
        "excluded",
        "notes",
        "settings",
        "change",
        "details",
    }
    assert whole["flagged"]["odd"]["extent"] == "all"
    assert whole["raters"]["p0"]["criteria"]["fluency"]["answers"] == 24
    rows = list(csv.DictReader(io.StringIO(report.render("csv"))))
    assert len(rows) == 5
    assert rows[0]["rater"] == "odd"
    assert float(rows[1]["competence fluency"]) > 0.5
    assert report.render("markdown", WORDS).startswith("120 ratings")
    assert r"\begin{table}" in report.render("latex", WORDS)
    assert report.render("latex", WORDS).startswith("% 120 ratings")
    with pytest.raises(UnknownName, match="format"):
        report.render("html")


def test_one_rater_in_detail():
    report = quality_report(
        ratings(), settings=QUICK, rater="odd", texts={("A", "Id0"): "A text\nof two lines."}
    )
    written = report.render("text")
    assert written.startswith("Rater odd: always 3")
    assert "A text of two lines." in written
    assert report.to_object()["details"]["rater"] == "odd"
    assert "details" in report.to_object()


def test_long_lists_are_cut_and_say_so():
    rows = [
        Rating(f"Id{text}", "A", f"same{who:02}", "fluency", who % 3 + 1)
        for text in range(12)
        for who in range(SHOWN_RATERS + 7)
    ]
    written = quality_report(rows, settings=QUICK).render("text")
    assert "… and 7 more" in written
    assert "same29" in written
    assert "same36" not in written


def test_names_that_move_a_cursor_are_never_sent_to_a_terminal(tmp_path):
    name = "odd\x1b[2J\n'@x"
    report = quality_report(ratings(name), settings=QUICK)
    for form in ("text", "markdown", "latex"):
        written = report.render(form, WORDS)
        assert "\x1b" not in written
    assert written.count("$'odd") == 1
    assert json.loads(report.render("json"))["flagged"].keys() == {name}
    files = write_quality_report(report, tmp_path / "new" / "folder", WORDS)
    assert [path.name for path in files] == [
        "report.txt",
        "quality.json",
        "raters.csv",
        "flagged.txt",
    ]
    assert files[3].read_text() == "\n"


def test_a_name_that_begins_with_at_is_doubled():
    written = quality_report(ratings("@odd"), settings=QUICK).render("text", WORDS)
    assert written.endswith("--exclude @@odd")


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        write_quality_report(quality_report(ratings(), settings=QUICK), tmp_path / "file")


def test_marked_spans_have_a_table_and_a_part_of_the_json() -> None:
    ratings = [
        Rating(
            f"Id{number}",
            "T5",
            rater,
            "errors",
            1.0,
            spans=({"start": number, "end": number + 6 + shift, "label": "wrong", "text": "…"},),
        )
        for number in range(12)
        for rater, shift in (("a", 0), ("b", 2))
    ]
    texts = {("T5", f"Id{number}"): "x" * 80 for number in range(12)}
    report = quality_report(ratings, texts=texts)
    found = report.to_object()["criteria"]["errors"]["spans"]
    assert (found["marks"], found["pairs"], found["severity"]) == (24, 12, None)
    assert found["f1"] == found["typed_f1"] == pytest.approx(2 * 6 / 14)
    assert 0.8 < found["gamma"] < 1
    assert "Marked spans: pairs of raters of one text" in report.render("text")
    assert "0.857" in report.render("text")
