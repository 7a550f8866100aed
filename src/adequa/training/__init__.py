"""Training of encoder and verifier on your own data, calibration, and export to ONNX.

Nothing here imports torch before a training starts (extra `train`).
"""

from adequa.training.calibration import calibrate, read_labelled
from adequa.training.encoder import EncoderSettings, train_encoder
from adequa.training.export import export as export_weights
from adequa.training.setup import TrainingResult
from adequa.training.verifier import (
    CaseComposer,
    Cases,
    TrainingCase,
    VerifierSettings,
    train_verifier,
)

__all__ = [
    "CaseComposer",
    "Cases",
    "EncoderSettings",
    "TrainingCase",
    "TrainingResult",
    "VerifierSettings",
    "calibrate",
    "export_weights",
    "read_labelled",
    "train_encoder",
    "train_verifier",
]
