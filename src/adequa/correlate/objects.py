"""A study for machines: JSON, and rows of one long table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from adequa.correlate.model import Agreement, Beaten, Ranking, Study
from adequa.tables import Cell

__all__ = ["to_object", "to_rows"]


def to_object(study: Study) -> dict[str, Any]:
    """The study as JSON; what was not asked for is null."""
    options = study.options
    return {
        "n": len(study.sample),
        "inputs": len({identifier for _, identifier in study.sample.keys}),
        "systems": list(study.sample.system_names),
        "metrics": {one.name: {"higher_is_better": one.higher_is_better} for one in study.measured},
        "criteria": list(study.sample.criteria),
        "interval": {"confidence": options.confidence, "n": options.n, "seed": options.seed},
        "results": _agreements(study.results),
        "ceiling": _agreements(study.ceiling) or None,
        "same_footing": _agreements(study.footing) or None,
        "comparisons": [_comparison(one) for one in study.comparisons] or None,
        "matrix": _agreements(study.matrices) or None,
        "ranking": [_ranking(one) for one in study.ranking] or None,
        "notes": list(study.notes),
    }


def to_rows(study: Study) -> list[dict[str, Cell]]:
    """Every number of the study in one list, each row with the part it belongs to."""
    rows: list[dict[str, Cell]] = []
    for part, found in (
        ("result", study.results),
        ("ceiling", study.ceiling),
        ("same_footing", study.footing),
        ("matrix", study.matrices),
    ):
        rows += [{"part": part, **_agreement(one)} for one in found]
    rows += [{"part": "comparison", **_comparison(one)} for one in study.comparisons]
    for ranking in study.ranking:
        rows += [
            {"part": "ranking", "metric": ranking.metric, **system}
            for system in _ranking(ranking)["systems"]
        ]
    return rows


def _agreements(found: Sequence[Agreement]) -> list[dict[str, Cell]]:
    return [_agreement(one) for one in found]


def _agreement(one: Agreement) -> dict[str, Cell]:
    low, high = one.interval or (None, None)
    row: dict[str, Cell] = {
        "metric": one.metric,
        "criterion": one.criterion,
        "level": one.level,
        "coefficient": one.coefficient,
        "subset": one.subset,
        "value": _rounded(one.value),
        "low": _rounded(low),
        "high": _rounded(high),
        "p": _digits(one.p),
        "n": one.n,
    }
    if one.groups is not None:
        row["groups"] = one.groups
    if one.epsilon is not None:
        row["epsilon"] = _digits(one.epsilon)
    return row


def _comparison(one: Beaten) -> dict[str, Cell]:
    row: dict[str, Cell] = asdict(one)
    return {
        name: _digits(value) if isinstance(value, float) else value for name, value in row.items()
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "metric": ranking.metric,
        "kind": ranking.kind,
        "kendall": _rounded(ranking.kendall),
        "systems": [
            {
                "system": rank.system,
                "sample": _rounded(rank.sample),
                "sample_rank": rank.sample_rank,
                "texts": rank.texts,
                "all": _rounded(rank.whole),
                "all_rank": rank.whole_rank,
                "all_texts": rank.all_texts,
                "change": rank.change,
            }
            for rank in ranking.ranks
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6) + 0.0


def _digits(value: float | None) -> float | None:
    """Six digits that count: a tiny p is not zero."""
    return None if value is None else float(f"{value:.6g}")
