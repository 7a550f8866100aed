"""The entities of some data in a text: names, the mention detector, and judgments for `esa`.

`Detector` finds mentions, `judge` decides what is missing or unexplained, and `evaluate_mentions`
compares a detector with gold mentions. The REL client is in `linker`, aliases are in `aliases`, the
model of how likely a finding on a record is right is in `credibility`.
"""

from adequa.entities.candidates import Candidate
from adequa.entities.coreference import PRONOUNS, StanzaCoreference
from adequa.entities.detector import Detection, Detector
from adequa.entities.evaluation import (
    Disagreement,
    MentionAgreement,
    MentionEvaluation,
    Prediction,
    evaluate_mentions,
    find_disagreements,
    gold_spans,
    mention_detector,
    mention_key,
    write_predictions,
)
from adequa.entities.graph import Entity, Graph, compile_graph
from adequa.entities.judgment import (
    EntityJudgment,
    JudgmentSettings,
    find_mentions,
    judge,
    read_findings,
    read_phrases,
)
from adequa.entities.mentions import Judge, Option, WeightsJudge, load_weights, probabilities
from adequa.entities.owners import say_fact
from adequa.entities.paper import PaperDetector, greedy_matches
from adequa.entities.unexplained import UnexplainedSpan, find_unexplained
from adequa.entities.values import DataValues, Denial, is_counterpart, values_of

__all__ = [
    "PRONOUNS", "Candidate", "DataValues", "Denial", "Detection", "Detector", "Disagreement",
    "Entity", "EntityJudgment", "Graph", "Judge", "JudgmentSettings", "MentionAgreement",
    "MentionEvaluation", "Option", "PaperDetector", "Prediction", "StanzaCoreference",
    "UnexplainedSpan", "WeightsJudge", "compile_graph", "evaluate_mentions", "find_disagreements",
    "find_mentions", "find_unexplained", "gold_spans", "greedy_matches", "is_counterpart", "judge",
    "load_weights", "mention_detector", "mention_key", "probabilities", "read_findings",
    "read_phrases", "say_fact", "values_of", "write_predictions",
]  # fmt: skip
