"""The file: its bytes, escaping, and its content without a script."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from lxml import html

from adequa.errors import DataError, SettingError
from adequa.report import write_report
from adequa.report.summary import histogram
from adequa.report.texts import unpack
from adequa.tables import digits_for

from .made_runs import HOSTILE, made_lines, write_lines


@pytest.fixture
def hostile_run(tmp_path):
    lines = made_lines(3, systems=["Anna", HOSTILE])
    for line in lines:
        line["text"] = HOSTILE
        line["mentions"] = []
        line["category"] = HOSTILE
        for triple in line["triples"]:
            triple[1] = HOSTILE
        for fact in line["facts"]:
            fact["triple"] = [*fact["triple"][:1], HOSTILE, fact["triple"][2]]
        for finding in line["findings"]:
            finding["why"] = HOSTILE
            if finding["triple"]:
                finding["triple"] = [*finding["triple"][:1], HOSTILE, finding["triple"][2]]
            else:
                finding["start"], finding["end"] = 0, 40
    return write_lines(tmp_path / "run", lines)


def test_data_stays_data(hostile_run, tmp_path):
    out = tmp_path / "report.html"
    write_report([hostile_run], out, title=HOSTILE)
    page = out.read_text(encoding="utf-8")
    assert "<script>window.hacked" not in page
    assert "<img" not in page
    tree = html.fromstring(page)
    assert len(tree.xpath("//script[not(@type)]")) == 1
    chunk = unpack(tree.xpath("//script[@id='texts-0']/text()")[0])
    assert chunk[0][0] == HOSTILE


def test_the_policy_lets_this_script_and_style_run_and_nothing_else(hostile_run, tmp_path):
    out = tmp_path / "report.html"
    write_report([hostile_run], out)
    page = out.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for pattern in ("<script>(.*?)</script>", "<style>(.*?)</style>"):
        (body,) = re.findall(pattern, page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:|//)", page)
    assert " style=" not in page


def test_same_input_same_bytes(tmp_path):
    run = write_lines(tmp_path / "run", made_lines(4))
    first, second = tmp_path / "one.html", tmp_path / "two.html"
    written = write_report([run], first)
    write_report([run], second)
    assert first.read_bytes() == second.read_bytes()
    assert written.bytes == first.stat().st_size
    assert (written.systems, written.texts, written.shown_texts) == (2, 24, 24)


def test_the_tables_can_be_read_without_a_script(tmp_path):
    lines = made_lines(4, inputs=30)
    out = tmp_path / "report.html"
    write_report([write_lines(tmp_path / "run", lines)], out)
    tree = html.fromstring(out.read_text(encoding="utf-8"))
    rows = tree.xpath("//section[@id='systems']//tbody/tr")
    assert {row.xpath("./th")[0].text for row in rows} == {"Anna", "Bert"}
    scores = [x for line in lines if (x := line["scores"]["esa"]) and line["system"] == "Anna"]
    shown = next(row for row in rows if row.xpath("./th")[0].text == "Anna").text_content()
    assert f"{sum(scores) / len(scores):.3f}" in shown
    predicates = tree.xpath("//div[@data-slices='predicate']//tbody/tr")
    for row in predicates:
        name, facts, missing = (cell.text_content() for cell in row[:3])
        own = [f for line in lines for f in line["facts"] if f["triple"][1] == name]
        assert facts == str(len(own))
        share = 100 * sum(fact["status"] == "missing" for fact in own) / len(own)
        assert missing == f"{share:.0f} %"
    sure = [line["confidence"] for line in lines if line["verdict"] == "OK"]
    share = 100 * sum(one < 0.8 for one in sure) / len(sure)
    said = tree.xpath("//section[@id='systems']")[0].text_content()
    assert f"Of the OK verdicts, {share:.0f} % have a confidence below 0.8" in said
    unscored = sum("reasons" in line for line in lines)
    glance = tree.xpath("//section[@id='glance']")[0].text_content()
    assert f"esa: {unscored} of 60 texts are not scorable: a test said so." in glance
    text = tree.xpath("//section[@id='methods']")[0].text_content()
    assert "esa|version:0" in text
    assert "(a test said so)" in text
    assert "items.jsonl (sha256 abababababab)" in text
    assert "/somewhere/else" not in text


def test_files_are_not_replaced_unasked(tmp_path):
    run = write_lines(tmp_path / "run", made_lines(4))
    out = tmp_path / "report.html"
    out.write_text("mine")
    with pytest.raises(SettingError, match="force=True"):
        write_report([run], out)
    assert out.read_text() == "mine"
    write_report([run], out, force=True)
    with pytest.raises(DataError, match="cannot be written"):
        write_report([run], tmp_path / "no" / "report.html")
    with pytest.raises(SettingError, match="at least one"):
        write_report([], out, force=True)
    assert {path.name for path in tmp_path.iterdir()} == {"run", "report.html"}


def test_one_system_one_text_and_no_verdict(tmp_path):
    lines = made_lines(4, systems=[""], inputs=1)
    lines[0] |= {"verdict": None, "verdicts": {}, "facts": [], "findings": [], "category": None}
    out = tmp_path / "report.html"
    write_report([write_lines(tmp_path / "run", lines)], out)
    assert ">run<" in out.read_text(encoding="utf-8")


def test_figures():
    found = histogram([0.0, 0.04, 1.0], (0.0, 1.0))
    assert (found.counts[0], found.counts[-1], sum(found.counts)) == (2, 1, 3)
    assert found.heights[0] == 1
    assert histogram([], (0.0, 1.0)) is None
    assert digits_for([0.5, None]) == 3
    assert digits_for([54.0]) == 1
