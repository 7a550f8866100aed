"""Encoders by name: weights of a folder, models of others, objects of one's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from adequa.data import Item, Term, Triple
from adequa.errors import MissingExtra, SettingError, UnknownName
from adequa.retrieval import load_encoder
from adequa.retrieval.vectors import encode_items, import_object


def test_an_object_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "an_encoder_of_mine.py").write_text("thing = object()\n", encoding="utf-8")
    found = load_encoder("an_encoder_of_mine:thing")
    assert found is import_object("an_encoder_of_mine:thing", "encoder")
    with pytest.raises(SettingError, match="'an_encoder_of_mine:other' cannot be loaded"):
        load_encoder("an_encoder_of_mine:other")


def test_unknown_weights() -> None:
    with pytest.raises(UnknownName, match="weights"):
        load_encoder("v0")
    with pytest.raises(SettingError, match="hub: has no model"):
        load_encoder("hub:")


def test_a_model_of_others_is_named_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_encoder("hub:a/b@main").signature == "hub|model:a/b|version:main"
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    one = load_encoder(f"hub:{model}").signature
    (model / "config.json").write_text(json.dumps({"other": 1}), encoding="utf-8")
    assert load_encoder(f"hub:{model}").signature != one
    assert str(tmp_path) not in one
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"adequa\[hf\]"):
        load_encoder(f"hub:{model}").encode(["a text"])


def test_the_shipped_encoder_is_near_where_the_same_is_said() -> None:
    encoder = load_encoder()
    assert encoder.signature.startswith("encoder|weights:")
    item = Item(
        "1", (Triple("Q1", "country", "Vexland"),), "Norn Castle stands in Vexland.",
        terms={"Q1": Term(label="Norn Castle")},
    )  # fmt: skip
    other = Item("2", (Triple("Ada", "birthPlace", "London"),), "Ada was born in London.")
    texts, graphs = (encode_items(encoder, [item, other], kind) for kind in ("texts", "graphs"))
    cosines = texts @ graphs.T
    assert cosines[0, 0] > cosines[0, 1]
    assert cosines[1, 1] > cosines[1, 0]
