"""Omissions and hallucinations by entailment: evidence, verdict, templates.

`extraction` (templates from texts) and `pairs` (other models) are imported where they are used:
they load the detector's training data readers and the runtime of models.
"""

from adequa.metrics.nli.evidence import Evidence, VerifierEvidence
from adequa.metrics.nli.metric import VERIFIER_LIMITS, Nli
from adequa.metrics.nli.signs import Weigher, Weighing, read_weighing
from adequa.metrics.nli.templates import (
    ANY,
    OBJECT,
    SUBJECT,
    Template,
    Templates,
    read_templates,
    require_free_path,
    shipped_cues,
    write_templates,
)
from adequa.metrics.nli.verdict import CLASSES

__all__ = [
    "ANY", "CLASSES", "OBJECT", "SUBJECT", "VERIFIER_LIMITS", "Evidence", "Nli", "Template",
    "Templates", "VerifierEvidence", "Weigher", "Weighing", "read_templates", "read_weighing",
    "require_free_path", "shipped_cues", "write_templates",
]  # fmt: skip
