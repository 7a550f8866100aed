"""The training: two steps on a tiny BERT, exact resuming, its checkpoint and its loss."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra train is not installed")
pytest.importorskip("transformers", reason="the extra train is not installed")
pytest.importorskip("accelerate", reason="the extra train is not installed")

from safetensors.torch import load_file  # noqa: E402

from adequa.errors import DataError, SettingError  # noqa: E402
from adequa.models.relations import PLACEHOLDERS, RelationReader, load_relation_reader  # noqa: E402
from adequa.training import export_weights  # noqa: E402
from adequa.training.setup import find_base, read_tokenizer  # noqa: E402
from research.relations.figures import HeldOut, name_claim  # noqa: E402
from research.relations.mixture import Mixture  # noqa: E402
from research.relations.rows import EncodedGroup, FactRow  # noqa: E402
from research.relations.torch_training import (  # noqa: E402
    ABOVE,
    MARGIN,
    SURNAMES,
    MovingAverage,
    RelationSettings,
    average_checkpoints,
    count_parts,
    load_checkpoint,
    load_network,
    measure,
    open_run,
    stack_loss,
    train_relations,
)

from .tiny import COMPANY, TOWN, mixture, write_base, write_data  # noqa: E402

RIGHT = (TOWN.text, TOWN.triples)
HELD_OUT = HeldOut(twins={"x": [(RIGHT, RIGHT)]}, entailments=[])


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Mixture:
    return mixture(write_data(tmp_path_factory.mktemp("relations") / "data"))


def settings(base: Path, out: Path, **more: object) -> RelationSettings:
    values = {
        "data": (base,), "lexicon": base, "base": base, "out": out, "steps": 4, "batch": 256,
        "pool": 30, "stacks": 2, "warm_up": 2, "look_every": 2, "save_every": 3, "threads": 1,
    }  # fmt: skip
    return RelationSettings(**{**values, **more})  # type: ignore[arg-type]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return {**load_file(folder / "model.safetensors"), **load_file(folder / "heads.safetensors")}


def test_a_training_writes_a_checkpoint_and_a_log(
    base: Path, tiny: Mixture, tmp_path: Path
) -> None:
    seen = []
    result = train_relations(
        settings(base, tmp_path / "out"), tiny, HELD_OUT, progress=lambda *done: seen.append(done)
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert result.figures == {"x": 0.5}
    record = json.loads((tmp_path / "out" / "training.json").read_text(encoding="utf-8"))
    assert record["kind"] == "relations"
    assert record["done"]["step"] == 4
    assert all({"name", "items"} <= one.keys() for one in record["data"])
    lines = (tmp_path / "out" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    log = [json.loads(line) for line in lines]
    assert [line["step"] for line in log] == [2, 4]
    assert {"stated", "above", "dev_x"} <= log[-1].keys()


def test_a_stopped_training_resumes_exactly(base: Path, tiny: Mixture, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train_relations(settings(base, whole), tiny, HELD_OUT)
    done: list[int] = []
    train_relations(
        settings(base, parts),
        tiny,
        HELD_OUT,
        stop=lambda: len(done) == 2,
        progress=lambda step, _: done.append(step),
    )
    assert done == [1, 2]
    train_relations(settings(base, parts, resume=True), tiny, HELD_OUT)
    expected, found = weights(whole), weights(parts)
    assert expected.keys() == found.keys()
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    first, second = (torch.load(one / "state.pt", weights_only=True) for one in (whole, parts))
    assert all(torch.equal(one, second["network"][name]) for name, one in first["network"].items())
    assert first["done"]["rows"] == second["done"]["rows"]
    assert len((parts / "log.jsonl").read_text().splitlines()) == 2


def test_a_training_is_resumed_only_if_asked_and_with_its_recipe(
    base: Path, tiny: Mixture, tmp_path: Path
) -> None:
    train_relations(settings(base, tmp_path / "out", steps=1), tiny)
    with pytest.raises(DataError, match="resume=True"):
        train_relations(settings(base, tmp_path / "out", steps=1), tiny)
    with pytest.raises(DataError, match="other recipe"):
        train_relations(settings(base, tmp_path / "out", steps=1, stacks=3, resume=True), tiny)


@pytest.mark.parametrize(("name", "value"), [("stacks", 0), ("fall", 1.0), ("average", -0.1)])
def test_settings_without_sense_are_refused(base: Path, tmp_path: Path, name, value) -> None:
    with pytest.raises(SettingError, match=name):
        settings(base, tmp_path, **{name: value})


def test_the_rate_rises_and_falls(base: Path, tmp_path: Path) -> None:
    own = settings(base, tmp_path, steps=10, fall=0.5)
    assert [own.rate_at(step) for step in (0, 1, 4, 5)] == [0.5, 1.0, 1.0, 1.0]
    assert own.rate_at(10) == pytest.approx(0.1)
    assert replace(own, fall=0.0).rate_at(9) == 1.0


def test_placeholders_have_the_vectors_of_surnames(base: Path, tmp_path: Path) -> None:
    tokens = read_tokenizer(base)
    network = load_network(find_base(base), tokens, settings(base, tmp_path))
    table = network.bert.embeddings.word_embeddings.weight
    for placeholder, name in zip(PLACEHOLDERS, SURNAMES, strict=True):
        assert torch.equal(table[tokens.ids[placeholder]], table[tokens.ids[name]])
    assert not table.requires_grad


def test_a_base_without_a_needed_word_is_refused(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base", lacking="smith")
    with pytest.raises(DataError, match="smith"):
        load_network(find_base(base), read_tokenizer(base), settings(base, tmp_path))


class Fixed:
    """A network whose logit of a token is its number, divided by 10."""

    def logits(self, ids, mask, types):
        return torch.stack([ids.float() / 10] * 3, dim=-1), ids[:, 0]


def test_the_loss_has_labels_and_a_margin() -> None:
    rows = (FactRow((1, 20), 1, 1), FactRow((1, 10), 1, 0))
    stack = [EncodedGroup("x", rows, ((0, 1),))]
    totals = count_parts([stack])
    assert totals == {"stated": 2, "above": 1}
    loss, parts = stack_loss(Fixed(), stack, totals)
    stated = (torch.tensor(-2.0).exp().log1p() + torch.tensor(1.0).exp().log1p()) / 2
    assert parts["stated"] == pytest.approx(float(stated))
    assert parts["above"] == pytest.approx(MARGIN - 1)
    assert float(loss) == pytest.approx(parts["stated"] + ABOVE * parts["above"])


def test_the_mean_of_two_stages_is_a_checkpoint(base: Path, tiny: Mixture, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    train_relations(settings(base, first, steps=1), tiny)
    train_relations(settings(first, second, steps=1, seed=2), tiny)
    average_checkpoints([first, second], tmp_path / "mean", HELD_OUT)
    record = json.loads((tmp_path / "mean" / "training.json").read_text(encoding="utf-8"))
    assert record["figures"] == {"dev": {"x": 0.5}}
    assert record["limits"].startswith("English.")
    one, other, found = (weights(folder) for folder in (first, second, tmp_path / "mean"))
    for name, weight in found.items():
        assert torch.allclose(weight, (one[name] + other[name]) / 2), name
    export_weights(tmp_path / "mean", out=tmp_path / "weights")
    with pytest.raises(FileNotFoundError):
        average_checkpoints([first, base], tmp_path / "other")


def test_the_average_is_applied_for_a_while() -> None:
    network = torch.nn.Linear(1, 1, bias=False)
    average = MovingAverage(network, 0.5)
    start = network.weight.item()
    with torch.no_grad():
        network.weight += 1
    average.add(network, step=100)
    with average.applied(network):
        assert network.weight.item() == pytest.approx(start + 0.5)
    assert network.weight.item() == pytest.approx(start + 1)


def test_the_checkpoint_reads_alike_in_torch_and_exported(
    base: Path, tiny: Mixture, tmp_path: Path
) -> None:
    train_relations(settings(base, tmp_path / "out", steps=1), tiny)
    network, tokens = load_checkpoint(tmp_path / "out")
    assert measure(network, tokens, HELD_OUT) == {"x": 0.5}
    export_weights(tmp_path / "out", out=tmp_path / "weights", precision="fp32")
    exported = load_relation_reader(str(tmp_path / "weights"))
    assert exported is not None
    texts = [name_claim(one.text, one.triples) for one in (COMPANY, TOWN)]
    expected = RelationReader(tokens, open_run(network.eval())).read(texts)
    for one, other in zip(exported.read(texts), expected, strict=True):
        assert one == pytest.approx(other, abs=1e-3)
