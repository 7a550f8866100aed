"""An examination for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adequa.doctor.examination import Cell, Examination, Share
from adequa.doctor.examples import Missed
from adequa.doctor.thresholds import Accepting, Advice
from adequa.doctor.words import conclusions

__all__ = ["cell_object", "to_object"]


def to_object(
    examination: Examination, *, missed: Sequence[Missed] = (), advice: Sequence[Advice] = ()
) -> dict[str, Any]:
    """All of it as JSON."""
    return {
        "originals": examination.originals,
        "metrics": dict(examination.signatures),
        "perturbations": [
            {
                "name": made.perturbation.name,
                "side": made.perturbation.side,
                "change": made.perturbation.doc,
                "kinds": sorted(made.perturbation.kinds),
                "items": made.items,
                "allowed": made.allowed,
                "cases": len(made.cases),
            }
            for made in examination.made
        ],
        "cells": [cell_object(cell) for cell in examination.cells],
        "unchanged": [
            {
                "metric": one.metric,
                "texts": examination.originals,
                "score": _number(one.score),
                "not_scorable": one.unscored,
                "complains": _share_object(one.any),
                "omission": _share_object(one.omission),
                "hallucination": _share_object(one.hallucination),
            }
            for one in examination.alarms
        ],
        "conclusions": conclusions(examination),
        "missed": [_missed_object(one) for one in missed],
        "thresholds": [_advice_object(one) for one in advice],
    }


def cell_object(cell: Cell) -> dict[str, Any]:
    """One metric on one perturbation."""
    return {
        "perturbation": cell.perturbation,
        "metric": cell.metric,
        "cases": len(cell.seen),
        "not_scorable": cell.unscored,
        "falls": _share_object(cell.falls),
        "ties": cell.ties,
        "change": _number(cell.change),
        "auc": _number(cell.auc),
        "noticed": _share_object(cell.noticed),
        "right_place": _share_object(cell.located),
    }


def _share_object(share: Share) -> dict[str, Any]:
    interval = share.interval
    return {
        "count": share.count,
        "total": share.total,
        "value": _number(share.value),
        "interval": None if interval is None else [_number(end) for end in interval],
    }


def _missed_object(missed: Missed) -> dict[str, Any]:
    case = missed.case
    return {
        "metric": missed.metric,
        "perturbation": missed.perturbation,
        "system": case.original.system,
        "id": case.original.id,
        "what": case.what,
        "scores": [_number(missed.original), _number(missed.changed)],
        "before": {"text": case.original.text, "spans": [list(one) for one in case.before]},
        "after": {
            "text": case.changed.text,
            "spans": [list(one) for one in case.after],
            "triples": [list(one) for one in case.changed.triples],
        },
    }


def _advice_object(advice: Advice) -> dict[str, Any]:
    return {
        "metric": advice.metric,
        "labelled": advice.labelled,
        "bad": advice.bad,
        "risk": advice.target,
        "level": advice.level,
        "recommended": None if advice.chosen is None else _step_object(advice.chosen),
        "why": advice.why,
        "curve": [_step_object(one) for one in advice.curve],
    }


def _step_object(step: Accepting) -> dict[str, Any]:
    return {
        "threshold": step.threshold,
        "coverage": _share_object(step.coverage),
        "risk": _share_object(step.risk),
        "bound": _number(step.bound),
    }


def _number(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
