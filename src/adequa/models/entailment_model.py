"""Models for natural language inference: folders and names of the hub, and what labels mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from adequa.errors import ModelError
from adequa.models.pair_folder import onnx_file, read_config

if TYPE_CHECKING:
    from adequa.models.hub import HubPairs
    from adequa.models.onnx_pairs import OnnxPairs

__all__ = ["Labels", "Pairs", "open_pairs"]

_ENTAILMENT = ("entailment", "entailed", "entails", "entail", "supported", "supports", "consistent")
_CONTRADICTION = ("contradiction", "contradicted", "contradicts", "contradictory", "contradict")
_REFUTED = ("refuted", "refutes", "conflicting")
_NEUTRAL = ("neutral", "not_enough_info", "nei", "unknown", "unrelated")
_UNNAMED = re.compile(r"label_\d+|\d+")
_APART = re.compile(r"[^a-z]+")
_HUB_NAME = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?", re.ASCII)
_EXAMPLE = '{"0": "contradiction", "1": "neutral", "2": "entailment"}'


class Pairs(Protocol):
    """A classifier of two texts: premise and hypothesis."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...] | None]:
        """A probability a label for each pair; None for a pair that is too long."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Which columns of a classifier mean what; None where it has no such label."""

    entailment: int
    contradiction: int | None = None
    neutral: int | None = None

    @classmethod
    def of(cls, pairs: HubPairs | OnnxPairs) -> Labels:
        """What the labels of a classifier mean."""
        return cls.read(pairs.model, pairs.labels)

    @classmethod
    def read(cls, model: str, names: Sequence[str]) -> Labels:
        """What the labels of a model mean, by their names in any order and case; never by a guess.

        >>> Labels.read("some-model", ["ENTAILMENT", "not_entailment"])
        Labels(entailment=0, contradiction=None, neutral=None)
        """
        plain = [_APART.sub("_", name.casefold()).strip("_") for name in names]
        entailment = _column(model, names, plain, _ENTAILMENT)
        if entailment is None:
            said = ", ".join(names) or "none"
            if names and all(_UNNAMED.fullmatch(name.casefold()) for name in names):
                raise ModelError(
                    f"{model}: its labels have no names ({said}); copy the model into a folder and "
                    f"write id2label into its config.json as its card has it, such as {_EXAMPLE}"
                )
            raise ModelError(
                f"{model}: none of its labels is entailment: {said}; name a model for natural "
                f"language inference, or correct id2label in its config.json, such as {_EXAMPLE}"
            )
        contradiction = _column(model, names, plain, (*_CONTRADICTION, *_REFUTED))
        return cls(entailment, contradiction, _column(model, names, plain, _NEUTRAL))

    def entailed(self, row: Sequence[float]) -> float:
        """Above one half exactly where entailment is the most likely label.

        >>> Labels(2).entailed([0.25, 0.25, 0.5])
        0.6666666666666666
        """
        return _against_others(row, self.entailment)

    def contradicted(self, row: Sequence[float]) -> float | None:
        """Above one half exactly where contradiction is the most likely label."""
        return None if self.contradiction is None else _against_others(row, self.contradiction)


def _against_others(row: Sequence[float], column: int) -> float:
    """A label's probability against that of its strongest rival."""
    own = row[column]
    rival = max((one for number, one in enumerate(row) if number != column), default=1 - own)
    return own / (own + rival) if own > 0 else 0.0


def _column(
    model: str, names: Sequence[str], plain: Sequence[str], known: Sequence[str]
) -> int | None:
    columns = [number for number, name in enumerate(plain) if name in known]
    if len(columns) > 1:
        said = " and ".join(names[number] for number in columns)
        raise ModelError(
            f"{model}: the labels {said} mean the same; correct id2label in its config.json"
        )
    return columns[0] if columns else None


def open_pairs(model: str, revision: str | None = None) -> HubPairs | OnnxPairs:
    """A model in a local folder, run by ONNX where the folder has such a file, or one of the hub.

    What a folder lacks is said at once; weights load with the first pair.
    """
    folder = Path(model)
    if folder.is_dir():
        read_config(folder)
        if revision is not None:
            raise ModelError(
                f"{model}: is a folder, which has no revision {revision!r}; leave revision out"
            )
        if onnx_file(folder) is not None:
            from adequa.models.onnx_pairs import OnnxPairs

            return OnnxPairs(model)
    elif folder.exists() or not _HUB_NAME.fullmatch(model):
        problem = "is no folder" if folder.exists() else "there is no such folder"
        raise ModelError(
            f"{model}: {problem}; give the folder of a model, or a name of the hub such as "
            "roberta-large-mnli"
        )
    from adequa.models.hub import HubPairs

    return HubPairs(model, revision)
