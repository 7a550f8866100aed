"""One library of faults: known changes of texts and graphs for doctor, training and benchmarks.

An operator (`adequa.perturb.texts`, `claims`, `graphs`) takes a `Document`, the `Knowledge` of
its corpus and a random generator, and gives `Change`s; `draw` takes one of them.
"""

from adequa.perturb.cases import (
    PERTURBATIONS,
    Perturbation,
    PerturbedCase,
    PerturbedSet,
    draw_items,
    make_cases,
    named_perturbations,
)
from adequa.perturb.documents import (
    FALSE,
    TRUE,
    UNKNOWN,
    Change,
    Document,
    Edit,
    LabelledDocument,
    LabelledSpan,
    MarkedText,
    read_documents,
    read_marks,
)
from adequa.perturb.knowledge import Knowledge, NameEntry, NamePool
from adequa.perturb.texts import Operator, draw

__all__ = [
    "FALSE", "PERTURBATIONS", "TRUE", "UNKNOWN", "Change", "Document", "Edit", "Knowledge",
    "LabelledDocument", "LabelledSpan", "MarkedText", "NameEntry", "NamePool", "Operator",
    "Perturbation", "PerturbedCase", "PerturbedSet", "draw", "draw_items", "make_cases",
    "named_perturbations", "read_documents", "read_marks",
]  # fmt: skip
