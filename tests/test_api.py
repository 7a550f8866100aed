"""The Python API."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import adequa
from adequa import Item, Triple
from adequa.errors import DataError, SettingError, UnknownName

RAW = {"id": "1", "triples": (("s", "p", "o"),), "text": "a word", "references": ("a word",)}


def test_the_public_names_are_these() -> None:
    assert set(adequa.__all__) == {
        "AdequaError", "DataError", "Evaluation", "Fact", "Fault", "Finding", "GuardResult", "Item",
        "Mention", "Metric", "MissingExtra", "ModelError", "Rating", "Result", "Run", "RunError",
        "Score",
        "ServiceError", "SettingError", "Term", "Triple", "UnknownName", "__version__", "evaluate",
        "guard", "load_metric", "open_run", "read", "score",
    }  # fmt: skip
    assert all(hasattr(adequa, name) for name in adequa.__all__)


def test_score_judges_one_text() -> None:
    result = adequa.score([("s", "p", "o")], "a word", references=["a word"], metrics=["chrf"])
    assert result.scores["chrf"] == 100.0
    assert result.verdict is None
    assert result.missing == result.unsupported == result.mentions == ()


def test_score_takes_linearised_triples() -> None:
    result = adequa.score("s | p | o && s | q | r", "t", references=["t"], metrics=["chrf"])
    assert result.item.triples == (Triple("s", "p", "o"), Triple("s", "q", "r"))


def test_score_refuses_a_string_for_references() -> None:
    with pytest.raises(DataError, match="'references' is not a list of strings"):
        adequa.score("s | p | o", "text", references="text", metrics=["chrf"])


def test_evaluate_is_aligned_with_its_items() -> None:
    items = [RAW, Item("2", (Triple("s", "p", "o"),), "other", references=("a word",))]
    evaluation = adequa.evaluate(items, metrics=["chrf", "loose=chrf:word_order=0"])
    assert len(evaluation) == 2
    assert [result.item.id for result in evaluation] == ["1", "2"]
    assert evaluation["chrf"] == [result.scores["chrf"] for result in evaluation]
    assert evaluation["chrf"][0] == 100.0
    assert evaluation[0].scores.keys() == {"chrf", "loose"}
    assert len(evaluation[:1]) == 1


def test_evaluate_takes_and_gives_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    polars = pytest.importorskip("polars", reason="polars is not installed")
    rows = [{"id": "1", "triples": "s | p | o", "text": "t", "references": '["t"]'}]
    for frame in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        evaluation = adequa.evaluate(frame, metrics=["chrf"])
        assert evaluation["chrf"] == [100.0]
        assert evaluation.to_pandas()["chrf"].tolist() == [100.0]
        assert evaluation.to_polars()["chrf"].to_list() == [100.0]


@pytest.mark.parametrize("items", ["file.jsonl", {"id": "1"}, 3])
def test_evaluate_needs_a_sequence_of_items(items: object) -> None:
    with pytest.raises(DataError, match="items are a sequence, a frame or a dataset"):
        adequa.evaluate(items, metrics=["chrf"])


def test_evaluate_names_the_item_that_is_wrong() -> None:
    with pytest.raises(DataError, match="items:2: has no 'text'"):
        adequa.evaluate([RAW, {"id": "2", "triples": [["s", "p", "o"]]}], metrics=["chrf"])
    with pytest.raises(DataError, match="items:2: the id '1' was used before"):
        adequa.evaluate([RAW, RAW], metrics=["chrf"])


def test_one_metric_needs_no_list() -> None:
    result = adequa.score("Alba | country | Eire", "Alba.", references=["Alba."], metrics="chrf")
    assert list(result.scores) == ["chrf"]


def test_data_of_another_type_is_refused() -> None:
    with pytest.raises(DataError, match=r"data: is of the type int, which cannot be read; give"):
        adequa.score(5, "Alba.")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("s | p | o", None), "text is of the type NoneType, not a string"),
        (("s | p | o", "x", {"lang": 5}), "lang is of the type int, not a string"),
        (("s | p | o", "x", {"references": 5}), "'references' is not a list of strings; write"),
        (("no triple", "x"), "data: 'no triple' is not a known form of triples; write"),
        (({}, "x"), "data: 'record' has no JSON object, no list and no triples; write"),
        (
            ('{"a": }', "x"),
            "data: is not JSON (Expecting value at column 7); write one JSON object",
        ),
        (([("a", "b")], "x"), "data: triple 1 is not [subject, predicate, object]"),
        (({"name": "x"}, "x", {"key": "sku"}), "data: has no 'sku'"),
        (("s | p | o", "x", {"metrics": [5]}), "a metric is a name or an adequa.Metric, not"),
    ],
)
def test_errors_of_a_call_name_its_arguments(arguments: tuple[Any, ...], message: str) -> None:
    data, text, *given = arguments
    with pytest.raises(adequa.AdequaError) as raised:
        adequa.score(data, text, **(given[0] if given else {}))
    assert str(raised.value).startswith(message)


def test_one_run_needs_no_list(tmp_path: Path) -> None:
    from adequa.analysis import compare
    from adequa.run import score_run

    (tmp_path / "items.jsonl").write_text('{"triples": [["s", "p", "o"]], "text": "s o"}\n')
    chosen = {"esa": adequa.load_metric("esa")}
    run = score_run(adequa.read(tmp_path / "items.jsonl"), chosen, str(tmp_path / "run"))
    assert compare(str(run.path)).systems == compare([run]).systems
    with pytest.raises(SettingError, match=r"not a list: give adequa\.read\(path\), or"):
        score_run([RAW], chosen, tmp_path / "other")  # type: ignore[arg-type]


def test_one_item_is_put_into_a_list() -> None:
    with pytest.raises(DataError, match="not of the type dict; put it into a list"):
        adequa.evaluate(RAW, metrics=["chrf"])


def test_a_missing_field_is_named_with_those_that_are_needed() -> None:
    with pytest.raises(DataError, match="has no 'text'; an item needs 'triples' and 'text'"):
        adequa.evaluate([{"triples": [["a", "b", "c"]]}], metrics="chrf")


def test_a_metric_that_is_not_there() -> None:
    with pytest.raises(UnknownName, match="did you mean 'bleu'"):
        adequa.load_metric("blue")
    with pytest.raises(SettingError, match="two metrics are called 'chrf'"):
        adequa.evaluate([RAW], metrics=["chrf", "chrf:word_order=0"])
    with pytest.raises(SettingError, match="no metric was named"):
        adequa.evaluate([RAW], metrics=[])


@pytest.mark.parametrize(
    "code",
    [
        "import adequa",
        "from adequa.cli import app; app(['--help'], standalone_mode=False)",
    ],
    ids=["import", "help"],
)
def test_starting_loads_nothing_heavy(code: str, tmp_path: Path) -> None:
    heavy = ["scipy", "torch", "transformers", "starlette", "uvicorn", "sqlalchemy", "pandas"]
    heavy += ["numpy", "lxml", "pyoxigraph", "sacrebleu", "sqlite3", "multiprocessing"]
    probe = f"import sys; print([name for name in {heavy!r} if name in sys.modules])"
    output = subprocess.run(
        [sys.executable, "-c", f"{code}\n{probe}"], capture_output=True, text=True, check=True
    ).stdout
    assert output.splitlines()[-1] == "[]"


class Slow(adequa.Metric):
    """A metric that takes its time."""

    name = "slow"
    doc = "for tests"
    best, worst = 1.0, 0.0

    def score(self, items: Sequence[Item]) -> list[adequa.Score]:
        released.wait(30)
        return [adequa.Score(1.0, verdict="OK") for _ in items]


class Broken(Slow):
    def score(self, items: Sequence[Item]) -> list[adequa.Score]:
        raise adequa.ModelError("the model is gone")


released = threading.Event()
PUB = "Blue_Spice | eatType | pub"


def test_a_guard_answers_in_time() -> None:
    released.clear()
    metrics = {"esa": adequa.load_metric("esa"), "slow": Slow()}
    adequa.score(PUB, "Blue Spice is a pub.", metrics=["esa"])  # loads everything
    began = time.monotonic()
    checked = adequa.guard(PUB, "Blue Spice is a pub.", seconds=2, metrics=metrics)
    assert time.monotonic() - began < 10
    assert (checked.ok, bool(checked), checked.late) == (None, False, ("slow",))
    assert checked.result.scores == {"esa": 1.0}
    released.set()
    checked = adequa.guard(PUB, "Blue Spice is a pub.", seconds=60, metrics=metrics)
    assert (checked.ok, checked.late, checked.faults) == (True, (), ())


def test_a_fault_is_told_at_once() -> None:
    released.clear()
    metrics = {"esa": adequa.load_metric("esa"), "slow": Slow()}
    began = time.monotonic()
    checked = adequa.guard(PUB, "Blue Spice is a bar.", seconds=60, metrics=metrics)
    assert time.monotonic() - began < 15
    assert (checked.ok, checked.late) == (False, ())
    assert checked.faults == ("no mention of 'pub' (Blue_Spice | eatType | pub)",)
    assert "pub" in checked._repr_html_()
    released.set()


def test_guards_that_are_late_do_not_pile_up() -> None:
    released.clear()
    metrics = {"slow": Slow()}
    for _ in range(4):
        assert adequa.guard(PUB, "x", seconds=0.05, metrics=metrics).late == ("slow",)
    before = threading.active_count()
    assert adequa.guard(PUB, "x", seconds=0.05, metrics=metrics).ok is None
    assert threading.active_count() == before
    released.set()
    assert adequa.guard(PUB, "Blue Spice is a pub.", seconds=60, metrics=metrics).ok is True


def test_a_guard_raises_what_is_wrong() -> None:
    with pytest.raises(adequa.ModelError, match="the model is gone"):
        adequa.guard(PUB, "x", metrics={"broken": Broken()}, seconds=60)
    with pytest.raises(SettingError, match="above 0"):
        adequa.guard(PUB, "x", seconds=0)
    record = adequa.guard({"name": "Ajax", "n": 2}, "Ajax: 2.", metrics=["esa"], seconds=60)
    assert record.result.item.coverage == "selected"
