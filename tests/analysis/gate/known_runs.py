"""Lines of runs whose truth is known."""

from __future__ import annotations

from typing import Any


def line(
    number: int, *, system: str, esa: float | None, missing: int, facts: int
) -> dict[str, Any]:
    """An item of which the first `missing` of its facts are not said."""
    triples = [[f"Ferry_{number}", f"fact{one}", f"value {one}"] for one in range(facts)]
    verdict = "omission" if missing else "OK"
    why = "the text does not say it"
    return {
        "id": f"Id{number}",
        "system": system,
        "triples": triples,
        "text": f"Ferry {number} sails.",
        "scores": {"esa": esa, "nli": 1 - missing / facts},
        "mentions": [],
        "facts": [
            {"triple": triple, "status": "missing" if place < missing else "stated"}
            for place, triple in enumerate(triples)
        ],
        "findings": [
            {"metric": "nli", "kind": "omission", "detail": "missing", "triple": triple, "why": why}
            for triple in triples[:missing]
        ],
        "verdicts": {"esa": "OK", "nli": verdict},
        "verdict": verdict,
        **({"reasons": {"esa": "no triples"}} if esa is None else {}),
    }
