"""All papers on one page: parts are kept, replaced and escaped."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path

import pytest

from adequa.errors import DataError, UnknownName
from adequa.tables import Column, Table
from research.papers.page import Paper, papers_page
from research.papers.section import Chapter, Reproduction, Section

TABLE = Table("Ours & theirs", ["system", Column("paper", 2), Column("ours", 2)], [["<A>", 0.5, 1]])
SIGNATURES = Table("From", ["row", "from"], [["BLEU", "bleu|order:4|version:2"]])


class Counted:
    """A paper that counts how often it was reproduced."""

    def __init__(self, name: str = "esa") -> None:
        self.calls = 0
        self.paper = Paper(name, f"Paper {name}", "adequa paper x --data DIR", self, True)

    def __call__(self, data: Path) -> Reproduction:
        self.calls += 1
        section = Section(
            "table1",
            [TABLE],
            {"rho": ("Spearman", 0.25)},
            ["a note with <b>"],
            files={"figure.svg": lambda: "<svg>é</svg>", "worksheet.tsv": "a\tb\n"},
        )
        other = Section("study", [TABLE], options="--study negatives")
        chapter = Chapter(
            "2020", "Year", [section, other], ["2017: data is missing"], {"esa": "esa|v:1"}
        )
        return Reproduction([chapter], "sig|nature")


def test_a_page_has_tables_values_notes_figures_and_commands() -> None:
    page = papers_page([Counted().paper], Path("data"))
    assert "<caption>Ours &amp; theirs</caption>" in page
    assert '<td>&lt;A&gt;</td><td class="number" style="text-align:right">0.50</td>' in page
    assert "<li>Spearman: 0.250" in page
    assert "<li>a note with &lt;b&gt;" in page
    assert "<li>n/a: 2017: data is missing" in page
    assert '<p class="signature">esa: esa|<wbr>v:1</p>' in page
    assert '<p class="signature">sig|<wbr>nature; adequa ' in page
    assert "<code>adequa paper x --data DIR --only table1</code>" in page
    assert "<code>adequa paper x --data DIR --study negatives</code>" in page
    (picture,) = re.findall(r"base64,([^\"]+)", page)
    assert base64.b64decode(picture).decode("utf-8") == "<svg>é</svg>"
    assert "worksheet" not in page
    places = re.findall(r'id="([^"]+)"', page)
    assert places == ["esa", "esa-2020-table1", "esa-2020-study"]
    assert re.findall(r'href="#([^"]+)"', page) == places
    assert re.findall(r'(?:src|href)="(?!data:|#)', page) == []


def test_a_section_without_tables_has_a_title_and_a_long_cell_may_wrap() -> None:
    def reproduce(data: Path) -> Reproduction:
        values = {"high": ("rated high", 4)}
        empty = Table("Nothing", ["x"], [])
        return Reproduction(
            [Chapter(sections=[Section("other", [empty], values), Section("from", [SIGNATURES])])]
        )

    page = papers_page([Paper("esa", "Paper", "adequa paper esa", reproduce)], Path("data"))
    assert '<div class="part" id="esa-other">\n<h4>other</h4>\n<ul><li>rated high: 4' in page
    assert "Nothing" not in page
    assert "<h4>from" not in page
    assert "<td>bleu|<wbr>order:4|<wbr>version:2</td>" in page


def test_kept_parts_are_used_until_their_paper_is_named(tmp_path: Path) -> None:
    first, second = Counted("esa"), Counted("nli")
    papers = [first.paper, second.paper]
    whole = papers_page(papers, Path("data"), keep=tmp_path)
    assert papers_page(papers, Path("data"), keep=tmp_path) == whole
    assert (first.calls, second.calls) == (1, 1)
    assert papers_page(papers, Path("data"), only=["nli"], keep=tmp_path) == whole
    assert (first.calls, second.calls) == (1, 2)
    alone = papers_page(papers, Path("data"), only=["nli"])
    assert "Paper nli" in alone
    assert "Paper esa" not in alone
    with pytest.raises(UnknownName, match="unknown paper 'bleu'"):
        papers_page(papers, Path("data"), only=["bleu"])


def test_a_kept_part_of_another_command_is_not_taken_for_this_one(tmp_path: Path) -> None:
    counted, other = Counted("esa"), Counted("nli")
    papers_page([counted.paper, other.paper], Path("data"), keep=tmp_path)
    changed = replace(counted.paper, command="adequa paper x --data DIR --sample 3")
    with pytest.raises(DataError, match="was not made by 'adequa paper x --data DIR --sample 3'"):
        papers_page([changed, other.paper], Path("data"), keep=tmp_path)
    assert counted.calls == 1
    papers_page([changed, other.paper], Path("data"), only=["esa"], keep=tmp_path)
    page = papers_page([changed, other.paper], Path("data"), keep=tmp_path)
    assert "adequa paper x --data DIR --sample 3" in page
    assert (counted.calls, other.calls) == (2, 1)


def test_a_paper_without_its_data_says_so_and_is_not_kept(tmp_path: Path) -> None:
    def fail(data: Path) -> Reproduction:
        raise DataError("has nothing to score", path=data, remedy="give more")

    paper = Paper("esa", "Paper", "adequa paper esa", fail)
    page = papers_page([paper, Counted("nli").paper], Path("data"), keep=tmp_path)
    assert "n/a: data: has nothing to score; give more" in page
    assert [path.name for path in tmp_path.iterdir()] == ["nli.html"]
