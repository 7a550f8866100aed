"""A reader grows: layers of a deeper model between its own, which take effect step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra train is not installed")
transformers = pytest.importorskip("transformers", reason="the extra train is not installed")
onnx = pytest.importorskip("onnx", reason="the extra train is not installed")
pytest.importorskip("accelerate", reason="the extra train is not installed")

from adequa.errors import DataError  # noqa: E402
from research.relations.torch_growth import (  # noqa: E402
    LayerGates,
    grow_checkpoint,
    read_donor,
)
from research.relations.torch_training import load_checkpoint, train_relations  # noqa: E402

from .test_torch_training import settings  # noqa: E402
from .tiny import mixture, write_base, write_data  # noqa: E402


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    data = mixture(write_data(folder / "data"))
    return train_relations(settings(write_base(folder / "base"), folder / "out", steps=1), data).out


def donor_of(reader: Path, layers: int) -> transformers.BertModel:
    config = transformers.BertConfig.from_pretrained(reader)
    config.num_hidden_layers = layers
    torch.manual_seed(3)
    return transformers.BertModel(config, add_pooling_layer=False)


def write_onnx(model: transformers.BertModel, folder: Path, *, without: str = "") -> Path:
    """The constants of a model, the matrices by their nodes, as gte-small's file has them."""
    (folder / "onnx").mkdir(parents=True)
    model.config.to_json_file(folder / "config.json")
    arrays, nodes = [], []
    for number, (name, one) in enumerate(model.state_dict().items()):
        if name == without:
            continue
        matrix = one.ndim == 2 and ".layer." in name
        own = f"matrix_{number}" if matrix else name
        array = one.numpy().T if matrix else one.numpy()
        arrays.append(onnx.numpy_helper.from_array(array.copy(), own))
        if matrix:
            path = "/" + name.removesuffix(".weight").replace(".", "/").replace(
                "/layer/", "/layer."
            )
            node = onnx.helper.make_node("MatMul", ["x", own], ["y"], name=f"{path}/MatMul")
            nodes.append(node)
    graph = onnx.helper.make_graph(nodes, "bert", [], [], arrays)
    onnx.save(onnx.helper.make_model(graph), str(folder / "onnx" / "model.onnx"))
    return folder


def test_the_donor_is_read_from_its_constants(reader: Path, tmp_path: Path) -> None:
    donor = donor_of(reader, 4)
    found = read_donor(write_onnx(donor, tmp_path / "donor")).state_dict()
    assert all(torch.equal(one, found[name]) for name, one in donor.state_dict().items())


def test_a_file_without_a_matrix_or_no_file_is_refused(reader: Path, tmp_path: Path) -> None:
    name = "encoder.layer.0.output.dense.weight"
    folder = write_onnx(donor_of(reader, 4), tmp_path / "donor", without=name)
    with pytest.raises(DataError, match=name):
        read_donor(folder)
    with pytest.raises(DataError, match=r"model\.onnx"):
        read_donor(tmp_path)


def test_added_layers_take_effect_step_by_step(reader: Path, tmp_path: Path) -> None:
    before, _ = load_checkpoint(reader)
    count = len(before.bert.encoder.layer)
    donor = donor_of(reader, 2 * count)
    grow_checkpoint(reader, donor, tmp_path / "grown")
    grown, _ = load_checkpoint(tmp_path / "grown")
    layers = grown.bert.encoder.layer
    assert len(layers) == 2 * count
    own, given = layers[1].state_dict(), donor.encoder.layer[1].state_dict()
    assert all(torch.equal(own[name], given[name]) for name in own)
    gates = LayerGates(grown, 10)
    ids = torch.tensor([[2, 8, 9, 3, 10, 3]])
    inputs = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    with torch.inference_mode():
        expected = before.eval().logits(*inputs)[0]
        apart = []
        for step in (0, 5, 10):
            gates.at(step)
            apart.append(float((grown.eval().logits(*inputs)[0] - expected).abs().max()))
        last = load_checkpoint(tmp_path / "grown")[0].eval().logits(*inputs)[0]
    assert apart[0] == pytest.approx(0, abs=1e-6)
    assert apart[1] > 0
    assert apart[2] == pytest.approx(float((last - expected).abs().max()), abs=1e-6)


def test_a_training_opens_the_gates(reader: Path, tmp_path: Path) -> None:
    count = len(load_checkpoint(reader)[0].bert.encoder.layer)
    grow_checkpoint(reader, donor_of(reader, 2 * count), tmp_path / "grown")
    data = mixture(write_data(tmp_path / "data"))
    found = train_relations(settings(tmp_path / "grown", tmp_path / "out", grow=2), data)
    assert found.training["recipe"]["grow"] == 2
    assert found.training["base"]["name"].endswith(" and gte-small")
    assert len(load_checkpoint(found.out)[0].bert.encoder.layer) == 2 * count


def test_a_donor_of_another_depth_is_refused(reader: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="do not fit 3"):
        grow_checkpoint(reader, donor_of(reader, 3), tmp_path / "grown")
