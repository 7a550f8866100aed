"""Questions to choose from: those of two WebNLG campaigns in our words, and marking errors."""

from __future__ import annotations

from collections.abc import Mapping

from adequa.human.campaign.model import Choice, Question

__all__ = ["PRESETS", "SPANS"]


def _scale(*labels: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, label) for value, label in enumerate(labels, start=1))


_WEBNLG_2017 = (
    Question(
        "semantics",
        "How well does the text give the meaning of the data?",
        "choice",
        _scale("Incorrectly", "Medium", "Correctly"),
    ),
    Question(
        "grammar",
        "How are its grammar and spelling?",
        "choice",
        _scale("Ungrammatical", "Medium", "Grammatical"),
    ),
    Question(
        "fluency",
        "How fluent and natural does it sound?",
        "choice",
        _scale("Not fluent", "Medium", "Fluent"),
    ),
)


def _slider(name: str, text: str) -> Question:
    return Question(name, text, "slider", low_label="not at all", high_label="completely")


_WEBNLG_2020 = (
    _slider("DataCoverage", "Does the text say something about every fact in the data?"),
    _slider("Relevance", "Does the text say only what is in the data, and nothing else?"),
    _slider("Correctness", "Where the text takes up a fact, does it say it as the data does?"),
    _slider("TextStructure", "Is the text well formed: grammatical and well put together?"),
    _slider("Fluency", "Does the text read naturally, with its sentences following on well?"),
)

SPANS = Question(
    "errors",
    "Mark each part of the text that the data does not support, and tick each fact it leaves out.",
    "spans",
    labels=("not in the data", "contradicts the data"),
    omissions=True,
)
"""May be added to any set of questions."""

PRESETS: Mapping[str, tuple[Question, ...]] = {
    "webnlg2017": _WEBNLG_2017,
    "webnlg2020": _WEBNLG_2020,
    "spans": (SPANS,),
}
"""By name: three questions with answers 1 to 3 (paper 004), five sliders from 0 to 100, marks."""
