"""The only room that loads weights: encoders, the verifier, classifiers of text pairs, calibration.

Importing it loads neither numpy nor onnxruntime; models are loaded at their first use.
"""

from adequa.models.calibration import Calibration, Line
from adequa.models.encoder import ShippedEncoder, load_encoder
from adequa.models.hub import HubEncoder, HubPairs
from adequa.models.pairs import NliLabels, OnnxPairs, Pairs, open_pairs
from adequa.models.records import RecordReader, SentenceReading, load_record_reader
from adequa.models.relations import NamedText, RelationReader, load_relation_reader
from adequa.models.runtime import Network, PerProcess, WordTable
from adequa.models.shipped import (
    DEFAULT,
    Weights,
    chosen_weights,
    licence_of,
    versions,
    weights,
)
from adequa.models.verifier import (
    TextAndGraph,
    Verifier,
    VerifierOutput,
    VerifierPair,
    load_verifier,
)
from adequa.models.wordpiece import WordPiece

__all__ = [
    "DEFAULT", "Calibration", "HubEncoder", "HubPairs", "Line", "NamedText", "Network", "NliLabels",
    "OnnxPairs", "Pairs", "PerProcess", "RecordReader", "RelationReader", "SentenceReading",
    "ShippedEncoder", "TextAndGraph", "Verifier", "VerifierOutput", "VerifierPair", "Weights",
    "WordPiece", "WordTable", "chosen_weights", "licence_of", "load_encoder", "load_record_reader",
    "load_relation_reader", "load_verifier", "open_pairs", "versions", "weights",
]  # fmt: skip
