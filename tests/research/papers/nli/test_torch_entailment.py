"""The small cross-encoder: it learns, resumes to the same weights, and serves `nli` as a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra train is not installed")
pytest.importorskip("transformers", reason="the extra train is not installed")
pytest.importorskip("accelerate", reason="the extra train is not installed")

from safetensors.torch import load_file  # noqa: E402

from adequa.data import Item, Triple  # noqa: E402
from adequa.errors import DataError  # noqa: E402
from adequa.metrics import load_metric  # noqa: E402
from adequa.models.pairs import NliLabels, open_pairs  # noqa: E402
from adequa.training.setup import find_base, read_tokenizer  # noqa: E402
from research.papers.nli.torch_entailment import (  # noqa: E402
    LABELS,
    EntailmentCollator,
    EntailmentNetwork,
    EntailmentSettings,
    train_entailment,
)
from research.relations.sources import Entailment  # noqa: E402

from ....training.bases import write_base  # noqa: E402

HYPOTHESES = {"entailment": "a town has", "neutral": "a town was", "contradiction": "a born was"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs whose hypothesis alone says the label, and RTE's label for two of them."""
    folder = tmp_path_factory.mktemp("data") / "entailment"
    folder.mkdir()
    for name in ("snli", "rte"):
        lines = ["premise,hypothesis,label"]
        for number in range(120):
            label = LABELS[number % 3]
            two = name == "rte" and label != "entailment"
            shown = "not_entailment" if two else label
            lines.append(f"the town {number} has a leader,{HYPOTHESES[label]},{shown}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def settings(base: Path, data: Path, out: Path, **more: object) -> EntailmentSettings:
    values = {
        "data": (data,), "base": base, "out": out, "steps": 60, "batch": 16, "rate": 2e-3,
        "longest": 40, "look_every": 30, "save_every": 20, "threads": 1,
    }  # fmt: skip
    return EntailmentSettings(**{**values, **more})  # type: ignore[arg-type]


def test_it_learns_three_labels_and_serves_nli(base: Path, data: Path, tmp_path: Path) -> None:
    done = train_entailment(settings(base, data, tmp_path / "model"))
    assert done.figures == {"all": 1.0, "rte": 1.0, "snli": 1.0}
    config = json.loads((tmp_path / "model" / "config.json").read_text(encoding="utf-8"))
    assert [config["id2label"][str(number)] for number in range(3)] == list(LABELS)
    pairs = open_pairs(str(tmp_path / "model"))
    labels = NliLabels.of(pairs)
    asked = [("the town 500 has a leader", hypothesis) for hypothesis in HYPOTHESES.values()]
    likely = [max(range(3), key=row.__getitem__) for row in pairs.probabilities(asked) if row]
    assert likely == [labels.entailment, labels.neutral, labels.contradiction]
    item = Item("1", (Triple("Oslo", "country", "Norway"),), "Oslo is in Norway.")
    (score,) = load_metric("nli", model=str(tmp_path / "model")).score([item])
    assert score.verdict is not None


def test_the_saved_classifier_gives_the_trained_logits(
    base: Path, data: Path, tmp_path: Path
) -> None:
    """The tokenizer and the head of transformers read a pair as training did."""
    train_entailment(settings(base, data, tmp_path / "model", steps=2))
    trained = open_pairs(str(tmp_path / "model"))
    (found,) = trained.probabilities([("The town: Oslo!", "a leader, born")])
    network = EntailmentNetwork(_bert(tmp_path / "model"))
    weights = load_file(tmp_path / "model" / "model.safetensors")
    network.dense.load_state_dict(_part(weights, "bert.pooler.dense."))
    network.classifier.load_state_dict(_part(weights, "classifier."))
    collator = EntailmentCollator([], read_tokenizer(find_base(base).folder), size=1, longest=40)
    batch = collator.collate([Entailment("The town: Oslo!", "a leader, born", "neutral", "x")])
    with torch.no_grad():
        expected = torch.softmax(network.eval().logits(**batch["inputs"]), dim=-1)[0].tolist()
    assert found == pytest.approx(expected, abs=1e-5)


def _bert(folder: Path) -> torch.nn.Module:
    from transformers import BertModel

    model: torch.nn.Module = BertModel.from_pretrained(folder, add_pooling_layer=False)
    return model


def _part(weights: dict[str, torch.Tensor], head: str) -> dict[str, torch.Tensor]:
    return {
        name.removeprefix(head): weight for name, weight in weights.items() if name.startswith(head)
    }


def test_a_resumed_training_ends_with_the_same_weights(
    base: Path, data: Path, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train_entailment(settings(base, data, whole, steps=6, save_every=3))

    def stop(what: str, done: int, total: int) -> None:
        if what == "steps" and done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_entailment(settings(base, data, parts, steps=6, save_every=3), stop)
    with pytest.raises(DataError, match="has a training already"):
        train_entailment(settings(base, data, parts, steps=6, save_every=3))
    train_entailment(settings(base, data, parts, steps=6, save_every=3, resume=True))
    first, second = (load_file(folder / "model.safetensors") for folder in (whole, parts))
    assert set(first) == set(second)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_pair_that_is_too_long_keeps_its_hypothesis(base: Path) -> None:
    tokens = read_tokenizer(find_base(base).folder)
    collator = EntailmentCollator([], tokens, size=1, longest=16)
    pair = Entailment("the town is in the country of the leader " * 3, "a town is", "neutral", "x")
    inputs = collator.collate([pair])["inputs"]
    assert inputs["ids"].shape == (1, 16)
    hypothesis = inputs["ids"][0][inputs["types"][0] == 1].tolist()
    assert hypothesis[:3] == tokens.numbers("a town is")
    words = tokens.join(tokens.pieces("a"), [tokens.numbers("a")]).ids
    assert inputs["ids"][0, 0] == words[0]
    assert inputs["ids"][0][inputs["types"][0] == 0][-1] == words[2]  # [SEP] ends the premise


def test_not_entailed_is_either_of_the_others(base: Path) -> None:
    network = EntailmentNetwork(_bert(base))
    collator = EntailmentCollator([], read_tokenizer(base), size=1, longest=40)
    pairs = [Entailment("a town", "is", label, "x") for label in (*LABELS, "not_entailment")]
    with torch.no_grad():
        losses = [float(network(**collator.collate([pair]))["loss"]) for pair in pairs]
    likely = [pow(2.718281828459045, -loss) for loss in losses]
    assert sum(likely[:3]) == pytest.approx(1, abs=1e-5)
    assert likely[3] == pytest.approx(likely[0] + likely[1], abs=1e-5)


def test_a_folder_without_pairs_is_named(base: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no pair of premise and hypothesis"):
        train_entailment(settings(base, tmp_path, tmp_path / "out"))
