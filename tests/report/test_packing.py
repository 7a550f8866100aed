from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adequa.report.page import script_json
from adequa.report.texts import Chunks, pack, unpack

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
