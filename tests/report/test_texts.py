"""Every line of a run can be restored from the page, except the fields it does not show."""

from __future__ import annotations

import base64
import json
import math
import re
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.codec import result_from_object
from adequa.report import write_report
from adequa.report.page import script_json
from adequa.report.texts import STATUSES, VERDICTS, Chunks, pack, unpack

from .made_runs import made_lines, write_lines


def blocks(page, name):
    found = re.findall(rf'<script type="text/plain" id="{name}-\d+">([^<]*)</script>', page)
    return [record for block in found for record in unpack(block)]


def numbers(column):
    kind, packed = column
    return np.frombuffer(zlib.decompress(base64.b64decode(packed), -15), dtype=f"<{kind}").tolist()


@pytest.mark.parametrize("inputs", [1, 130])
def test_the_page_holds_every_line(tmp_path, inputs):
    lines = made_lines(8, systems=["Anna", "Bert", "Cleo"], inputs=inputs)
    lines[0]["mentions"][0]["entity"] = "an entity that no triple has"
    out = tmp_path / "report.html"
    write_report([write_lines(tmp_path / "run", lines)], out)
    page = out.read_text(encoding="utf-8")
    texts, graphs = blocks(page, "texts"), blocks(page, "inputs")
    index = unpack(re.search(r'id="index">([^<]*)<', page)[1])
    summary = json.loads(re.search(r'id="summary">(.*?)</script>', page, re.DOTALL)[1])
    columns = {name: numbers(column) for name, column in index["columns"].items()}
    scores = {label: numbers(column) for label, column in index["scores"].items()}
    confidence = numbers(index["confidence"])
    assert (len(texts), len(graphs)) == (len(lines), inputs)
    for row, line in enumerate(lines):
        known = math.nan if line["confidence"] is None else line["confidence"]
        assert confidence[row] == pytest.approx(known, abs=1e-6, nan_ok=True)
        place = columns["input"][row]
        name, category, lang, triples, references = graphs[place]
        text, mentions, facts, findings, verdicts, reasons, faults = texts[row]
        entities = list(dict.fromkeys(end for one in triples for end in (one[0], one[2])))
        entity = lambda one: entities[one] if isinstance(one, int) else one  # noqa: E731, B023
        triple = lambda one: triples[one] if isinstance(one, int) else one  # noqa: E731, B023
        keys = ("id", "category", "lang", "triples", "references")
        assert [name, category, lang, triples, references] == [line[key] for key in keys]
        assert (text, verdicts, reasons) == (
            line["text"],
            line["verdicts"],
            line.get("reasons", {}),
        )
        known = result_from_object(line).faults
        assert faults == [[one.kind, one.why, one.metric] for one in known]
        assert [[entity(one[0]), *one[1:]] for one in mentions] == [
            list(one.values()) for one in line["mentions"]
        ]
        assert [[triple(one[0]), STATUSES[one[1]], *one[2:]] for one in facts] == [
            list(one.values()) for one in line["facts"]
        ]
        kinds = ("omission", "hallucination")
        assert [
            [one[0], kinds[one[1]], one[2], triple(one[3]), entity(one[4]), *one[5:]]
            for one in findings
        ] == [list(one.values()) for one in line["findings"]]
        assert summary["systems"][columns["system"][row]] == line["system"]
        assert VERDICTS[columns["verdict"][row]] == line["verdict"]
        assert index["categories"][columns["category"][place]] == line["category"]
        assert columns["size"][place] == len(line["triples"])
        assert columns["seen"][place] == (1 if line["meta"]["seen"] else 2)
        for label, value in line["scores"].items():
            stored = scores[label][row]
            assert math.isnan(stored) if value is None else stored == pytest.approx(value, rel=1e-6)
        first = columns["fault_ends"][row - 1] if row else 0
        faults = columns["faults"][first : columns["fault_ends"][row]]
        assert {index["predicates"][one] for one in faults} == {
            fact["triple"][1]
            for fact in line["facts"]
            if fact["status"] in ("missing", "contradicted")
        }


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_packed_values_can_be_unpacked_and_stay_in_their_element(value):
    assert unpack(pack(value)) == value
    assert "<" not in pack(value)
    written = script_json(value)
    assert json.loads(written) == value
    assert "<" not in written


def test_a_record_is_in_the_chunk_of_its_number():
    chunks = Chunks(3)
    for number in range(7):
        chunks.add({"number": number})
    packed = [unpack(chunk) for chunk in chunks.finish()]
    assert [len(chunk) for chunk in packed] == [3, 3, 1]
    assert packed[1][2] == {"number": 5}


def test_nan_is_not_packed():
    with pytest.raises(ValueError, match="JSON"):
        pack(float("nan"))
