"""What int8 costs: nothing where nothing is made smaller, and a little where it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adequa.data import Item, Triple
from adequa.errors import DataError
from adequa.training.precision import _logits, measure_drift, perturbed_items

from ..tiny_weights import WORDS
from . import checkpoints as tiny
from .checkpoints import write_checkpoint
from .corpora import items

LOGITS = {"stated", "unsupported", "disfluent", "supported"}


def test_items_right_and_wrong_and_the_same_each_time() -> None:
    own = items()
    changed = perturbed_items(own, 12, seed=3)
    assert changed == perturbed_items(own, 12, seed=3)
    assert changed != perturbed_items(own, 12, seed=4)
    assert len(changed) == 12
    assert len({item.id for item in changed}) == 12
    assert all(item.triples and item.text for item in changed)
    right = {(item.triples, item.text) for item in own}
    wrong = [item for item in changed if (item.triples, item.text) not in right]
    assert wrong
    assert len(perturbed_items(own, 500)) == len(own)  # not more than there are


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Checkpoints whose words are letters and their like, with room for a text and a graph."""
    pytest.importorskip("onnx", reason="the extra train is not installed")
    root = tmp_path_factory.mktemp("drift")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tiny, "WORDS", len(WORDS))
        folders = (
            write_checkpoint(root / "encoder"),
            write_checkpoint(root / "verifier", verifier=True),
        )
    for folder in folders:
        (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return folders


ITEMS = [
    Item("1", (Triple("Bex", "in", "Cork"),), "Bex, Cork."),
    Item("2", (Triple("Bex", "is", "city"),), "the city"),
    Item("3", (Triple("pub", "in", "Bex"),), "the pub!"),
]


def test_drift_of_both_models(made: tuple[Path, Path], tmp_path: Path) -> None:
    from adequa.training.export import export

    export(*made, out=tmp_path / "exact", precision="fp32")
    export(*made, out=tmp_path / "small")
    same = measure_drift(tmp_path / "exact", made, ITEMS)
    small = measure_drift(tmp_path / "small", made, ITEMS)
    assert set(same) == set(small) == {"similarity", *LOGITS}
    for name, one in same.items():
        assert one.largest == 0
        assert one.correlation == 1
        assert one.flips in (0, None)
        other = small[name]
        assert other.cases == one.cases
        assert other.largest > 0
        assert other.correlation > 0.8
    assert same["supported"].cases == same["similarity"].cases == len(ITEMS)
    assert same["stated"].cases == 3
    assert same["unsupported"].cases == same["disfluent"].cases > len(ITEMS)


def test_drift_of_one_model(made: tuple[Path, Path], tmp_path: Path) -> None:
    from adequa.training.export import export

    export(made[1], out=tmp_path / "small")
    assert set(measure_drift(tmp_path / "small", made[1:], ITEMS)) == LOGITS
    with pytest.raises(DataError, match="too few"):
        measure_drift(tmp_path / "small", made[1:], ITEMS[:1])


def test_what_could_not_be_read_has_its_place() -> None:
    from adequa.models.verifier import VerifierOutput

    check = VerifierOutput((1.0, None), (), (), (), None, np.zeros(2, dtype=np.float32))
    assert _logits([check, check], "stated").tolist() == pytest.approx(
        [1.0, np.nan, 1.0, np.nan], nan_ok=True
    )
    assert np.isnan(_logits([check], "supported")).all()
    assert _logits([check], "unsupported").tolist() == []
