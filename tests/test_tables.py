"""Tables in every form; special characters never break them."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.tables import Column, Table, csv_cell, csv_text, printable

TABLE = Table(
    "Scores of 2 systems",
    ["system", Column("bleu", 1), "items"],
    [["good_one", 41.26, 40], ["a|b & 50%", None, 7]],
)


def test_text() -> None:
    assert TABLE.text() == (
        "Scores of 2 systems\n"
        "system     bleu  items\n"
        "----------------------\n"
        "good_one   41.3     40\n"
        "a|b & 50%     –      7"
    )


def test_words_of_a_last_column_are_wrapped_to_a_width() -> None:
    words = "the character between two cells, by default a comma"
    table = Table("", ["option", "meaning"], [["csv:delimiter", words], ["rdf:base", "an IRI"]])
    assert table.text(44) == (
        "option         meaning\n"
        "--------------------------------------------\n"
        "csv:delimiter  the character between two\n"
        "               cells, by default a comma\n"
        "rdf:base       an IRI"
    ).replace("-" * 44, "-" * 40)
    assert table.text(200) == table.text()
    assert TABLE.text(10) == TABLE.text()  # numbers stay


def test_markdown() -> None:
    assert TABLE.markdown() == (
        "**Scores of 2 systems**\n\n"
        "| system | bleu | items |\n"
        "| --- | ---: | ---: |\n"
        "| good_one | 41.3 | 40 |\n"
        "| a\\|b & 50% | – | 7 |"
    )


def test_latex() -> None:
    assert TABLE.latex() == "\n".join(
        [
            r"\begin{table}[ht]",
            r"  \centering",
            r"  \caption{Scores of 2 systems}",
            r"  \begin{tabular}{lrr}",
            r"    \toprule",
            r"    system & bleu & items \\",
            r"    \midrule",
            r"    good\_one & 41.3 & 40 \\",
            r"    a\textbar{}b \& 50\% & -- & 7 \\",
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
        ]
    )


def test_machines_get_the_values_as_they_are() -> None:
    assert TABLE.csv() == "system,bleu,items\ngood_one,41.26,40\na|b & 50%,,7"
    assert TABLE.json_rows() == [
        {"system": "good_one", "bleu": 41.26, "items": 40},
        {"system": "a|b & 50%", "bleu": None, "items": 7},
    ]


def test_a_table_without_title_or_rows() -> None:
    empty = Table("", ["a", "b"], [])
    assert empty.text() == "a  b\n----"
    assert empty.markdown() == "| a | b |\n| --- | --- |"
    assert "caption" not in empty.latex()
    assert empty.csv() == "a,b"
    assert empty.json_rows() == []


def test_wide_characters_keep_the_columns_in_line() -> None:
    lines = Table("", ["name", "x"], [["日本", "1"], ["e\u0301te", "2"]]).text().split("\n")
    assert lines[2:] == ["日本  1", "e\u0301te   2"]


def test_a_terminal_is_not_commanded() -> None:
    text = Table("t\x1b[2J", ["a\nb"], [["one\r\ntwo\x07"]]).text()
    assert "\x1b" not in text
    assert "\x07" not in text
    assert len(text.split("\n")) == 4


def test_a_value_rounded_to_zero_has_no_sign() -> None:
    assert Table("", ["d"], [[-0.0001]]).text().endswith("\n0.000")


def test_booleans_are_words() -> None:
    assert Table("", ["seen"], [[True], [False]]).text() == "seen\n----\nyes\nno"


@pytest.mark.parametrize(
    ("cell", "latex"),
    [
        (r"a\b", r"a\textbackslash{}b"),
        ("{x}", r"\{x\}"),
        ("~^#$", r"\textasciitilde{}\textasciicircum{}\#\$"),
        ("1 ± 2", r"1 $\pm$ 2"),
        ("[1cm]", "{}[1cm]"),
        ("*", "{}*"),
    ],
)
def test_latex_escapes(cell: str, latex: str) -> None:
    assert f"    {latex} \\\\\n" in Table("", ["x"], [[cell]]).latex()


@pytest.mark.parametrize(
    ("cell", "markdown"),
    [("_a_", r"\_a\_"), ("a_b", "a_b"), ("**", r"\*\*"), ("`x`", r"\`x\`"), ("<b>", r"\<b>")],
)
def test_markdown_escapes(cell: str, markdown: str) -> None:
    assert Table("", ["x"], [[cell]]).markdown().endswith(f"| {markdown} |")


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="cells"):
        Table("t", ["a", "b"], [[1]])
    with pytest.raises(ValueError, match="same name"):
        Table("t", ["a", "a"], [])


cells = st.one_of(st.none(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8))


@given(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=5))
def test_every_form_takes_every_cell(rows: list[list[str | int | float | None]]) -> None:
    table = Table("any", ["first", "second"], rows)
    assert len(table.text().split("\n")) == 3 + len(rows)
    assert len(table.markdown().split("\n")) == 4 + len(rows)
    assert table.latex().count(r" \\") >= 1 + len(rows)
    assert json.loads(json.dumps(table.json_rows())) == table.json_rows()


@given(st.lists(st.lists(st.text("a,\"\n |;'", min_size=1), min_size=2, max_size=2), max_size=5))
def test_csv_is_read_back(rows: list[list[str]]) -> None:
    written = Table("any", ["first", "second"], rows).csv()
    assert list(csv.reader(io.StringIO(written, newline=""))) == [["first", "second"], *rows]


OBEYED = [
    "\x1b]0;title\x07",
    "\x9b2J",
    "\r",
    "\u202e",
    "\u2028",
    "\x00",
    "\ud800",
    "::stop-commands::x",
    "\t ::error::x",
    "\u00a0::error::x",
    "##[command]x",
    "##vso[task.setvariable]x",
    "##teamcity[x]",
]


@pytest.mark.parametrize("text", OBEYED)
def test_nothing_that_is_printed_is_obeyed(text):
    shown = printable(f"before\n{text}\nafter")
    assert text not in shown
    assert [line.lstrip()[:2] for line in shown.split("\n")].count("::") == 0
    assert "##" not in shown
    assert all(one.isprintable() or one in "\n\t\u00a0" for one in shown)
    assert shown.count("\n") == 2


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(OBEYED))
def test_json_is_the_same_value_when_printed(text):
    written = json.dumps({"a": [text, text + text]}, ensure_ascii=False, indent=2)
    assert json.loads(printable(written)) == json.loads(written)
    assert printable(printable(written)) == printable(written)


@pytest.mark.parametrize("text", ["a :: b", "C# ## 1", "👩\u200d👩\u200d👧 é\n\tok", "std::vector"])
def test_other_text_is_printed_as_it_is(text):
    assert printable(text) == text


@given(st.text() | st.from_regex(r"'{0,3}[=+@-].{0,5}", fullmatch=True))
def test_no_cell_of_a_csv_file_is_a_formula_and_each_is_read_back(text):
    if "\0" in text:
        return  # which no CSV file can hold
    for delimiter in ",;\t":
        written = csv_cell(text, delimiter)
        (row,) = csv.reader(io.StringIO(written + delimiter, newline=""), delimiter=delimiter)
        assert csv_text(row[0]) == text
        if row[0][:1] in tuple("=+-@\t\r") and row[0]:
            float(row[0])  # a number is no formula


def test_a_csv_table_opens_as_text():
    table = Table("", ["=x", "n"], [["=cmd|' /C calc'!A0", -1.5], ["@SUM(A1)", None], ["-", 2]])
    assert table.csv() == "'=x,n\n'=cmd|' /C calc'!A0,-1.5\n'@SUM(A1),\n'-,2"
