"""A reader of twice the layers, made from a trained one and a deeper base model. Imports torch.

all-MiniLM-L6 consists of the even layers of the model from which gte-small was made, and the two
still share their coordinates: the odd layers of gte-small fit between those of a reader that was
trained from the former. They take effect step by step, so that what was learned is not lost.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from adequa.errors import DataError
from adequa.training.onnx import load_onnx
from adequa.training.torch_fit import silence
from adequa.training.torch_networks import VerifierNetwork, load_bert

DONOR = ("gte-small", "MIT")
"""The name and the licence of the model whose layers are added."""


def read_donor(folder: Path) -> BertModel:
    """The BERT of a folder with `config.json` and `onnx/model.onnx`, such as that of gte-small."""
    path = folder / "onnx" / "model.onnx"
    if not path.is_file():
        raise DataError("there is no such file", path=path, remedy="give the folder of gte-small")
    onnx = load_onnx()
    graph = onnx.load(str(path)).graph
    arrays = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:  # the matrices have no names of their own
        name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
        own = [one for one in node.input if one in arrays and arrays[one].ndim == 2]
        if node.op_type == "MatMul" and own:
            arrays[f"{name}.weight"] = arrays[own[0]].T
    config = BertConfig.from_json_file(str(folder / "config.json"))
    bert = BertModel(config, add_pooling_layer=False)
    state = bert.state_dict()
    known = {name: torch.tensor(arrays[name]) for name in state if name in arrays}
    missing = [name for name in state if name not in known and not name.endswith("position_ids")]
    if missing:
        raise DataError(f"has no {missing[0]}", path=path, remedy="give the folder of gte-small")
    bert.load_state_dict(known, strict=False)
    return bert


def grow_checkpoint(folder: Path, donor: BertModel, out: Path) -> None:
    """Write a checkpoint with twice the layers: behind each of its own an odd one of `donor`."""
    with silence():
        own = load_bert(folder)
    count, size = len(own.encoder.layer), own.config.hidden_size
    if len(donor.encoder.layer) != 2 * count or donor.config.hidden_size != size:
        raise DataError(
            f"has {count} layers of {size}, which do not fit {len(donor.encoder.layer)} of "
            f"{donor.config.hidden_size}",
            path=folder,
            remedy="give a model with twice as many of the same size",
        )
    layers = [
        layer
        for number in range(count)
        for layer in (own.encoder.layer[number], donor.encoder.layer[2 * number + 1])
    ]
    own.encoder.layer = nn.ModuleList(layers)
    own.config.num_hidden_layers = len(layers)
    own.save_pretrained(out)
    for name in ("vocab.txt", "heads.safetensors"):
        (out / name).write_bytes((folder / name).read_bytes())
    record = json.loads((folder / "training.json").read_text(encoding="utf-8"))
    base = record["base"]
    pairs = zip(("name", "licence"), DONOR, strict=True)
    both = {key: f"{base[key]} and {own}" for key, own in pairs}
    text = json.dumps({**record, "base": both}, ensure_ascii=False, indent=1)
    (out / "training.json").write_text(f"{text}\n", encoding="utf-8")


class LayerGates:
    """The odd layers of a network that has grown, which take effect over some steps.

    At 0 a layer passes on what it is given, at the end its own output.
    """

    def __init__(self, network: VerifierNetwork, steps: int) -> None:
        self.steps, self.share = steps, 1.0
        if steps:
            for layer in network.bert.encoder.layer[1::2]:
                layer.register_forward_hook(self._blend)

    def at(self, step: int) -> None:
        """Set how much the layers take effect."""
        self.share = min(1.0, step / self.steps) if self.steps else 1.0

    def _blend(self, _: nn.Module, given: tuple[Tensor, ...], made: Tensor) -> Tensor:
        return made if self.share == 1 else torch.lerp(given[0], made, self.share)
