"""Results as HTML for notebooks: what is marked, what is escaped, what comes first."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adequa
from adequa import Finding, Item, Mention, Result, Triple
from adequa.marks import SHOWN, Mark, cut, result_html, results_html

TEXT = "Blue Spice is a bar & <b>grill</b>."
FACT = Triple("Blue_Spice", "eatType", "<pub>")


def result(text: str = TEXT, *, faults: int = 1, identifier: str = "1") -> Result:
    findings = [
        Finding(
            "nli", "hallucination", "x", f"no & {n}", Triple("A", "b", str(n)), start=16, end=19
        )
        for n in range(faults)
    ]
    missing = Finding("esa", "omission", "missing", "<i>absent</i>", triple=FACT)
    return Result(
        Item(identifier, (FACT,), text, system="A<x>"),
        {"esa": 0.5, "nli": None},
        mentions=(Mention("Blue_Spice", 0, 10, "name"),),
        findings=(*findings, missing),
        verdict="hallucination+omission" if faults else "omission",
        confidence=0.93,
        reasons={"nli": "it is <too> long"},
    )


class _Tags(HTMLParser):
    """Opened and closed tags, which must fit each other, and the words between them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def parsed(html: str) -> _Tags:
    tags = _Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


def test_the_text_is_marked_and_everything_else_is_words() -> None:
    html = result_html(result())
    tags = parsed(html)
    assert "script" not in tags.seen
    assert {"b", "mark", "sup", "li"} <= set(tags.seen)
    assert tags.seen.count("mark") == 2
    assert "i" not in tags.seen  # the reason's own tag is text
    for words in (TEXT[20:], "hallucination+omission", "confidence 0.93", "esa 0.500", "nli –"):
        assert words in tags.words
    assert "<i>absent</i>" in tags.words
    assert "nli: not scored (it is <too> long)" in tags.words
    assert re.search(r'title="no &amp; 0">bar</mark>', html)


def test_an_empty_text_says_so() -> None:
    empty = Result(Item("1", (FACT,), " "), {"esa": 0.0}, verdict="omission")
    assert "(the text is empty)" in parsed(result_html(empty)).words


def test_the_worst_come_first_and_the_others_are_counted() -> None:
    results = [result(faults=n, identifier=f"id{n}") for n in range(SHOWN + 2)]
    # Findings of the same span are one mark, but each fact has its line.
    fine = Result(Item("fine", (FACT,), TEXT), {"esa": 1.0}, verdict="OK")
    words = parsed(results_html([fine, *results])).words
    assert words.index(f"id{SHOWN + 1}") < words.index(f"id{SHOWN}") < words.index("id2")
    assert "id1" not in words
    assert "fine" not in words
    assert "… and 2 more texts with a fault" in words
    assert "No text has a fault." in results_html([fine])


def found(kind: str, why: str, **where: Any) -> Finding:
    return Finding(where.pop("metric", "esa"), kind, where.pop("detail", "x"), why, **where)


def test_all_findings_about_a_wrong_value_are_one_fault() -> None:
    fact = Triple("Alva", "length", "212")
    text = "Alva is 121 m long."
    result = Result(
        Item("1", (fact, Triple("Alva", "over", "Devon")), text),
        {},
        findings=(
            found("omission", "no mention of '212'; the text has '121 m' instead", entity="212"),
            found("hallucination", "'121 m': the data has '212'", entity="212", start=8, end=13),
            found("omission", "the text does not say the length", triple=fact, metric="nli"),
            found("omission", "no mention of 'Devon'", entity="Devon"),
        ),
    )
    wrong, left_out = result.faults
    assert (wrong.kind, wrong.metric) == ("hallucination+omission", "nli+esa")
    assert wrong.why == "the text does not say the length: it has '121 m' instead"
    assert (left_out.kind, left_out.why) == ("omission", "no mention of 'Devon'")


def test_neighbouring_words_are_one_fault_and_others_are_not() -> None:
    text = "She won the Nobel Prize, then she sang, and she sang, and she sang."

    def span(words: str, detail: str = "unsupported") -> Finding:
        start = text.index(words)
        return found("hallucination", words, start=start, end=start + len(words), detail=detail)

    parts = (span("won the"), span("Nobel Prize"), span("then"), span("she sang", "repetition"))
    item = Item("1", (FACT,), text)
    one, two, three = Result(item, {}, findings=parts).faults
    assert one.why == "nothing in the data supports 'won the Nobel Prize'"
    assert (two.why, three.why) == ("then", "she sang")
    overruled = found("omission", "in other words", entity="Blue_Spice", detail="overruled")
    assert Result(item, {}, findings=(overruled,)).faults == ()


def test_short_reprs(tmp_path: Path) -> None:
    one = result()
    assert len(repr(one)) < 200
    assert "hallucination+omission" in repr(one)
    evaluation = adequa.evaluate(
        [{"triples": [["A", "b", "C"]], "text": text} for text in ("A b C.", "Nothing.") * 25],
        metrics=["esa"],
    )
    assert repr(evaluation) == "Evaluation(50 texts; esa 0.500; 25 OK, 25 omission)"
    assert repr(adequa.evaluate([])) == "Evaluation(0 texts)"
    page = parsed(evaluation._repr_html_())
    assert page.seen.count("table") == 1
    assert "and 20 more" in page.words


def test_runs_and_comparisons_show_themselves(tmp_path: Path) -> None:
    from adequa.analysis import compare
    from adequa.run import score_run

    source = tmp_path / "items.jsonl"
    source.write_text(
        "".join(
            json.dumps({"id": str(n), "system": name, "triples": [["A<", "b", "C"]], "text": text})
            + "\n"
            for n in range(6)
            for name, text in (("one", "A< b C."), ("two", "No."))
        )
    )
    run = score_run(adequa.read(source), {"esa": adequa.load_metric("esa")}, tmp_path / "a run")
    assert repr(run).endswith("12 items: esa)")
    page = parsed(run._repr_html_())
    assert "a run" in page.words
    assert "and 1 more texts" in page.words
    comparison = compare([run])
    assert repr(comparison) == "Comparison of one, two by esa"
    tags = parsed(comparison._repr_html_())
    assert tags.seen.count("table") == 2
    assert "Pairs" in tags.words


@given(
    st.text(max_size=30),
    st.lists(st.tuples(st.integers(-2, 32), st.integers(-2, 32)), max_size=6),
)
def test_any_text_and_marks_are_well_formed(text: str, places: list[tuple[int, int]]) -> None:
    findings = tuple(
        Finding("m", "hallucination", "x", text, start=start, end=end) for start, end in places
    )
    mentions = tuple(Mention(text, start, end, "name") for start, end in places)
    shown = Result(Item("1", (FACT,), text), {}, mentions=mentions, findings=findings)
    parsed(result_html(shown))
    marks = [Mark(start, end, "mention", 1) for start, end in places]
    assert "".join(segment.text for segment in cut(text, marks)) == text


def test_a_table_is_html() -> None:
    from adequa.tables import Table

    table = Table("A & B", ["x<", "n"], [["<y>", 0.5], ["z", None]])
    page = parsed(table._repr_html_())
    assert page.words == "A & Bx<n<y>0.500z–"
    assert 'style="text-align:right"' in table.html()


def test_a_frame_and_a_dataset_with_findings() -> None:
    pandas = pytest.importorskip("pandas")
    items = [{"triples": [["A", "b", "C"]], "text": text} for text in ("A b C.", "A b D4.")]
    evaluation = adequa.evaluate(items, metrics=["esa"])
    frame = evaluation.to_pandas()
    assert frame["findings"][0] == "[]"
    assert '"quote": "D4"' in frame["findings"][1]
    faults = evaluation.to_pandas("findings")
    assert set(faults["kind"]) == {"omission", "hallucination"}
    assert list(faults["quote"].dropna()) == ["D4"]
    assert isinstance(faults, pandas.DataFrame)
    with pytest.raises(adequa.UnknownName, match="kind of rows"):
        evaluation.to_pandas("words")  # type: ignore[arg-type]
    assert len(evaluation.to_polars("findings")) == len(faults)


def test_datasets_in_and_out() -> None:
    datasets = pytest.importorskip("datasets")
    rows = [
        {"id": "a", "triples": [["A", "b", "C"]], "text": "A b C.", "lang": None, "extra": 1},
        {"id": "b", "triples": [["A", "b", "C"]], "text": None, "lang": "en", "extra": 2},
    ]
    dataset = datasets.Dataset.from_list(rows)
    items = adequa.read(dataset)
    assert [item.text for item in items] == ["A b C.", ""]
    assert [item.lang for item in items] == [None, "en"]
    assert items[0].meta == {"extra": 1}
    evaluation = adequa.evaluate(dataset, metrics=["esa"])
    out = evaluation.to_dataset()
    assert out["verdict"][:] == ["OK", "omission"]
    assert out[1]["findings"][0]["kind"] == "omission"
    assert adequa.evaluate(out, metrics=["esa"])["esa"] == evaluation["esa"]
    with pytest.raises(adequa.DataError, match="choose one of: train, test"):
        adequa.read(datasets.DatasetDict(train=dataset, test=dataset))
    records = datasets.Dataset.from_list([{"record": {"name": "A", "n": 3}, "text": "A has 3."}])
    assert adequa.read(records)[0].coverage == "selected"


def test_frames_are_read_and_other_things_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"triples": ['[["A", "b", "C"]]'], "text": ["A b C."]})
    assert [item.id for item in adequa.read(frame)] == ["1"]
    with pytest.raises(adequa.DataError, match="not of the type int"):
        adequa.read(7)
    with pytest.raises(adequa.SettingError, match="for files and folders"):
        adequa.read(frame, format="csv")  # type: ignore[call-overload]
